# Completion of thrace for bash. What there is, the command itself says.

_thrace_values() { # OPTION: what may follow it; false: a file
    case $1 in
    --align) echo 'wall monotonic start none' ;;
    --color) echo 'always never auto' ;;
    --start) echo 'now off delay: signal:' ;;
    --stop) echo 'after: signal: size:' ;;
    --snapshot) echo 'signal: wait: wait:any: exit' ;;
    --annotations) echo 'all none itt nvtx' ;;
    --errors) echo 'most all none' ;;
    --wrap) echo 'sync sleep io net poll file mem proc ipc stdio heap' ;;
    *) return 1 ;;
    esac
}

_thrace_pids() { # WORD
    compgen -W "$(ps -u "$(id -u)" -o pid= 2>/dev/null)" -- "$1"
}

_thrace() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} list values i
    local thrace=${COMP_WORDS[0]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$verb" = help ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$("$thrace" help --list 2>/dev/null | cut -f 1)" -- "$word")
        return
    fi
    if [ "$verb" = record ]; then # what is recorded is completed as if it stood alone
        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            --) i=$((i + 1)) ;;
            -o | --output | --pid-file | --cpu-hz | --wrap | --heap-sample | --annotations | --probe | --min-call | --errors | --trace-version | \
                --start | --stop | --flight-recorder | --snapshot) i=$((i + 1)); continue ;;
            -* | =) continue ;;
            esac
            [ "$i" -le "$COMP_CWORD" ] && declare -F _command_offset >/dev/null && _command_offset "$i"
            return
        done
    fi
    # Words end at an equals sign.
    [ "$word" = = ] && word=
    [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}
    if values=$(_thrace_values "$before"); then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        list=$("$thrace" help --list "$verb" 2>/dev/null | cut -f 1)
        mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    else
        case $verb in
        attach | detach | start | stop | status | snapshot | top)
            mapfile -t COMPREPLY < <(_thrace_pids "$word") ;;
        stacks)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(_thrace_pids "$word"; compgen -f -- "$word") ;;
        *)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        esac
    fi
}

complete -F _thrace thrace
