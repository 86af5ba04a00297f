#!/usr/bin/env bash
# Scans of the databases of the bundled recordings, cell by cell against SELECT; stack_totals against a plain computation.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
for name in cpuprofile snapshots timeline; do
    ts "$tests/data/recording-$name.htrace.gz" -e $name.db --analyze=stack_totals --quiet
    "$compare" $name.db >said 2>&1 || wrong "$name: $(tail -3 said)"
    "$python" "$tests/analysis/totals.py" $name.db
    ts "$tests/data/recording-$name.htrace.gz" -e again.db --analyze=stack_totals --quiet
    cmp $name.db again.db || wrong "$name: the second run gives other bytes"
done
[ "$(sql cpuprofile.db 'SELECT sum(self_count) FROM stack_total')" = 1270 ] || wrong "the profile has 1270 samples"
# Other pages, the same rows.
sql cpuprofile.db 'PRAGMA page_size = 512' VACUUM
"$compare" cpuprofile.db >said 2>&1 || wrong "vacuumed: $(tail -3 said)"
