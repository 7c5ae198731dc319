# Completion of switchyard in fish: verbs, options, folders, IDs of what runs.

function __switchyard_ids
    switchyard jobs 2>/dev/null | tail -n +2 | string replace -r '^(\S+)\s+(.*)$' '$1\t$2'
end

# Behind `--` stand the words of another program.
function __switchyard_in_command
    set -l words (commandline -opc)
    contains -- run $words; and contains -- -- $words
end

function __switchyard_at
    test -n "$argv[1]"; and __fish_seen_subcommand_from $argv; and not __switchyard_in_command
end

function __switchyard_no_verb
    not __fish_seen_subcommand_from run jobs stop mcp
end

complete -c switchyard -f
complete -c switchyard -n __switchyard_no_verb -a '(__fish_complete_directories)'
complete -c switchyard -n __fish_use_subcommand -a run -d 'Run a command here, supervised'
complete -c switchyard -n __fish_use_subcommand -a jobs -d 'List everything that is running'
complete -c switchyard -n __fish_use_subcommand -a stop -d 'Stop a command with all that it started'
complete -c switchyard -n __fish_use_subcommand -a mcp -d 'Serve the terminals to an MCP client'
complete -c switchyard -n __switchyard_no_verb -l new-session -d 'Make another session'
complete -c switchyard -n __switchyard_no_verb -s v -l version -d 'Show the version'
complete -c switchyard -n 'not __switchyard_in_command' -s h -l help -d 'Show help'
complete -c switchyard -n 'not __switchyard_in_command' -l data-dir -x -a '(__fish_complete_directories)' -d 'Another data folder'
complete -c switchyard -n '__switchyard_at run' -l timeout -x -d 'End the command after so many seconds'
complete -c switchyard -n '__switchyard_at jobs' -l json -d 'For other programs'
complete -c switchyard -n '__switchyard_at stop' -a '(__switchyard_ids)'
complete -c switchyard -n __switchyard_in_command -a '(__fish_complete_subcommand --fcs-skip=3)'
