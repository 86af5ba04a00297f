#!/usr/bin/env bash
# declarations.sh MKVIEWS SOURCE: the folders of declarations (src/tables/formats) and their list are the same, every parser has
# one, nothing that code and views share is written twice, and mkviews says what is wrong with a view.
set -euo pipefail
mkviews=$(realpath "$1")
cd "$2/src/tables/formats"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
wrong() {
    echo "WRONG: $*"
    bad=1
}

# One list.
listed=$(sed -n 's/^#include TS_DECLARED(\(.*\))$/\1/p' each.h)
[ "$(wc -w <<<"$listed")" -ge 5 ] || wrong "only these formats in each.h: $listed"
folders=$(find . -mindepth 1 -maxdepth 1 -type d | sed 's|^\./||' | sort)
[ "$(sort <<<"$listed")" = "$folders" ] || wrong "each.h lists $(xargs <<<"$listed"), there are $(xargs <<<"$folders")"
for folder in ../../parsers/*/; do
    name=$(basename "$folder")
    [ "$name" = shared ] || grep -qx "$name" <<<"$listed" || wrong "the parser $name has no folder of declarations in each.h"
done
for format in $listed; do
    [ -f "$format/$format.def" ] || wrong "$format has no $format.def"
    grep -qE '^(TS_[A-Z_]+\(|#include .*\.def")' "$format/$format.def" || wrong "$format/$format.def declares nothing"
done

# Numbers of more than one digit in views have a name, so that C has the same. Exceptions are parts of SQL's own arithmetic:
# halves of 64 bits, and the line feed.
sql() { # comments out
    perl -0777 -pe 's{/\*.*?\*/}{}gs; s{^--[^\n]*}{}gm; s{\x27[^\x27\n]*\x27}{\x27\x27}g' "$1"
}
while read -r file; do
    numbers=$(sql "$file" | grep -oE '(^|[^A-Za-z0-9_$])[0-9]{2,}' | grep -oE '[0-9]+' | grep -vxE '32|4294967295|4294967296' || true)
    [ -z "$numbers" ] || [[ $file == */v_stack_folded.sql && $numbers = 10 ]] || wrong "$file: a number without a name: $(xargs <<<"$numbers")"
done < <(find . -name '*.sql')

# A text that code and views share stands in one place.
count=0
while read -r name value; do
    count=$((count + 1))
    case $value in
    \"*)
        hits=$(grep -rnF -e "$value" ../.. --include='*.c' --include='*.h' --include='*.def' | grep -v '_constants\.h:' || true)
        [ "$name" != TS_FLARE_FORMAT ] || hits=$(grep -v '\(source_type = \|ts_job_shared(\|^[^:]*methods\.c:\|^[^:]*api_info\.c:\)' <<<"$hits" || true)
        # (the sampler writes the format of Flare, and knows no tables)
        [[ $name != TS_FLARE_* ]] || hits=$(grep -v '^[^:]*/sampler/sample_writer\.c:' <<<"$hits" || true)
        [ -z "$hits" ] || wrong "$name is written out: $hits"
        hits=$(grep -rnF -e "'${value//\"/}'" . --include='*.sql' || true)
        # (an edge type and a node type are both called hidden)
        [ "$name" != TS_HEAP_EDGE_HIDDEN ] || hits=$(grep -v "WHEN 'hidden' THEN '(system)'" <<<"$hits" || true)
        [ -z "$hits" ] || wrong "$name is written out: $hits"
        ;;
    esac
    grep -rqF "\${$name}" . --include='*.sql' || wrong "$name stands in no view"
    grep -rqw "$name" ../.. --include='*.c' --include='*.def' --include='*_impl.h' || wrong "$name stands in no code"
