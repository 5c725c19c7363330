# What the tests of attaching to a running program share; lib.sh comes before. It goes to the scratch folder.
# shellcheck shell=sh disable=SC2034,SC2154
case $(uname -m) in
x86_64) ;;
*) skip_all "optional: attaching is for x86-64 so far" ;;
esac
needs_ptrace
# Before glibc 2.34 libc has no dlopen of its own.
if is_before_glibc_2_34; then
    sleep 600 &
    like "$("$thrace" attach $! 2>&1)" "^thrace attach: $!: it .*has another C library than glibc 2\.34 or later" \
        "nothing is attached to where glibc is older"
    kill $!
    skip "attaching" "optional: glibc is older than 2.34 here"
    done_testing
    exit 0
fi
keep_symbols
cd "$tap_scratch" || exit 99
# In most containers all processes have a filter of system calls, which returns errors.
filtered=
! grep -q '^Seccomp:.[1-9]' /proc/self/status || filtered=--with-filter

# A program of the test's own, ready; its number is in $program.
begin() { # COMMAND…
    : >out
    "$@" >out 2>err &
    program=$!
    await_of "$program" grep -q ready out
}
reap() { # PID: its exit status; what does not end is killed
    await_end "$1" || kill -9 "$1"
    wait "$1"
}
end() { # WANTED NAME: by SIGTERM
    kill -TERM "$program"
    reap "$program"
    is "$? $(tail -n 1 out)$(cat err)" "$1" "$2"
}
# One of its threads is in the loader, which opens a FIFO that nobody writes to.
loads_slowly() { cat "/proc/$program/task"/*/syscall 2>/dev/null | grep -q '^257 '; }
# From now on it reads what is no library. stop_writing ends that.
write_nonsense() {
    (trap '' PIPE; while :; do echo nonsense >slow.so; done) 2>/dev/null &
    writing=$!
}
stop_writing() {
    kill $writing 2>/dev/null
    wait $writing 2>/dev/null
}
threads() { ls "/proc/$program/task" | wc -l; }
descriptors() { ls -l "/proc/$program/fd" | sed 's/.* \([0-9]* -> .*\)/\1/'; }
# Niceness and policy of its threads, each pair once; 0 is SCHED_OTHER.
scheduling() { sed 's/.*) //' "/proc/$program/task"/*/stat | cut -d ' ' -f 17,39 | LC_ALL=C sort -u; }
is_stopped() { grep -q '^State:.T' "/proc/$program/status"; }
