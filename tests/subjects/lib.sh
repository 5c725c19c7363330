# Shared by the subjects: a real program is run plainly, recorded, and under strace, with the same load each time.
#
# A subject's file defines these and ends with `run_subject NAME':
#   needs COMMAND…    leaves the test when one is missing
#   prepare           once, before the runs
#   start             `launch'es the server or program; returns when it answers
#   drive             load for about $seconds; leaves in $rate how many operations a second there were, and in $cpu,
#                     when it knows better than the kernel, the CPU time for $seconds of them
#   stop              has it end in its normal way
# With `exports=yes' all exports of its trace are opened as well.
# shellcheck shell=sh disable=SC2034,SC2154
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/exports.sh"

seconds=${THRACE_SUBJECT_SECONDS:-1}
limit=$((seconds + 300))
# THRACE_SUBJECT_ENV: variables for the recorded run, as in THRACE_PERIOD=10ms.
sources=$top_srcdir/tests/subjects

needs() {
    for needed; do
        command -v "$needed" >/dev/null 2>&1 ||
            missing_subject "$needed is not installed; scripts/install-deps subjects"
    done
}

missing_subject() { # REASON
    [ "${THRACE_SUBJECT_MODE:-test}" = test ] || { echo "$1" >&2; exit 77; }
    skip_mandatory "$(basename "$0" .test)" "$1"
    done_testing
    exit 0
}

# A TCP port of the loopback device that nobody has now, below those that the kernel hands out.
free_port() {
    awk -v seed=$$ '
        { sub(/.*:/, "", $2); taken[$2] = 1 }
        END {
            srand(); srand(srand() + seed)
            do port = 20000 + int(rand() * 12000); while (sprintf("%04X", port) in taken)
            print port
        }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# --- one run ---------------------------------------------------------------------------------------------------------

# The calls that may wait, for strace.
may_wait=futex,epoll_wait,epoll_pwait,epoll_pwait2,poll,ppoll,select,pselect6,nanosleep,clock_nanosleep,read,readv,\
pread64,preadv,write,writev,pwrite64,pwritev,recvfrom,recvmsg,recvmmsg,sendto,sendmsg,sendmmsg,sendfile,accept,accept4,\
connect,wait4,waitid,pause,rt_sigtimedwait,rt_sigsuspend,io_getevents,io_pgetevents,io_uring_enter,fsync,fdatasync,\
flock,fcntl,restart_syscall,exit_group

launch() { # COMMAND…: in the background, in the way that $way says
    rm -f "$trace" "$trace.spool"
    out=$tap_scratch/$way
    case $way in
    plain) "$@" </dev/null >"$out.out" 2>"$out.err" & ;;
    traced) env ${THRACE_SUBJECT_ENV:-} "$thrace" record -o "$trace" -- "$@" </dev/null >"$out.out" 2>"$out.err" & ;;
    strace)
        strace --seccomp-bpf -f -qq -ttt -T -e "trace=$may_wait" -e signal=none -o "$tap_scratch/calls" "$@" \
            </dev/null >"$out.out" 2>"$out.err" &
        ;;
    esac
    launched=$!
}

# The program itself, which signals are meant for.
program_pid() {
    if [ "$way" = plain ]; then
        echo "$launched"
    else
        child_of "$launched"
    fi
}

# CPU time of the program so far, in hundredths of a second; nothing when it has ended.
cpu_time() {
    running=$(program_pid)
    [ -z "$running" ] || sed 's/.*) //' "/proc/$running/stat" 2>/dev/null | awk '{ print $12 + $13 }'
}

# However the test ends, nobody is left running.
kill_launched() {
    [ -n "${launched:-}" ] || return 0
    victim=$(program_pid 2>/dev/null)
    for one in $victim $launched; do
        kill -9 "$one" 2>/dev/null
    done
}
trap 'kill_launched; rm -rf "$tap_scratch"' EXIT

ended() { # sets $status; a program that does not end is killed
    deciseconds=0
    until has_ended "$launched"; do
        if [ $deciseconds -ge $((limit * 10)) ]; then
            echo "# $subject does not end, killed"
            kill_launched
        fi
        deciseconds=$((deciseconds + 1))
        sleep 0.1
    done
    wait "$launched"
    status=$?
    launched=
}

run() { # WAY
    way=$1 rate='' cpu=''
    if ! start; then
        broken="does not start"
    elif cpu_before=$(cpu_time || :) && ! drive >"$tap_scratch/$way.drive" 2>&1; then
        broken="the load fails: $(tail -n 3 "$tap_scratch/$way.drive")"
    else
        broken=
    fi
    cpu_after=$(cpu_time)
    [ -n "$cpu" ] || [ -z "$cpu_after" ] || cpu=$((cpu_after - ${cpu_before:-0}))
    stop >/dev/null 2>&1
    ended
    eval "${way}_cpu=\$cpu ${way}_status=\$status ${way}_rate=\$rate ${way}_broken=\$broken"
}

# --- what is compared -------------------------------------------------------------------------------------------------

# Numbers are process IDs, addresses, times and counts, and the order of lines is chance where threads print.
same_words() { # STREAM
    for compared in plain traced; do
        grep -av '^thrace' "$tap_scratch/$compared.$1" | sed 's/\b0x[0-9a-f]*/N/g; s/ *[0-9][0-9.]*/N/g' |
            LC_ALL=C sort -u >"$tap_scratch/$compared.$1.words"
    done
    same_file "$tap_scratch/traced.$1.words" "$tap_scratch/plain.$1.words" "$subject: same words on std$1"
}

