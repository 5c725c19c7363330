# Classes of waits, by the name of a system call or of the libc function that makes it.
function class_of(name) {
    sub(/@.*/, "", name)
    sub(/^_+(libc_|GI_|new_|old_)?_*/, "", name)
    # Of what goes through syscall(2), only futexes are waited for.
    if (name ~ /^(futex|syscall$|pthread_|sem_|mtx_|cnd_|thrd_join|call_once|GOMP_|omp_|kmp)/) return "futex"
    if (name ~ /^(thrd_sleep|(clock_)?nanosleep|u?sleep)$/) return "sleep"
    if (name ~ /^epoll_p?wait2?$/) return "epoll"
    if (name ~ /^p?poll(_chk)?$/) return "poll"
    if (name ~ /^p?select6?$/) return "select"
    if (name ~ /^(readv?|pread(64)?(v2?)?|recv(from|msg|mmsg)?)(64)?(_chk)?$/) return "read"
    if (name ~ /^(writev?|pwrite(64)?(v2?)?|send(to|msg|mmsg|file)?)(64)?$/) return "write"
    if (name ~ /^accept4?$/) return "accept"
    if (name ~ /^(wait|wait[34]|waitpid|waitid)$/) return "child"
    if (name ~ /^(pause|sigwait|sigwaitinfo|sigtimedwait|sigsuspend|rt_sig.*)$/) return "signal"
    if (name ~ /^(io_p?getevents|io_uring_.*)$/) return "aio"
    if (name ~ /^(fcntl(64)?|flock|lockf)$/) return "lock"
    if (name ~ /^(fsync|fdatasync|msync|sync_file_range)$/) return "sync"
    return name
}
