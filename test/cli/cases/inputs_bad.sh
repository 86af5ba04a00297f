# shellcheck shell=bash
# QD-12: what cannot be read is told, with exit code 1; unknown content is 5. Nothing is published.
code ts missing.htrace -e out.db
code ts ./missing/dir/ -e out.db
echo 'not a recording' >text
code ts text -e out.db
: >empty
code ts empty -e out.db
mkdir folder
code ts folder -e out.db
printf 'x' >one
code ts one -e out.db
# With several inputs one good one is enough.
small
code ts missing.htrace small.htrace text -e out.db 2>err
grep 'could not be imported' err >&2
ts out.db -q - <<<'SELECT severity, code FROM import_issue ORDER BY rowid'
rm out.db err
printf '\037\213\010\000' >cut.gz
ts cut.gz -e out.db 2>/dev/null && fail "a gzip header alone"
ls -A
