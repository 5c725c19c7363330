# What the parts of the bench share. Each prints a table, and appends "KEY<tab>VALUE" to the file that BENCH_RESULTS
# names.
# shellcheck shell=sh disable=SC2034

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
bench=$top_srcdir/tests/bench
built=$top_builddir/tests/bench
micro=$built/micro
shim=$top_builddir/.libs/libthrace-preload.so
thrace=$top_builddir/thrace
tab=$(printf '\t')
export THRACE_SYMBOL_CACHE=0
unset LD_PRELOAD THRACE_OUT

scratch=$(mktemp -d "${TMPDIR:-/tmp}/thrace-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
trace=$scratch/x.trace

result() { # KEY VALUE
    [ -z "${BENCH_RESULTS:-}" ] || printf '%s\t%s\n' "$1" "$2" >>"$BENCH_RESULTS"
}

median() { # of column 1 of stdin
    sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

plan() { # BENCH WAY BASE OUTPUT SETUP COMMAND: a line of turns' plan
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$6"
}

# How a command is recorded by the library alone, and what counts the events of the trace afterwards.
recorded="LD_PRELOAD=$shim THRACE_OUT=$trace"
fresh="rm -rf $trace $trace.spool"
count_events="$thrace validate $trace | sed -n 's/.* \\([0-9]*\\) events\$/events=\\1/p'"

traced() { # BENCH WAY BASE VARIABLES COMMAND
    plan "$1" "$2" "$3" "$trace" "$fresh" "env $recorded $4 $5 && $count_events"
}

take_turns() { # PREFIX ROUNDS [SECONDS]: of the plan on stdin
    "$built/turns" -p "$1" -n "$2" -t "${3:-60}" ${BENCH_RESULTS:+-o "$BENCH_RESULTS"} -
}

# Across processors a wakeup costs ten times what it costs on one, and varies as much: two threads that hand over stay
# on one.
on_one_processor() { # BENCH
    case $1 in
    *-pingpong | barrier) echo "taskset -c ${one_processor:=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')}" ;;
    esac
}

# --- other tools -----------------------------------------------------------------------------------------------------

peer_way() { # BENCH PEER COMMAND: a line of the plan, against the way named plain
    left=$scratch/peer
    if ! "$bench/peer" -v "$2" >/dev/null; then
        plan "$1" "$2" plain - - '!not installed'
        return
    fi
    case $2 in
    heaptrack) written=$left.zst ;;
    lttng-idle) written=- ;;
    *) written=$left ;;
    esac
    plan "$1" "$2" plain "$written" "rm -rf $left $left.zst" "$bench/peer $2 $left $3"
}

# One daemon for the whole run, ended with it. One that is there already is somebody else's, and does as well.
start_lttng() {
    ! "$bench/peer" -v lttng >/dev/null ||
        lttng-sessiond --daemonize --pidfile="$scratch/lttng.pid" >/dev/null 2>&1 || return 0
    trap 'end_lttng; rm -rf "$scratch"' EXIT
}

end_lttng() {
    [ ! -s "$scratch/lttng.pid" ] || kill "$(cat "$scratch/lttng.pid")" 2>/dev/null || :
}
