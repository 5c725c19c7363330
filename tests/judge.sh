# The judge of tests/go. What its build says goes to $judge_log.
# shellcheck shell=sh disable=SC2154
# The judge is built once per build folder, by whoever comes first.
judge=$(cd "$top_builddir" && pwd)/tests/go/judge # go runs elsewhere
have_go() { command -v go >/dev/null 2>&1; }

build_judge() {
    have_go || [ -x "$judge" ] || return 1
    have_go || return 0 # somebody has brought it along
    [ -z "$(find "$top_srcdir/tests/go" -newer "$judge" -name '*.go' -print 2>&1)" ] && return 0
    mkdir -p "$top_builddir/tests/go" &&
        (cd "$top_srcdir/tests/go" && GOFLAGS=-mod=readonly go build -o "$judge.$$" .) \
            >"${judge_log:=$tap_scratch/go-build}" 2>&1 &&
        mv "$judge.$$" "$judge"
}

# Go 1.25 and later build these tools when they are asked for, and each time look for a quarter of a second whether they
# are up to date. A link leads to the tool of each release.
go_tool() { # NAME ARGUMENT…: of the Go that is installed
    go_tool_link=$judge-$1-$(GOTOOLCHAIN=local go env GOVERSION)
    if [ ! -x "$go_tool_link" ]; then
        go_tool_path=$(GOTOOLCHAIN=local go tool -n "$1") && [ -x "$go_tool_path" ] || return
        mkdir -p "$(dirname "$judge")" && ln -s "$go_tool_path" "$go_tool_link.$$" &&
            mv -f "$go_tool_link.$$" "$go_tool_link" || return
    fi
    shift
    "$go_tool_link" "$@"
}

# As text a trace with deep stacks is hundreds of times as large: Go reads all of a large one, and prints the start.
is_large() { [ "$(wc -c <"$1")" -gt 300000 ]; } # TRACE
large_text=5000000

go_prints_the_same() { # TRACE
    rm -f "$tap_scratch/go-text"
    mkfifo "$tap_scratch/go-text" || return
    if is_large "$1"; then
        go_tool trace -d=parsed "$1" 2>/dev/null | head -c $large_text >"$tap_scratch/go-text" &
        rm -f "$tap_scratch/not-printed"
        { "$thrace" print "$1" || : >"$tap_scratch/not-printed"; } | (
            head -c $large_text | cmp - "$tap_scratch/go-text"
            alike=$?
            cat >/dev/null # the rest of it
            exit $alike
        ) && [ ! -e "$tap_scratch/not-printed" ] &&
            go_tool trace -pprof=sync "$1" >"$tap_scratch/profile"
    else
        go_tool trace -d=parsed "$1" >"$tap_scratch/go-text" &
        "$thrace" print "$1" | cmp - "$tap_scratch/go-text" && wait $!
    fi
}
