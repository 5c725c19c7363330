# Waiting for what other processes do.
# shellcheck shell=sh disable=SC2154

has_ended() { # PID: gone, or waiting to be waited for
    ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# Until the command succeeds, while the process lives. On a busy machine everything takes long, so it gives up after two
# minutes only.
await_of() { # PID COMMAND…
    awaited=$1 tries=0
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 2400 ] && ! has_ended "$awaited" || return 1
        sleep 0.05
    done
}
await() { await_of "$launched" "$@"; } # COMMAND…
has_none_of_ours() { ! cat "/proc/$1/task"/*/comm 2>/dev/null | grep -qx 'thrace\|thrace-ctl'; } # PID: threads
# The first of its children that there are. Not every kernel lists them (CONFIG_PROC_CHILDREN).
child_of() { # PID
    cat /proc/[0-9]*/stat 2>/dev/null | sed -n "s/^\([0-9]*\) (.*) [A-Z] $1 .*/\1/p" | sort -n | head -n 1 | grep .
}
await_end() { await_of $$ has_ended "$1"; } # PID: of any process

# A signal that comes before the handler does kills.
catches() { # PID NUMBER
    [ $((0x$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status") >> ($2 - 1) & 1)) = 1 ]
}

listens() { # PORT: somebody does
    awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" && index($2, port) { found = 1 } END { exit !found }' \
        /proc/net/tcp /proc/net/tcp6
}
