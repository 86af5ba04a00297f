# shellcheck shell=bash
# Calls of the reference's command line that programs make, each by the name of the program, and what it then reads. What they read is asked in
# our own words: columns and rows, not their text. docs/migrate.md has the table of options.
python3 - "$DATA/recording-system.htrace.gz" trace.htrace <<'PY'
import gzip, sys
open(sys.argv[2], "wb").write(gzip.decompress(open(sys.argv[1], "rb").read()))
PY
cp "$DATA/hiperf.data" perf.data
cp "$DATA/kernel.sys" record_trace_20261128081500@100.sys
sql() { sqlite3 -batch "$@"; }
# Nothing but these names is in the folder.
only() { [ "$(find . -mindepth 1 | LC_ALL=C sort | tr '\n' ' ')" = "$*" ] || fail "files: $(find . -mindepth 1)"; }

echo '-- HapRay, trace.htrace: both streams into a log, the folder of the recording as the current one, the exit code as the verdict'
mkdir -p step1/htrace && mv trace.htrace step1/htrace
out=$PWD/step1/htrace
(cd step1/htrace && "$PROGRAM" "$out/trace.htrace" -e "$out/trace.db" >trace_conversion.log 2>&1) || fail "HapRay"
(cd step1/htrace && only ./trace.db ./trace.htrace ./trace_conversion.log '')
if grep -q "$(printf '\r')" step1/htrace/trace_conversion.log; then fail "the log has progress"; fi
sql "$out/trace.db" 'PRAGMA integrity_check'
sql "$out/trace.db" "SELECT f.flag, count(*), min(f.ts), p.name FROM frame_slice f JOIN process p ON p.id = f.ipid WHERE f.type = 0 GROUP BY p.name, f.flag" \
    "SELECT t.tid, t.name, t.is_main_thread, p.pid FROM thread t JOIN process p ON p.ipid = t.ipid WHERE p.name = 'example.gallery' ORDER BY t.tid" \
    "SELECT count(*), max(dur), max(depth) FROM callstack WHERE callid IN (SELECT id FROM thread WHERE tid = 2100)" \
    "SELECT count(*), count(DISTINCT wakeup_from) FROM instant WHERE name = 'sched_wakeup'" \
    "SELECT event_type, count(*), sum(heap_size) FROM native_hook GROUP BY event_type" \
    "SELECT start_ts, end_ts FROM trace_range"

echo '-- HapRay, perf.data with --So_dir as a whole path, after the output'
mkdir -p "step1/hiperf" 'libs of the app'
ts perf.data -e "$PWD/step1/hiperf/perf.db" --So_dir "$PWD/libs of the app" >step1/hiperf/perf_conversion.log 2>&1 || fail "HapRay, perf"
sql step1/hiperf/perf.db "SELECT s.thread_id, t.thread_name, s.event_count, s.timestamp_trace FROM perf_sample s JOIN perf_thread t USING (thread_id)" \
    "SELECT c.callchain_id, c.depth, f.path, d.data FROM perf_callchain c LEFT JOIN perf_files f ON f.file_id = c.file_id AND f.serial_id = c.symbol_id
       LEFT JOIN data_dict d ON d.id = c.name ORDER BY 1, 2" "SELECT count(*) FROM perf_report" \
    "CREATE INDEX own_1 ON perf_callchain(callchain_id); CREATE INDEX own_2 ON perf_sample(thread_id, timestamp_trace); PRAGMA integrity_check"

echo '-- HapRay, static analyzer: a copy of the program under another name, which is made executable, and read by sql.js, which wants a whole file'
cp "$PROGRAM" trace_streamer_linux && chmod +x trace_streamer_linux
./trace_streamer_linux perf.data -e again.db --So_dir "$PWD/libs of the app" >analyzer.log 2>&1 || fail "static analyzer"
cmp again.db <(ts perf.data -e plain.db --quiet && cat plain.db) || fail "--So_dir of an empty folder changes something"
head -c 15 again.db && echo
[ "$(($(stat -c %s again.db) % 4096))" = 0 ] && [ ! -e again.db-journal ] && [ ! -e again.db-wal ] || fail "not a whole file"

