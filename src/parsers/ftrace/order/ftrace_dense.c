#include "parsers/ftrace/order/ftrace_dense.h"

#include "base/ckd.h"

#include <endian.h>

/* What stands for a text: the place of a word that is known, or becomes known with NEW. */
enum { TEXT_PLAIN = 0x7f, TEXT_NEW = 0x80, TEXT_EMPTY = 0xff };

/* What is as it was: of the last event of this kind, of the last event. */
enum { SAME_FORM = 1, SAME_CPU = 2, SAME_TASK = 4 };

_Static_assert((int)FTRACE_STARTED <= UINT8_MAX, "a kind is a byte");
_Static_assert((int)FTRACE_DENSE_WORDS <= (int)TEXT_PLAIN,
               "the place of a word is less than a byte");
_Static_assert(FTRACE_NUMBERS <= 8, "sizes of numbers are two bytes");

void ftrace_dense_begin(ftrace_dense *d)
{
    memset(d, 0, sizeof *d);
    for (unsigned i = 0; i < FTRACE_DENSE_WORDS; i++) {
        d->words[i].n = UINT64_MAX;
    }
}

bool ftrace_dense_max(size_t *size, const ftrace_event *event)
{
    bool over = ts_ckd_add(size, event->comm.n, (size_t)FTRACE_DENSE_MAX);
    for (unsigned bits = event->texts, i = 0; bits != 0 && i < FTRACE_TEXTS; bits >>= 1, i++) {
        over |= (bits & 1) != 0 && ts_ckd_add(size, *size, event->text[i].n);
    }
    return !over;
}

/* Bytes that say the sizes of the numbers. */
static inline unsigned sizes_of(unsigned numbers)
{
    static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return (counts[numbers & 15] + counts[numbers >> 4] + 3U) / 4;
}

static inline uint32_t form_of(const ftrace_event *event)
{
    return (uint32_t)event->reader << 16 | (uint32_t)event->numbers << 8 | event->texts;
}

/* --- writing --------------------------------------------------------------------------------- */

/* The letters of a text of 1 to 16 bytes as two numbers: texts of one length have equal ones only
 * when they are equal. */
static inline void letters_of(uint64_t letters[2], ts_text text)
{
    const uint8_t *p = (const uint8_t *)text.p;
    letters[1] = 0;
    if (text.n >= 8) {
        memcpy(&letters[0], p, 8);
        memcpy(&letters[1], p + text.n - 8, 8);
    } else if (text.n >= 4) {
        uint32_t first;
        uint32_t last;
        memcpy(&first, p, 4);
        memcpy(&last, p + text.n - 4, 4);
        letters[0] = first | (uint64_t)last << 32;
    } else {
        letters[0] = p[0] | (uint64_t)p[text.n / 2] << 8 | (uint64_t)p[text.n - 1] << 16;
    }
}

static inline unsigned word_of(const uint64_t letters[2], size_t n)
{
    uint64_t hash = (letters[0] ^ (letters[1] << 23 | letters[1] >> 41) ^ (uint64_t)n << 50) *
                    UINT64_C(0x9e3779b97f4a7c15);
    unsigned place = (unsigned)((hash ^ hash << 32) >> 57);
    return place < FTRACE_DENSE_WORDS ? place : 0;
}

static uint8_t *put_plain(uint8_t *p, ts_text text)
{
    *p++ = TEXT_PLAIN;
    p = ftrace_put_uint(p, text.n);
    memcpy(p, text.p, text.n);
    return p + text.n;
}

/* used: the words of this event, a bit each. They stay until all its texts were read. */
static inline uint8_t *put_text(ftrace_dense *d, uint64_t used[2], uint8_t *p, ts_text text)
{
    uint64_t letters[2];
    ftrace_dense_word *word;
    unsigned place;
    uint64_t bit;
    if (text.n == 0) {
        *p = TEXT_EMPTY;
        return p + 1;
    }
    if (text.n > FTRACE_DENSE_LETTERS) {
        return put_plain(p, text);
    }
    letters_of(letters, text);
    place = word_of(letters, text.n);
    word = &d->words[place];
    bit = UINT64_C(1) << place % 64;
    if (word->n == text.n && memcmp(word->letters, letters, sizeof letters) == 0) {
        used[place / 64] |= bit;
        *p = (uint8_t)place;
        return p + 1;
    }
    if ((used[place / 64] & bit) != 0) {
        return put_plain(p, text);
    }
    used[place / 64] |= bit;
    word->n = text.n;
    memcpy(word->letters, letters, sizeof letters);
    *p++ = (uint8_t)(TEXT_NEW | place);
    *p++ = (uint8_t)text.n;
    memcpy(p, text.p, text.n);
    return p + text.n;
}

/* Each in 1, 2, 4 or 8 bytes, of which 8 are written. */
static inline uint8_t *put_numbers(uint8_t *p, const ftrace_event *event)
{
    uint8_t *sizes = p;
    unsigned all = 0;
    unsigned n = 0;
    p += sizes_of(event->numbers);
    for (unsigned bits = event->numbers; bits != 0; bits &= bits - 1, n++) {
        int64_t v = event->number[(unsigned)__builtin_ctz(bits)];
        uint64_t zigzag = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
        uint64_t bytes = htole64(zigzag);
        unsigned size =
            (unsigned)(zigzag > UINT8_MAX) + (zigzag > UINT16_MAX) + (zigzag > UINT32_MAX);
        memcpy(p, &bytes, sizeof bytes);
        p += 1U << size;
        all |= size << 2 * n;
    }
    for (unsigned i = 0; i < n; i += 4, all >>= 8) {
        *sizes++ = (uint8_t)all;
    }
    return p;
}

