# What the tests of switches share; lib.sh comes before.
# shellcheck shell=sh disable=SC2034,SC2154
refused='switches are not recorded|cannot note switches'

stops() { "$thrace" print "$1" | grep -c 'Running->Runnable Reason="preempted"'; } # TRACE
time_of() { # TRACE COLUMN NAME: of the threads of that name, ns
    "$thrace" stat --threads --csv "$1" |
        awk -F , -v column="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["name"] == name { sum += $at[column] }
            END { printf "%.0f", sum }'
}
