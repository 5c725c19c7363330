# Reads what `strace -f -ttt -T` wrote: "PID TIME NAME(…) = RESULT <SECONDS>", or in two halves.
function add(name, duration) {
    if (name == "restart_syscall") name = restarted[pid]
    class = class_of(name)
    # strace makes each call take some 30 µs: what is as short as that did not wait.
    if (duration > 0.0002 || class == "sleep") total[class] += duration
}

{ pid = $1; now = $2 }

$3 == "+++" {
    if (pid in began) add(pending[pid], now - began[pid])
    delete began[pid]
    next
}

/ <unfinished \.\.\.>$/ {
    name = $3
    sub(/\(.*/, "", name)
    pending[pid] = name
    began[pid] = now
    if (name != "restart_syscall") restarted[pid] = name
    next
}

/ <[0-9.]+>$/ || / = \?/ {
    name = $3
    if (name == "<...") {
        if (!(pid in began)) next
        name = pending[pid]
        duration = now - began[pid]
        delete began[pid]
    } else {
        sub(/\(.*/, "", name)
        duration = $NF
        gsub(/[<>]/, "", duration)
    }
    if (name != "restart_syscall") restarted[pid] = name
    add(name, duration + 0)
}

END {
    for (pid in began) add(pending[pid], now - began[pid])
    for (class in total) printf "%s %.0f\n", class, total[class] * 1000
}
