# shellcheck shell=bash disable=SC2154
# -D: files that are missing, doubled, empty or of other names; the file with the ArkTS data comes last.
prefix=long/hiprofiler_data_20240102_030405
mkdir long
mkhtrace -o "${prefix}_2.htrace" --snapshot "$DATA/tiny/snapshot.heapsnapshot"
mkhtrace -o "${prefix}_5_arkts.htrace" --snapshot "$DATA/tiny/strings.heapsnapshot"
mkhtrace -o "${prefix}_05.htrace" --snapshot "$DATA/tiny/strings.heapsnapshot"
mkhtrace -o "${prefix}_arkts.htrace" --snapshot "$DATA/tiny/snapshot.heapsnapshot"
for name in hiprofiler_data_2024010_030405_3.htrace hiprofiler_data_20240102_03040x_3.htrace \
    hiprofiler_data_20240102-030405_3.htrace hiprofiler_data_20240102_030405_.htrace \
    hiprofiler_data_20240102_030405_3.htrace.tmp hiprofiler_data_20240102_030405_3; do
    echo "not read" >"long/$name"
done
code ts -D long -e out.db --quiet
ts out.db -q - <<<'SELECT file_name FROM js_heap_files; SELECT severity, code, count, message FROM import_issue ORDER BY rowid'
: >"${prefix}_9.htrace"
code ts -D long -e out.db --quiet --strict --force
ts out.db -q - <<<'SELECT severity, code, stream, count FROM import_issue ORDER BY rowid'
