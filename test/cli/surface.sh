#!/usr/bin/env bash
# surface.sh PROGRAM OPTION_TABLE SOURCE: the help of each verb and its section of the manual page have the options that the
# table gives the verb, and no other; so have the completion files, which are what the table makes. The exit codes of --help,
# the manual page and README.md are those of the program's list.
set -u
program=$1
table=$2
source=$3
man=$source/docs/man/trace_streamer.1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
complain() {
    echo "$*"
    bad=1
}

"$table" list >"$scratch/list" || complain "option_table list fails"

# The names of a verb's options by the table; of the help's lines and of the manual page's items (mdoc writes "-e" as "Fl e" and
# "--json" as "Fl -json"): all that are there.
in_table() {
    while read -r short long _ _ _ verbs; do
        [[ " $verbs " == *" $1 "* ]] && printf '%s\n' "$short" "$long"
    done <"$scratch/list" | grep -v '^\.$' | sort -u
}
in_help() { grep -E '^  -' "$1" | sed -E 's/^  (-[^ ,[]+)(, (-[^ ,[]+))?.*/\1\n\3/' | grep . | sort -u; }
in_manual() {
    awk -v section="$1" '$1 == ".Sh" { on = ($2 == section) } on && $1 == ".It" && $2 == "Fl"' "$man" |
        grep -oE 'Fl [^ ]+' | sed 's/^Fl /-/' | sort -u
}
same() { diff "$2" "$3" >"$scratch/difference" || complain "$1: $(grep '^[<>]' "$scratch/difference" | tr '\n' ' ')"; }

for verb in convert:DESCRIPTION diff:COMPARING serve:SERVING upgrade:UPGRADING cut:CUTTING merge:MERGING redact:REDACTING unredact:TRANSLATING fleet:FLEETS help:HELP version:HELP; do
    section=${verb#*:} verb=${verb%:*}
    in_table "$verb" >"$scratch/table"
    [ -s "$scratch/table" ] || complain "$verb has no option"
    if [ "$verb" = convert ]; then
        "$program" help >"$scratch/help" || complain "help fails"
        "$program" --help >"$scratch/again" || complain "--help fails"
    else
        "$program" help "$verb" >"$scratch/help" || complain "help $verb fails"
        "$program" "$verb" --help >"$scratch/again" || complain "$verb --help fails"
        "$program" "$verb" -h | cmp - "$scratch/help" || complain "$verb -h is another"
        grep -q "^Usage: trace_streamer $verb" "$scratch/help" || complain "the help of $verb lacks its usage"
        grep -qE "^.Cm $verb\$" "$man" || complain "the manual page lacks $verb"
        [ "$(grep -c '^  *trace_streamer\|^Usage' "$scratch/help")" = "$(grep -c "^  *trace_streamer $verb\|^Usage: trace_streamer $verb" "$scratch/help")" ] ||
            complain "the help of $verb has usage of others"
    fi
    cmp "$scratch/help" "$scratch/again" || complain "$verb --help is another"
    in_help "$scratch/help" >"$scratch/shown"
    in_manual "$section" >"$scratch/described"
    same "help of $verb (>), option table (<)" "$scratch/table" "$scratch/shown"
    same "manual page of $verb (>), option table (<)" "$scratch/table" "$scratch/described"
done

# What a verb does not take, it refuses by name; what is no option of any is unknown.
python3 "$source/test/cli/refused.py" "$program" "$scratch/list" >"$scratch/refusals" || complain "$(cat "$scratch/refusals")"

# Nothing that is no option: the long names anywhere in the help and in the manual page.
tr ' ' '\n' <"$scratch/list" | grep -E '^-' | sort -u >"$scratch/known"
{
    for verb in "" diff serve upgrade cut merge redact unredact fleet; do
        # shellcheck disable=SC2086
        "$program" help $verb | grep -oE '(^|[ (])--[A-Za-z][A-Za-z_-]*' | tr -d ' ('
    done
    grep -oE 'Fl -?[A-Za-z][A-Za-z_-]*' "$man" | sed 's/^Fl /-/'
} | sort -u | comm -23 - "$scratch/known" >"$scratch/unknown"
[ -s "$scratch/unknown" ] && complain "not in the option table: $(tr '\n' ' ' <"$scratch/unknown")"

# Exit codes: the sentence of each begins what the manual page and README.md say of it, and they have no other.
"$table" exits >"$scratch/exits"
"$program" help | sed -n '/^Exit codes:/,/^$/p' | tail -n +2 >"$scratch/helped" # lines are wrapped
cmp <(tr -d ' \n\t' <"$scratch/exits") <(tr -d ' \n' <"$scratch/helped") || complain "exit codes of --help: $(cat "$scratch/helped")"
awk '$1 == ".Sh" { on = ($2 == "EXIT") } on && /^\.El/ { exit } on && $1 == ".It" { $1 = ""; gsub(/ ,/, ","); printf "\n%s\t", substr($0, 2); next }
    on && !/^\.(Sh|Bl)/ { gsub(/Fl -/, "--"); sub(/^\.(Cm )?/, ""); printf "%s ", $0 }' "$man" | grep . >"$scratch/man_exits"
grep -E '^\| [0-9, ]+ \| ' "$source/README.md" | sed -E 's/^\| ([0-9, ]+) \| (.*) \|$/\1\t\2./; s/`//g' >"$scratch/readme_exits"
for list in man_exits readme_exits; do
    diff <(cut -f1 "$scratch/$list") <(cut -f1 "$scratch/exits") || complain "$list has other codes"
    while IFS=$'\t' read -r code sentence; do
        said=$(grep "^$code"$'\t' "$scratch/$list" | cut -f2)
        case ${said,,} in
        "${sentence,,}."* | "${sentence,,};"*) ;;
        *) complain "$list says of $code: $said" ;;
        esac
    done <"$scratch/exits"
