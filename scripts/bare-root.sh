# shellcheck shell=sh disable=SC2154,SC2016,SC2086
# Bare roots of Debian, made by debootstrap and entered as machines of their own: sourced by scripts/fresh and
# scripts/try-packages. They set $tool, their own name, $keep, and $archive and $cache, by their options or empty, and
# call roots_of first. What one downloads is locked against another run of the same tool, not against the other one.

# What apt of this machine downloads Debian itself from: of the indexes, the first whose suite has debootstrap.
configured_archive() {
    apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
        awk '$2 == "Debian" && $3 == "Debian" { sub("/$", "", $1); print $1; exit }'
}

# How apt of this machine reaches it.
apt_configuration() {
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date|Retries) ' || :
}

# Only root's: a user who could write there would be root in the roots.
open_cache() {
    [ -n "$cache" ] || cache=${XDG_CACHE_HOME:-$HOME/.cache}/thrace-fresh
    mkdir -p "$cache"
    if [ "$(stat -c %u "$cache")" != 0 ] || [ -n "$(find "$cache" -maxdepth 0 -perm /022)" ]; then
        echo "$tool: others than root may write to $cache" >&2
        exit 1
    fi
    exec 9>"$cache/lock-$tool"
    flock 9
    exec 8>"$cache/lock-system"
}

# The bare system as a tarball, at most a week old; what debootstrap downloads serves for the next.
bare_system() { # SUITE: sets $system
    system=$cache/$1.tar
    flock 8
    make_system "$1" && system_status=0 || system_status=$?
    flock -u 8
    return $system_status
}

make_system() { # SUITE
    [ -z "$(find "$cache" -maxdepth 1 -name "$1.tar" -mtime -7)" ] || return 0
    echo "$tool: making a bare $1"
    mkdir -p "$cache/bootstrap"
    rm -rf "$work/bare"
    if ! debootstrap --variant=minbase --cache-dir="$cache/bootstrap" $includes "$1" "$work/bare" "$archive" \
        >"$work/debootstrap.out" 2>&1; then
        tail -n 20 "$work/debootstrap.out" >&2
        return 1
    fi
    tar -C "$work/bare" --numeric-owner --exclude='./var/cache/apt/archives/*.deb' -cf "$system.new" .
    mv "$system.new" "$system"
    rm -rf "$work/bare"
}

# A machine of its own: the system, and how to reach the archive.
bare_root() { # ROOT SUITE
    bare_system "$2" || return 1
    mkdir -p "$1"
    tar -C "$1" --numeric-owner -xf "$system"
    echo "deb $archive $2 main" >"$1/etc/apt/sources.list"
    apt_configuration >"$1/etc/apt/apt.conf.d/90bare-root"
    # Nobody needs the root after a crash of this machine.
    echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/bare-root"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    echo "127.0.0.1 localhost $(hostname)" >"$1/etc/hosts"
    mkdir -p "$cache/archives-$tool-$2"
}

home_of() { # WHO
    [ "$1" = root ] && echo /root || echo /home/user
}

# Mounts and processes end with it, however it ends. Nothing of this machine's environment gets in. The root is that of
# a mount namespace and not just a chroot, from which one could not make other namespaces.
inside() { # ROOT SUITE WHO COMMAND
    inside_path=/usr/local/bin:/usr/bin:/bin inside_spec=user:user
    [ "$3" = user ] || inside_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin inside_spec=root:root
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1 archives=$2 spec=$3
        shift 3
        mount --bind "$root" "$root"
        cd "$root"
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs -o mode=1777 shm dev/shm
        mount --bind "$archives" var/cache/apt/archives
        pivot_root . .
        umount -l .
        exec chroot --userspec="$spec" / "$@"' "$tool" "$1" "$cache/archives-$tool-$2" "$inside_spec" \
        env -i HOME="$(home_of "$3")" USER="$3" LOGNAME="$3" PATH="$inside_path" TERM=dumb \
        sh -c "cd; $4" </dev/null 8>&- 9>&-
}

# Finds the archive, goes on as root, locks the cache and makes $work, which is gone at the end unless $keep is yes.
roots_of() { # ARGUMENT…: all of the script's
    [ -n "$archive" ] || archive=$(configured_archive)
    if [ -z "$archive" ]; then
        echo "$tool: apt is not configured for an archive of Debian here; name one: --archive URL" >&2
        exit 1
    fi
    # Its home, too: root must not write to another user's cache.
    [ "$(id -u)" = 0 ] || exec sudo -H "$0" --archive "$archive" "$@"
    if ! unshare --mount true 2>/dev/null; then
        echo "$tool: may not mount here; run it where unshare --mount works" >&2
        exit 1
    fi
    includes=
    case $archive in https:*) includes=--include=ca-certificates ;; esac
    open_cache
    work=$(mktemp -d "${TMPDIR:-/tmp}/thrace-$tool.XXXXXX")
    trap '[ $keep = yes ] || rm -rf --one-file-system "$work"' EXIT
    trap 'exit 1' HUP INT TERM
}
