# shellcheck shell=bash
# -D: the files of a long recording, by number; other files do not matter.
mkdir long
mkhtrace -o long/hiprofiler_data_20240102_030405_1.htrace --snapshot "$DATA/tiny/snapshot.heapsnapshot"
mkhtrace -o long/hiprofiler_data_20240102_030405_2.htrace --snapshot "$DATA/tiny/strings.heapsnapshot"
echo notes >long/notes.txt
code ts -D long -e out.db --quiet
ts out.db -q - <<<'SELECT id, file_name FROM js_heap_files'
code ts --directory long -e out2.db --quiet
code ts --directory=missing -e no.db
mkdir none
code ts -D none -e no.db
[ ! -e no.db ] || fail "no.db was made"
