# shellcheck shell=bash
# What a user would call a recording is read wherever it stands in an input, or said to be lost.
small
cp "$DATA/tiny/profile.cpuprofile" a.cpuprofile
mkflare --threads=2 --seconds=2 fl
# summarize INPUT...: the formats that were read, and what is not as it should be.
summarize() {
    status=0
    ts "$@" -e x.db --quiet --force --strict 2>err || status=$?
    echo "$*: $status $(sqlite3 x.db "SELECT group_concat(format, ' ') FROM (SELECT format FROM source
        WHERE parent_id IS NULL AND format IS NOT NULL ORDER BY id)")"
    sqlite3 -separator ' ' x.db "SELECT '  ' || severity, code, sum(count) FROM import_issue
        WHERE severity IN ('data_loss', 'error') OR code LIKE 'member%' GROUP BY code ORDER BY code"
}
echo '-- absolute and upward names'
tar -cPf absolute.tar "$PWD/small.htrace" "$PWD/a.cpuprofile"
mkdir below
tar -C below -cPf up.tar ../small.htrace ../a.cpuprofile
summarize absolute.tar
summarize up.tar
sqlite3 x.db "SELECT path FROM source WHERE parent_id IS NULL"
echo '-- archives behind one another'
python3 - <<'PY'
import zipfile

for name, members in (("1.zip", ["small.htrace"]), ("2.zip", ["a.cpuprofile"])):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for member in members:
            z.write(member)
PY
cat 1.zip 2.zip >both.zip
summarize both.zip
(cat 1.zip && echo something between && cat 2.zip && echo behind) >stray.zip
summarize stray.zip
sqlite3 -separator ' ' x.db "SELECT offset, message FROM import_issue WHERE code = 'archive_stray_bytes';
    SELECT item, seen, imported, lost FROM import_count WHERE item = 'stray_bytes'" | sed "s/^$(stat -c %s 1.zip) /(size of 1.zip) /"
tar cf 1.tar small.htrace
tar cf 2.tar a.cpuprofile
cat 1.tar 2.tar >both.tar
summarize both.tar
(cat 1.tar && echo something behind) >stray.tar
summarize stray.tar
echo '-- behind compressed data: padding is nothing, other bytes are lost'
gzip -c small.htrace >padded.gz
head -c 1000 /dev/zero >>padded.gz
summarize padded.gz
(gzip -c small.htrace && cat a.cpuprofile) >behind.gz
summarize behind.gz
(gzip -c a.cpuprofile && gzip -c a.cpuprofile) >twice.gz
summarize twice.gz
echo '-- links, pipes and directories that are elsewhere'
cp -r fl tree
mv tree/summary_info.json elsewhere.json
ln -s ../elsewhere.json tree/summary_info.json
summarize tree
ln -s . tree/loop
summarize tree
ln -s nowhere tree/gone
ln -s ../below tree/outside
mkfifo tree/pipe
summarize tree
tar --sort=name -cf tree.tar tree
summarize tree.tar
echo '-- recordings beside those of a format that reads sets'
mkdir mixed
cp -r fl small.htrace a.cpuprofile both.zip mixed
echo text >mixed/readme.txt
summarize mixed
tar --sort=name -cf mixed.tar mixed
summarize mixed.tar
