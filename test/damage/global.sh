#!/usr/bin/env bash
# The catalogue's global section, and that on archives, through the program itself.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
small small.htrace
python3 "$HERE/archives.py" small.htrace
# import CODE INPUT [options]: --strict, so that 3 says that something is lost.
import() {
    local code=$1
    shift
    rm -f out.db
    expect "$code" "$1" "$PROGRAM" "$@" -e out.db --quiet --strict
    [ "$code" = 0 ] || [ "$code" = 3 ] || [ ! -e out.db ] || wrong "$1: published with exit code $code"
}
codes="SELECT group_concat(code || ' ' || n, ', ') FROM (SELECT code, sum(count) AS n FROM import_issue
    WHERE code NOT LIKE '%made_up' GROUP BY code ORDER BY code)"
files="SELECT count(*) FROM js_heap_files"

# --- archives
import 0 duplicated.zip
answer out.db "$files" 2 "duplicated members are both read"
import 3 encrypted.zip
answer out.db "$files" 1 "the member beside an encrypted one"
answer out.db "SELECT path, complete, message LIKE '%encrypted%' FROM source JOIN import_issue ON source.id = source_id
    WHERE code = 'member_failed'" $'secret.htrace\t0\t1' "an encrypted member is reported"
members="SELECT seen, imported, lost, skipped FROM import_count WHERE item = 'members'"
answer out.db "$members" $'2\t1\t1\t0' "an encrypted member is counted"
import 0 slip.zip
answer out.db "$files" 5 "names that lead out of the archive are read"
answer out.db "SELECT replace(group_concat(path, ' '), '\\', '|') FROM (SELECT path FROM source WHERE parent_id IS NULL ORDER BY id)" \
    'slip.htrace tmp/slip.htrace a|slip.htrace (4)/slip.htrace good.htrace' "names that lead out are shown without what leads there"
[ ! -e ../slip.htrace ] && [ ! -e ../../slip.htrace ] && [ ! -e /tmp/slip.htrace ] || wrong "slip.zip: written outside"
import 3 zip64_lies.zip
answer out.db "$files" 2 "a member that claims 2^62 bytes gives those it has"
import 3 size_lies.zip
answer out.db "SELECT count(*) > 0 FROM js_heap_files" 1 "the member beside one with a wrong size"
import 6 million.zip
says 100000 "a million members"
import 3 links.tar
answer out.db "$files" 2 "a file and a hard link to it"
answer out.db "SELECT sum(count), stream FROM import_issue WHERE code = 'member_unread'" $'4\tdevice' "what is no file is reported"
answer out.db "$members" $'6\t2\t4\t0' "what is no file is counted as lost"
for depth in 1 2 3 4; do
    import 0 nested$depth.zip
    answer out.db "$files" 1 "nested $depth deep"
done
import 6 nested5.zip
says "more than 4 times" "nested 5 deep"
import 6 nested25.tar
says "more than 4 times" "nested 25 deep"
import 0 names.zip
answer out.db "$files" 5 "hostile member names"
answer out.db "SELECT count(*) FROM source WHERE path = '''); DROP TABLE source; --.htrace'" 1 "a name of SQL is a name"

# --- bombs and limits: 6 and the number
import 6 bomb.zip
says "1000 times its size" "ratio of a zip"
head -c 80000000 /dev/zero | cat small.htrace - | gzip -9 >bomb.gz
import 6 bomb.gz
says 1000 "ratio of a gzip file"
python3 -c '
import bz2, lzma, sys
data = open("small.htrace", "rb").read() + bytes(80000000)
open("bomb.bz2", "wb").write(bz2.compress(data))
open("bomb.xz", "wb").write(lzma.compress(data, preset=1))
'
for kind in bz2 xz; do
    import 6 bomb.$kind
    says 1000 "ratio of a file: $kind"
done
rm bomb.bz2 bomb.xz
gzip -k small.htrace
import 6 small.htrace.gz --max-inflate 2K
says 2048 "--max-inflate"
import 0 small.htrace.gz --max-inflate 1M
import 6 "$DATA/recording-cpuprofile.htrace.gz" --max-memory 64K
says 65536 "--max-memory"
rm -f ./*.zip ./*.tar ./*.gz out err out.db
[ "$(echo .[!.]* *)" = ".[!.]* htrace_then_zip small.htrace zip_of_htrace" ] || wrong "left behind: $(echo .* *)"

# --- what an input can be
import 3 htrace_then_zip
answer out.db "SELECT DISTINCT format FROM source WHERE parent_id IS NULL" htrace "what stands first decides"
answer out.db "$codes" "trailing_bytes 1" "the zip behind is reported"
import 0 zip_of_htrace
answer out.db "SELECT DISTINCT format FROM source WHERE parent_id IS NULL" htrace "a zip is a zip"
import 5 small.htrace --format=cpuprofile
import 5 small.htrace --format=heapsnapshot
import 5 "$DATA/tiny/snapshot.heapsnapshot" --format=htrace
# A JSON object may be a damaged snapshot: what does not fit is reported.
import 3 "$DATA/tiny/profile.cpuprofile" --format=heapsnapshot
import 2 small.htrace --format=nonsense
mkdir nothing
import 1 nothing
cp "$0" nothing
import 5 nothing
cp small.htrace nothing
import 0 nothing
rm -r nothing
import 5 /dev/zero
import 1 /dev/null
import 1 missing
cp small.htrace same.db
ln -s same.db link.db
ln same.db hard.db
for name in same.db link.db hard.db; do
    expect 2 "output $name is the input" "$PROGRAM" same.db -e "$name" --quiet --force
    cmp -s same.db small.htrace || wrong "$name: the input was changed"
done

# --- sparse files: as large as the file system allows, nothing of them read, or left when asked to
: >sparse
truncate -s 16T sparse 2>/dev/null || truncate -s 8T sparse 2>/dev/null || truncate -s 1T sparse
LIMIT=10 import 5 sparse
cp small.htrace sparse.htrace
truncate -s 1T sparse.htrace
LIMIT=10 import 0 sparse.htrace
answer out.db "$codes" "zero_run 1" "space that was reserved in a sparse recording"

# --- a pipe without a writer is waited for, until a signal comes; one whose writer comes late is read
mkfifo pipe
code=0
timeout -s INT 1 "$PROGRAM" pipe -e out.db --quiet 2>err || code=$?
[ $code = 124 ] || wrong "a pipe without a writer: exit code $code"
says "stopped by signal 2" "a pipe without a writer"
(sleep 0.3 && cat small.htrace >pipe) &
import 0 pipe
wait
answer out.db "$files" 1 "a pipe whose writer comes late"
verdict
