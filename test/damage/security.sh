#!/usr/bin/env bash
# Names from inputs reach neither SQL nor the terminal; -s writes in its directory and over nothing; temporaries cannot be planted.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# --- hostile text in every string field
mkdir names
python3 "$HERE/names.py" names
# The tables that samples of CPU profiles stand in are made when there are some.
objects="SELECT count(*) FROM sqlite_master WHERE name NOT IN ('stack_sample_row', 'stack_sample_block')"
tables=$("$PROGRAM" names/names.cpuprofile -q - --quiet <<<"$objects" | tail -n 1)
for file in names.heapsnapshot names.cpuprofile names.htrace; do
    # The summary, -l with all its words and --json are all shown to people.
    expect 0 "$file" "$PROGRAM" "names/$file" -e out.db --json=out.json
    if LC_ALL=C.UTF-8 grep -qP '[\x{202a}-\x{202e}\x{2066}-\x{2069}\x{80}-\x{9f}\x{feff}]' err out; then
        wrong "$file: a character that steers the terminal"
    fi
    python3 -m json.tool out.json >/dev/null || wrong "$file: --json is no JSON"
    if LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' out.json; then
        wrong "$file: control characters in --json"
    fi
    answer out.db "$objects" "$tables" "$file: tables and views"
    answer out.db "PRAGMA integrity_check" ok "$file"
    answer out.db "SELECT count(*) FROM import_issue WHERE code = 'conservation'" 0 "$file"
    cp out.db "$file.db"
done
[ ! -e pwned ] || wrong "a name was run by a shell"
python3 - names/strings.json names.heapsnapshot.db names.cpuprofile.db <<'PY' || wrong "texts are not as they were"
import json, sqlite3, sys

want = json.load(open(sys.argv[1]))
heap, cpu = (sqlite3.connect("file:%s?mode=ro" % name, uri=True) for name in sys.argv[2:])
have = [row[0] for row in heap.execute("SELECT string FROM js_heap_string ORDER BY file_index")]
assert have[:len(want)] == want, "strings"
assert all(set(s) == {"\ufffd"} for s in have[len(want):]) and len(have) == len(want) + 3, "ill-formed UTF-8"
names = [row[0] for row in cpu.execute("SELECT d.data FROM js_cpu_profiler_node JOIN data_dict d ON d.id = function_index ORDER BY function_id")]
assert names == want, "function names"
assert [row[0] for row in cpu.execute("SELECT script_id FROM js_cpu_profiler_node ORDER BY function_id")] == [s or "0" for s in want], "script ids"
PY
# On a terminal -q shows what it cannot print as escapes.
if command -v script >/dev/null; then
    echo "SELECT substr(string, 1, 100) FROM js_heap_string" >strings.sql
    script -qec "'$PROGRAM' names.heapsnapshot.db -q strings.sql" /dev/null </dev/null >typescript 2>&1 || wrong "-q on a terminal"
    tr -d '\r\n' <typescript >plain
    if LC_ALL=C grep -q $'[\x01-\x1f\x7f]' plain || LC_ALL=C.UTF-8 grep -qP '[\x{202a}-\x{202e}\x{80}-\x{9f}]' plain; then
        wrong "-q: control characters on a terminal"
    fi
    grep -q 'DROP TABLE' plain || wrong "-q on a terminal shows nothing"
fi

# --- names of inputs and members as parts of file names of -s
small small.htrace
python3 "$HERE/archives.py" small.htrace
rm -f nested* million.zip bomb.zip
mkdir -p extract/out evil
for name in $'evil/\033[31m.htrace' $'evil/a\nb.htrace' "evil/.hidden" "evil/-e" 'evil/$(id)' \
    $'evil/\xc2\x9b2J.htrace' $'evil/\xe2\x80\xaemirrored\xe2\x81\xa6\xe2\x80\x8f.htrace' $'evil/\x9b2J.htrace'; do
    cp small.htrace "$name"
    expect 0 "-s of a hostile name" "$PROGRAM" -s -o extract/out --quiet -- "$name"
done
for archive in slip.zip names.zip duplicated.zip; do
    expect 0 "-s of $archive" "$PROGRAM" "$archive" -s -o extract/out --quiet
done
[ "$(find extract -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || wrong "-s wrote beside its directory"
[ -z "$(find extract/out -mindepth 1 ! -type f)" ] || wrong "-s made something that is no file"
if find extract/out -mindepth 1 -printf '%f\n' | LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]'; then
    wrong "-s: control characters in a file name"