done

for shell in bash:trace_streamer.bash zsh:_trace_streamer fish:trace_streamer.fish; do
    file=$source/share/completion/${shell#*:}
    "$table" "${shell%%:*}" >"$scratch/made" || complain "option_table ${shell%%:*} fails"
    diff -u "$file" "$scratch/made" ||
        complain "$file is stale; write it with: option_table ${shell%%:*} >$file"
    if command -v "${shell%%:*}" >/dev/null; then
        "${shell%%:*}" -n "$file" || complain "$file: syntax"
    fi
done

# The completion of bash, run.
export PATH=${program%/*}:$PATH
# shellcheck source=/dev/null
. "$source/share/completion/trace_streamer.bash"
completes() { # expected, words...
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMP_LINE=${COMP_WORDS[*]} COMP_POINT=${#COMP_LINE}
    _trace_streamer trace_streamer
    [ "${COMPREPLY[*]}" = "$expected" ] ||
        complain "completing '${*:2}' gives '${COMPREPLY[*]}', not '$expected'"
}
completes "--export-db" trace_streamer --expo
completes "DEBUG" trace_streamer -l DE
completes "heapsnapshot" trace_streamer --format = heaps
completes "js_heap_nodes" trace_streamer --tables = js_heap_no
completes "cloud_slow_calls" trace_streamer out.db -q cloud_sl
completes "dashboard" trace_streamer --questions = dash
completes "diff" trace_streamer di
completes "--limit" trace_streamer diff --lim
completes "--listen" trace_streamer serve --li
completes "--list" trace_streamer x.db --li
completes "" trace_streamer upgrade --li

# Values that depend on the other words: of the question, and of the database. A line is typed up to the cursor; bash divides it
# at blanks, "=" and ":".
"$program" "$source/test/data/recording-snapshots.htrace.gz" -e "$scratch/heap.db" --analyze=default,heap --quiet || complain "no database of heaps"
"$program" "$source/test/data/work.jfr.gz" -e "$scratch/java.db" --quiet || complain "no database of Java"
cat >"$scratch/asked" <<END
heap.db -q js_class_histogram --param |file=,limit=
heap.db -q js_class_histogram --param li|limit=
heap.db -q js_class_histogram --param=li|limit=
heap.db -q js_class_histogram --param file=0 --param |limit=
heap.db -q js_class_histogram --param file=|file=Snapshot0,file=Snapshot1,file=Snapshot2
heap.db -q js_class_histogram --param=file=Snapshot1|file=Snapshot1
heap.db -q js_class_histogram --param limit=|
heap.db -q js_class_histogram --param nothing=|
heap.db -q js_largest_retained --param constructor=Arr|constructor=Array,constructor=Array Iterator,constructor=ArrayBuffer
heap.db --param limit=3 -q js_largest_retained --param file=Snapshot1 --param constructor=Arti|constructor=Article
--query-file=lock_waits --param kind=|kind=contended,kind=park,kind=wait
-q no_question --param |
-q - --param |
no.db -q js_class_histogram --param file=|
java.db --to=folded --thread=worker-1|worker-1
java.db --to=folded --thread wa|waiter é
java.db --to=folded --weight waiting:l|waiting:lock
java.db --source w|work.jfr.gz
diff heap.db --before S|Snapshot0,Snapshot1,Snapshot2
END
of_bash() {
    COMP_LINE=$1 COMP_POINT=${#1}
    mapfile -t COMP_WORDS < <(sed -E 's/[=:]/\n&\n/g' <<<"$1" | tr ' ' '\n' | grep .)
    [[ $1 == *' ' ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _trace_streamer trace_streamer
    # What is offered takes the place of the last of these words.
    [ ${#COMPREPLY[@]} = 0 ] && return
    local last=${COMP_WORDS[COMP_CWORD]} value=${1##* }
    [[ $last == [=:] ]] || value=${value%"$last"}
    [[ $value == --*=* ]] && value=${value#*=}
    printf '%s\n' "${COMPREPLY[@]/#/"$value"}"
}
of_fish() { fish --no-config -c "source '$source/share/completion/trace_streamer.fish'; complete -C '$1'" | cut -f1 | sed -E 's/^--[a-z]+=//; s/^=//'; }
asked() { # shell: what it offers is on one line each
    while IFS='|' read -r typed expected; do
        got=$(cd "$scratch" && case $1 in
            bash) of_bash "trace_streamer $typed" ;;
            fish) of_fish "trace_streamer $typed" ;;
            esac | LC_ALL=C sort | paste -sd,)
        [ "$got" = "$expected" ] || complain "$1: completing '$typed' gives '$got', not '$expected'"
    done <"$scratch/asked"
}
asked bash
! command -v fish >/dev/null || asked fish
"$program" --complete=--nothing= | grep . && complain "--complete answers what it does not know"
"$program" "$scratch/heap.db" --complete=--thread= >"$scratch/out" || complain "--complete fails"
# What takes for ever ends after two seconds, with what is known by then.
python3 - "$scratch/java.db" "$scratch/slow.db" <<'END' || complain "no slow database"
import shutil, sqlite3, sys
shutil.copy(sys.argv[1], sys.argv[2])
db = sqlite3.connect(sys.argv[2])
for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
    db.execute(f'DROP VIEW "{name}"')
db.execute("ALTER TABLE stack_sample RENAME TO stack_sample_old")
db.execute("CREATE VIEW stack_sample AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'endless' AS event FROM n")
db.commit()
END
[ "$(timeout 30 "$program" "$scratch/slow.db" --complete=--event=)" = endless ] || complain "--complete does not end"
head -c 5000 "$scratch/heap.db" >"$scratch/cut.db"
"$program" "$scratch/cut.db" --complete=--thread= >"$scratch/out" 2>&1 || complain "--complete of a cut database: $(cat "$scratch/out")"
completes "diff serve sample upgrade fleet mcp cut merge redact unredact help version" trace_streamer help ""
for verb in convert diff serve sample upgrade fleet mcp cut merge redact unredact help version; do
    COMP_WORDS=(trace_streamer "$verb" -)
    COMP_CWORD=2
    _trace_streamer trace_streamer
    printf '%s\n' "${COMPREPLY[@]}" >"$scratch/offered"
    while read -r short long _ _ class verbs; do
        [ "$class" != refused ] && [[ " $verbs " == *" $verb "* ]] || continue
        [ "$long" = . ] || [ "$long" = --s ] && long=$short
        echo "$long"
    done <"$scratch/list" >"$scratch/taken"
    same "completion after $verb (>), option table (<)" "$scratch/taken" "$scratch/offered"
done

if command -v mandoc >/dev/null; then
    lint=$(mandoc -T lint -W warning "$man") || true
    [ -z "$lint" ] || complain "$lint"
fi
exit $bad
