# shellcheck shell=bash
# A sample directory, archives of it in any order, several directories, a directory of directories.
mkflare --threads=3 --seconds=4 --missing-every=7 one
mkflare --threads=3 --seconds=4 --start=1567669470207 --missing-every=5 --volume=1 two
mkdir all
cp -r one two all
rows() { # all rows but those that name the input
    ts "$@" -e x.db --quiet || fail "exit code $? of $*"
    sqlite3 x.db "SELECT * FROM stack_sample; SELECT * FROM stack_sample_value;
        SELECT * FROM stack_node; SELECT * FROM stack_method; SELECT * FROM flare_stack;
        SELECT * FROM flare_thread; SELECT * FROM timeseries_value; SELECT * FROM thread;
        SELECT id, kind, format, name, clock, start_ts, end_ts, bytes, complete FROM source;
        SELECT source_id, severity, code, count FROM import_issue; SELECT * FROM import_count"
}
same() { cmp a b || fail "$*"; }
rows one >a
wc -l <a
tar cf one.tar one
rows one.tar >b && same tar
tar cf - -C one . | gzip >bare.tgz
rows bare.tgz >b && same 'tar.gz without a directory in it'
# Members in the wrong order.
# shellcheck disable=SC2046
tar cf wrong.tar $(find one -type f | LC_ALL=C sort -r)
rows wrong.tar >b && same 'tar in another order'
rows one two >a
rows all >b && same 'two directories and a directory of them'
tar cf all.tar all
rows all.tar >b && same 'a tar of several'
sqlite3 -separator ' ' x.db "SELECT path, kind FROM source;
    SELECT DISTINCT key, value FROM source_property WHERE key = 'archive';
    SELECT part, path, (end_ts - start_ts) / 1000000, gap / 1000000 FROM v_flare_recording;
    SELECT severity, code, sum(count) FROM import_issue WHERE code LIKE 'flare%' GROUP BY 1, 2;
    SELECT count(*), count(DISTINCT source_id) FROM v_flare_cpu WHERE tid = 11"
echo '-- a part of the time'
for range in +1,+2 1567669467207,1567669468207 2019-09-05T07:44:27.207Z,2019-09-05T09:44:28.207+02; do
    ts one -e x.db --quiet --time-range="$range"
    sqlite3 x.db "SELECT min(ts) >= 1567669467207000000, max(ts) < 1567669468207000000, count(*)
        FROM stack_sample; SELECT item, seen, imported, lost FROM import_count WHERE item = 'stack_records'"
done
echo '-- damage'
for damage in cut-series cut-index cut-data cut-methods cut-summary magic-series magic-index magic-data \
    magic-methods flip-series flip-index flip-data flip-methods flip-summary zeros-data zeros-index \
    empty-series empty-index empty-data empty-summary twice-summary; do
    rm -rf bad
    mkflare --threads=2 --seconds=3 --damage="$damage" bad
    ts bad -e x.db --quiet || fail "$damage: exit code $?"
    printf '%s: ' "$damage"
    sqlite3 x.db "SELECT group_concat(code, ' ') FROM (SELECT DISTINCT code FROM import_issue
        ORDER BY code)"
done
echo '-- nothing to import'
mkdir none
cp one/method_info.* none
code ts none -e x.db --quiet 2>&1
