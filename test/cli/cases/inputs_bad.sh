# shellcheck shell=bash
# QD-12: what cannot be read is reported, with exit code 1; unknown content is 5. Nothing is published.
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
# An argument that cannot be opened ends the run before it has begun, and each is reported, unless the others are asked for.
small
code ts missing.htrace small.htrace lost.htrace text -e out.db --quiet
[ ! -e out.db ] || fail "published without an input"
code ts missing.htrace lost.htrace -e out.db --quiet --keep-going
code ts -D nowhere small.htrace -e out.db --quiet
code ts -D nowhere small.htrace --json --quiet --keep-going >out.json
rm out.json
# With several inputs one good one is enough; what is wrong with the others is reported.
code ts small.htrace text -e out.db --quiet
code ts small.htrace text -e out.db --quiet --strict
mkdir -p many
for i in $(seq 30); do cp text "many/$i"; done
code ts small.htrace many/* -e out.db --quiet 2>err
tail -2 err >&2
code ts missing.htrace small.htrace text -e out.db --keep-going 2>err
grep -v '^  ' err >&2
ts out.db -q - <<<'SELECT severity, code FROM import_issue ORDER BY rowid'
rm -r out.db err many
printf '\037\213\010\000' >cut.gz
ts cut.gz -e out.db 2>/dev/null && fail "a gzip header alone"
ls -A
