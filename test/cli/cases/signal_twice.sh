# shellcheck shell=bash
# The second signal ends the program at once, without its temporary.
small
mkfifo pipe
python3 - "$PROGRAM" <<'PY'
import os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "pipe", "-e", "out.db", "--quiet"], stderr=subprocess.PIPE)
w = os.open("pipe", os.O_WRONLY)
os.write(w, open("small.htrace", "rb").read()[:1100])
for _ in range(500):
    if any(".tmp-" in n for n in os.listdir(".")):
        break
    time.sleep(0.01)
time.sleep(0.2)
p.send_signal(signal.SIGTERM)
time.sleep(0.1)
p.send_signal(signal.SIGTERM)
p.wait(timeout=20)
print("exit", p.returncode)
PY
ls -A
