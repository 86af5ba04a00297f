/*
 * Amounts of memory and of bytes read and written. The agent's encoder of long numbers ends too
 * early from 2^28 on when the low 28 bits of the number fit into three groups of 7 bits: then they
 * are all that the record of the call holds. The tags at the end of its root have the same amounts
 * as text, in full. Only amounts that may be truncated are kept, one in 128 of the large ones.
 * Numbers: docs/formats.md, "Cloud Profiler".
 *
 * cloud_amounts belongs to the pod, zeroed, until cloud_amounts_close; only amounts.c touches its
 * fields.
 */
#ifndef TS_PARSERS_CLOUD_AMOUNTS_H
#define TS_PARSERS_CLOUD_AMOUNTS_H

#include "base/vec.h"
#include "parsers/format.h"

typedef struct cloud_pod cloud_pod;

typedef enum cloud_amount_kind {
    CLOUD_MEMORY,
    CLOUD_FILE_READ,
    CLOUD_FILE_WRITTEN,
    CLOUD_NET_READ,
    CLOUD_NET_WRITTEN,
    CLOUD_AMOUNTS
} cloud_amount_kind;

typedef struct cloud_amount {
    size_t root; /* its number */
    cloud_amount_kind kind;
    int64_t value; /* as a tag of the root has it, in full */
} cloud_amount;

typedef struct cloud_amounts {
    ts_vec list; /* cloud_amount: few */
} cloud_amounts;

/* Decimal digits of the smallest amount that may be truncated. */
enum { CLOUD_AMOUNT_DIGITS = 9 };

void cloud_amounts_close(cloud_pod *pod);

/* A tag of the root with this number; `text` is its value. */
ts_code cloud_amount_note(cloud_pod *pod, size_t root, uint32_t word, ts_text text);

/* All of the trace was read. */
void cloud_amounts_end(cloud_amounts *amounts);

/* Replaces truncated amounts in the record of the call with this root. format: of the calls. */
ts_code cloud_repair_truncated(cloud_pod *pod, size_t root, int format, ts_row_cloud_call *row);

#endif
