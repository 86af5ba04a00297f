# shellcheck shell=bash
# Nothing is written, changed or removed beside the database: not in the current folder, not beside the input.
mkdir in cwd
small
mv small.htrace in/
touch cwd/ts_tmp.jsmemory_snapshot0.heapsnapshot cwd/config.json
cd cwd || exit
before=$(ls -lA . ../in)
ts ../in/small.htrace -q - --quiet <<<'SELECT 1' >/dev/null
ts ../in/small.htrace --json --quiet >/dev/null
ts ../in/missing -e ../no.db 2>/dev/null
[ "$(ls -lA . ../in)" = "$before" ] || fail "something has changed"
umask 027
ts ../in/small.htrace -e ../out.db --quiet
stat -c %a ../out.db
