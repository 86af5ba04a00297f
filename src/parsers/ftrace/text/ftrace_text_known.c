/*
 * Lines that begin as lines before them did. A text has millions of lines and some hundred threads
 * and names of events, so that what is in front of the number of the CPU, and the name of the event
 * with its colon, is only compared with what was read before:
 *
 *     "   thread1025-1025  ( 1024) [" "003" "] d..3 " "2.000005559" ": " "sched_switch: "
 *
 * A line with the same beginning is an event of this thread if what follows is one at all: an
 * attempt to read an event from an earlier '-' ends before the '[' whatever follows, because it can
 * only pass the '-' in front of the number of the thread as a process that is not written, and a
 * digit ends that. What differs in any way is left to ftrace_line_read.
 */
#include "parsers/ftrace/text/ftrace_text.h"

#include "base/alloc.h"

#include <endian.h>

enum {
    HEADS = 512, /* threads */
    HEAD_MIN = 24,
    HEAD_MAX = 60,
    EVENTS = 128,
    EVENT_MIN = 8,
    EVENT_MAX = 46,
    REST_MIN = 32 /* bytes after the head, of which words may be read */
};

typedef struct known_head {
    char bytes[HEAD_MAX]; /* of the line, up to the '[' in front of the CPU */
    uint8_t n;            /* 0: none */
    uint8_t comm_at;
    uint8_t comm_n;
    int32_t pid;
    int32_t tgid;
} known_head;

typedef struct known_event {
    char bytes[EVENT_MAX]; /* the name, a colon and a blank */
    uint8_t n;             /* 0: none */
    uint8_t kind;
} known_event;

struct ftrace_known {
    known_head heads[HEADS];
    known_event events[EVENTS];
};

_Static_assert(FTRACE_KINDS <= UINT8_MAX, "a byte holds a kind, or that it is none");

ts_code ftrace_known_new(ftrace_known **out, ts_ctx *ctx)
{
    TS_NEED(ctx, *out = ts_zalloc(ctx, 1, sizeof **out));
    return TS_OK;
}

static inline uint64_t load_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return le64toh(word);
}

static inline uint64_t mix_word(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15);
}

/* Are the n bytes, of which there are eight or more, the same? */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t other = load_word(a + n - 8) ^ load_word(b + n - 8);
    for (size_t i = 0; i + 8 < n; i += 8) {
        other |= load_word(a + i) ^ load_word(b + i);
    }
    return other == 0;
}

/* By the last letters of a name of the usual width and the number; there are HEAD_MIN bytes. */
static inline size_t place_of_head(const char *p)
{
    return (size_t)(mix_word(mix_word(load_word(p + 8)) ^ load_word(p + 16)) >> 40) % HEADS;
}

/* The first colon at p, NULL: it is farther away than that of a name may be. Words are looked at.
 */
static inline const char *find_colon(const char *p, const char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (unsigned i = 0; i < EVENT_MAX && (size_t)(end - p) >= sizeof ones; i += sizeof ones) {
        uint64_t word = load_word(p) ^ ones * ':';
        word = (word - ones) & ~word & ones * 0x80;
        if (word != 0) {
            return p + (unsigned)__builtin_ctzll(word) / 8;
        }
        p += sizeof word;
    }
    return NULL;
}

/* By the first and last letters; there are EVENT_MIN. */
static inline size_t place_of_event(const char *p, size_t n)
{
    const uint64_t last = load_word(p + n - sizeof last);
    return (size_t)(mix_word(mix_word(load_word(p)) ^ last ^ n) >> 40) % EVENTS;
}

