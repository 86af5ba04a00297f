# shellcheck shell=bash
# Closed or broken standard streams are reported, and no database ever gets the number of one.
small
ts --help >&-
echo "exit $?"
ts --help >/dev/full
echo "exit $?"
ts small.htrace -e a.db -q - --quiet <<<'SELECT 1' >/dev/full
echo "exit $?"
[ ! -e a.db ] || fail "a.db was published"
ts small.htrace -e a.db --json --quiet >/dev/full
echo "exit $?"
[ ! -e a.db ] || fail "a.db was published"
# Nobody reads: no death by SIGPIPE.
python3 - "$PROGRAM" <<'PY'
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
p = subprocess.run([sys.argv[1], "--help"], stdout=w, stderr=subprocess.PIPE)
print(p.returncode, p.stderr.decode().strip())
PY
ts small.htrace -e a.db --quiet <&- >&- 2>&-
sqlite3 a.db 'PRAGMA integrity_check; SELECT count(*) FROM js_heap_nodes'
ts - -e b.db 2>err <&- && fail "read from a closed standard input"
[ ! -e b.db ] || fail "b.db was published"
