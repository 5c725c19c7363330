# Completion of thrace for fish. What there is, the command itself says.

function __thrace_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

function __thrace_list
    set -l words (commandline -opc)
    command $words[1] help --list $argv 2>/dev/null
end

complete -c thrace -n 'not __thrace_verb >/dev/null' -f -a '(__thrace_list)'
complete -c thrace -n 'contains -- help (__thrace_verb)' -f -a '(__thrace_list)'
complete -c thrace -n '__thrace_verb >/dev/null; and string match -q -- "-*" (commandline -ct)' \
    -a '(__thrace_list (__thrace_verb))'
complete -c thrace -n 'contains -- (__thrace_verb) attach detach start stop status snapshot top' -f -a '(__fish_complete_pids)'
complete -c thrace -n 'contains -- stacks (__thrace_verb)' -a '(__fish_complete_pids)'
complete -c thrace -n 'contains -- record (__thrace_verb)' -a '(__fish_complete_command)'
