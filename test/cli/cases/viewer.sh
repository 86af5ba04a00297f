# shellcheck shell=bash
# --viewer names its inputs as --source does, by id, path, end of the path or glob; trace_range covers those that fit.
gunzip -c "$DATA/work.jfr.gz" >work.jfr
gunzip -c "$DATA/work21.jfr.gz" >work21.jfr
for name in 1 work.jfr work21.jfr 'work2*' '*.jfr' edge-names,3 edge-names; do
    ts work.jfr work21.jfr -e x.db --viewer="$name" --quiet || fail "$name"
    printf '%s: %s\n' "$name" "$(sqlite3 x.db "SELECT group_concat(source_id) FROM import_issue WHERE code = 'outside_of_range'")"
done
code ts work.jfr work21.jfr -e y.db --viewer=work2.jfr --quiet
code ts work.jfr work21.jfr -e y.db --viewer=/work21.jfr --quiet
code ts "$DATA/tiny/snapshot.heapsnapshot" -e y.db --viewer=1 --quiet
[ ! -e y.db ] || fail "y.db was made"
