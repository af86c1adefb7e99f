/** The shells that can be taught. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** What a shell has to run, once per session, to complete the words of mcpctl; the words come from mcpctl itself. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of mcpctl for bash 3.2 or newer. To use it now: source <(mcpctl completion bash)
_mcpctl() {
  local line=$COMP_LINE word value last i
  local -a words=()
  line=\${line:0:COMP_POINT}
  # Bash splits words at = and : as well; what no blank separates belongs together.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    last=$((\${#words[@]} - 1))
    if ((last >= 0)) && [[ $line != [[:space:]]* ]]; then
      words[last]+=$word
    else
      words+=("$word")
    fi
    line=\${line#*"$word"}
  done
  local current=\${words[\${#words[@]} - 1]}
  # What stands before the last = or : is on the line already.
  local kept=\${current%"\${current##*[=:]}"}
  [[ $COMP_WORDBREAKS == *[=:]* ]] || kept=
  local kind=
  COMPREPLY=()
  while IFS=$'\\t' read -r word value; do
    if [[ -z $kind ]]; then
      kind=$word
      continue
    fi
    [[ $word == "$current"* ]] || continue
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    printf -v value %q "\${word#"$kept"}"
    COMPREPLY+=("$value")
  done < <(mcpctl __complete "\${words[@]:1}" 2>/dev/null)
  local flag=
  case $kind in
    files) flag=-f ;;
    folders) flag=-d ;;
    programs) flag=-c ;;
    *) return ;;
  esac
  compopt -o filenames 2>/dev/null
  while IFS= read -r value; do
    COMPREPLY+=("$value")
  done < <(compgen "$flag" -- "\${current#"$kept"}")
}
complete -F _mcpctl mcpctl
`,
  zsh: `#compdef mcpctl
# Completion of mcpctl for zsh. To use it now: source <(mcpctl completion zsh)
_mcpctl() {
  local -a answer described open
  local line word about
  answer=("\${(@f)$(mcpctl __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case \${answer[1]} in
    files) _files; return ;;
    folders) _files -/; return ;;
    programs) _command_names -e; return ;;
  esac
  for line in "\${(@)answer[2,-1]}"; do
    word=\${line%%$'\\t'*}
    about=
    [[ $line == *$'\\t'* ]] && about=\${line#*$'\\t'}
    if [[ $word == *= ]]; then
      open+=("$word")
    else
      described+=("\${word//:/\\\\:}:$about")
    fi
  done
  # Zsh asks others when nothing was found.
  local found=1
  (( \${#open} )) && compadd -S '' -- "\${open[@]}" && found=0
  (( \${#described} )) && _describe mcpctl described && found=0
  return found
}
if [[ \${funcstack[1]} == _mcpctl ]]; then
  _mcpctl "$@"
else
  compdef _mcpctl mcpctl
fi
`,
  fish: `# Completion of mcpctl for fish. To use it now: mcpctl completion fish | source
function __mcpctl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l answer (mcpctl __complete $words "$current" 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case programs
            complete -C "$current"
        case '*'
            # Nothing at all, also no empty line, where there is nothing to offer.
            string join \\n -- $answer[2..-1]
    end
end
complete -c mcpctl -f -a '(__mcpctl_complete)'
`,
};