done < <(sed -n 's/^#define \(TS_[A-Z_]*\) \(.*\)$/\1 \2/p' ./*/*_constants.h)
[ $count -ge 9 ] || wrong "only $count constants found"

# mkviews.
view() { # lines of a view v_x
    printf '%s\n' '-- topic: input' '-- order: 1' '-- One.' '-- column: a | TEXT | | | letter' "$@" >"$scratch/v_x.sql"
}
refused() { # message, files
    local message=$1
    shift
    if "$mkviews" "$scratch/out.c" "$@" 2>"$scratch/messages"; then
        wrong "mkviews takes what should be refused as: $message"
    elif ! grep -qF -- "$message" "$scratch/messages"; then
        wrong "mkviews says $(cat "$scratch/messages"), not: $message"
    fi
}
good=$'CREATE VIEW v_x AS\nSELECT \'a\' AS a'
view "$good"
"$mkviews" "$scratch/out.c" "$scratch/v_x.sql" || wrong "mkviews refuses a good view"
grep -qF '"SELECT '"'a'"' AS a"' "$scratch/out.c" || wrong "the view is not in what mkviews made"
grep -qF '{"a", TS_COL_TEXT, "", "", "letter", 0}' "$scratch/out.c" || wrong "the column is not in what mkviews made"
view $'CREATE VIEW v_x AS\nSELECT ${A|1|${B}} AS a, ${TS_C} AS c'
printf '%s\n' '-- piece: A x y' '-- Comment.' '${x} + ${y}' '' '-- piece: B' '(2' '+ 3)' >"$scratch/pieces.sql"
printf '#ifndef TS_X_H\n#define TS_X_H\n#define TS_C 64\n#endif\n' >"$scratch/x_constants.h"
"$mkviews" "$scratch/out.c" "$scratch/"{pieces.sql,x_constants.h,v_x.sql} || wrong "mkviews refuses pieces"
tr -d '\n' <"$scratch/out.c" | grep -qF 'SELECT 1 + (2\n"     "+ 3) AS a, 64 AS c"' || wrong "pieces: $(tail -8 "$scratch/out.c")"

refused '${A} is not defined' "$scratch/v_x.sql"
view $'CREATE VIEW v_x AS\nSELECT ${A|1} AS a'
refused '${A} has too few arguments' "$scratch/"{v_x.sql,pieces.sql}
view $'CREATE VIEW v_x AS\nSELECT ${A|1|2|3} AS a'
refused '${A} has too many arguments' "$scratch/"{v_x.sql,pieces.sql}
view $'CREATE VIEW v_x AS\nSELECT ${A|1 AS a'
refused 'a brace is not closed' "$scratch/"{v_x.sql,pieces.sql}
printf '%s\n' '-- piece: A' '${A}' >"$scratch/pieces.sql"
view $'CREATE VIEW v_x AS\nSELECT ${A} AS a'
refused '${A} stands in itself' "$scratch/"{v_x.sql,pieces.sql}
view $'CREATE VIEW v_y AS\nSELECT 1 AS a'
refused 'does not begin with CREATE VIEW v_x AS' "$scratch/v_x.sql"
view '-- column: a = stack_node.id' "$good"
refused 'the column a is there twice' "$scratch/v_x.sql"
view '-- column: b = stack_node.no' "$good"
refused 'there is no column stack_node.no' "$scratch/v_x.sql"
view '-- column: b | NUMBER | | | number' "$good"
refused 'NUMBER is no type of a column' "$scratch/v_x.sql"
view '-- column: b | TEXT | number' "$good"
refused 'not "name | type | unit | NULL | meaning"' "$scratch/v_x.sql"
printf '%s\n' '-- topic: nothing' '-- order: 1' '-- One.' '-- column: a | TEXT | | | letter' "$good" >"$scratch/v_x.sql"
refused 'the topic is missing or of no format' "$scratch/v_x.sql"
printf '%s\n' '-- topic: input' '-- order: 1' '-- One.' "$good" >"$scratch/v_x.sql"
refused 'the order, the description or the columns are missing' "$scratch/v_x.sql"
view "$good"
sed 's/v_x/v_y/' "$scratch/v_x.sql" >"$scratch/v_y.sql"
refused 'has the name or the order of' "$scratch/"{v_x.sql,v_y.sql}
printf '#define TS_C (1 << 6)\n' >"$scratch/x_constants.h"
refused 'is neither a decimal number nor a simple text' "$scratch/"{v_x.sql,x_constants.h}
printf '#define TS_C 1\n#define TS_C 2\n' >"$scratch/x_constants.h"
refused 'TS_C is defined twice' "$scratch/"{v_x.sql,x_constants.h}
exit $bad