# Milliseconds a class of calls waited for, largest first, from strace's log. A call that did not return counts up to
# the end of its thread.
kernel_waits() {
    awk -f "$sources/waits.awk" -f "$sources/kernel-waits.awk" "$tap_scratch/calls" | LC_ALL=C sort -k2,2nr
}

# The same from thrace stat.
trace_waits() {
    COLUMNS=10000 "$thrace" stat --waits --syscalls -n 4096 "$trace" >"$tap_scratch/stat" &&
        awk -f "$sources/waits.awk" -f "$sources/trace-waits.awk" "$tap_scratch/stat" | LC_ALL=C sort -k2,2nr
}

# What dominates in thrace stat dominates for the kernel, too. These are two runs, and strace changes what waits most:
# the order has to be right, not the share.
same_dominating_wait() {
    if ! command -v strace >/dev/null 2>&1; then
        skip "$subject: the dominating wait is the kernel's" "optional: no strace"
        return
    fi
    if [ -n "${THRACE_QUICK:-}" ]; then
        skip "$subject: the dominating wait is the kernel's" "optional: once is enough"
        return
    fi
    trace_waits >"$tap_scratch/ours"
    run strace
    if [ -n "$strace_broken" ]; then
        not_ok "$subject: runs under strace" "$strace_broken" "$(tail -n 5 "$tap_scratch/strace.err")"
        return
    fi
    kernel_waits >"$tap_scratch/kernel"
    sed 's/^/# strace: /' "$tap_scratch/kernel" | head -n 4
    sed 's/^/# thrace: /' "$tap_scratch/ours" | head -n 4
    first=$(awk 'NR == 1 { print $1 }' "$tap_scratch/ours")
    share=$(awk -v first="${first:-none}" 'NR == 1 { top = $2 } $1 == first { mine = $2 }
        END { print (top > 0) ? int(100 * mine / top) : 0 }' "$tap_scratch/kernel")
    if [ "$share" -ge 50 ]; then
        ok "$subject: the dominating wait is the kernel's"
    elif [ -n "${unseen:-}" ]; then
        skip "$subject: the dominating wait is the kernel's" "optional: $unseen"
    else
        not_ok "$subject: the dominating wait is the kernel's" "${first:-none} has $share % of what strace's first has"
    fi
}

# A second of a server has hundreds of thousands of events; of these the middle is enough for readers in Python.
open_exports() {
    back=$PWD
    cd "$tap_scratch" || return
    events=$(sed -n 's/^thrace:.* \([0-9]*\) events.*/\1/p' traced.err)
    exported_of=$trace
    if [ "${events:-0}" -gt 30000 ]; then
        part=$((50 - 50 * 30000 / events))
        exported_of=part.trace
        "$thrace" trim --from $part% --to $((100 - part))% "$trace" part.trace
        is $? 0 "$subject: the middle of it"
    fi
    exports_agree "$subject" "$exported_of"
    cd "$back" || return
}

run_as_test() {
    run plain
    if [ -n "$plain_broken" ]; then
        not_ok "$subject: runs plainly" "$plain_broken" "$(tail -n 5 "$tap_scratch/plain.out" "$tap_scratch/plain.err")"
        done_testing
        return
    fi
    run traced
    is "$traced_broken" "" "$subject: runs recorded"
    is "$traced_status" "$plain_status" "$subject: same exit status"
    same_words out
    same_words err
    sed -n 's/^thrace: /# /p' "$tap_scratch/traced.err"
    echo "# $subject: $plain_rate a second plainly, $traced_rate recorded"
    judge_all "$subject" "$trace"
    [ -z "${exports:-}" ] || [ ! -f "$trace" ] || open_exports
    [ ! -f "$trace" ] || same_dominating_wait
    done_testing
}

# A line a round: operations a second plainly and recorded; hundredths of CPU seconds of both (0: not known); bytes,
# events and lost events of the trace.
run_as_bench() {
    round=0
    while [ $round -lt "${THRACE_SUBJECT_ROUNDS:-3}" ]; do
        round=$((round + 1))
        for way in plain traced; do
            run $way
            eval "broken=\$${way}_broken"
            if [ -n "$broken" ]; then
                echo "$subject, $way: $broken" >&2
                exit 1
            fi
        done
        echo "$plain_rate $traced_rate ${plain_cpu:-0} ${traced_cpu:-0} $(wc -c <"$trace")" \
            "$(sed -n 's/^thrace:.* \([0-9]*\) events.* \([0-9]*\) lost.*/\1 \2/p' "$tap_scratch/traced.err")"
    done
}

# Recorded, for whoever compares the trace, as scripts/make-against-the-kernel does.
run_as_record() {
    run traced
    [ -z "$traced_broken" ] || { echo "$subject: $traced_broken" >&2; exit 1; }
    cp "$trace" "$THRACE_SUBJECT_TRACE"
}

run_subject() { # NAME
    subject=$1
    prepare || missing_subject "cannot be prepared: $(tail -n 1 "$tap_scratch/prepare")"
    run_as_"${THRACE_SUBJECT_MODE:-test}"
}

prepare() { :; }

# The first answers of a server that has just started may take longer than the load, on a machine that is busy.
load_by_wrk() { # URL
    for attempt in 1 2 3 4 5; do
        timeout $((seconds + 120)) wrk -t 1 -c 16 -d "${seconds}s" "$1" || return 1
        rate=$(sed -n 's/^Requests\/sec: *\([0-9]*\).*/\1/p' "$tap_scratch/$way.drive" | tail -n 1)
        [ "${rate:-0}" -eq 0 ] || break
    done
    [ "${rate:-0}" -gt 0 ] && ! grep -E 'Socket errors|Non-2xx' "$tap_scratch/$way.drive"
}
