# Times of the tasks and regions of a trace, as thrace stat --tasks has them, and as the trace's events have them.
# shellcheck shell=sh

# "TYPE COUNT UNFINISHED P50 P90 P99 MAX" of a table, in ns; without those of which none is finished.
types_of() { # TITLE REPORT
    awk -v title="$1" '
        function ns(value, unit) {
            return value * (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "µs" ? 1e3 : 1)
        }
        $0 == title { on = 1; next }
        /^$/ { on = 0 }
        on && $1 > 0 && NF >= 13 {
            type = $13
            for (i = 14; i <= NF; i++)
                type = type "_" $i
            print type, $1, $2, ns($3, $4), ns($5, $6), ns($7, $8), ns($9, $10)
        }' "$2" | LC_ALL=C sort
}

# "TYPE COUNT 0 P50 P90 P99 MAX" of lines "TYPE NS".
percentiles() {
    LC_ALL=C sort -k1,1 -k2,2n | awk '
        function rank(p) { return v[int((n * p + 99) / 100)] }
        function row() { if (n) print type, n, 0, rank(50), rank(90), rank(99), v[n] }
        $1 != type { row(); n = 0; type = $1 }
        { v[++n] = $2 }
        END { row() }'
}

# Prints the rows of types_of that are not within 1 % of what lies between those of percentiles: what thrace prints has
# three digits, and is at most 1/512 too large.
not_within() { # GOT LOW HIGH: files
    paste -d' ' "$1" "$2" "$3" | awk '
        NF != 21 || $1 != $8 || $1 != $15 || $2 != $9 || $2 != $16 { print; next }
        { for (i = 4; i <= 7; i++) if ($i < $(i + 7) * 0.99 || $i > $(i + 14) * 1.01) { print; next } }'
}

# "Tasks TYPE NS ID" and "Regions TYPE NS" of the events that thrace print prints. A region that its goroutine leaves open
# ends with that.
annotations_of() {
    awk '
    function field(name,   v) {
        if (!match($0, name "=[0-9]+")) return ""
        return substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 1)
    }
    function type(   v) {
        v = $0
        sub(/.* Type="/, "", v)
        sub(/"$/, "", v)
        gsub(/ /, "_", v)
        return v == "" ? "(no_name)" : v
    }
    function ends(g, name,   v) { printf "Regions %s %.0f\n", name, field("Time") - since[g, depth[g]--] }
    $4 == "TaskBegin" { from[field(" ID")] = field("Time") }
    $4 == "TaskEnd" && field(" ID") in from {
        printf "Tasks %s %.0f %s\n", type(), field("Time") - from[field(" ID")], field(" ID")
    }
    $4 == "RegionBegin" { g = field(" G"); since[g, ++depth[g]] = field("Time"); names[g, depth[g]] = type() }
    $4 == "RegionEnd" && depth[field(" G")] > 0 { ends(field(" G"), type()) }
    $4 == "StateTransition" && /->NotExist/ {
        for (g = field("GoID"); depth[g] > 0;) ends(g, names[g, depth[g]])
    }'
}
