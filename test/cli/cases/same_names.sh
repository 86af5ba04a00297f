# shellcheck shell=bash
# Inputs whose base names repeat are called what they are called on the command line.
mkdir -p x/rec y/rec
for d in x y; do
    cp "$DATA/tiny/snapshot.heapsnapshot" $d/heap.heapsnapshot
    cp "$DATA/tiny/profile.cpuprofile" $d/rec/p.cpuprofile
    tar cf $d/t.tar -C $d heap.heapsnapshot
    echo text >$d/text
    mkflare --threads=1 --seconds=1 $d/fl
done
cp x/heap.heapsnapshot x/other.heapsnapshot
paths() {
    ts "$@" -e x.db --quiet --force
    sqlite3 -separator ' ' x.db "SELECT s.kind, s.path, p.key, p.value FROM source s LEFT JOIN source_property p
        ON p.source_id = s.id AND p.key IN ('archive', 'directory') WHERE s.parent_id IS NULL ORDER BY s.id"
}
paths x/heap.heapsnapshot ./y/heap.heapsnapshot x/other.heapsnapshot
ts x.db -q - <<<'SELECT h.file_name, s.path FROM js_heap_files h JOIN js_heap_file_detail d ON d.file_id = h.id
    JOIN source r ON r.id = d.source_id JOIN source s ON s.id = r.parent_id'
echo '-- archives, directories and sets'
paths x/t.tar y/t.tar
paths x/rec y/rec/
paths x/fl "$PWD/y/fl" | sed "s|$PWD|PWD|"
paths x y/rec 2>&1
echo '-- what cannot be imported'
paths x/text y/text x/heap.heapsnapshot y/rec 2>&1
ts x/text y/text x/gone y/gone -e z.db --keep-going 2>&1
echo '-- one of them twice'
paths x/heap.heapsnapshot x/heap.heapsnapshot
