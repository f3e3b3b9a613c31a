# fish completion of stackops: shows what `stackops __complete` says.
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
            string join \n -- $lines
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
            complete --do-complete=(string replace --regex -- '^.*?\s--\s+' '' (commandline -cp | string collect))
    end
end

complete --command stackops --erase
complete --command stackops --keep-order --no-files --arguments '(__stackops_complete)'
