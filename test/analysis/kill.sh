#!/usr/bin/env bash
# --analyze on a finished database, killed at many moments: old or new, it is whole; SIGINT leaves nothing.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
ts "$tests/data/recording-cpuprofile.htrace.gz" -e old.db --quiet
cp old.db new.db
ts new.db --analyze=stack_totals --quiet
"$python" - "$program" <<'PY' || wrong "killed"
import os, random, signal, subprocess, sys, time
program = sys.argv[1]
old, new = open("old.db", "rb").read(), open("new.db", "rb").read()
started = time.time()
open("a.db", "wb").write(old)
subprocess.run([program, "a.db", "--analyze=stack_totals", "--quiet"], check=True)
span = time.time() - started
seen = {"old": 0, "new": 0}
rng = random.Random(int(os.environ.get("TS_SEED", "1")))
for i in range(60):
    open("a.db", "wb").write(old)
    number = signal.SIGKILL if i % 3 else signal.SIGINT
    for name in os.listdir(".") if number == signal.SIGINT else []:
        if ".tmp-" in name:
            os.unlink(name)  # of a run that was killed before
    p = subprocess.Popen([program, "a.db", "--analyze=stack_totals"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * span * 1.1)
    p.send_signal(number)
    code = p.wait()
    now = open("a.db", "rb").read()
    if now not in (old, new):
        sys.exit(f"run {i}: neither old nor new")
    seen["new" if now == new else "old"] += 1
    left = [n for n in os.listdir(".") if ".tmp-" in n or n.startswith("a.db-")]
    if number == signal.SIGINT and (code not in (0, 130, -2) or left):
        sys.exit(f"run {i}: SIGINT gives {code}, left: {left}")
open("a.db", "wb").write(old)
subprocess.run([program, "a.db", "--analyze=stack_totals", "--quiet"], check=True)
left = [n for n in os.listdir(".") if ".tmp-" in n]
if open("a.db", "rb").read() != new or left:
    sys.exit(f"the run after them: left {left}")
print(seen)
PY
# At each system call that writes, renames or removes.
if command -v strace >/dev/null; then
    for call in pwrite64 rename unlink fchmod; do
        for n in 1 2 3 5 8 13 21; do
            cp old.db a.db
            strace -f -o /dev/null -e inject=$call:signal=KILL:when=$n "$program" a.db --analyze=stack_totals --quiet \
                >/dev/null 2>&1 || true
            cmp -s a.db old.db || cmp -s a.db new.db || wrong "killed at $call $n: neither old nor new"
        done
    done
fi
echo "killed: old or new"
