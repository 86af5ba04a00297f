#!/usr/bin/env bash
# record-kernel.sh OUT.ftrace [inherit]: records what tools/inversion.c does, with the kernel's own tracer; needs root and tracefs. Only what the
# load and what wakes it do is recorded, in a buffer of its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
at=/sys/kernel/tracing/instances/inversion.$$
scratch=$(mktemp -d)
mkdir "$at"
trap 'echo 0 >"$at/tracing_on"; rmdir "$at"; rm -rf "$scratch"' EXIT
cc -O2 -pthread -o "$scratch/inversion" "$here/inversion.c"
echo 4096 >"$at/buffer_size_kb"
echo mono >"$at/trace_clock"
echo 1 >"$at/options/event-fork"
echo 1 >"$at/options/record-tgid"
for event in sched_switch sched_waking sched_wakeup sched_pi_setprio; do
    echo 1 >"$at/events/sched/$event/enable"
done
# The shell becomes the load, whose threads are recorded like it.
bash -c 'echo $$ >"$0/set_event_pid" && exec "$1/inversion" "$0/trace_marker" ${2:+"$2"}' "$at" "$scratch" "${2:-}"
echo 0 >"$at/tracing_on"
cat "$at/trace" >"$out"
