#!/usr/bin/env python3
"""A large recording of hiperf with stacks by id (--dedup_stack), for measurements: 155 000 stacks of 25 frames.

usage: perf_stack_ids.py --big FILE [--mb N]
"""

import argparse
import importlib.util
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "check"))
import perf_write as w

spec = importlib.util.spec_from_file_location("made_perf_data", os.path.join(HERE, "perf_data.py"))
MADE = importlib.util.module_from_spec(spec)
spec.loader.exec_module(MADE)
STACKS, FRAMES, NODES = 155000, 25, 1 << 19


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--big", metavar="FILE", required=True)
    options.add_argument("--mb", type=int, default=1000)
    o = options.parse_args()
    rng = random.Random(1)
    m = MADE.Hiperf(rng, 100)
    m.hongmeng, m.old = False, False
    m.make()
    slots = list(m.slots[100].values())
    # A tree whose leaves are 25 frames deep: callers come before what they call.
    nodes, depth, deep = {}, [0], []
    for i in range(1, NODES):
        caller = i - 1 if depth[i - 1] < FRAMES and rng.random() < 0.9 else rng.randrange(i)
        caller = caller if depth[caller] < FRAMES else 0
        depth.append(depth[caller] + 1)
        nodes[i] = w.node(rng.choice(slots) + 8 * rng.randrange(0x2000), caller)
        if depth[i] > FRAMES // 2:
            deep.append(i)
    stacks = [(i, i | depth[i] << 23) for i in rng.sample(deep, min(STACKS, len(deep)))]
    event = w.Event("hw-cpu-cycles", [1], MADE.HEAD | w.ID, flags=1 << 18 | 1 << 25, clockid=1)
    first = b"".join(m.first_records())
    records = [w.sample(event, 2, {"ip": 0x1000008, "pid": 100, "tid": 100 + k % 7, "time": 0, "cpu": k % 8, "period": 1000, "ips": [], "stack_id": s[1]}) for k, s in enumerate(stacks)]
    at = records[0].index(struct.pack("<II", 100, 100)) + 8  # of the time
    count = (o.mb * 10**6 - len(first) - 12 * NODES) // len(records[0])
    whole = w.perf_data([event], b"", {192: m.files(), 197: w.stack_table({100: nodes})})
    data_at, = struct.unpack_from("<Q", whole, 40)
    size = len(first) + count * len(records[0])
    head, table = bytearray(whole[:data_at]), bytearray(whole[data_at:])
    struct.pack_into("<Q", head, 48, size)
    for k in range(3):  # EVENT_DESC, symbols and stacks come after the records now
        struct.pack_into("<Q", table, 16 * k, struct.unpack_from("<Q", table, 16 * k)[0] + size)
    with open(o.big, "wb") as f:
        f.write(bytes(head) + first)
        time, k = 10**12, 0
        for begin in range(0, count, 100000):
            parts = []
            for _ in range(min(100000, count - begin)):
                r = records[k % len(records) if rng.random() < 0.5 else rng.randrange(len(records))]
                parts += (r[:at], time.to_bytes(8, "little"), r[at + 8:])
                time, k = time + 1000, k + 1
            f.write(b"".join(parts))
        f.write(table)


if __name__ == "__main__":
    main()
