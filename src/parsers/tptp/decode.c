/*
 * Messages to records, and the layout of a stream from its first messages.
 *
 * An event is decoded with the layout of the stream; when it does not end exactly with the message,
 * one variant is tried (other attributes, or stacks with or without counts), and counts only if
 * that one is exact. Otherwise the fit is TPTP_LONGER (bytes are left: a newer version added some),
 * TPTP_SHORT (attributes at the end are missing) or TPTP_BAD (an attribute reaches beyond the end,
 * or a stack has an impossible number of frames). Only p[0..n) is read; texts end at a zero byte
 * inside it, and are borrowed.
 *
 * With record NULL tptp_decode only looks, which is how layouts are probed and how searches find
 * messages. A layout is chosen by points: exact messages count for it, wrong ones more against it.
 */
#include "parsers/tptp/binary_trace.h"

#include <string.h>

/* --- attributes ------------------------------------------------------------------------------ */

typedef struct cut {
    const uint8_t *p;
    const uint8_t *end;
    bool big;
} cut;

static bool cut_number(int64_t *v, cut *c, unsigned n)
{
    if ((size_t)(c->end - c->p) < n) {
        return false;
    }
    uint64_t raw = tptp_fixed(c->p, n, c->big);
    c->p += n;
    *v = n == 4 ? (int64_t)(int32_t)(uint32_t)raw : (int64_t)raw;
    return true;
}

static bool cut_text(ts_text *t, cut *c)
{
    const uint8_t *zero = c->p == c->end ? NULL : memchr(c->p, 0, (size_t)(c->end - c->p));
    if (zero == NULL) {
        return false;
    }
    *t = (ts_text){(const char *)c->p, (size_t)(zero - c->p)};
    c->p = zero + 1;
    return true;
}

/* The count of an array: its own, or that of the stack. */
static bool cut_count(int64_t *count, cut *c, const tptp_layout *layout, int64_t of_stack)
{
    *count = of_stack;
    if (layout->counted && !cut_number(count, c, 4)) {
        return false;
    }
    return *count >= 0 && *count <= TPTP_MAX_FRAMES;
}

/* Both arrays of a stack; frames may be NULL. */
static bool cut_frames(uint32_t *n, size_t *text_bytes, cut *c, const tptp_layout *layout,
                       int64_t of_stack, tptp_stack_frame *frames)
{
    int64_t methods = 0;
    int64_t lines = 0;
    if (!cut_count(&methods, c, layout, of_stack)) {
        return false;
    }
    for (int64_t i = 0; i < methods; i++) {
        tptp_stack_frame f = {{NULL, 0}, 0};
        if (!cut_text(&f.method, c)) {
            return false;
        }
        *text_bytes += f.method.n;
        if (frames != NULL) {
            frames[i] = f;
        }
    }
    if (!cut_count(&lines, c, layout, of_stack)) {
        return false;
    }
    for (int64_t i = 0; i < lines; i++) {
        int64_t line;
        if (!cut_number(&line, c, 8)) {
            return false;
        }
        if (frames != NULL) {
            frames[i].method = i < methods ? frames[i].method : TS_TEXT_NULL;
            frames[i].line = line;
        }
    }
    *n = (uint32_t)(lines > methods ? lines : methods);
    return true;
}

/* How many bytes a number takes; 0: it is none. */
static inline size_t field_bytes(uint8_t type)
{
    return type == TPTP_BYTE ? 1 : type == TPTP_INTEGER ? 4 : type < TPTP_INTEGER ? 8 : 0;
}

/* A number of the type at p. Integers have a sign, bytes have none. */
static inline __attribute__((always_inline)) int64_t number_at(const uint8_t *p, uint8_t type,
                                                               bool big)
{
    uint32_t word;
    if (type == TPTP_BYTE) {
        return *p;
    }
    if (type != TPTP_INTEGER) {
        return (int64_t)tptp_fixed(p, 8, big);
    }
    memcpy(&word, p, sizeof word);
    return (int32_t)(big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? __builtin_bswap32(word)
                                                                        : word);
}

