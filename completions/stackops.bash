# bash completion of stackops: shows what `stackops __complete` says.
_stackops() {
    local line kind
    local -a lines=()
    COMPREPLY=()
    while IFS= read -r line; do
        lines+=("$line")
    done < <(stackops __complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "${COMP_TYPE:-9}" "${COLUMNS:-80}" 2>/dev/null </dev/null)
    kind=${lines[0]-}
    case $kind in
        names*)
            COMPREPLY=("${lines[@]:2}")
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
    while ((first < COMP_CWORD)) && [[ ${COMP_WORDS[first]} != -- ]]; do ((first++)); done
    ((first++))
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$first"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$first"
    elif ((first == COMP_CWORD)) && [[ ${COMP_WORDS[COMP_CWORD]} != */* ]]; then
        local line
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    else
        compopt -o default 2>/dev/null
    fi
}

complete -o nosort -F _stackops stackops 2>/dev/null || complete -F _stackops stackops
