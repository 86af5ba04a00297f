# shellcheck shell=bash
# The verb diff: two databases, two recordings, sources of one; conditions and exit codes.
ts "$DATA/recording-cpuprofile.htrace.gz" -e cpu.db --quiet
ts "$DATA/sessions.heapprofile" -e alloc.db --quiet
ts "$DATA/recording-snapshots.htrace.gz" -e heap.db --quiet
cp "$DATA/recording-cloud.tar.gz" cloud.tar.gz

echo "--- classes of the first and the last snapshot"
code ts diff heap.db --limit=3 --output=table
echo "--- of chosen ones, after to before"
code ts diff heap.db --before=Snapshot2 --after=Snapshot1 --limit=2 --output=csv --quiet
echo "--- with the analysis, computed for it; the database stays as it is"
before=$(sha256sum <heap.db)
code ts diff heap.db --analyze=heap --weight=retained_size --limit=2 --output=jsonl --quiet
[ "$before" = "$(sha256sum <heap.db)" ] || fail "heap.db has changed"
echo "--- nodes"
code ts diff heap.db heap.db --before=Snapshot0 --after=Snapshot1 --by=node --limit=2 --quiet
echo "--- a recording and its database"
code ts diff cloud.tar.gz cloud.tar.gz 2>&1
ts cloud.tar.gz -e cloud.db --quiet
code ts diff cloud.tar.gz cloud.db --by=call 2>&1
echo "--- methods of different sources: by what both have"
code ts diff cpu.db alloc.db --limit=3 --output=table 2>&1
code ts diff cpu.db alloc.db --weight=samples --limit=3 --output=table 2>&1
echo "--- against nothing"
code ts diff cpu.db --before=none --limit=2 --output=table 2>&1
code ts diff heap.db --before=none --after=Snapshot0 --limit=1 --output=csv 2>&1
code ts diff cpu.db --before=none --fail-if='self_cpu[sortPrices]>50ms' --limit=1 --output=csv --quiet 2>&1
code ts diff cpu.db alloc.db --before=none 2>&1
code ts diff cpu.db --before=none --to=folded -o - | grep -c ';'
echo "--- snapshots of different runs: by totals, by ids when they are asked for"
ts "$DATA/recording-timeline.htrace.gz" -e timeline.db --quiet
code ts diff timeline.db heap.db --limit=1 --output=csv 2>&1
code ts diff timeline.db heap.db --weight=new_count --limit=1 --output=csv 2>&1
code ts diff timeline.db heap.db --by=node --limit=1 --output=csv 2>&1

echo "--- conditions"
condition() { code ts diff heap.db --quiet --limit=1 --output=csv "$@" 2>&1 | grep -v '^[cD]'; }
condition --fail-if='self_size>+10%' --fail-if='self_size>+11%'
condition --fail-if='self_size[Date]>+62.9kB' --fail-if='self_size[Date]>=+62976' --fail-if='self_size[Date]>+62976'
condition --fail-if='count[*]>10k' --fail-if='count[*]>100k'
condition --fail-if='self_size<3MiB' --fail-if='self_size<-1%'
condition --fail-if='count[nobody]>0'
condition --fail-if='self_size_before>1'
condition --fail-if='retained_size>1'
condition --fail-if='self_size>5%'
condition --fail-if='self_size>5ms'
condition --fail-if='self_size=5'
condition --fail-if='self_size[a>5'
condition --fail-if='self_size>5 apples'
condition --fail-if='self_size>x'
ts diff heap.db --fail-if='count>+1' --output=json --limit=0 --quiet 2>/dev/null | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["by"], r["failed"], r["conditions"][0], len(r["rows"]) == r["changed_rows"])'

echo "--- in another format"
ts "$DATA/recording-cpuprofile.htrace.gz" "$DATA/sessions.heapprofile" -e two.db --quiet
code ts diff two.db --before=recording-cpuprofile.htrace.gz --after=HeapProfile0 --weight=samples --to=folded -o - | grep -E 'leak|parseOrders|exit'
code ts diff cpu.db alloc.db --weight=samples --to=flame -o picture.html
grep -o '"before":{[^}]*}' picture.html
for options in "cpu.db --to=flame -o x.html" "cpu.db alloc.db --to=flame" "cpu.db alloc.db -o x.html" "cpu.db alloc.db --to=pprof -o x.pb" "cpu.db alloc.db --to=flame -o cpu.db" \
    "cpu.db alloc.db --to=flame -o x.html --by=method" "heap.db cpu.db --to=flame -o x.html" "cpu.db alloc.db --event=cpu"; do
    # shellcheck disable=SC2086
    code ts diff $options 2>&1
done
[ ! -e x.html ] && [ ! -e x.pb ] || fail "a file is left"

echo "--- what does not fit"
for options in "cpu.db" "heap.db cpu.db" "heap.db heap.db --before=Snapshot1 --after=Snapshot1" "heap.db --by=method" "cpu.db alloc.db --by=class" \
    "cpu.db alloc.db --by=clas" "heap.db --before=Snapshot9" "heap.db --before=1 --after=1" "cpu.db alloc.db --weight=nothing_of_it" "heap.db --weight=bytes" "heap.db --thread=1" \
    "" "a b c" "cpu.db missing.db" "cpu.db alloc.db -e out.db" "cpu.db alloc.db -q x" "cpu.db alloc.db --limit=many" "cpu.db alloc.db --limit=1 --limit=2"; do
    # shellcheck disable=SC2086
    code ts diff $options 2>&1
done
code ts cpu.db --by=class 2>&1
code ts cpu.db --fail-if='count>1' -e x.db 2>&1
echo "--- a file of the verb's name"
cp "$DATA/tiny/snapshot.heapsnapshot" diff
code ts ./diff -q "SELECT count(*) FROM js_heap_nodes" --quiet
ts diff --by=list
