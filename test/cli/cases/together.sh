# shellcheck shell=bash
# Recordings of all formats in one run: what each counts as imported is what is in the tables that they share.
mkflare --threads=1 --seconds=1 flare
ts "$DATA/sessions.heapprofile" "$DATA/tiny/profile.cpuprofile" "$DATA/tiny/snapshot.heapsnapshot" "$DATA/counters.trace.json" \
    "$DATA/Trace-page.json.gz" "$DATA/go-cpu.pprof" "$DATA/go-heap.pprof" "$DATA/work.jfr.gz" "$DATA/recording-cloud.tar.gz" \
    "$DATA/recording-cpuprofile.htrace.gz" flare -e x.db --quiet
echo $?
sqlite3 x.db "SELECT message FROM import_issue WHERE code = 'conservation'"
sqlite3 x.db "SELECT DISTINCT format FROM source WHERE kind = 'input' OR parent_id IS NULL ORDER BY 1"
for pair in sessions.heapprofile:go-cpu.pprof work.jfr.gz:go-cpu.pprof sessions.heapprofile:work.jfr.gz; do
    ts "$DATA/${pair%%:*}" "$DATA/${pair#*:}" -e x.db --quiet || echo "$pair: $?"
    sqlite3 x.db "SELECT message FROM import_issue WHERE code = 'conservation'"
done
