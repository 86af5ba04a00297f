# shellcheck shell=bash
# Every mistake is reported in a sentence; exit code 2; nothing on standard output.
code ts
code ts -e
code ts small.htrace
code ts small.htrace -e
code ts small.htrace -e -nm
code ts small.htrace -e --force
code ts small.htrace -e -
code ts small.htrace -e ''
code ts small.htrace -q x.sql --viewer=edge-names
code ts '' -e x.db
code ts small.htrace -e a.db -e b.db
code ts -e x.db
code ts small.htrace --exprot-db x.db
code ts small.htrace --export-dv=x.db
code ts small.htrace -ex.db
code ts small.htrace -q=x.sql
code ts small.htrace -help
code ts small.htrace --zzzzzzzzzzzz
code ts small.htrace --zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz
code ts small.htrace --no -e x.db
code ts small.htrace --strict=1 -e x.db
code ts small.htrace --=x
code ts small.htrace -s
code ts small.htrace -s -e x.db
code ts small.htrace -o out -e x.db
code ts small.htrace -e x.db --param a=1
code ts small.htrace -q x.sql --param a
code ts small.htrace -q x.sql --param =1
code ts small.htrace -q x.sql --param 1a=1
code ts small.htrace -q x.sql --param a=1 --param a=2
code ts small.htrace -q x.sql --json
code ts small.htrace --json --json=x
code ts small.htrace --json=
code ts small.htrace --index --json
code ts - - -e x.db
code ts - -q - -e x.db
code ts small.htrace -e x.db -l loud
code ts small.htrace -e x.db --max-memory 12Q
code ts small.htrace -e x.db --max-memory=
code ts small.htrace -e x.db --max-inflate 0
code ts small.htrace -e x.db --max-inflate 99999999999999999999
code ts small.htrace -e x.db --format=elf
code ts small.htrace $'--bad\033[31m\noption' -e x.db
[ -z "$(ls -A)" ] || fail "left: $(ls -A)"