/* Numbers from *fields on, as far as they go and are there. num: by slots. */
static inline __attribute__((always_inline)) uint64_t
cut_numbers_as(int64_t *num, const tptp_field **fields, cut *c, bool big)
{
    const tptp_field *f = *fields;
    const uint8_t *p = c->p;
    const uint8_t *long_end = c->end - p < 8 ? p : c->end - 7; /* before it one can begin */
    uint64_t has = 0;
    while (f->type <= TPTP_BYTE) {
        /* Most are long: without asking each for its size. */
        for (; f->type < TPTP_INTEGER && p < long_end; p += 8, f++) {
            num[f->slot] = number_at(p, TPTP_LONG, big);
            has |= UINT64_C(1) << f->slot;
        }
        const size_t n = field_bytes(f->type);
        if (n == 0 || (size_t)(c->end - p) < n) {
            break;
        }
        num[f->slot] = number_at(p, f->type, big);
        has |= UINT64_C(1) << f->slot;
        p += n;
        f++;
    }
    c->p = p;
    *fields = f;
    return has;
}

/* The same. *stack becomes the length of a stack that they give. */
static uint64_t cut_numbers(int64_t *num, const tptp_field **fields, cut *c, int64_t *stack)
{
    const uint64_t has =
        c->big ? cut_numbers_as(num, fields, c, true) : cut_numbers_as(num, fields, c, false);
    *stack = (has & TPTP_BIT(STACK_COUNT)) != 0 ? num[TPTP_N_STACK_COUNT] : *stack;
    return has;
}

/* The text, or both arrays of a stack, of one field. */
static bool cut_other(tptp_record *record, const tptp_field *f, cut *c, const tptp_layout *layout,
                      int64_t stack, tptp_stack_frame *frames)
{
    ts_text text;
    uint32_t count = 0;
    size_t bytes = 0;
    bool got;
    if (f->type == TPTP_STRING) {
        got = cut_text(&text, c);
        if (got && record != NULL) {
            record->text[f->slot] = text;
            record->has_text |= UINT64_C(1) << f->slot;
            record->text_bytes += text.n;
        }
        return got;
    }
    got = f->type == TPTP_FRAMES && /* not a number of which bytes are missing */
          cut_frames(&count, &bytes, c, layout, stack, record == NULL ? NULL : frames);
    if (record != NULL && f->type == TPTP_FRAMES) {
        record->frames = frames;
        record->frame_count = count;
        record->text_bytes += bytes;
    }
    return got;
}

/* Numbers and texts of the last event that this one does not have: most of a record is not
 * touched. */
static void clear_others(tptp_record *record, uint64_t has)
{
    for (uint64_t stale = record->stale_text & ~record->has_text; stale != 0; stale &= stale - 1) {
        record->text[__builtin_ctzll(stale)] = (ts_text){NULL, 0};
    }
    record->stale_text = record->has_text;
    for (uint64_t stale = record->stale & ~has; stale != 0; stale &= stale - 1) {
        record->num[__builtin_ctzll(stale)] = 0;
    }
    record->stale = has;
}

static tptp_fit decode_as(tptp_record *record, size_t *used, const tptp_field *fields,
                          const tptp_layout *layout, const uint8_t *p, size_t n,
                          tptp_stack_frame *frames)
{
    cut c = {p, p + n, layout->big};
    int64_t unused[TPTP_N_COUNT];
    int64_t *num = record == NULL ? unused : record->num;
    uint64_t has = 0;
    int64_t stack = 0;
    tptp_fit fit = TPTP_EXACT;
    for (const tptp_field *f = fields; fit == TPTP_EXACT; f++) {
        has |= cut_numbers(num, &f, &c, &stack);
        if (f->type == TPTP_END) {
            break;
        }
        if (f->type == TPTP_FRAMES && (stack < 0 || stack > TPTP_MAX_FRAMES)) {
            fit = TPTP_BAD;
        } else if (c.p == c.end && (f->type != TPTP_FRAMES || stack != 0 || layout->counted)) {
            fit = TPTP_SHORT; /* empty arrays take no bytes */
        } else if (!cut_other(record, f, &c, layout, stack, frames)) {
            fit = TPTP_BAD;
        }
    }
    if (record != NULL) {
        record->has = has;
        clear_others(record, has);
    }
    *used = (size_t)(c.p - p);
    return fit == TPTP_EXACT && c.p != c.end ? TPTP_LONGER : fit;
}

