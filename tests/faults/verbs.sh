# The verbs that deal with a running program, with memory that is short at one allocation after the other, and with
# system calls that fail: each ends by itself, and says what went wrong if it did not do its work; a trace is valid or
# absent, no spool is left in silence, and the program goes on. Short, at some places; with THRACE_FAULTS=all at each.
# shellcheck shell=sh disable=SC2154,SC2034
. "$top_srcdir/tests/faults/lib.sh"
skip_if_quick
sparing=yes

export THRACE_SYMBOL_CACHE=0

is_alive() { # PID: and not stopped for good, nor dead
    is_running() { grep -q '^State:.[SRD]' "/proc/$1/status" 2>/dev/null; }
    await_of "$1" is_running "$1"
}

# With a fault, or none, in the command.
with_call() { inject "$thrace" "$@"; }
with_malloc() {
    timeout -k 5 $patience env LD_PRELOAD="$fail_malloc" FAIL_MALLOC="$place" FAIL_MALLOC_REPORT=report "$thrace" "$@"
}
run_verb() {
    rm -f x.* report
    # shellcheck disable=SC2086
    $how $verb </dev/null >out 2>err
    status=$?
}

has_traces() { for t in x*.trace; do [ -e "$t" ] && return; done; }
is_honest() {
    case $status in
    141) [ "$errno" = EPIPE ] || wrong "status 141" ;; # nobody reads any more, and it ends as others do then
    124 | 12[89] | 1[3-9]? | 2??) wrong "status $status" ;;
    12[5-7]) [ "$name" = record ] || wrong "status $status" ;; # or fail-call's own
    esac
    [ $status = 0 ] || [ -s err ] || is_mute || is_robbed || wrong "status $status, and nothing said"
    [ $status != 0 ] || [ -z "$wanted" ] || has_traces || [ "$wanted" != trace ] || [ -s err ] || wrong "no trace"
    [ $status != 0 ] || [ "$wanted" != report ] || [ -s out ] || [ -s err ] || wrong "nothing is told"
    for t in x*.trace; do
        [ ! -e "$t" ] || "$thrace" validate "$t" >judged 2>&1 || wrong "$t is not valid: $(head -n 3 judged)"
    done
    for s in x*.spool; do
        [ ! -e "$s" ] || grep -qe "$s" -e "thrace detach" err || is_told_of_its_end || is_robbed || is_mute ||
            wrong "$s is left, and nothing said"
    done
    [ -z "${attaches:-}" ] || has_none_of_ours "$program" || grep -q "thrace detach\|goes on and is recorded" err ||
        is_told_of_its_end || await_of "$program" has_none_of_ours "$program" ||
        wrong "it is still recorded, and nobody was told: $(cat err)"
    [ -z "${attaches:-}" ] || has_none_of_ours "$program" || "$thrace" detach "$program" >/dev/null 2>&1
    [ -z "$program" ] || is_alive "$program" || wrong "the program is $(sed -n 's/^State:.//p' "/proc/$program/status")"
    rm -f x.*
}
is_told_of_its_end() { [ "$call $errno" = "process_vm_readv ESRCH" ]; } # but the process goes on
is_robbed() { # told that somebody has taken the spool, or its folder, away; record's status is the program's own
    case "$name $call $errno" in
    'record getdents64 ENOENT' | 'record openat ENOENT' | 'record newfstatat ENOENT') return 0 ;;
    'attach openat ENOENT' | 'attach newfstatat ENOENT') [ $status = 0 ] || grep -q '^thrace attach: ' err ;;
    *) return 1 ;;
    esac
}
is_mute() { [ "$call $place" = "write 1-" ] || [ "$call $place" = "writev 1-" ]; } # what can nowhere write

short_of_memory() {
    call=malloc errno=ENOMEM place=0 bad=0 made=0 how=with_malloc
    : >complaints
    run_verb
    is_honest
    for place in $(allocations report); do
        made=$((made + 1))
        run_verb
        is_honest
    done
    [ $made -gt 1 ] || wrong "nothing was tried"
    tell "thrace $name: short of memory"
}

verb() { # NAME WANTED ARGUMENT…: a trace or a report, or nothing, is what it makes
    name=$1 wanted=$2
    shift 2
    [ -z "${ONLY:-}" ] || [ "$ONLY" = "$name" ] || return 0
    verb=$*
    short_of_memory
    how=with_call
    each_fault "thrace $name" command run_verb is_honest
}

begin() { # COMMAND…: the program to look at; $program
    : >out.program
    "$@" >out.program 2>err.program &
    program=$!
    await_of $program grep -q ready out.program
}
end() { # NAME
    kill -TERM $program
    await_end $program || kill -9 $program
    wait $program
    is "$? $(grep -v '^thrace' err.program)" "0 " "$1"
}
