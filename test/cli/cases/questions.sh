# shellcheck shell=bash
# --questions and -q agree with the files of share/sql: what they say of themselves is all there is.
ts --questions >list || fail list
grep -oE '^  [a-z0-9_]+' list | tr -d ' ' | sort >listed
(cd "$SOURCE/share/sql" && printf '%s\n' *.sql) | sed 's/\.sql$//' | sort | cmp - listed || fail "names in the list"
for file in "$(dirname "$PROGRAM")"/../share/trace_streamer/sql/*.sql; do
    name=$(basename "$file" .sql)
    for part in Question Topic Parameters Columns; do
        [ "$(grep -c "^-- $part: " "$file")" = 1 ] || fail "$name has no line $part"
    done
    # The parameters of the statements are those of the header.
    grep -v '^ *--' "$file" | grep -oE "[^a-zA-Z0-9_:]:[a-z_]+" | tr -d "(),'= :<>+*-" | sort -u >used
    sed -n "/^  $name  */{n;p}" list | sed -E 's/.*parameters//; s/\(required\)//g' | tr -d ': ' | tr ',' '\n' |
        grep . | sort >declared
    diff used declared || fail "parameters of $name"
done
for name in hot_methods sources tptp_references; do
    ts "--questions=$name" >about || fail "$name: about"
    sed -n '/^-- /!q; s/^-- //p' "$SOURCE/share/sql/$name.sql" | cmp - about || fail "what $name says of itself"
done
grep -A 1 -E '^(heap:|  js_allocation_stacks )' list | grep -v alloc_hot
ts --questions=js_retainers_of_node.sql | sed -n 1p
sed -n '/js_retainers_of_node/{n;p}' list
echo '-- unknown names'
code ts --questions=js_retainers_of_nod
code ts --questions=zzz
code ts --questions=
code ts x.db -q js_retainers_of_nodes.sql
code ts x.db -q js_retainers_of_nodes
code ts x.db -q zzz
code ts x.db -q 'my question.sql'
echo '-- text, a name, a file'
small
ts small.htrace -e out.db --quiet
ts out.db -q 'SELECT 1 AS one; SELECT :n AS n' --param n=2
ts out.db -q "$(printf 'SELECT 3 AS long /*%300s*/' x)"
ts out.db -q 'SELECT 7/2 AS slash'
ts out.db -q 'VALUES(4)'
ts small.htrace -q 'SELECT count(*) AS nodes FROM js_heap_nodes' --quiet
ts small.htrace -e again.db -q 'SELECT 5' --quiet && [ -e again.db ]
code ts out.db -q 'SELECT broken here'
ts out.db -q js_class_histogram >a
ts out.db -q js_class_histogram.sql | cmp a - || fail "with .sql"
ts small.htrace -q js_class_histogram --quiet | cmp a - || fail "of a recording"
mkdir js_class_histogram
ts out.db -q js_class_histogram | cmp a - || fail "beside a directory of this name"
rmdir js_class_histogram
echo 'SELECT 6 AS mine' >js_class_histogram
ts out.db -q js_class_histogram
echo 'SELECT 7 AS mine' >'a file; of (mine)'
ts out.db -q 'a file; of (mine)'
