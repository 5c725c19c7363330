# What the end-to-end tests share: recording a program, comparing it with itself untraced, and having its trace judged.
# shellcheck shell=sh disable=SC2034
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/processes.sh"

thrace=$top_builddir/thrace
shim=$top_builddir/.libs/libthrace-preload.so
programs=$top_builddir/tests/programs
shared=${THRACE_SHARED:-$top_srcdir/../shared}
oldest_go=go1.22.12
# Whose traces are exported: of the old format and of the new one.
go_versions='go1.19 go1.22'
[ -z "${THRACE_QUICK:-}" ] || go_versions=go1.22

# The environment must not change a recording under test.
unset THRACE_OUT THRACE_PERIOD THRACE_VERBOSE THRACE_CPU_HZ THRACE_UNWIND THRACE_STACK_DEPTH THRACE_STACKS THRACE_ERRORS \
    THRACE_CALL_OBJECTS LD_PRELOAD \
    THRACE_ANNOTATIONS THRACE_PROBES THRACE_LOCK_STATS THRACE_SWITCHES INTEL_LIBITTNOTIFY64 NVTX_INJECTION64_PATH

[ -f "$shim" ] || skip_all "this build has no preload library"
scratch
trace=$tap_scratch/x.trace

. "$top_srcdir/tests/judge.sh"

have_judge() {
    [ "${judge_state:-}" ] || { build_judge && judge_state=there || judge_state=missing; }
    [ $judge_state = there ]
}

# Looking into processes that are no children of the looker's, as Ubuntu's kernels let only root.
needs_ptrace() {
    scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null) || scope=0
    [ "$scope" = 0 ] || [ "$(id -u)" = 0 ] || skip_all "optional: the kernel lets nobody look (ptrace_scope is $scope)"
}

# Go 1.22's own tool is the oldest that must accept our traces.
have_oldest_go() {
    [ "${oldest_state:-}" ] || {
        have_go && GOTOOLCHAIN=$oldest_go go version >/dev/null 2>&1 && oldest_state=there || oldest_state=missing
    }
    [ $oldest_state = there ]
}

# Since then the number of a system call that may be cancelled is not in the instruction in front of it.
has_glibc_2_41() {
    case $(getconf GNU_LIBC_VERSION) in
    "glibc 2."[0-9] | "glibc 2."[123][0-9] | "glibc 2.40") return 1 ;;
    esac
}
# When threads, message queues and dlopen moved into libc itself.
is_before_glibc_2_34() {
    case $(getconf GNU_LIBC_VERSION) in
    "glibc 2."[0-9] | "glibc 2."[12][0-9] | "glibc 2.3"[0-3]) ;;
    *) return 1 ;;
    esac
}

# For a test that has symbols looked up often: they are kept, in a cache of its own.
keep_symbols() { export XDG_CACHE_HOME="$tap_scratch/cache" THRACE_SYMBOL_CACHE=; }

oldest_go_parses() { # TRACE; Go 1.22 has a number for "parsed"
    if is_large "$1"; then
        GOTOOLCHAIN=$oldest_go go tool trace -pprof=sync "$1" >"$tap_scratch/profile"
    else
        GOTOOLCHAIN=$oldest_go go tool trace -d=1 "$1" >/dev/null
    fi
}

judge_all() { # NAME TRACE: our validator, Go's tools old and new, and the strict judge accept it
    if [ ! -f "$2" ]; then
        not_ok "$1: leaves a trace"
        return
    fi
    # For who reads them where there is Go.
    [ -z "${THRACE_KEEP_TRACES:-}" ] ||
        cp "$2" "$(mktemp "$THRACE_KEEP_TRACES/$(basename "$0" .test).XXXXXX")"
    succeeds "$1: thrace validate accepts the trace" "$thrace" validate "$2"
    if ! have_go; then
        skip_mandatory "$1: Go accepts the trace" "no Go"
        ! have_judge || succeeds "$1: the strict judge accepts the trace" "$judge" check "$2"
        return
    fi
    if have_judge; then
        succeeds "$1: the strict judge accepts the trace" "$judge" check "$2"
    else
        skip_mandatory "$1: the strict judge accepts the trace" "judge not built: $(tail -n 1 "$tap_scratch/go-build")"
    fi
    [ -z "${THRACE_QUICK:-}" ] || return 0
    succeeds "$1: go tool trace accepts the trace and prints what thrace print does" go_prints_the_same "$2"
    [ "$(head -c 7 "$2")" = "go 1.22" ] || return 0
    if have_oldest_go; then
        succeeds "$1: go tool trace of $oldest_go accepts the trace" oldest_go_parses "$2"
    else
        skip_mandatory "$1: go tool trace of $oldest_go accepts the trace" "no $oldest_go"
    fi
}

