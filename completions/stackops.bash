# bash completion of stackops: shows what `stackops __complete` says.
_stackops() {
    local line kind
    local -a lines=()
    COMPREPLY=()
    while IFS= read -r line; do
        lines+=("$line")
    done < <(stackops __complete bash -- "${COMP_LINE:0:COMP_POINT}" "$2" "${COMP_TYPE:-9}" "${COLUMNS:-80}" 2>/dev/null </dev/null)
    kind=${lines[0]-}
    case $kind in
        names*)
            COMPREPLY=("${lines[@]:2}")
            if [[ $kind == *nospace ]]; then _stackops_option nospace; else _stackops_blank; fi
            ;;
        files) _stackops_paths default -f ;;
        folders) _stackops_paths dirnames -d ;;
        program) _stackops_program ;;
    esac
    return 0
}

# bash 3.2 has no compopt; calling it would make bash forget what was found.
_stackops_option() { ((_stackops_has_compopt)) && compopt -o "$1" 2>/dev/null; }

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
        _stackops_paths default -f
    fi
}

# What readline does by itself once it is asked to.
_stackops_paths() {
    local word=${COMP_WORDS[COMP_CWORD]##*=} quote= path
    _stackops_option "$1" && return
    case $word in [\"\']*) quote=${word:0:1} word=${word:1} ;; *) word=${word//\\/} ;; esac
    while IFS= read -r path; do
        [[ -d $path ]] && path+=/
        [[ $quote ]] || path=$(printf %q "$path")
        COMPREPLY+=("$path")
    done < <(compgen "$2" -- "$word")
    _stackops_blank
}

# Without compopt no word gets a blank from readline, so that some can do without one.
_stackops_blank() {
    ((_stackops_has_compopt || ${#COMPREPLY[@]} != 1)) && return
    [[ ${COMPREPLY[0]} == */ || ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]] || COMPREPLY=("${COMPREPLY[0]} ")
}

_stackops_has_compopt=0
_stackops_way=(-o nospace -F _stackops stackops)
if type compopt >/dev/null 2>&1; then
    _stackops_has_compopt=1
    _stackops_way=(-F _stackops stackops)
fi
complete -o nosort "${_stackops_way[@]}" 2>/dev/null || complete "${_stackops_way[@]}"
unset _stackops_way
