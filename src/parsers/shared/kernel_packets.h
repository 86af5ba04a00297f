/*
 * Events of the kernel in packets of a trace (docs/formats.md, "Traces of Perfetto"): read by what
 * reads those of all other recordings, src/parsers/ftrace, and rows of the same tables.
 *
 * Memory: what is kept of files of such events (parsers/ftrace/ftrace_files.h), and 100 bytes a
 * CPU.
 */
#ifndef TS_PARSERS_SHARED_KERNEL_PACKETS_H
#define TS_PARSERS_SHARED_KERNEL_PACKETS_H

#include "parsers/format.h"
#include "wire/wire.h"

typedef struct ts_kernel_packets ts_kernel_packets;

/* Caller frees with ts_kernel_packets_close. */
ts_code ts_kernel_packets_open(ts_kernel_packets **out, ts_job *job);
/* NULL is allowed. */
void ts_kernel_packets_close(ts_kernel_packets *k);

/* The events of a CPU for some time. *good becomes false when the message is damaged: what comes
 * before that was taken. */
ts_code ts_kernel_packets_bundle(ts_kernel_packets *k, const ts_wire_field *message, bool *good);

/* Packets are missing here. */
void ts_kernel_packets_lost(ts_kernel_packets *k);

/* All were read: makes the rows. */
ts_code ts_kernel_packets_finish(ts_kernel_packets *k);

#endif
