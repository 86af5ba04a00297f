# shellcheck shell=bash
# QD-8: paths are taken as they are: backslash, blanks, quotes, newline, UTF-8, a leading dash.
small
sum=$(ts small.htrace -q - --quiet <<<'SELECT count(*) FROM js_heap_nodes')
for name in 'back\slash' 'two  blanks' "quo'te\"s" $'new\nline' 'größe-名前' '-dash' 'per%cent%s' '$HOME' ':memory:' 'file:x?mode=ro'; do
    cp small.htrace "./$name"
    ts --quiet -q - -- "$name" <<<'SELECT count(*) FROM js_heap_nodes' >rows || fail "reading $name"
    [ "$(cat rows)" = "$sum" ] || fail "rows of $name"
    ts --quiet "--export-db=$name.db" -- "$name" || fail "writing $name.db"
    ts --quiet -q - -- "$name.db" <<<'SELECT count(*) FROM js_heap_nodes' >rows || fail "asking $name.db"
    [ "$(cat rows)" = "$sum" ] || fail "rows of $name.db"
    rm -- "$name" "$name.db"
done
# A hostile name reaches no terminal as it is.
code ts $'evil\033]0;title\007\nname' -e x.db
rm small.htrace rows
ls -A
