# Functions that a row of the tables may call. It is run in an empty folder of its own, which is $HOME and $PWD, three
# ways:
#
#   plain      as ever; what it prints is what the others must print
#   recorded   by thrace record
#   preloaded  with the library alone, which is what the CPU time is compared with: thrace record works on afterwards
#
# One program of a row is the one in question, the one behind `run' or `serve'.
# shellcheck shell=sh disable=SC2154
. "$top_srcdir/tests/processes.sh"
. "$top_srcdir/tests/gauntlet/servers.sh"
. "$top_srcdir/tests/gauntlet/sources.sh"

under() { # COMMAND…: instead of this shell, as $way says
    rm -f "$trace.spool"
    case $way in
    plain) exec "$guard" program "$cpu" "$@" ;;
    preloaded) exec "$guard" program "$cpu" --shim "$shim" "$trace" "$@" ;;
    # shellcheck disable=SC2086
    recorded) exec "$thrace" record $record_options -o "$trace" -- "$@" ;;
    esac
}

run() { # COMMAND…
    (under "$@")
    echo $? >>"$ended"
}

serve() { # COMMAND…: a server; what it prints goes to server.out and server.err
    (under "$@") </dev/null >server.out 2>server.err &
    launched=$!
}

# The server itself, which signals are meant for.
server_pid() {
    child_of "$launched"
}

stop() { # [SIGNAL]: has the server end by it, or by itself: "-"
    [ "${1:-TERM}" = - ] || kill -"${1:-TERM}" "$(server_pid)"
    wait "$launched"
    echo $? >>"$ended"
}

# Output that differs from run to run.
mask() { echo "$1" >>"$masks"; }    # SED-EXPRESSION, extended: is applied before outputs are compared
unordered() { : >"$masks.unordered"; } # the order of lines is chance
numbers() { mask 's/[0-9]+([.:,][0-9]+)*/N/g; s/ +/ /g'; }
