# bash completion for trace_streamer; made from the option table: see CONTRIBUTING.md, options
# shellcheck shell=bash
_trace_streamer_ask() { # program, option, line to the cursor, rest: what --complete says
    local typed='' cur=${COMP_WORDS[COMP_CWORD]//\\/} prefix words rest
    # shellcheck disable=SC2162 # a backslash keeps a blank in its word
    IFS=$' \t\n' read -d '' -a words <<<"$3"
    # shellcheck disable=SC2162
    IFS=$' \t\n' read -d '' -a rest <<<"$4"
    [[ $4 == [^\ ]* ]] && rest=("${rest[@]:1}")
    if [[ $3 != *' ' || $3 == *'\ ' ]]; then
        typed=${words[-1]}
        unset 'words[-1]'
    fi
    [[ ${words[-1]} == "$2" ]] && unset 'words[-1]'
    typed=${typed#"$2="}
    [[ $cur == [=:] ]] && cur=
    prefix=${typed%"$cur"}
    mapfile -t COMPREPLY < <("$1" "${words[@]:1}" "--complete=$2=$typed" "${rest[@]}" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt +o filenames -o nospace 2>/dev/null
    return 0
}
_trace_streamer() {
    local cur=${COMP_WORDS[COMP_CWORD]}
    local prev=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' options
    local line=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    local asked=' (--param|--before|--after|--label|--source|--thread|--weight|--event)( +|=)([^ ]|\\ )*$'
    if [[ $line =~ $asked ]]; then
        _trace_streamer_ask "$1" "${BASH_REMATCH[1]}" "$line" "${COMP_LINE:COMP_POINT}"
        return
    fi
    ((COMP_CWORD > 1)) && verb=${COMP_WORDS[1]}
    # "--name=value" arrives as three words.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD >= 2)); then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $prev == --report || $prev == --questions || $prev == --json || $prev == --tables ]]; then
        prev= # their values need the equals sign
    fi
    case $prev in
    -e | --export-db)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --viewer)
        COMPREPLY=()
        return
        ;;
    --redact)
        mapfile -t COMPREPLY < <(compgen -W 'strings names all' -- "$cur")
        return
        ;;
    --redact-keep)
        COMPREPLY=()
        return
        ;;
    --redact-key)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -o | --out)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --jobs)
        COMPREPLY=()
        return
        ;;
    --output)
        mapfile -t COMPREPLY < <(compgen -W 'table csv tsv json jsonl arrow' -- "$cur")
        return
        ;;
    -q | --query-file)
        mapfile -t COMPREPLY < <(compgen -W "$("$1" --questions 2>/dev/null | grep -oE '^  [a-z0-9_]+')" -- "$cur"; compgen -f -- "$cur")
        return
        ;;
    --report)
        mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
        return
        ;;
    --questions)
        mapfile -t COMPREPLY < <(compgen -W "$("$1" --questions 2>/dev/null | grep -oE '^  [a-z0-9_]+')" -- "$cur")
        return
        ;;
    --by)
        mapfile -t COMPREPLY < <(compgen -W "list $("$1" diff --by=list 2>/dev/null | cut -d' ' -f1)" -- "$cur")
        return
        ;;
    --baseline)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --flame-diff)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --fail-if)
        COMPREPLY=()
        return
        ;;
    --limit)
        COMPREPLY=()
        return
        ;;
    --port)
        COMPREPLY=()
        return
        ;;
    --listen)
        COMPREPLY=()
        return
        ;;
    --allow-origin)
        COMPREPLY=()
        return
        ;;
    --allow-host)
        COMPREPLY=()
        return
        ;;
    --flare-ui)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --samples)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --cache)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --web)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --query-timeout)
        COMPREPLY=()
        return
        ;;
    --max-rows)
        COMPREPLY=()
        return
        ;;
    --seconds)
        COMPREPLY=()
        return
        ;;
    --interval)
        COMPREPLY=()
        return
        ;;
    --at)
        COMPREPLY=()
        return
        ;;
    --rows)
        mapfile -t COMPREPLY < <(compgen -W 'facts all' -- "$cur")
        return
        ;;
    --labels-from)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --cluster)
        COMPREPLY=()
        return
        ;;
    --keep)
        COMPREPLY=()
        return
        ;;
    --older-than)
        COMPREPLY=()
        return
        ;;
    --retries)
        COMPREPLY=()
        return
        ;;
    --timeout)
        COMPREPLY=()
        return
        ;;
    --to)
        mapfile -t COMPREPLY < <(compgen -W "list $("$1" --to=list 2>/dev/null | cut -d' ' -f1)" -- "$cur")
        return
        ;;
    --max-output)
        COMPREPLY=()
        return
        ;;
    --layout)
        mapfile -t COMPREPLY < <(compgen -W 'one hive' -- "$cur")
        return
        ;;
    --dimension)
        COMPREPLY=()
        return
        ;;
    --from)
        COMPREPLY=()
        return
        ;;
    --until)
        COMPREPLY=()
        return
        ;;
    -D | --directory)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --format)
        mapfile -t COMPREPLY < <(compgen -W "list $("$1" --format=list 2>/dev/null | cut -d' ' -f1)" -- "$cur")
        return
        ;;
    --analyze)
        mapfile -t COMPREPLY < <(compgen -W "none default list $("$1" --analyze=list 2>/dev/null | cut -d' ' -f1)" -- "$cur")
        return
        ;;
    --jfr-events)
        COMPREPLY=()
        return
        ;;
    --time-range)
        COMPREPLY=()
        return
        ;;
    --syscalls)
        COMPREPLY=()
        return
        ;;
    --symbols)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --max-inflate)
        COMPREPLY=()
        return
        ;;
    --max-memory)
        COMPREPLY=()
        return
        ;;
    --threads)
        COMPREPLY=()
        return
        ;;
    --json)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -l | --level)
        mapfile -t COMPREPLY < <(compgen -W 'DEBUG INFO WARN ERROR FATAL OFF' -- "$cur")
        return
        ;;
    --log-file)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --tables)
        mapfile -t COMPREPLY < <(compgen -W "$("$1" --tables 2>/dev/null | cut -d' ' -f1)" -- "$cur")
        return
        ;;
    --explain)
        mapfile -t COMPREPLY < <(compgen -W "$("$1" --tables 2>/dev/null | cut -d' ' -f1)" -- "$cur")
        return
        ;;
    --complete)
        COMPREPLY=()
        return
        ;;
    -tn | --threadnum)
        COMPREPLY=()
        return
        ;;
    --So_dir)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    esac
    case $verb in
    diff) options='--out --output --by --before --after --baseline --flame-diff --fail-if --limit --at --retries --timeout --to --max-output --source --thread --from --until --weight --event --label --demangle --format --analyze --jfr-events --time-range --syscalls --compat --symbols --max-inflate --max-memory --threads --quiet --no-progress --complete --help --version -V' ;;
    serve) options='--port --listen --open --no-token --allow-origin --allow-host --flare-ui --samples --cache --web --query-timeout --max-rows --any --format --analyze --jfr-events --time-range --syscalls --compat --max-inflate --max-memory --threads --json --quiet --verbose --no-progress --level --log-file --help --version -V' ;;
    sample) options='--export-db --force --sync --seconds --interval --quiet --no-progress --help --version -V' ;;
    upgrade) options='--export-db --force --sync --quiet --help --version -V' ;;
    fleet) options='--output --param --at --by --label --cluster --keep --older-than --retries --timeout --demangle --quiet --help --version -V' ;;
    mcp) options='--timeout --help --version -V' ;;
    cut) options='--export-db --force --sync --source --thread --from --until --format --max-memory --quiet --no-progress --help --version -V' ;;
    merge) options='--export-db --index --force --sync --max-memory --quiet --no-progress --help --version -V' ;;
    redact) options='--export-db --force --sync --redact --redact-keep --redact-key --format --max-memory --quiet --no-progress --help --version -V' ;;
    unredact) options='--redact-key --max-memory --help --version -V' ;;
    help) options='--help --version -V' ;;
    version) options='--help --version -V' ;;
    *) options='--export-db --viewer --nometa --index --force --sync --with-times --redact --redact-keep --redact-key -s --out --each --jobs --output --query-file --param --report --raw --questions --at --rows --labels-from --dry-run --retries --timeout --to --max-output --layout --dimension --lp-derived --lp-extended --source --thread --from --until --weight --event --label --demangle --directory --format --analyze --jfr-events --keep-going --time-range --syscalls --compat --symbols --max-inflate --max-memory --threads --json --strict --quiet --verbose --no-progress --level --log-file --info --list --tables --explain --complete --help --version -V --threadnum --nothreads -lnc --So_dir --ext' ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    elif [[ $verb != help ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
    if ((COMP_CWORD == 1)) || [[ $verb == help ]]; then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'diff serve sample upgrade fleet mcp cut merge redact unredact help version' -- "$cur")
    fi
}
complete -o filenames -F _trace_streamer trace_streamer
