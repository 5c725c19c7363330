# The judge of tests/go. What its build says goes to $judge_log.
# shellcheck shell=sh disable=SC2154
# The judge is built once per build folder, by whoever comes first.
judge=$(cd "$top_builddir" && pwd)/tests/go/judge # go runs elsewhere
have_go() { command -v go >/dev/null 2>&1; }

build_judge() {
    have_go || return 1
    [ -z "$(find "$top_srcdir/tests/go" -newer "$judge" -name '*.go' -print 2>&1)" ] && return 0
    mkdir -p "$top_builddir/tests/go" &&
        (cd "$top_srcdir/tests/go" && GOFLAGS=-mod=readonly go build -o "$judge.$$" .) \
            >"${judge_log:=$tap_scratch/go-build}" 2>&1 &&
        mv "$judge.$$" "$judge"
}
