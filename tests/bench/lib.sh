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

describe_machine() {
    result date "$(date -u +%Y-%m-%d)"
    result machine.cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    result machine.cpus "$(getconf _NPROCESSORS_ONLN)"
    result machine.virtual "$(grep -q '^flags.* hypervisor' /proc/cpuinfo && echo virtual || echo real)"
    result machine.kernel "$(uname -r)"
    result machine.system "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null)"
    result version.libc "$(getconf GNU_LIBC_VERSION 2>/dev/null)"
    result version.thrace "$("$thrace" --version 2>/dev/null | sed -n '1s/^[^0-9]*//p')"
    result rounds "$rounds"
}

# What is in BENCH_RESULTS as one object, for scripts/make-performance: numbers as such, everything else as strings; the
# last one counts.
write_json() {
    LC_ALL=C awk -F '\t' '
        { value[$1] = $2 }
        END {
            for (key in value) {
                v = value[key]
                if (v !~ /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/) {
                    gsub(/[\\"]/, "\\\\&", v)
                    gsub(/[^ -~]/, "?", v)
                    v = "\"" v "\""
                }
                printf "  \"%s\": %s\n", key, v
            }
        }' "$BENCH_RESULTS" | LC_ALL=C sort |
        awk '{ print (NR > 1 ? line "," : "{"); line = $0 } END { print line; print "}" }'
}

version_of() { # COMMAND…: the first number with a dot
    "$@" 2>/dev/null | first_number
}

first_number() { # with a dot, of stdin
    sed -n 's/^[^0-9]*\([0-9][0-9]*\.[0-9.]*[0-9]\).*/\1/p' | head -n 1
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
    missing=0
    "$bench/peer" -v "$2" >/dev/null || missing=$?
    case $missing in
    0) ;;
    3) plan "$1" "$2" plain - - '!not allowed'; return ;;
    *) plan "$1" "$2" plain - - '!not installed'; return ;;
    esac
    case $2 in
    heaptrack) written=$left.zst ;;
    lttng-idle | tracy | perfetto) written=- ;;
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
