# Reads what `thrace stat --waits --syscalls` wrote, in lines that are not broken.
function milliseconds(number, unit) {
    return number * (unit == "s" ? 1000 : unit == "ms" ? 1 : unit == "ns" ? 1e-6 : 1e-3)
}

# A time is two words, or none.
function behind_times(i, n) {
    for (; n > 0; n--)
        i += $i == "-" ? 1 : 2
    return i
}

/^Waits$/ { table = "waits"; next }
/^System calls$/ { table = "calls"; next }
/^[A-Z]/ { table = "" }

# Rows begin with a time; what is below them does not.
table != "" && $1 ~ /^[0-9.]+$/ && $2 ~ /^(ns|µs|ms|s)$/ {
    i = table == "waits" ? 3 : 1 # behind the time that somebody needed them
    time = milliseconds($i, $(i + 1))
    name = $behind_times(i + 3, 3)
    sub(/,$/, "", name)
    # System calls that are as short as this on the whole did not wait, however many there were.
    if (table == "calls" && time / $(i + 2) < 0.1) next
    total[class_of(name)] += time
}

END { for (class in total) printf "%s %.0f\n", class, total[class] }
