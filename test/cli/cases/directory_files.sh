# shellcheck shell=bash
# A directory that is no recording of its own is imported file by file, as the same files in a tar are.
small
mkdir -p rec/sub
cp "$DATA/tiny/snapshot.heapsnapshot" rec/b.heapsnapshot
cp "$DATA/tiny/sorted.heapsnapshot" rec/a.heapsnapshot
cp "$DATA/tiny/profile.cpuprofile" rec/sub/c.cpuprofile
gzip -c small.htrace >rec/sub/d.htrace.gz
(cd rec && tar cf e.tar ../small.htrace 2>/dev/null)
echo text >rec/readme.txt
dump() { # all rows, without what says whether it was a directory or an archive
    ts "$@" -e x.db --quiet --force || fail "exit code $? of $*"
    sqlite3 x.db .dump | sed -E "s/'(archive|directory)'/'set'/g; s/'rec(\.tar)?'/'rec'/g; /INSERT INTO (meta|sqlite_stat1)/d"
}
tar --sort=name -cf rec.tar rec
dump rec.tar >a
dump rec >b
cmp a b || fail 'the rows of a directory and of a tar of it'
dump "$PWD/rec/" >b
cmp a b || fail 'a path with a slash behind it'
sqlite3 -separator ' ' x.db "SELECT kind, path, format, name, complete FROM source ORDER BY id;
    SELECT file_id, source_id FROM js_heap_file_detail; SELECT item, seen, imported, lost, skipped FROM import_count WHERE item = 'members'"
echo '-- a database in it is not a recording, and the output may be in it'
ts rec -e rec/out.db --quiet
cp rec/out.db first.db
ts rec -e rec/out.db --quiet
cmp rec/out.db first.db || fail 'a conversion that is repeated'
ts rec -e other.db --quiet
cmp other.db first.db || fail 'an output elsewhere'
rm rec/out.db
echo '-- extraction'
mkdir out
ts rec -s -o out --quiet
ls out
echo '-- what cannot be read is lost; what is damaged hides nothing else'
cp -r rec bad
ln -s nowhere bad/gone.cpuprofile
head -c 200 rec/a.heapsnapshot >bad/a.heapsnapshot
: >bad/empty.cpuprofile
head -c 300 rec/sub/d.htrace.gz >bad/sub/d.htrace.gz
code ts bad -e x.db --quiet --force --strict
sqlite3 -separator ' ' x.db "SELECT i.severity, i.code, sum(i.count), group_concat(s.path, ' ') FROM import_issue i JOIN source s ON s.id = i.source_id
    WHERE s.parent_id IS NULL AND (severity IN ('data_loss', 'error') OR code = 'member_skipped') GROUP BY 1, 2;
    SELECT item, seen, imported, lost, skipped FROM import_count WHERE item = 'members'"
echo '-- nothing in it'
mkdir none empty
cp rec/readme.txt none
code ts none -e y.db 2>&1
code ts empty -e y.db 2>&1
code ts none rec -e y.db --quiet 2>&1
sqlite3 -separator ' ' y.db "SELECT path, severity, code FROM source s JOIN import_issue i ON i.source_id = s.id WHERE path LIKE 'none%'"
echo '-- a format is asked for'
mkdir force
cp rec/a.heapsnapshot force/noname
code ts force --format=heapsnapshot -e y.db --quiet --force
code ts force --format=cpuprofile -e y.db --quiet --force
