# shellcheck shell=bash
# What is wrong with an input of diff is said, with the exit code of a conversion; losses on either side, too.
ts "$DATA/tiny/snapshot.heapsnapshot" -e good.db --quiet
echo "--- other versions, other programs, damage"
cp good.db old.db
sqlite3 old.db "PRAGMA user_version = 99"
code ts diff old.db good.db 2>&1 | sed 's/schema, not [0-9]*/schema, not N/'
code ts diff good.db old.db 2>&1 | sed 's/schema, not [0-9]*/schema, not N/'
sqlite3 foreign.db "CREATE TABLE t(a)"
code ts diff good.db foreign.db 2>&1
head -c 20000 good.db >cut.db
code ts diff cut.db good.db 2>&1 | sed 's/: path=.*//'
head -c 3 good.db >text
code ts diff good.db text 2>&1
mkdir dir
code ts diff dir good.db 2>&1
echo "--- locked"
python3 - <<'EOF'
import sqlite3, subprocess, os
con = sqlite3.connect("good.db", isolation_level=None)
con.execute("BEGIN EXCLUSIVE")
done = subprocess.run([os.environ["PROGRAM"], "diff", "good.db", "good.db", "--before=1", "--after=2"], capture_output=True, text=True)
print(done.returncode, done.stderr, end="")
EOF
echo "--- standard input"
ts diff - good.db <"$DATA/tiny/snapshot.heapsnapshot" 2>&1
code ts diff - - 2>&1
echo "--- losses"
head -c -90 "$DATA/tiny/snapshot.heapsnapshot" >cut.heapsnapshot
code ts diff cut.heapsnapshot good.db --quiet 2>&1
code ts diff good.db cut.heapsnapshot --by=node --output=json --quiet 2>/dev/null | grep losses
echo "--- memory"
code ts diff good.db good.db --before=1 --after=2 --max-memory=1 2>&1
echo "--- interrupted"
mkfifo pipe
python3 - <<'EOF'
import os, signal, subprocess, time
w = os.open("pipe", os.O_RDWR)  # a writer also between the looks that the program takes at it
os.write(w, b'{"snapshot":{"meta":')
p = subprocess.Popen([os.environ["PROGRAM"], "diff", "pipe", "good.db", "--quiet"], stderr=subprocess.PIPE)
def converts():  # the temporary database has no name any more
    links = []
    for n in os.listdir("/proc/%d/fd" % p.pid):
        try:
            links.append(os.readlink("/proc/%d/fd/%s" % (p.pid, n)))
        except OSError:
            pass
    return any("(deleted)" in link for link in links)
for _ in range(2000):
    if converts():
        break
    time.sleep(0.01)
p.send_signal(signal.SIGTERM)
_, err = p.communicate(timeout=60)
print("exit", p.returncode, err.decode(), end="")
EOF