/* A record is new, but for numbers and texts: those of the last event are cleared when it is known
 * which of them this one has. */
static void clear_record(tptp_record *record, const tptp_event_info *event)
{
    if (record == NULL) {
        return;
    }
    record->stale |= record->has | record->bad;
    record->stale_text |= record->has_text;
    record->kind = tptp_kind_of(event);
    record->name = (ts_text){NULL, 0};
    record->has = 0;
    record->bad = 0;
    record->has_text = 0;
    record->cpu_raw = 0;
    record->text_bytes = 0;
    record->frames = NULL;
    record->frame_count = 0;
}

static bool has_frames(const tptp_event_info *event)
{
    tptp_kind kind = tptp_kind_of(event);
    return kind >= TPTP_MON_WAIT && kind <= TPTP_MON_CONTENDED_ENTERED;
}

/* Does a message without a stack end exactly with these attributes? The sizes of its numbers and
 * where its texts end say so. */
static bool ends_exactly(const tptp_field *fields, const uint8_t *p, size_t n)
{
    const uint8_t *end = p + n;
    for (const tptp_field *f = fields; f->type != TPTP_END; f++) {
        const size_t bytes = field_bytes(f->type);
        if (bytes == 0) { /* a text */
            const uint8_t *zero = p == end ? NULL : memchr(p, 0, (size_t)(end - p));
            if (zero == NULL) {
                return false;
            }
            p = zero + 1;
        } else if ((size_t)(end - p) < bytes) {
            return false;
        } else {
            p += bytes;
        }
    }
    return p == end;
}

/* The layout of a kind is the other one mostly in a whole trace: it is tried at once where the last
 * event had it and the first one does not fit. */
static bool decode_other(tptp_record *record, size_t *used, const tptp_event_info *event,
                         const tptp_layout *layout, const uint8_t *p, size_t n)
{
    const uint64_t kind = UINT64_C(1) << tptp_kind_of(event);
    if (record == NULL || event->variant == NULL || (record->others & kind) == 0 ||
        ends_exactly(event->fields, p, n) || !ends_exactly(event->variant, p, n)) {
        return false;
    }
    clear_record(record, event);
    return decode_as(record, used, event->variant, layout, p, n, NULL) == TPTP_EXACT;
}

tptp_fit tptp_decode(tptp_record *record, size_t *used, const tptp_event_info *event,
                     const tptp_layout *layout, const uint8_t *p, size_t n,
                     tptp_stack_frame *frames)
{
    const tptp_field *variant = event->variant;
    tptp_layout other = *layout;
    if (decode_other(record, used, event, layout, p, n)) {
        return TPTP_EXACT;
    }
    clear_record(record, event);
    tptp_fit fit = decode_as(record, used, event->fields, layout, p, n, frames);
    if (has_frames(event) && !layout->strict) {
        other.counted = !other.counted;
        variant = event->fields;
    }
    if (fit == TPTP_EXACT || variant == NULL) {
        return fit;
    }
    clear_record(record, event);
    if (decode_as(record, used, variant, &other, p, n, frames) == TPTP_EXACT) {
        if (record != NULL) {
            record->others |= UINT64_C(1) << tptp_kind_of(event);
        }
        return TPTP_EXACT;
    }
    clear_record(record, event);
    return decode_as(record, used, event->fields, layout, p, n, frames);
}

/* --- messages -------------------------------------------------------------------------------- */

static tptp_look look_at_bare(tptp_message *m, const uint8_t *p, size_t n)
{
    m->head = 2;
    if (m->id == TPTP_FREQUENCY) {
        m->size = 10;
        return TPTP_LOOK_OK;
    }
    /* The name of an encoding is short. */
    enum { MAX_NAME = 256 };
    const uint8_t *zero = memchr(p + 2, 0, n - 2 < MAX_NAME ? n - 2 : MAX_NAME);
    m->size = zero == NULL ? n + 1 : (uint64_t)(zero + 1 - p);
    return zero != NULL ? TPTP_LOOK_OK : n - 2 >= MAX_NAME ? TPTP_LOOK_WRONG : TPTP_LOOK_NEED;
}