# Turns "ok - …" and "not ok - …" of the judge into test points of this test.
judge_expect() { # NAME TRACE EXPECTATIONS
    [ -s "$3" ] || return 0
    if ! have_judge; then
        skip_mandatory "$1: the trace shows what happened" "no judge"
        return
    fi
    "$judge" expect "$2" "$3" >"$tap_scratch/verdicts" 2>&1
    verdict_status=$?
    [ $verdict_status -le 1 ] && grep -q '^ok\|^not ok' "$tap_scratch/verdicts" ||
        not_ok "$1: expectations are read" "$(cat "$tap_scratch/verdicts")"
    while IFS= read -r verdict; do
        case $verdict in
        'ok - '*' # SKIP '*)
            verdict=${verdict#ok - }
            skip "$1: ${verdict%% # SKIP *}" "${verdict#* # SKIP }"
            ;;
        'ok - '*) ok "$1: ${verdict#ok - }" ;;
        'not ok - '*) not_ok "$1: ${verdict#not ok - }" ;;
        '#'*) printf '%s\n' "$verdict" ;;
        esac
    done <"$tap_scratch/verdicts"
}

fact() { # TRACE NAME: one of judge's facts
    "$judge" facts "$1" | awk -F '\t' -v name="$2" '$1 == name { print $2 }'
}

heap_of() { # COMMAND…: records it; sets $reported, what the summary says, and $own, what the program itself counted
    "$thrace" record -o "$trace" -- "$@" </dev/null >"$tap_scratch/out" 2>"$tap_scratch/err"
    reported=$(sed -n 's/^thrace: .*, heap \([0-9]*\) bytes.*/\1/p' "$tap_scratch/err")
    own=$(sed -n 's/^live //p' "$tap_scratch/out")
}

top_of_stacks() { # EVENT: the leaves of its stacks in the trace
    "$thrace" print "$trace" |
        awk -v event="$1" '$0 ~ event { found = 1; next } found && /^\t[^\t]/ { print $1; found = 0 }' |
        LC_ALL=C sort -u | tr '\n' ' '
}

# The header of a spool while its process records; what is not there is 0.
header_u32() { od -An -tu4 -j"$2" -N4 "$1" 2>/dev/null | tr -d ' ' | grep . || echo 0; } # SPOOL OFFSET
header_u64() { od -An -tu8 -j"$2" -N8 "$1" 2>/dev/null | tr -d ' ' | grep . || echo 0; } # SPOOL OFFSET
is_recorded() { [ "$(head -c 8 "$1")" = thrSPOOL ]; }                                    # SPOOL: the rest is there, too
is_over() { [ "$(header_u32 "$1" 28)" -gt 1 ]; }                                         # SPOOL: nobody records to it
has_generation() { is_recorded "$1" && [ "$(header_u64 "$1" 136)" -ge "$2" ]; }         # SPOOL NUMBER

# A start or snapshot is refused when a thread that has lost the processor does not give way in time. That says to try
# again.
insist() { # COMMAND…
    insisted=0
    until "$@" 2>"$tap_scratch/insist.err"; do
        insist_status=$?
        insisted=$((insisted + 1))
        if [ $insisted -ge 60 ] || ! grep -q 'did not give way\|has room for' "$tap_scratch/insist.err"; then
            cat "$tap_scratch/insist.err" >&2
            return $insist_status
        fi
    done
    cat "$tap_scratch/insist.err" >&2
}

