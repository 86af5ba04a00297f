"""Random symbol tables of ELF, as native_hook and hiebpf send them."""

import struct

from native_shared import DEMANGLED

ELF_NAMES = ("f", "i", "d", "main", "_Zbad", "_Z", "x_Z3foov") + tuple(DEMANGLED)


def symbol_table(rng, vaddr):
    """(entry size, table, strings): functions that do not overlap, and what is none."""
    strings, size, table, at = b"\0", rng.choice([16, 24]), b"", vaddr

    def entry(value, length, info, name):
        return struct.pack("<IIIBBH", name, value, length, info, 0, 1) if size == 16 else struct.pack("<IBBHQQ", name, info, 0, 1, value, length)

    entries = []
    count = rng.choice([0, 1, 5, 12])
    for i in range(count):
        name = len(strings)
        strings += rng.choice(ELF_NAMES).encode() + b"\0"
        length = rng.choice([0x20, 0x40, 0x100] + [0] * (i + 1 == count))
        bind = rng.choice([0, 16, 32])
        entries.append([entry(at, length, bind | rng.choice([2, 2, 2, 10, 1, 3, 6]), name if rng.random() < 0.95 else 1 << 20)])
        if rng.random() < 0.15:
            entries[-1].append(entry(at, rng.choice([length, 0x10, 0x20]), bind | 2, name))
        at += (length or 0x80) + rng.choice([0, 0, 0x20])
    rng.shuffle(entries)
    table = b"".join(e for group in entries for e in group) + (entry(0, 0, 2, 1) if rng.random() < 0.3 else b"")
    return size, table, strings