echo '-- DevEco: the same output again and again, of another recording each time; no companion files'
ts "$out/trace.htrace" -e trace_streamer.db >/dev/null 2>&1 && ts perf.data -e trace_streamer.db >/dev/null 2>&1 || fail "DevEco"
[ ! -e trace_streamer.db.ohos.ts ] && [ ! -e trace_streamer.log ] || fail "companion files"
sql trace_streamer.db "SELECT (SELECT count(*) FROM perf_sample), (SELECT count(*) FROM frame_slice)"
ts "$out/trace.htrace" -e trace_streamer.db >/dev/null 2>&1 || fail "DevEco, back"
sql trace_streamer.db "SELECT name, count(*) FROM callstack WHERE dur > 16670000 GROUP BY name ORDER BY max(dur) DESC LIMIT 2"

echo '-- The test of native memory of OpenHarmony: a relative path, the whole dictionary'
ts step1/htrace/trace.htrace -e nativehook.db >/dev/null 2>&1 || fail "native hook"
sql nativehook.db "SELECT count(*) > 0, count(data) = count(*) FROM data_dict" "SELECT count(*) FROM data_dict WHERE data LIKE '%PhotoCache::load%'"

echo '-- The test of hitrace of OpenHarmony: a .sys file with @ in its name, an output without a folder'
ts record_trace_20261128081500@100.sys -e 20261128081500trace.db >/dev/null 2>&1 || fail "hitrace"
sql 20261128081500trace.db "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = 'raw'" \
    "SELECT state, count(*) FROM thread_state GROUP BY state" "SELECT event_name, count FROM stat WHERE count > 0 AND stat_type = 'received' ORDER BY 1 LIMIT 3"

echo '-- ArkTrace: -nm, into a file that is renamed afterwards; tables as tables, columns by name'
ts step1/htrace/trace.htrace -e partial.db -nm >/dev/null 2>&1 || fail "ArkTrace"
sql partial.db 'PRAGMA quick_check' 'SELECT count(*) FROM meta' "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND
    name IN ('process', 'thread', 'sched_slice', 'thread_state', 'callstack', 'trace_range')" \
    "SELECT group_concat(name, ' ') FROM pragma_table_info('sched_slice')"
ts --version | sed 's/ .*//'

echo '-- codrax: the output must be new, and have bytes; several --So_dir are refused, not ignored'
ts step1/htrace/trace.htrace -e export/trace_streamer_export.db >/dev/null 2>&1
echo "exit $? without the folder"
mkdir export && ts step1/htrace/trace.htrace -e export/trace_streamer_export.db --So_dir "$PWD/libs of the app" >/dev/null 2>&1 && [ -s export/trace_streamer_export.db ] || fail "codrax"
code ts perf.data -e no.db --So_dir "$PWD/libs of the app" --So_dir "$PWD" 2>&1 | sed '2d'
[ ! -e no.db ] || fail "no.db was made"

echo '-- a device that is read bit by bit: -D, one thread, no memory kept'
mkdir long && cp step1/htrace/trace.htrace long/hiprofiler_data_20261128_081500_1.htrace
ts -D long -e long.db -nt -lnc -l E >/dev/null 2>&1 || fail "-D"
sql long.db "SELECT count(*) FROM frame_slice"

echo '-- scripts that look at what the program says of itself, and that run SQL'
for option in -i --list -v -h; do
    ts "$option" >said 2>err || fail "$option"
    [ -s said ] && [ ! -s err ] || fail "$option: nothing on standard output, or something on the other"
done
printf 'SELECT name\nFROM process WHERE pid = 2100;' >two.sql
ts step1/htrace/trace.htrace -q two.sql 2>/dev/null
for call in '-c' '-m trace_mem' '-d hook'; do
    # shellcheck disable=SC2086
    code ts step1/htrace/trace.htrace $call 2>&1 | sed '2d'
done
