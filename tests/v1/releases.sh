# Releases of Go before 1.22, where the module cache has them: go mod download
# golang.org/toolchain@v0.0.1-go1.5.4.linux-amd64 gets one; in its folder, chmod -R +x bin pkg/tool.
# shellcheck shell=sh

# The folder of a release; nothing if it is not there.
release() { # VERSION
    [ "$(uname -m)" = x86_64 ] && command -v go >/dev/null 2>&1 || return 0
    release_root=$(go env GOMODCACHE)/golang.org/toolchain@v0.0.1-go$1.linux-amd64
    if [ -x "$release_root/bin/go" ] && [ -x "$release_root/pkg/tool/linux_amd64/link" ]; then
        echo "$release_root"
    fi
}

# Old runtimes hang now and then on the kernels of today, as their programs and compilers do.
try_again() { # COMMAND…
    for _ in 1 2 3 4 5; do
        timeout -k 5 40 "$@" && return 0
    done
    return 1
}

# Runs a command as that release wants it.
try_release() { # FOLDER COMMAND…
    release_root=$1
    shift
    try_again env -u GOFLAGS -u GOPATH GOROOT="$release_root" GOENV=off GOTOOLCHAIN=local GO111MODULE=off "$@"
}
