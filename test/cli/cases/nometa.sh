# shellcheck shell=bash
# -nm leaves meta empty; the table is there.
small
ts small.htrace -nm -e a.db --quiet
ts small.htrace --nometa -e b.db --quiet
ts small.htrace -e c.db --quiet
cmp a.db b.db
for db in a b c; do ts $db.db -q - <<<'SELECT count(*) AS rows FROM meta'; done