fi
if ! find extract/out -mindepth 1 -printf '%f\n' | iconv -f UTF-8 -t UTF-8 >names.txt || LC_ALL=C.UTF-8 grep -qP '[\x{80}-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]' names.txt; then
    wrong "-s: C1 controls or direction marks in a file name"
fi
[ -z "$(find extract/out -name '.*' -o -name '-*')" ] || wrong "-s: a name that begins with a dot or dash"
[ "$(find extract/out -type f | wc -l)" = 20 ] || wrong "-s wrote $(find extract/out -type f | wc -l) files"
[ -z "$(find extract/out -size 0)" ] || wrong "-s: an empty file"

# --- nothing that is there is touched, whatever it is
out=planted
name=small.htrace.Snapshot0.heapsnapshot
plant() { # what is planted, command
    rm -rf $out victim
    mkdir $out
    echo precious >victim
    (cd $out && eval "$2")
    expect 4 "-s onto $1" "$PROGRAM" small.htrace -s -o $out --quiet
    [ "$(cat victim)" = precious ] || wrong "-s through $1"
    [ "$(find $out -mindepth 1 | wc -l)" = 1 ] || wrong "-s onto $1 left something"
}
plant "a file" "cp ../victim $name"
plant "a symbolic link" "ln -s ../victim $name"
plant "a dangling link" "ln -s ../nowhere $name"
[ ! -e nowhere ] || wrong "-s made the target of a dangling link"
plant "a hard link" "ln ../victim $name"
plant "a directory" "mkdir $name"
plant "a pipe" "mkfifo $name"
# --force replaces the name, never what a link leads to, and no directory or pipe.
for kind in "ln -s ../victim" "ln ../victim"; do
    rm -rf $out
    mkdir $out
    echo precious >victim
    (cd $out && $kind $name)
    expect 0 "-s --force" "$PROGRAM" small.htrace -s -o $out --quiet --force
    [ "$(cat victim)" = precious ] || wrong "--force wrote through a link"
    cmp -s $out/$name "$DATA/tiny/snapshot.heapsnapshot" || wrong "--force did not replace the name"
done
# --force goes by way of a hidden name, which cannot be known before.
rm -rf $out
mkdir $out
echo precious >victim
# shellcheck disable=SC2016 # the numbers of the inner shell
expect 0 "-s --force with planted names" bash -c 'for i in 0 1 2 3; do ln -s ../victim "$1/.trace_streamer-$$-$i.part"; done
    exec "$2" small.htrace -s -o "$1" --quiet --force' sh $out "$PROGRAM"
[ "$(cat victim)" = precious ] || wrong "-s --force followed a planted link"
# Two at once: each name is written once and whole.
rm -rf $out
mkdir $out
for _ in 1 2 3 4 5 6 7 8; do
    "$PROGRAM" small.htrace -s -o $out --quiet 2>/dev/null &
done
wait
cmp -s $out/$name "$DATA/tiny/snapshot.heapsnapshot" || wrong "racing -s"
[ "$(find $out -mindepth 1 | wc -l)" = 1 ] || wrong "racing -s left something: $(ls -A $out)"

# --- planted temporaries of the output: names are not to be guessed, and what stands there is not followed
rm -rf $out
mkdir $out
echo precious >victim
LC_ALL=C strace -f -e trace=open,openat -o trace "$PROGRAM" small.htrace -e $out/a.db --quiet 2>/dev/null || true
if [ -s trace ] && grep -q openat trace; then
    grep 'O_CREAT' trace | grep -v '\.gcda"' | grep -v -e 'O_EXCL.*O_NOFOLLOW' -e 'O_NOFOLLOW.*O_EXCL' && wrong "a file is made without O_EXCL and O_NOFOLLOW"
fi
rm -f $out/*
for _ in 1 2 3; do
    # All names that processes to come could take, if only the number were in them.
    for pid in $(seq $$ $(($$ + 300))); do
        ln -sf ../victim "$out/.b.db.tmp-$pid" 2>/dev/null
        ln -sf ../victim "$out/.trace_streamer-$pid" 2>/dev/null
    done
    expect 0 "planted temporaries" "$PROGRAM" small.htrace -e $out/b.db --quiet --force
done
[ "$(cat victim)" = precious ] || wrong "a planted link was followed"
# A TMPDIR full of links and one that is none.
LIMIT=20 expect 0 "TMPDIR is read through a pipe" bash -c "cat names/names.heapsnapshot | '$PROGRAM' - -e $out/c.db --quiet"
verdict
