# Completion of thrace for fish. What there is, the command itself says.

function __thrace_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

complete -c thrace -n 'test -z (__thrace_verb)' -f -a '(thrace help --list 2>/dev/null)'
complete -c thrace -n 'test (__thrace_verb) = help' -f -a '(thrace help --list 2>/dev/null)'
complete -c thrace -n 'test -n (__thrace_verb); and string match -q -- "-*" (commandline -ct)' \
    -a '(thrace help --list (__thrace_verb) 2>/dev/null)'
complete -c thrace -n 'contains -- (__thrace_verb) start stop status snapshot' -f -a '(__fish_complete_pids)'
complete -c thrace -n 'test (__thrace_verb) = record' -a '(__fish_complete_command)'