without_signals() {
    grep -Eav '^(Aborted|Segmentation fault|Terminated|Killed|Bad system call)( \(core dumped\))?$'
}

# Runs the command plainly and under thrace record, both with stdin from /dev/null, and wants the same output, the same
# errors and the same end. Leaves the trace in $trace, and output and status in plain.* and traced.* of $tap_scratch.
same_with_and_without() { # NAME COMMAND…
    same_name=$1
    shift
    rm -f "$trace" "$trace.spool"
    "$@" </dev/null >"$tap_scratch/plain.out" 2>"$tap_scratch/plain.err"
    plain_status=$?
    "$thrace" record -o "$trace" -- "$@" </dev/null >"$tap_scratch/traced.out" 2>"$tap_scratch/all.err"
    traced_status=$?
    # thrace's own lines, the summary for one, begin with its name. A shell that reports a signal says so on the
    # redirected stderr; that is its word, not the program's.
    grep -a '^thrace' "$tap_scratch/all.err" >"$tap_scratch/thrace.err"
    grep -av '^thrace' "$tap_scratch/all.err" | without_signals >"$tap_scratch/traced.err"
    without_signals <"$tap_scratch/plain.err" >"$tap_scratch/plain.own.err"
    is "$traced_status" "$plain_status" "$same_name: same exit status"
    same_file "$tap_scratch/traced.out" "$tap_scratch/plain.out" "$same_name: same output"
    same_file "$tap_scratch/traced.err" "$tap_scratch/plain.own.err" "$same_name: same errors"
}

# One line registers a program of tests/programs: it is run with and without thrace, its trace is judged, and what it
# prints as "trace: …" is expected there. With may_lose set, a recording that could not keep up need only say so.
traced() { # PROGRAM [ARGUMENT…]
    traced_name=$*
    traced_program=$1
    shift
    same_with_and_without "$traced_name" "$programs/$traced_program" "$@"
    judge_all "$traced_name" "$trace"
    sed -n 's/^trace: //p' "$tap_scratch/plain.out" >"$tap_scratch/expectations"
    lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$tap_scratch/thrace.err")
    if [ -n "${may_lose:-}" ] && [ "${lost:-0}" -gt 0 ]; then
        skip "$traced_name: the trace shows what happened" "optional: $lost events were lost, and counted"
    elif [ -f "$trace" ]; then
        judge_expect "$traced_name" "$trace" "$tap_scratch/expectations"
    fi
}

# The words that the names of what is waited for begin with, in lines.
object_words() { sed -n 's/^THRACE_OBJECT([A-Z]*, "\(.*\)")$/\1/p' "$top_srcdir/lib/objects.def"; }

# A program that records parts of its own run: the lines "N: …" that it prints must hold for the trace of its session N.
records_itself() { # SESSIONS PROGRAM [ARGUMENT…]
    own_sessions=$1 own_program=$2
    shift 2
    own_name="$own_program${1:+ $*}, period ${THRACE_PERIOD:-1s}"
    rm -f "$tap_scratch"/own.*.trace
    THRACE_START=off LD_PRELOAD=$shim THRACE_OUT=$tap_scratch/own.%n.trace \
        "$programs/$own_program" "$@" >"$tap_scratch/own.out" 2>"$tap_scratch/own.err"
    is "$? $(cat "$tap_scratch/own.err")" "0 " "$own_name: the program ends as always"
    for own_session in $(seq "$own_sessions"); do
        own_trace=$tap_scratch/own.$own_session.trace
        judge_all "$own_name, session $own_session" "$own_trace"
        sed -n "s/^$own_session: //p" "$tap_scratch/own.out" >"$tap_scratch/expectations"
        judge_expect "$own_name, session $own_session" "$own_trace" "$tap_scratch/expectations"
    done
}

has_browser() { # that begins, which some containers do not let it
    python3 - "$top_srcdir/tests/e2e" <<'END_OF_PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import browser
sys.exit(0 if browser.program() and browser.Browser().close() is None else 1)
END_OF_PYTHON
}
