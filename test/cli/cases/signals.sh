# shellcheck shell=bash
# SIGINT and SIGTERM: exit codes 130 and 143, the target does not change, nothing is left.
small
ts small.htrace -e out.db --quiet
cp out.db before.db
mkfifo pipe
interrupt() { # signals...
    # A shell lets background jobs ignore SIGINT; the program must get it, as in a terminal.
    python3 - "$PROGRAM" "$@" <<'PY'
import os, signal, subprocess, sys, time
def reset():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen([sys.argv[1], "pipe", "-e", "out.db", "--quiet"], preexec_fn=reset,
                     stderr=subprocess.PIPE)
w = os.open("pipe", os.O_WRONLY)
os.write(w, open("small.htrace", "rb").read()[:1100])
for _ in range(500):
    if any(".tmp-" in n for n in os.listdir(".")):
        break
    time.sleep(0.01)
time.sleep(0.2)
for name in sys.argv[2:]:
    p.send_signal(getattr(signal, name))
    time.sleep(0.2)
# The pipe stays open: the read that waits must come back by itself.
_, err = p.communicate(timeout=20)
sys.stdout.write("%s: exit %d\n%s" % (" ".join(sys.argv[2:]), p.returncode, err.decode()))
PY
}
interrupt SIGINT
interrupt SIGTERM
interrupt SIGHUP
cmp out.db before.db || fail "the target has changed"
ls -A
