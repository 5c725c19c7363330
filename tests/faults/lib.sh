# Runs a command again and again, with one system call that fails in each run, and looks at what is left. Each kind of
# call fails at its first occurrence, its last, or always, in turns, with one errno, and in every third of what is tried
# only; with THRACE_FAULTS=all at every place, where it occurs there first, and always, with the errnos that it has
# (calls.def), which takes an hour.
# shellcheck shell=sh disable=SC2154,SC2034
. "$top_srcdir/tests/e2e/lib.sh"

fail_call=$top_builddir/tests/faults/fail-call
fail_malloc=$top_builddir/tests/faults/.libs/libfail-malloc.so
"$fail_call" library - - 0 "$tap_scratch/report" true || skip_all "optional: nothing can be traced here"
cd "$tap_scratch" || exit 99
keep_symbols
patience=120 # seconds; a run that takes longer hangs

# What fails in a run: set by each_fault, for the scenario to put in front of its command.
inject() { timeout -k 5 $patience "$fail_call" "$whose" "$call" "$errno" "$place" report "$@"; } # COMMAND…

turn=0 rounds=0
is_left_out() { [ "${THRACE_FAULTS:-}" != all ] && [ $(((turn + rounds) % 3)) != 0 ]; }

occurrences() { # COUNT FIRST,…: where a call fails, of the first at each place; sets $places
    if [ "${THRACE_FAULTS:-}" = all ]; then
        places="$(echo "$2" | tr , ' ') 1-"
    elif [ "$1" = 1 ]; then
        places=1
    else
        places=$(echo "1 $1 1-" | cut -d ' ' -f $((turn / 3 % 3 + 1)))
    fi
}

# In the short form one is tried at a place, with THRACE_FAULTS=all each; where runs take long ($sparing) one in turn at
# each place, and each where the call always fails.
spared=0
errnos_at() { # PLACE ERRNO…: sets $chosen
    where=$1
    shift
    chosen=$*
    if [ "${THRACE_FAULTS:-}" != all ]; then
        shift $((turn / 5 % $#))
        chosen=$1
    elif [ -n "${sparing:-}" ] && [ "${where%-}" = "$where" ]; then
        spared=$((spared + 1))
        shift $((spared % $#))
        chosen=$1
    fi
}

# Allocations that are to fail, of the first at each place, as libfail-malloc.so has them: with THRACE_FAULTS=all each,
# else some; "N-": from there on all.
allocations() { # REPORT
    awk -v all="${THRACE_FAULTS:-}" '{
        for (i = 1; i <= NF; i = all == "all" ? i + 1 : int(i * 2.2 + 1)) {
            print $i
            if (all == "all" || step++ % 3 == 0) print $i "-"
        }
    }' "$1"
}

# Nobody is interrupted for ever, nor does every connection break off.
is_for_ever() {
    case "$errno $place" in
    EINTR' '*- | ECONNABORTED' '*-) return 0 ;;
    *) return 1 ;;
    esac
}

wrong() { # WHAT: with the run that it is of
    bad=$((bad + 1))
    [ $bad -gt 3 ] || {
        echo "$call $errno at $place: $1"
        head -n 8 err
    } >>complaints
}

# Calls RUN with a fault in it, and LOOK at what it left, for each fault; a test point for each kind of call.
each_fault() { # NAME WHOSE RUN LOOK
    fault_name=$1 whose=$2 run=$3 look=$4
    call=- errno=- place=0
    $run
    $look
    cp report learned
    rounds=$((rounds + 1))
    while read -r call count firsts errnos; do
        turn=$((turn + 1))
        if [ -z "$errnos" ] || is_left_out; then continue; fi
        bad=0 made=0
        : >complaints
        occurrences "$count" "$firsts"
        for place in $places; do
            # shellcheck disable=SC2086
            errnos_at "$place" $errnos
            for errno in $chosen; do
                is_for_ever || {
                    made=$((made + 1))
                    $run </dev/null
                    $look
                }
            done
        done
        tell "$fault_name: $call fails"
    done <learned
}

# A fault that did harm once.
one_fault() { # NAME RUN LOOK CALL ERRNO PLACE
    whose=library run=$2 look=$3 call=$4 errno=$5 place=$6
    bad=0 made=1
    : >complaints
    $run </dev/null
    $look
    tell "$1: $call fails with $errno at $place"
}

tell() { # NAME
    if [ "$bad" = 0 ]; then
        ok "$1"
    else
        not_ok "$1: $bad complaints of $made runs" "$(cat complaints)"
    fi
}
