# shellcheck shell=bash
# Options of the reference: some have no effect, some are refused by name (QD-6, QD-7, QD-11).
small
ts small.htrace -e a.db --quiet || fail plain
ts small.htrace -tn 4 -nt -lnc --ext --threadnum 2 --nothreads -e b.db --quiet || fail "no effect"
cmp a.db b.db || fail "an option without effect has one"
ts -nt small.htrace -tn 16 --export-db c.db --quiet || fail order
cmp a.db c.db || fail "order of options"
for bad in x -1 0 4x '' 99999999999999999999; do code ts small.htrace -tn "$bad" -e d.db; done
code ts small.htrace -c
code ts small.htrace --command </dev/null
code ts small.htrace -m trace_mem
code ts small.htrace --run-metrics=trace_mem
code ts small.htrace -d perf -o out
code ts small.htrace --dump hook
mkdir symbols
ts small.htrace --So_dir symbols -e so.db --quiet && ts small.htrace --symbols symbols -e symbols.db --quiet || fail symbols
cmp so.db symbols.db || fail "--So_dir is --symbols"
for list in W,E DEBUG,error O; do ts small.htrace -l $list -e l.db --quiet 2>/dev/null || fail "-l $list"; done
code ts small.htrace -l W,X -e d.db
code ts small.htrace -l W, -e d.db
[ ! -e d.db ] || fail "d.db was made"
# Forms of the same thing.
ts small.htrace --export-db=d.db --quiet && ts --expo e.db --qui -- small.htrace || fail forms
cmp a.db d.db && cmp a.db e.db || fail "forms differ"
