/* The binary form: numbers, one message as a record, and which layout a stream has
 * (docs/formats.md, "TPTP traces"). */
#ifndef TS_PARSERS_TPTP_DECODE_H
#define TS_PARSERS_TPTP_DECODE_H

#include "parsers/tptp/record.h"

#include <stdbool.h>

/* What the format leaves open; found from the data. */
typedef struct tptp_layout {
    bool big;       /* byte order */
    bool exclusive; /* the size does not count the 6 bytes of the head */
    bool bare;      /* messages 1 and 2 have no size */
    bool counted;   /* each array of a stack begins with its own count */
    bool strict;    /* arrays as in `counted` only, and not the other way when that is exact */
} tptp_layout;

enum { TPTP_HEAD = 6, TPTP_ENCODING = 1, TPTP_FREQUENCY = 2 };

/* n bytes as an unsigned number, n <= 8. */
static inline uint64_t tptp_fixed(const uint8_t *p, unsigned n, bool big)
{
    uint64_t v = 0;
    if (n == 8) {
        memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return big ? __builtin_bswap64(v) : v;
#else
        return big ? v : __builtin_bswap64(v);
#endif
    }
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)p[i] << 8 * (big ? n - 1 - i : i);
    }
    return v;
}

/* How the attributes of a table fit into a message. SHORT: it ends between two of them; LONG: bytes
 * are left; BAD: it ends inside one, or a stack has an impossible count. */
typedef enum tptp_fit { TPTP_EXACT, TPTP_SHORT, TPTP_LONGER, TPTP_BAD } tptp_fit;

/*
 * Decodes the n bytes after the head of a message. Of the layouts of its event the first that ends
 * exactly is taken, else the table's. The record is cleared before; it gets raw numbers (times in
 * ticks) and texts as they stand. frames: room for TPTP_MAX_FRAMES. record NULL: only looks.
 * *used: bytes of the attributes.
 */
tptp_fit tptp_decode(tptp_record *record, size_t *used, const tptp_event_info *event,
                     const tptp_layout *layout, const uint8_t *p, size_t n,
                     tptp_stack_frame *frames);

/* What is at a place. */
typedef struct tptp_message {
    uint32_t id;
    uint64_t size; /* of all of it; SHORT of bytes: what is needed to know it */
    size_t head;   /* bytes before its attributes */
} tptp_message;

/* OK: the sizes are known, not that the bytes are there. NEED: message.size bytes are needed to say
 * more. WRONG: the size cannot be right. */
typedef enum tptp_look { TPTP_LOOK_OK, TPTP_LOOK_NEED, TPTP_LOOK_WRONG } tptp_look;
tptp_look tptp_look_at(tptp_message *m, const tptp_layout *layout, const uint8_t *p, size_t n);

/* Do so many exact messages of known kinds follow one another? Each of at most TPTP_TRY bytes.
 * *work: bytes that were looked at. */
enum { TPTP_TRY = 65536 };
bool tptp_are_exact(unsigned count, uint64_t *work, const tptp_layout *layout, const uint8_t *p,
                    size_t n);

/* What must not be looked for: -1 is open, else 0 or 1 as in the layout. */
typedef struct tptp_forced {
    int exclusive;
    int bare;
    int counted;
} tptp_forced;

/*
 * The layout that fits best to what follows a header, and its score; below 0 more is wrong than
 * right. whole: no bytes follow.
 */
int64_t tptp_probe(tptp_layout *layout, const tptp_forced *forced, const uint8_t *p, size_t n,
                   bool whole);

#endif
