import { type Shell, shells } from './typed-words.ts';

/** The first words of every script, by which an older one of ours is known. */
export const scriptMark = 'completion of stackops';

/** What a script is called where shells look for it. */
const scriptNames: Readonly<Record<Shell, string>> = {
  bash: 'stackops.bash',
  zsh: '_stackops',
  fish: 'stackops.fish',
  powershell: 'stackops.ps1',
};

/**
 * The script of a shell. None knows a word of ours: at every TAB it passes on what is typed and shows what comes back,
 * in the form that `answer.ts` describes.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash ${scriptMark}: shows what \`stackops __complete\` says.
_stackops() {
    local line kind
    local -a lines=()
    COMPREPLY=()
    while IFS= read -r line; do
        lines+=("$line")
    done < <(stackops __complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "\${COMP_TYPE:-9}" "\${COLUMNS:-80}" 2>/dev/null </dev/null)
    kind=\${lines[0]-}
    case $kind in
        names*)
            COMPREPLY=("\${lines[@]:2}")
            [[ $kind == *nospace ]] && compopt -o nospace 2>/dev/null
            ;;
        files) compopt -o default 2>/dev/null ;;
        folders) compopt -o dirnames 2>/dev/null ;;
        program) _stackops_program ;;
    esac
}

# The words behind -- are completed as if they stood alone.
_stackops_program() {
    local first=1
    while ((first < COMP_CWORD)) && [[ \${COMP_WORDS[first]} != -- ]]; do ((first++)); done
    ((first++))
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$first"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$first"
    elif ((first == COMP_CWORD)) && [[ \${COMP_WORDS[COMP_CWORD]} != */* ]]; then
        local line
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}")
    else
        compopt -o default 2>/dev/null
    fi
}

complete -o nosort -F _stackops stackops 2>/dev/null || complete -F _stackops stackops
`,
  zsh: `#compdef stackops
# zsh ${scriptMark}: shows what \`stackops __complete\` says.
_stackops() {
    local kind prefix
    local -a lines names options
    integer first
    lines=("\${(@f)$(stackops __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
    kind=\${lines[1]-}
    prefix=\${lines[2]-}
    case $kind in
        names*)
            names=("\${(@)lines[3,-1]}")
            (( $#names )) || return 1
            [[ -n $prefix ]] && options+=(-p "$prefix")
            [[ $kind == *nospace ]] && options+=(-S '')
            _describe -V stackops names "\${options[@]}"
            ;;
        files | folders)
            [[ -n $prefix ]] && compset -p $#prefix
            if [[ $kind == files ]]; then _files; else _files -/; fi
            ;;
        program)
            # The words behind -- are completed as if they stood alone.
            first=\${words[(i)--]}
            shift $first words
            (( CURRENT -= first ))
            _normal
            ;;
        *) return 1 ;;
    esac
}

if [[ \${funcstack[1]-} == _stackops ]]; then
    _stackops "$@"
else
    compdef _stackops stackops
fi
`,
  fish: `# fish ${scriptMark}: shows what \`stackops __complete\` says.
function __stackops_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (stackops __complete fish -- $words "$current" 2>/dev/null </dev/null)
    set -l prefix $lines[2]
    set -l rest (string sub --start (math 1 + (string length -- "$prefix")) -- "$current")
    switch "$lines[1]"
        case 'names*'
            set -e lines[1..2]
            string join \\n -- $lines
        case files
            for found in (__fish_complete_path "$rest")
                echo -- "$prefix$found"
            end
        case folders
            for found in (__fish_complete_directories "$rest" '')
                echo -- "$prefix$found"
            end
        case program
            # The words behind -- are completed as if they stood alone.
            complete --do-complete=(string replace --regex -- '^.*?\\s--\\s+' '' (commandline -cp | string collect))
    end
end

complete --command stackops --erase
complete --command stackops --keep-order --no-files --arguments '(__stackops_complete)'
`,
  powershell: `# PowerShell ${scriptMark}: shows what \`stackops __complete\` says.
Register-ArgumentCompleter -Native -CommandName stackops -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    # The dot keeps an empty word from getting lost on its way.
    $lines = @(& stackops __complete powershell '--' @before "$wordToComplete." 2>$null)
    if ($lines.Count -lt 3 -or -not $lines[0].StartsWith('names')) { return }
    $lines | Select-Object -Skip 2 | ForEach-Object {
        $written, $listed, $about = $_ -split "\`t", 3
        [System.Management.Automation.CompletionResult]::new($written, $listed, 'ParameterValue', $about)
    }
}
`,
};

/** The scripts by the paths at which they are committed. */
export function scriptFiles(): ReadonlyMap<string, string> {
  return new Map(shells.map((shell) => [`completions/${scriptNames[shell]}`, scripts[shell]]));
}
