# Completion of switchyard in bash: verbs, options, folders, IDs of what runs.

_switchyard() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb= at
  COMPREPLY=()

  for ((at = 1; at < COMP_CWORD; at++)); do
    case ${COMP_WORDS[at]} in
      --)
        # The words of another program: its own completion knows them, where there is one.
        if [[ $verb == run ]] && declare -F _command_offset >/dev/null; then
          _command_offset $((at + 1))
        else
          compopt -o default
        fi
        return
        ;;
      mcp | run | jobs | stop) [[ -n $verb ]] || verb=${COMP_WORDS[at]} ;;
    esac
  done

  case $before in
    --data-dir)
      local IFS=$'\n'
      compopt -o filenames
      COMPREPLY=($(compgen -d -- "$word"))
      return
      ;;
    --timeout) return ;;
  esac

  case $verb in
    '')
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '--new-session --data-dir --version --help' -- "$word"))
      else
        local IFS=$'\n'
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$word"))
        ((COMP_CWORD > 1)) || COMPREPLY+=($(compgen -W $'mcp\nrun\njobs\nstop' -- "$word"))
      fi
      ;;
    run) COMPREPLY=($(compgen -W '-- --timeout --data-dir --help' -- "$word")) ;;
    jobs) COMPREPLY=($(compgen -W '--json --data-dir --help' -- "$word")) ;;
    mcp) COMPREPLY=($(compgen -W '--data-dir --help' -- "$word")) ;;
    stop)
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '--data-dir --help' -- "$word"))
      else
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" jobs 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$word"))
      fi
      ;;
  esac
}

complete -F _switchyard switchyard
