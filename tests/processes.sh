# Waiting for what other processes do. The one that $launched names is waited for no longer than it lives.
# shellcheck shell=sh disable=SC2154

has_ended() { # PID: gone, or waiting to be waited for
    [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

await() { # COMMAND…: until it succeeds, half a minute at most
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] && ! has_ended "$launched" || return 1
        sleep 0.1
    done
}

listens() { # PORT: somebody does
    awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" && index($2, port) { found = 1 } END { exit !found }' \
        /proc/net/tcp /proc/net/tcp6
}