uint8_t *ftrace_dense_put(ftrace_dense *d, uint8_t *p, const ftrace_event *event)
{
    uint32_t form = form_of(event);
    uint64_t used[2] = {d->no_words, d->no_words};
    uint8_t *flags = p + 1;
    bool same_form = d->forms[event->kind] == form;
    bool same_cpu = d->cpu == event->cpu;
    bool same_task = d->pid == event->pid && d->tgid == event->tgid;
    *p = (uint8_t)event->kind;
    *flags = (uint8_t)((same_form ? SAME_FORM : 0) | (same_cpu ? SAME_CPU : 0) |
                       (same_task ? SAME_TASK : 0));
    p += 2;
    if (!same_form) {
        d->forms[event->kind] = form;
        *p++ = event->reader;
        *p++ = event->numbers;
        *p++ = event->texts;
    }
    if (!same_cpu) {
        d->cpu = event->cpu;
        p = ftrace_put_uint(p, event->cpu);
    }
    if (!same_task) {
        d->pid = event->pid;
        d->tgid = event->tgid;
        p = ftrace_put_int(p, event->pid);
        p = ftrace_put_int(p, event->tgid);
    }
    p = put_text(d, used, p, event->comm);
    p = put_numbers(p, event);
    for (unsigned bits = event->texts, i = 0; bits != 0 && i < FTRACE_TEXTS; bits >>= 1, i++) {
        if ((bits & 1) != 0) {
            p = put_text(d, used, p, event->text[i]);
        }
    }
    return p;
}

/* --- reading --------------------------------------------------------------------------------- */

static inline void no_more(ftrace_packed *in)
{
    in->p = in->end = NULL;
}

static ts_text get_plain(ftrace_packed *in)
{
    uint64_t n = ftrace_get_uint(in);
    ts_text text = {(const char *)in->p, (size_t)n};
    if (in->p == NULL || n > (uint64_t)(in->end - in->p)) {
        no_more(in);
        return (ts_text){"", 0};
    }
    in->p += n;
    return text;
}

/* A text that has to be known from here on; the slack is after it. */
static ts_text get_new(ftrace_dense_word *word, ftrace_packed *in)
{
    uint8_t n = *in->p++;
    ts_text text = {(const char *)in->p, n};
    if (n > FTRACE_DENSE_LETTERS) {
        no_more(in);
        return (ts_text){"", 0};
    }
    memcpy(word->letters, in->p, FTRACE_DENSE_LETTERS);
    word->n = n;
    in->p += n;
    return text;
}

static inline ts_text get_text(ftrace_dense *d, ftrace_packed *in)
{
    ftrace_dense_word *word;
    uint8_t what;
    if (in->p >= in->end) {
        no_more(in);
        return (ts_text){"", 0};
    }
    what = *in->p++;
    if (what == TEXT_EMPTY) {
        return (ts_text){"", 0};
    }
    if (what == TEXT_PLAIN) {
        return get_plain(in);
    }
    word = &d->words[what & ~(unsigned)TEXT_NEW];
    if ((what & TEXT_NEW) != 0) {
        return get_new(word, in);
    }
    if (word->n > FTRACE_DENSE_LETTERS) {
        no_more(in);
        return (ts_text){"", 0};
    }
    return (ts_text){word->letters, (size_t)word->n};
}

/* Whole words are read, of which the slack may be a part. */
static inline void get_numbers(ftrace_event *event, ftrace_packed *in)
{
    static const uint64_t masks[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
    unsigned n = sizes_of(event->numbers);
    const uint8_t *p = in->p;
    unsigned sizes;
    if (n == 0 || p == NULL) {
        return;
    }
    sizes = *p++;
    if (n > 1) {
        sizes |= (unsigned)*p++ << 8;
    }
    for (unsigned bits = event->numbers; bits != 0; bits &= bits - 1, sizes >>= 2) {
        uint64_t v;
        memcpy(&v, p, sizeof v);
        v = le64toh(v) & masks[sizes & 3];
        event->number[(unsigned)__builtin_ctz(bits)] =
            (int64_t)((v >> 1) ^ ((v & 1) != 0 ? UINT64_MAX : 0));
        p += 1U << (sizes & 3);
    }
    in->p = p;
}

static inline void get_task(ftrace_dense *d, unsigned flags, ftrace_packed *in)
{
    if ((flags & SAME_CPU) == 0) {
        d->cpu = (uint32_t)ftrace_get_uint(in);
    }
    if ((flags & SAME_TASK) == 0) {
        d->pid = (int32_t)ftrace_get_int(in);
        d->tgid = (int32_t)ftrace_get_int(in);
    }
}

void ftrace_dense_get(ftrace_event *event, ftrace_dense *d, ftrace_packed *in)
{
    unsigned flags;
    uint32_t form;
    ftrace_event_clear(event);
    if (in->p >= in->end || *in->p > FTRACE_STARTED) {
        no_more(in);
        return;
    }
    event->kind = *in->p++;
    flags = *in->p++;
    if ((flags & SAME_FORM) == 0) {
        d->forms[event->kind] =
            (uint32_t)in->p[0] << 16 | (uint32_t)in->p[1] << 8 | (uint32_t)in->p[2];
        in->p += 3;
    }
    form = d->forms[event->kind];
    event->reader = (uint8_t)(form >> 16);
    event->numbers = (uint8_t)(form >> 8);
    event->texts = (uint8_t)form;
    get_task(d, flags, in);
    event->cpu = d->cpu;
    event->pid = d->pid;
    event->tgid = d->tgid;
    event->comm = get_text(d, in);
    get_numbers(event, in);
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        event->text[i] = (event->texts >> i & 1) != 0 ? get_text(d, in) : (ts_text){"", 0};
    }
    if (in->p > in->end) {
        no_more(in);
    }
}
