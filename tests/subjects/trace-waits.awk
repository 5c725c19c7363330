# Reads what `thrace stat` wrote: its tables of waits and of system calls. objects: the words that names of what is
# waited for begin with, with | between.
function milliseconds(number, unit) {
    return number * (unit == "s" ? 1000 : unit == "ms" ? 1 : unit == "ns" ? 1e-6 : 1e-3)
}

/^Waits with/ { table = "waits"; next }
/^System calls/ { table = "calls"; next }
/^[A-Z]/ { table = "" }

# Below an object that was waited for is the function.
of_object { total[class_of($1)] += of_object; of_object = 0; next }

# Rows begin with a time of two words; the frames below them do not.
table == "waits" && $1 ~ /^[0-9.]+$/ && $2 ~ /^(ns|µs|ms|s)$/ && $0 ~ "  (" objects ") " {
    of_object = milliseconds($1, $2)
    next
}
table != "" && $1 ~ /^[0-9.]+$/ && $2 ~ /^(ns|µs|ms|s)$/ {
    line = $0
    sub(/ \([^()]*\)$/, "", line)
    sub(/.* /, "", line)
    # System calls that are as short as this on the whole did not wait, however many there were.
    if (table == "calls" && milliseconds($1, $2) / $3 < 0.1) next
    total[class_of(line)] += milliseconds($1, $2)
}

END { for (class in total) printf "%s %.0f\n", class, total[class] }
