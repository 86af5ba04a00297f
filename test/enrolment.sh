#!/usr/bin/env bash
# enrolment.sh PROGRAM SOURCE: every format, plugin and wrapper has everything that enrolment.txt is about, and every shipped question is
# measured. What is missing is named.
set -euo pipefail
program=$1
cd "$2"
list=test/enrolment.txt
bad=0
wrong() {
    echo "WRONG: $*"
    bad=1
}
properties='recorded random hostile growth memory cut delete double blocks fault fuzz strict'

# The evidence is there.
lines=0
while read -r kind subject property file text; do
    [ -n "$kind" ] && [ "${kind#\#}" = "$kind" ] || continue
    lines=$((lines + 1))
    [[ " $properties " == *" $property "* ]] || wrong "$subject: nothing is called $property"
    if [ ! -f "$file" ]; then
        wrong "$kind $subject, $property: there is no $file"
    elif [ -z "$text" ] || ! grep -qF -e "$text" "$file"; then
        wrong "$kind $subject, $property: $file has no \"$text\""
    fi
done <$list

# Nothing is missing. A format that is recognised only to be refused imports nothing.
enrolled() { # kind, subject
    local property
    for property in growth memory cut delete double blocks fault fuzz strict; do
        grep -qE "^$1 $2 $property " $list || wrong "$1 $2 has no test of: $property"
    done
}
formats=$("$program" --format=list | grep -vE 'to be translated first|which cannot be read' | cut -d' ' -f1)
[ "$(wc -w <<<"$formats")" -ge 6 ] || wrong "only these formats: $formats"
for format in $formats; do
    enrolled format "$format"
done
plugins=$(sed -n 's/^TS_PLUGIN(\(.*\))$/\1/p' src/parsers/htrace/plugin_list.def)
[ "$(wc -w <<<"$plugins")" -ge 2 ] || wrong "only these plugins: $plugins"
for plugin in $plugins; do
    enrolled plugin "$plugin"
done
wrappers=$("$program" --list | sed -n 's/^ *wrappers  *\(.*\), nested.*/\1/p' | tr -d ,)
[ "$(wc -w <<<"$wrappers")" -ge 4 ] || wrong "only these wrappers: $wrappers"
for wrapper in $wrappers; do
    # zlib is gzip with another head, for the same decoder.
    [ "$wrapper" = zlib ] || enrolled wrapper "$wrapper"
done

exports=$("$program" --to=list | cut -d' ' -f1)
[ "$(wc -w <<<"$exports")" -ge 5 ] || wrong "only these exports: $exports"
for export in $exports; do
    for property in recorded random hostile growth memory fault; do
        grep -qE "^export $export $property " $list || wrong "export $export has no test of: $property"
    done
done

# Scripts of ctest name these files; unit tests and fuzz targets are found by their names.
while read -r script; do
    name=$(basename "${script%.*}")
    grep -qE "(^|[ ;(/{])$name([ );]|\.(sh|py))" test/damage/CMakeLists.txt || wrong "$script is run by no test"
done < <(grep -oE 'test/damage/[a-z_]+\.(sh|py)' $list | sort -u)
while read -r target; do
    corpus=test/fuzz/corpus/${target#test/fuzz/fuzz_}
    [ -n "$(ls "$corpus" 2>/dev/null)" ] || wrong "$target has no corpus"
done < <(grep -oE 'test/fuzz/fuzz_[a-z_]+' $list | sort -u)

# Questions, on databases that grow.
for question in share/sql/*.sql; do
    name=$(basename "$question" .sql)
    grep -qE "^question $name( |\$)" test/damage/questions.sh || wrong "the question $name has no test of: growth"
done
[ $bad = 0 ] && echo "$lines lines, nothing is missing"
exit $bad