static inline bool known_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Digits at p, up to eight: their number. *v is theirs; there are eight bytes. */
static inline unsigned read_digits(uint64_t *v, const char *p)
{
    uint64_t x = load_word(p) ^ UINT64_C(0x3030303030303030);
    const uint64_t others = ((x + UINT64_C(0x0606060606060606)) | x) & UINT64_C(0xf0f0f0f0f0f0f0f0);
    const unsigned n = others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
    if (n == 0) {
        return 0;
    }
    x <<= 64 - 8 * n; /* zeros in front */
    x = x * 10 + (x >> 8);
    x = ((x & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
         (x >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
        32;
    *v = (uint32_t)x;
    return n;
}

/* "secs.frac: " of at most 7 and 9 digits, to ns; what is after it, NULL: it is written otherwise.
 * There are 24 bytes. */
static const char *read_time(int64_t *ns, const char *p)
{
    static const uint32_t scale[] = {0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10};
    uint64_t seconds;
    uint64_t part;
    unsigned n = read_digits(&seconds, p);
    if (n == 0 || n == 8 || p[n] != '.') {
        return NULL;
    }
    p += n + 1;
    n = read_digits(&part, p);
    if (n == 0) {
        return NULL;
    }
    p += n;
    part *= scale[n];
    if (n == 8 && known_digit(*p)) {
        part += (uint64_t)(*p++ - '0');
    }
    *ns = (int64_t)(seconds * 1000000000 + part);
    return p[0] == ':' && p[1] == ' ' ? p + 2 : NULL;
}

/* "003] d..3 ": digits of the CPU and letters of flags; what is after them, NULL: it is written
 * otherwise. There are 16 bytes. */
static const char *read_where(uint32_t *cpu, const char *p)
{
    enum { DIGITS = 4, FLAGS = 5 };
    uint32_t number = 0;
    unsigned n;
    for (n = 0; n < DIGITS && known_digit(p[n]); n++) {
        number = number * 10 + (uint32_t)(p[n] - '0');
    }
    if (n == 0 || p[n] != ']' || p[n + 1] != ' ') {
        return NULL;
    }
    *cpu = number;
    p += n + 2;
    for (n = 0; n < FLAGS && p[n] != ' '; n++) {
        if (p[n] != '.' && !known_digit(p[n]) && (unsigned char)((p[n] | 0x20) - 'a') >= 26) {
            return NULL;
        }
    }
    return n > 0 && p[n] == ' ' ? p + n + 1 : NULL;
}

static inline bool known_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool ftrace_known_line(ftrace_line *out, unsigned *kind, const ftrace_known *known, ts_text line)
{
    const char *end = line.p + line.n;
    const known_head *head;
    const known_event *event;
    const char *colon;
    const char *p;
    if (line.n < HEAD_MIN + REST_MIN) {
        return false;
    }
    head = &known->heads[place_of_head(line.p)];
    if (head->n == 0 || line.n < (size_t)head->n + REST_MIN ||
        !same_bytes(line.p, head->bytes, head->n)) {
        return false;
    }
    p = read_where(&out->cpu, line.p + head->n);
    p = p == NULL ? NULL : read_time(&out->ts, p);
    colon = p == NULL ? NULL : find_colon(p, end);
    if (colon == NULL || colon - p < EVENT_MIN) {
        return false;
    }
    event = &known->events[place_of_event(p, (size_t)(colon - p))];
    if (event->n == 0 || end - p <= event->n || !same_bytes(p, event->bytes, event->n) ||
        known_space(p[event->n])) {
        return false;
    }
    while (known_space(end[-1])) {
        end--;
    }
    out->pid = head->pid;
    out->tgid = head->tgid;
    out->perf = false;
    out->bracket = line.p + head->n - 1;
    out->comm = (ts_text){line.p + head->comm_at, head->comm_n};
    out->event = (ts_text){p, (size_t)event->n - 2};
    out->args = (ts_text){p + event->n, (size_t)(end - p) - event->n};
    *kind = event->kind;
    return true;
}

/* Names with a system in front are of perf script, or look as if they were, and those of system
 * calls end without a colon. */
static void keep_event(ftrace_known *known, ts_text line, ts_text name, unsigned kind)
{
    known_event *event;
    const char *after = name.p + name.n;
    if (name.n < EVENT_MIN || name.n > EVENT_MAX - 2 || line.p + line.n - after < 2 ||
        after[0] != ':' || after[1] != ' ' || name.p[-1] != ' ' ||
        memchr(name.p, ':', name.n) != NULL || memcmp(name.p, "sys_", 4) == 0) {
        return;
    }
    event = &known->events[place_of_event(name.p, name.n)];
    event->n = (uint8_t)(name.n + 2);
    event->kind = (uint8_t)kind;
    memcpy(event->bytes, name.p, event->n);
}

void ftrace_known_keep(ftrace_known *known, ts_text line, const ftrace_line *read, unsigned kind)
{
    size_t n = read->perf ? 0 : (size_t)(read->bracket - line.p) + 1;
    known_head *head;
    if (n < HEAD_MIN || n > HEAD_MAX) {
        return;
    }
    head = &known->heads[place_of_head(line.p)];
    head->n = (uint8_t)n;
    head->comm_at = (uint8_t)(read->comm.p - line.p);
    head->comm_n = (uint8_t)read->comm.n;
    head->pid = read->pid;
    head->tgid = read->tgid;
    memcpy(head->bytes, line.p, n);
    keep_event(known, line, read->event, kind);
}
