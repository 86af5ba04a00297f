/* What indexed_file.c and indexed_file_open.c share, and nothing else. Format: docs/formats.md,
 * "Flare". */
#ifndef TS_PARSERS_FLARE_PAIR_PRIVATE_H
#define TS_PARSERS_FLARE_PAIR_PRIVATE_H

#include "parsers/flare/indexed_file.h"
#include "parsers/flare/sample_directory.h"

enum { FLARE_LENGTH_SIZE = 2 /* of the length of a record */ };

/* n big-endian bytes, n <= 8. */
static inline uint64_t flare_be(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v = v << 8 | p[i];
    }
    return v;
}

/* Bytes of an entry of the index. */
unsigned flare_index_entry_size(const flare_index *index);

/* The entry i of an index that begins at `start`. When the file has become shorter than that, the
 * index has fewer entries from then on. */
ts_code flare_index_entry(int64_t *key, uint64_t *offset, flare_pair *pair, uint64_t start,
                          uint64_t i);

#endif
