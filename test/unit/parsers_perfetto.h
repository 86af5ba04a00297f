/* Traces of Perfetto for tests: packets as hexadecimal digits, or by fields. */
#ifndef TS_TEST_PARSERS_PERFETTO_H
#define TS_TEST_PARSERS_PERFETTO_H

#include "parsers_sweep.h"

#include "parsers/registry.h"

/* Clocks (the sequence's own counts microseconds, as differences), state cleared, defaults; the
 * process 10 and its thread 11; a slice from 905000 to 912000 of the monotonic clock. */
#define CLOCKS                                                                                     \
    "0A32 321F 0A06 0806 10C0843D 0A06 0803 10A0F736 0A0B 0840 10A0F736 1801 20E807 1006 "         \
    "5001 6801 D00201 DA0307 5A025805 D00340 "
#define PROCESS "0A10 5001 E2030B 0804 1A07 080A 3203617070 "
#define THREAD "0A15 5001 E20310 0805 220A 080A 100B 2A046D61696E 2804 "
#define BEGIN "0A1E 4005 5001 5A06 180148015001 620E 0A0508011201 63 1205 08011201 66 6802 "
#define END "0A0A 4007 5001 5A024802 6802 "
#define TINY CLOCKS PROCESS THREAD BEGIN END

static inline bytes of_hex(const char *text)
{
    bytes b = {0};
    for (const char *p = text; *p != '\0';) {
        unsigned v;
        if (*p == ' ') {
            p++;
            continue;
        }
        assert_int_equal(sscanf(p, "%2x", &v), 1);
        put_le(&b, v, 1);
        p += 2;
    }
    return b;
}

static inline void import_hex(run *r, const char *text)
{
    import_bytes(r, of_hex(text));
}

/* A packet of this sequence with this payload, and its time on the boottime clock. */
static inline void put_packet(bytes *b, uint64_t ts, uint32_t sequence, uint32_t flags,
                              uint32_t field, const bytes *payload)
{
    bytes packet = {0};
    put_number(&packet, 8, ts);
    put_number(&packet, 10, sequence);
    put_number(&packet, 13, flags);
    put_field(&packet, field, payload->p, payload->n);
    put_field(b, 1, packet.p, packet.n);
    free(packet.p);
}

/* A message in a field, which is empty after that. */
static inline void put_part(bytes *b, uint32_t field, bytes *message)
{
    put_field(b, field, message->p, message->n);
    message->n = 0;
}

#endif
