# shellcheck shell=bash
# --each: a database for each recording of a directory, the same as by itself; a second run does what is left.
small
mkdir -p in/deep in/other out
cp small.htrace in/small.htrace
cp "$DATA/tiny/profile.cpuprofile" in/deep/p.cpuprofile
cp "$DATA/work.jfr.gz" in/other/work.jfr.gz
head -c $(($(stat -c %s small.htrace) - 30)) small.htrace >in/other/cut.htrace
echo 'no recording' >in/notes.txt
ts small.htrace -e in/old.db --quiet
touch -d '1 hour ago' in/*.* in/*/*
code ts in --each -o out
(cd out && find . -type f | sort)
for file in small.htrace deep/p.cpuprofile other/work.jfr.gz other/cut.htrace; do
    ts "in/$file" -e one.db --quiet --force
    cmp one.db "out/$file.db" || fail "$file is another database"
done
echo '-- again'
touch -d '2 hours ago' before && touch -r before in/small.htrace
stat -c %i out/small.htrace.db >inode
code ts in --each -o out --jobs=1
stat -c %i out/small.htrace.db | cmp - inode || fail "it was made again"
touch -d 'next hour' in/small.htrace
rm out/deep/p.cpuprofile.db
code ts in --each -o out --jobs=7
code ts in --each -o out --strict --quiet
rm -r out/other
code ts in --each -o out --strict
echo '-- what fails'
mkdir few
code ts in/other/work.jfr.gz in/small.htrace in/notes.txt --each -o few --max-inflate=1K
(cd few && find . -type f | sort)
code ts in/small.htrace small.htrace --each -o few
code ts in/notes.txt --each -o few
code ts missing --each -o few
code ts - --each -o few
code ts in --each
code ts in --each -o none
code ts in --each -o few -e x.db
code ts in --jobs=2 -e x.db
echo '-- a signal'
mkdir big stopped
for i in 1 2 3 4 5 6 7 8; do cp "$DATA/recording-timeline.htrace.gz" "big/$i.htrace.gz"; done
"$PROGRAM" big --each -o stopped --quiet --jobs=2 &
sleep 0.1
kill -TERM $!
wait $! && echo "it was done before" >&2
for db in stopped/*.db; do [ ! -e "$db" ] || sqlite3 "$db" 'PRAGMA integrity_check' | grep -qx ok || fail "$db"; done
[ "$(find stopped -name '*.db' | wc -l)" = "$(find stopped -type f | wc -l)" ] || fail "temporaries are left"
ts big --each -o stopped --quiet
for i in 1 8; do cmp "stopped/$i.htrace.gz.db" stopped/2.htrace.gz.db >/dev/null && fail "equal names"; done
[ "$(find stopped -name '*.db' | wc -l)" = 8 ] || fail "not all"
echo '-- directories that are one recording'
mkdir -p set/deep set/upload sets
mkflare --threads=2 --seconds=1 set/deep/flare >/dev/null
"${MKHTRACE%mkhtrace}mkcloud" -o set/cloud --calls 40 --pause 200 >/dev/null
cp "$DATA/go-cpu.pprof" set/upload/auto.pprof
printf '{"family":"go","language":"golang","format":"pprof","start":"2024-01-01T00:00:00Z","end":"2024-01-01T00:01:00Z","attachments":["auto.pprof"],"tags_profiler":"service:a"}' >set/upload/event.json
cp "$DATA/work.jfr.gz" set/deep/
find set -exec touch -d '1 hour ago' {} +
code ts set --each -o sets
(cd sets && find . -type f | sort)
pod=cloud/orders/2023/11/14/1700000000000
for name in deep/flare upload $pod; do
    ts "set/$name" -e one.db --quiet --force
    cmp one.db "sets/$name.db" || fail "$name is another database"
done
# One whose file was changed is converted again, and an argument may be one itself.
touch -d 'next hour' set/deep/flare/summary_info.json
code ts set --each -o sets
mkdir own
code ts set/deep/flare/ --each -o own
(cd set/upload && code ts . --each -o ../../own)
(cd own && find . -type f | sort)