tptp_look tptp_look_at(tptp_message *m, const tptp_layout *layout, const uint8_t *p, size_t n)
{
    *m = (tptp_message){0, 2, 0};
    if (n < 2) {
        return TPTP_LOOK_NEED;
    }
    m->id = (uint32_t)tptp_fixed(p, 2, layout->big);
    if (layout->bare && (m->id == TPTP_ENCODING || m->id == TPTP_FREQUENCY)) {
        return look_at_bare(m, p, n);
    }
    m->size = TPTP_HEAD;
    if (n < TPTP_HEAD) {
        return TPTP_LOOK_NEED;
    }
    m->head = TPTP_HEAD;
    m->size = tptp_fixed(p + 2, 4, layout->big) + (layout->exclusive ? TPTP_HEAD : 0);
    return m->size < TPTP_HEAD ? TPTP_LOOK_WRONG : TPTP_LOOK_OK;
}

static bool is_encoding_name(const uint8_t *p, size_t n)
{
    if (n < 2 || p[n - 1] != 0) {
        return false;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        if (p[i] < ' ' || p[i] > '~') {
            return false;
        }
    }
    return true;
}

/* Is the whole message of a known kind, and exactly as long as its attributes? */
static bool tptp_is_exact(const tptp_message *m, const tptp_layout *layout, const uint8_t *p)
{
    const tptp_event_info *event = tptp_event_of(m->id);
    size_t n = (size_t)m->size - m->head;
    size_t used;
    if (m->id == TPTP_ENCODING) {
        return is_encoding_name(p + m->head, n);
    }
    if (event == NULL) {
        return m->id == TPTP_FREQUENCY && n == 8;
    }
    return tptp_decode(NULL, &used, event, layout, p + m->head, n, NULL) == TPTP_EXACT;
}

bool tptp_are_exact(unsigned count, uint64_t *work, const tptp_layout *layout, const uint8_t *p,
                    size_t n)
{
    for (unsigned i = 0; i < count; i++) {
        tptp_message m;
        if (tptp_look_at(&m, layout, p, n) != TPTP_LOOK_OK || m.size > n || m.size > TPTP_TRY) {
            return false;
        }
        *work += m.size;
        if (!tptp_is_exact(&m, layout, p)) {
            return false;
        }
        p += m.size;
        n -= (size_t)m.size;
    }
    return true;
}

/* --- layouts --------------------------------------------------------------------------------- */

enum { PROBED_MESSAGES = 400, WRONG_WEIGHT = 4, BROKEN_WEIGHT = 12 };

/* Exact messages less those that are wrong, by their weights. */
static int64_t score(const tptp_layout *layout, const uint8_t *p, size_t n, bool whole)
{
    int64_t points = 0;
    for (unsigned i = 0; i < PROBED_MESSAGES && n > 0; i++) {
        tptp_message m;
        tptp_look look = tptp_look_at(&m, layout, p, n);
        if (n >= 12 && memcmp(p, "0TBF", 4) == 0) {
            break;
        }
        if (look == TPTP_LOOK_WRONG || m.size > n) {
            return look == TPTP_LOOK_WRONG || whole ? points - BROKEN_WEIGHT : points;
        }
        if (m.id == TPTP_ENCODING || m.id == TPTP_FREQUENCY || tptp_event_of(m.id) != NULL) {
            points += tptp_is_exact(&m, layout, p) ? 1 : -WRONG_WEIGHT;
        }
        p += m.size;
        n -= (size_t)m.size;
    }
    return points;
}

int64_t tptp_probe(tptp_layout *layout, const tptp_forced *forced, const uint8_t *p, size_t n,
                   bool whole)
{
    int64_t best = INT64_MIN;
    tptp_layout found = *layout;
    for (unsigned i = 0; i < 8; i++) {
        tptp_layout l = {layout->big, (i & 4) != 0, (i & 2) != 0, (i & 1) != 0, true};
        if ((forced->exclusive >= 0 && l.exclusive != forced->exclusive) ||
            (forced->bare >= 0 && l.bare != forced->bare) ||
            (forced->counted >= 0 && l.counted != forced->counted)) {
            continue;
        }
        int64_t points = score(&l, p, n, whole);
        if (points > best) {
            best = points;
            found = l;
        }
    }
    *layout = found;
    layout->strict = forced->counted >= 0;
    return best;
}
