/*
 * For the tests of TPTP traces: messages of the binary form from a short notation, little-endian,
 * sizes that include the head, a clock of 1 GHz so that ticks are ns.
 */
#ifndef TS_TEST_TPTP_BUILD_H
#define TS_TEST_TPTP_BUILD_H

#include "parsers_run.h"

/* "q-5 i7 b1 t12 s:text s: A:a,b Q4,5": a number of 8, 4, 1 and 8 bytes, texts, lists without
 * their own count. A text ends at the next blank; '_' in it stands for one. */
static inline void put_values(bytes *b, const char *notation)
{
    const char *p = notation;
    while (*p != '\0') {
        char kind = *p++;
        const char *end = p + strcspn(p, " ");
        assert_non_null(strchr("qitbsAQ", kind));
        if (kind == 's' || kind == 'A') {
            assert_int_equal(*p, ':');
            for (p++; p < end; p++) {
                char c = *p;
                c = (char)(c == '_' ? ' ' : (c == ',' && kind == 'A') ? '\0' : c);
                put(b, &c, 1);
            }
            put_le(b, 0, 1);
        } else {
            size_t width = kind == 'i' ? 4 : kind == 'b' ? 1 : 8;
            for (char *rest = NULL; p < end; p = rest + (*rest == ',')) {
                put_le(b, kind == 't' ? strtoull(p, &rest, 10) : (uint64_t)strtoll(p, &rest, 10),
                       width);
            }
        }
        p = end + strspn(end, " ");
    }
}

static inline void put_tptp(bytes *b, unsigned id, const char *notation)
{
    size_t at = b->n;
    put_le(b, id, 2);
    put_le(b, 0, 4);
    put_values(b, notation);
    set_le(b, at + 2, b->n - at, 4);
}

/* "1009 q0 q1 ...; 1015 ...": the id, then its values. */
static inline void put_tptps(bytes *b, const char *notation)
{
    for (const char *p = notation; *p != '\0';) {
        char one[512];
        char *values;
        size_t n = strcspn(p, ";");
        assert_in_range(n, 1, sizeof one - 1);
        memcpy(one, p, n);
        one[n] = '\0';
        unsigned id = (unsigned)strtoul(one, &values, 10);
        put_tptp(b, id, values + strspn(values, " "));
        p += n;
        p += strspn(p, "; ");
    }
}

static inline void put_tptp_head(bytes *b)
{
    put(b, "0TBF\1\0\1\1\x0c\0\0", 12);
    put_tptps(b, "1 s:UTF-8; 2 q1000000000");
}

#define TPTP_XML "<?xml version=\"1.0\"?>\n<TRACE>\n"

#endif
