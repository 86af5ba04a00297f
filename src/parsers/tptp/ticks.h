/* Times of the binary form (docs/formats.md, "TPTP traces"): ticks of a clock whose frequency the
 * trace states, or without one ns, us or ms. */
#ifndef TS_PARSERS_TPTP_TICKS_H
#define TS_PARSERS_TPTP_TICKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tptp_ticks {
    uint64_t frequency; /* ticks a second; 0: not known */
    uint64_t scale;     /* without a frequency: ns of one unit; 0: no time was seen yet */
} tptp_ticks;

/* How a recorded frequency was taken. */
typedef enum tptp_rate {
    TPTP_RATE_PLAIN,
    TPTP_RATE_MHZ,
    TPTP_RATE_DOUBLE,
    TPTP_RATE_NONE
} tptp_rate;

/* Takes the 8 bytes of message 2 as a number. */
tptp_rate tptp_ticks_rate(tptp_ticks *t, uint64_t raw);

/* Without a frequency: says what the unit is, from the first time. */
void tptp_ticks_guess(tptp_ticks *t, uint64_t first);

/* False when ns do not fit into 63 bits. */
bool tptp_ticks_ns(int64_t *ns, const tptp_ticks *t, uint64_t ticks);
bool tptp_ticks_span(int64_t *ns, const tptp_ticks *t, int64_t ticks);

#endif
