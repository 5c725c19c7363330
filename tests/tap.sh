# TAP for shell tests. Source it, call ok, not_ok, is, like, skip …, and end with done_testing.
# A test must not go on after a broken helper: every file that sources this runs under set -u, without set -e.

tap_count=0
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}

ok() { # NAME
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

not_ok() { # NAME [DIAGNOSTIC…]
    tap_count=$((tap_count + 1))
    echo "not ok $tap_count - $1"
    shift
    for diagnostic; do
        printf '%s\n' "$diagnostic" | head -n 40 | sed 's/^/# /'
    done
    # Whoever only wants to know whether all is well has seen enough: ends the test, and what it has in the background.
    [ -z "${TAP_STOP:-}" ] || kill 0
}

skip() { # NAME REASON
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# What the continuous run must not do without: a skip there, a failure when THRACE_MANDATORY is set.
skip_mandatory() { # NAME REASON
    if [ -n "${THRACE_MANDATORY:-}" ]; then
        not_ok "$1" "must not be skipped here: $2"
    else
        skip "$1" "$2"
    fi
}

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

# For a whole test that need not be run by every one of several checks.
skip_if_quick() { [ -z "${THRACE_QUICK:-}" ] || skip_all "optional: once is enough"; }

is() { # GOT WANTED NAME
    if [ "$1" = "$2" ]; then
        ok "$3"
    else
        not_ok "$3" "got:    $1" "wanted: $2"
    fi
}

like() { # GOT EXTENDED-REGEX NAME
    if printf '%s\n' "$1" | grep -Eq -e "$2"; then
        ok "$3"
    else
        not_ok "$3" "got:    $1" "wanted: something like $2"
    fi
}

# Whether this build counts which of its lines are executed: for that it is not optimised, and executes much besides.
counts_coverage() { grep -q '^COVERAGE = .' "$top_builddir/Makefile"; }

# Whether other work wants more than twice the processors' time: then a program waits for them more than for what it is
# about, and chance shows less of it.
machine_is_busy() { awk -v n="$(getconf _NPROCESSORS_ONLN)" '{ exit !($1 > 2 * n) }' /proc/loadavg; }

# For what only a machine that has time for the program shows.
like_unless_busy() { # GOT EXTENDED-REGEX NAME
    if ! printf '%s\n' "$1" | grep -Eq -e "$2" && machine_is_busy; then
        skip "$3" "optional: the machine is busy with other work"
    else
        like "$@"
    fi
}

same_file() { # GOT WANTED NAME
    if cmp -s "$1" "$2"; then
        ok "$3"
    else
        not_ok "$3" "$(diff -a "$2" "$1" 2>&1 | head -n 20)"
    fi
}

succeeds() { # NAME COMMAND…: the command's output is the diagnostic
    tap_name=$1
    shift
    if tap_output=$("$@" 2>&1); then
        ok "$tap_name"
    else
        not_ok "$tap_name" "status $? of: $*" "$tap_output"
    fi
}

fails() { # NAME COMMAND…
    tap_name=$1
    shift
    if tap_output=$("$@" 2>&1); then
        not_ok "$tap_name" "succeeded, though it must not: $*"
    else
        ok "$tap_name"
    fi
}

# A folder of the test's own, gone at its end.
scratch() {
    tap_scratch=$(mktemp -d "${TMPDIR:-/tmp}/thrace-test.XXXXXX") || exit 99
    trap 'rm -rf "$tap_scratch"' EXIT
    trap 'exit 1' HUP INT TERM
}

# TAP reports the failures; an exit status would count them once more.
done_testing() {
    echo "1..$tap_count"
}
