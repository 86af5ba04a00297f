/*
 * The strings of a heap file: what the rules of the analysis look for in names is found once for
 * each text. Names are numbers from here on. Where two strings have one text, the first stands for
 * both (V8 and ArkTS write none).
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

static const char *const words[HG_WORDS] = {
    [HG_WORD_NATIVE_CONTEXT] = "system / NativeContext",
    [HG_WORD_SLOPPY] = "sloppy_function_map",
    [HG_WORD_DESCRIPTORS] = "(map descriptors)",
    [HG_WORD_EXTERNAL] = "system / ExternalStringData",
    [HG_WORD_DOM_TREES] = "(Document DOM trees)",
    [HG_WORD_BUFFER] = "system / JSArrayBufferData",
    [HG_WORD_ARRAY] = "Array",
    [HG_WORD_OBJECT] = "Object",
    [HG_WORD_PROTO] = "__proto__",
    [HG_WORD_ELEMENTS] = "elements",
    [HG_WORD_FIRST] = "first",
    [HG_WORD_SECOND] = "second",
    [HG_WORD_TRUNCATED] = "truncated",
    [HG_WORD_LENGTH] = "length",
    [HG_WORD_HASH] = "hash",
    [HG_WORD_VALUE] = "value",
    [HG_WORD_BOOL] = "bool",
    [HG_WORD_INT] = "int",
    [HG_WORD_TRUE] = "true",
    [HG_WORD_CONTEXT] = "system / Context",
};

/* --- words ---------------------------------------------------------------------------------- */

static uint16_t word_of(const char *p, size_t n)
{
    for (unsigned i = 1; i < HG_WORDS; i++) {
        if (p[0] == words[i][0] && strlen(words[i]) == n && memcmp(p, words[i], n) == 0) {
            return (uint16_t)i;
        }
    }
    return 0;
}

static bool begins(const char *p, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && memcmp(p, with, k) == 0;
}

static bool ends(const char *p, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && memcmp(p + n - k, with, k) == 0;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of a space as JavaScript has it, or 0. */
static size_t space(const char *p, size_t n)
{
    static const char *const wide[] = {
        "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
        "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87",
        "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
        "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf"};
    if (n > 0 && (p[0] == ' ' || (p[0] >= '\t' && p[0] <= '\r'))) {
        return 1;
    }
    for (size_t i = 0; n > 0 && (unsigned char)p[0] >= 0xc2 && i < sizeof wide / sizeof wide[0];
         i++) {
        if (begins(p, n, wide[i])) {
            return strlen(wide[i]);
        }
    }
    return 0;
}

/* The number at the beginning, as parseInt reads it in base 10, is 2 or more and 1 modulo 3. */
static bool skipped_number(const char *p, size_t n)
{
    unsigned rest = 0; /* modulo 3 */
    bool large = false;
    size_t at = 0;
    for (size_t k; (k = space(p + at, n - at)) > 0;) {
        at += k;
    }
    if (at < n && p[at] == '+') {
        at++;
    }
    if (at >= n || !digit(p[at])) {
        return false;
    }
    for (; at < n && digit(p[at]); at++) {
        unsigned next = rest * 10 + (unsigned)(p[at] - '0');
        large = large || next >= 2;
        rest = next % 3;
    }
    return large && rest == 1;
}

/* --- names of edges to values in a WeakMap -------------------------------------------------- */

static const char *find(const char *p, size_t n, const char *what)
{
    size_t k = strlen(what);
    while (n >= k) {
        const char *at = memchr(p, (unsigned char)what[0], n - k + 1);
        if (at == NULL) {
            return NULL;
        }
        if (memcmp(at, what, k) == 0) {
            return at;
        }
        n -= (size_t)(at + 1 - p);
        p = at + 1;
    }
    return NULL;
}

/* Goes back over `text`, which must end at p[*n]. */
static bool back_text(const char *p, size_t *n, const char *text)
{
    if (!ends(p, *n, text)) {
        return false;
    }
    *n -= strlen(text);
    return true;
}

static bool back_digits(const char *p, size_t *n)
{
    size_t end = *n;
    while (*n > 0 && digit(p[*n - 1])) {
        (*n)--;
    }
    return *n < end;
}

static uint64_t number_of(const char *p, const char *end)
{
    uint64_t v = 0;
    for (; p < end; p++) {
        if (v > (UINT64_MAX - 10) / 10) {
            return UINT64_MAX;
        }
        v = v * 10 + (uint64_t)(p[0] - '0');
    }
    return v;
}

static bool has_line_end(const char *p, size_t n)
{
    return memchr(p, '\n', n) != NULL || memchr(p, '\r', n) != NULL ||
           find(p, n, "\xe2\x80\xa8") != NULL || find(p, n, "\xe2\x80\xa9") != NULL;
}

/* Whether some part of the text is " @", digits, ") -> value (". */
static bool has_middle(const char *p, size_t n)
{
    static const char middle[] = ") -> value (";
    const char *at = p;
    while ((at = find(at, n - (size_t)(at - p), middle)) != NULL) {
        size_t before = (size_t)(at - p);
        if (back_digits(p, &before) && back_text(p, &before, " @")) {
            return true;
        }
        at++;
    }
    return false;
}

/* *pair: where the part begins that the edges of table and key have in common. */
static bool is_pair(size_t *pair, uint64_t *table, const char *p, size_t n)
{
    static const char key[] = " / part of key (";
    size_t at = 0;
    size_t end = n;
    size_t digits;
    while (at < n && digit(p[at])) {
        at++;
    }
    if (at == 0 || !begins(p + at, n - at, key) || !back_text(p, &end, ")")) {
        return false;
    }
    *pair = at;
    at += sizeof key - 1;
    digits = end;
    if (!back_digits(p, &end)) {
        return false;
    }
    *table = number_of(p + end, p + digits);
    return back_text(p, &end, ") pair in WeakMap (table @") && back_digits(p, &end) &&
           back_text(p, &end, " @") && end >= at && has_middle(p + at, end - at) &&
           !has_line_end(p, n);
}

/* --- formatted names of properties ---------------------------------------------------------- */

enum { LONG_NAME = 255, LONG_BYTES = 3 * LONG_NAME };

/* What a byte adds, side by side: UTF-16 units, characters that make the name a JSON text, and
 * bytes more of it in there. LONG_BYTES times each stays below the next. */
enum { QUOTED_SHIFT = 16, ESCAPES_SHIFT = 32, FIELD = 0xffff };

static uint64_t lengths_of(unsigned char c)
{
    uint64_t units = hg_units(c);
    uint64_t quoted = c == ',' || c == '\'' || c == '"' || c == '{' || c == '}' ? 1 : 0;
    uint64_t escapes = 0;
    if (c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t') {
        escapes = 1;
    } else if (c < 0x20) {
        escapes = 5;
    }
    return units | quoted << QUOTED_SHIFT | escapes << ESCAPES_SHIFT;
}

/* UTF-16 units of the name, as a JSON text when it holds one of , ' " { }. lengths: of each byte.
 */
static uint8_t formatted_length(const uint64_t *lengths, const char *p, size_t n)
{
    uint64_t sum = 0;
    uint64_t units;
    if (n > LONG_BYTES) {
        return LONG_NAME;
    }
    for (size_t i = 0; i < n; i++) {
        sum += lengths[(unsigned char)p[i]];
    }
    units = sum & FIELD;
    units += (sum >> QUOTED_SHIFT & FIELD) != 0 ? 2 + (sum >> ESCAPES_SHIFT & FIELD) : 0;
    return (uint8_t)(units < LONG_NAME ? units : LONG_NAME);
}

/* --- reading -------------------------------------------------------------------------------- */

typedef struct reading {
    hg *g;
    uint64_t lengths[256];
    bool begins_word[256];
    uint64_t (*hashes)[2];
    uint32_t *slots;
    size_t mask;
    unsigned tag_shift; /* bits of numbers of strings */
    ts_pool pairs;
    ts_buf text;
    uint32_t at;
} reading;

static void hash_part(void *user, const char *p, size_t n)
{
    ts_hash_bytes(user, p, n);
}

static ts_code hash_text(uint64_t hash[2], const reading *r, const hg_range *range, unsigned row)
{
    ts_hash h = ts_hash_begin(&r->g->ctx->hash_key);
    ts_hash_word(&h, range->b->columns[0].texts[row].size);
    ts_code code = hg_text_parts(r->g->ctx, range->scan, range->b, row, hash_part, &h);
    hash[0] = ts_hash_end(&h);
    hash[1] = ts_hash_more(&h);
    return code;
}

/* A slot holds the number of a string + 1, and above it what bits of the hash there is room for, so
 * that the hash of another text is hardly ever looked at. base/index, which grows, made a
 * conversion with --analyze=heap 7 % longer by user CPU (558 000 strings). */
static uint32_t first_of_text(reading *r, uint32_t i)
{
    const uint64_t *hash = r->hashes[i];
    uint32_t tag = (uint32_t)(hash[1] << r->tag_shift);
    uint32_t mask = (UINT32_C(1) << r->tag_shift) - 1;
    size_t at = (size_t)hash[0] & r->mask;
    for (; r->slots[at] != 0; at = (at + 1) & r->mask) {
        uint32_t other = (r->slots[at] & mask) - 1;
        if ((r->slots[at] & ~mask) == tag &&
            memcmp(r->hashes[other], hash, sizeof r->hashes[0]) == 0) {
            return other;
        }
    }
    r->slots[at] = tag | (i + 1);
    return i;
}

static ts_code note_pair(reading *r, const hg_range *range, unsigned row)
{
    hg_strings *s = &r->g->strings;
    size_t from;
    uint64_t table;
    hg_pair_text *pair;
    ts_code code;
    r->text.n = 0;
    code = hg_whole_text(r->g->ctx, &r->text, range->scan, range->b, row);
    if (code != TS_OK || !is_pair(&from, &table, r->text.p, r->text.n)) {
        return code;
    }
    TS_NEED(r->g->ctx, pair = ts_vec_add(r->g->ctx, &s->pairs, sizeof *pair));
    *pair = (hg_pair_text){.string = r->at, .table = table};
    s->bits[r->at] |= HG_TEXT_PAIR;
    return ts_pool_intern(r->g->ctx, &pair->pair, NULL, &r->pairs,
                          (ts_text){r->text.p + from, r->text.n - from});
}

static ts_code note_console(uint16_t *bits, const hg_range *range, unsigned row)
{
    static const char console[] = " / DevTools console";
    const ts_scan_text *text = &range->b->columns[0].texts[row];
    char tail[sizeof console - 1];
    size_t got = 0;
    ts_code code = TS_OK;
    if (text->size < sizeof tail) {
        return TS_OK;
    }
    if (text->n == text->size) {
        memcpy(tail, text->p + text->n - sizeof tail, sizeof tail);
        got = sizeof tail;
    } else {
        code = ts_scan_text_part(&got, range->scan, row, 0, text->size - sizeof tail, tail,
                                 sizeof tail);
    }
    *bits |= got == sizeof tail && memcmp(tail, console, got) == 0 ? HG_TEXT_CONSOLE : 0;
    return code;
}

static ts_code read_string(reading *r, const hg_range *range, unsigned row)
{
    hg_strings *s = &r->g->strings;
    const ts_scan_text *text = &range->b->columns[0].texts[row];
    const char *p = text->p;
    size_t n = text->n;
    uint16_t bits = HG_TEXT_KNOWN;
    s->same[r->at] = r->at;
    if (range->b->columns[0].null[row] != 0 ||
        (!r->g->d.complete && range->b->columns[1].null[row] != 0)) {
        s->bits[r->at] = 0; /* what is there is not certain */
        return TS_OK;
    }
    if (n == 0) {
        bits |= HG_TEXT_EMPTY;
    } else {
        bits |= r->begins_word[(unsigned char)p[0]] && n == text->size ? word_of(p, n) : 0;
        bits |= begins(p, n, HG_DETACHED) ? HG_TEXT_DETACHED : 0;
        bits |= begins(p, n, "system / Context / ") || (bits & HG_WORD_MASK) == HG_WORD_CONTEXT
                    ? HG_TEXT_CONTEXT
                    : 0;
        TS_TRY(note_console(&bits, range, row));
        bits |= (unsigned char)p[0] < 'A' || (unsigned char)p[0] > 'z'
                    ? (skipped_number(p, n) ? HG_TEXT_SKIPPED : 0)
                    : 0;
    }
    s->bits[r->at] = bits;
    s->bytes[r->at] = (uint16_t)text->size;
    s->length[r->at] =
        formatted_length(r->lengths, p, text->size > LONG_BYTES ? LONG_BYTES + 1 : n);
    TS_TRY(hash_text(r->hashes[r->at], r, range, row));
    __builtin_prefetch(&r->slots[(size_t)r->hashes[r->at][0] & r->mask], 1);
    return n > 0 && digit(p[0]) ? note_pair(r, range, row) : TS_OK;
}

static ts_code strings_prepare(reading *r)
{
    hg *g = r->g;
    hg_strings *s = &g->strings;
    size_t slots = 16;
    if (g->d.string_count < 0 || g->d.string_count >= HG_NONE / 2) {
        return ts_fail(g->ctx, TS_ERR_LIMIT, "more than %u strings", HG_NONE / 2);
    }
    s->count = (uint32_t)g->d.string_count;
    while (slots < (size_t)s->count * 3 / 2) {
        slots *= 2;
    }
    r->mask = slots - 1;
    for (r->tag_shift = 1; s->count >> r->tag_shift != 0;) {
        r->tag_shift++;
    }
    s->same = ts_alloc(g->ctx, s->count, sizeof *s->same);
    s->bits = ts_zalloc(g->ctx, s->count, sizeof *s->bits);
    s->bytes = ts_zalloc(g->ctx, s->count, sizeof *s->bytes);
    s->length = ts_zalloc(g->ctx, s->count, sizeof *s->length);
    r->hashes = hg_take(g, s->count, sizeof *r->hashes);
    r->slots = hg_take(g, slots, sizeof *r->slots);
    if (s->same == NULL || s->bits == NULL || s->bytes == NULL || s->length == NULL ||
        r->hashes == NULL || r->slots == NULL) {
        return g->ctx->error.code;
    }
    memset(r->slots, 0, slots * sizeof *r->slots);
    for (unsigned c = 0; c < 256; c++) {
        r->lengths[c] = lengths_of((unsigned char)c);
    }
    for (unsigned i = 1; i < HG_WORDS; i++) {
        r->begins_word[(unsigned char)words[i][0]] = true;
    }
    return TS_OK;
}

static ts_code read_strings(void *user, const hg_range *range)
{
    reading *r = user;
    hg_strings *s = &r->g->strings;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < range->n && code == TS_OK; i++) {
        code = read_string(r, range, i);
        r->at++;
    }
    for (uint32_t i = r->at - range->n; i < r->at && code == TS_OK; i++) {
        if ((s->bits[i] & HG_TEXT_KNOWN) != 0) {
            s->same[i] = first_of_text(r, i);
            s->twice = s->twice || s->same[i] != i;
        }
    }
    return code;
}

ts_code hg_read_strings(hg *g)
{
    static const unsigned columns[] = {TS_C_js_heap_string__string,
                                       TS_C_js_heap_string__file_index};
    reading r = {.g = g};
    ts_code code = strings_prepare(&r);
    TS_STEP(code, hg_each(g, TS_T_js_heap_string, columns, 2, g->d.first_string, g->strings.count,
                          read_strings, &r));
    g->strings.pair_count = r.pairs.count;
    hg_give(g, r.hashes);
    hg_give(g, r.slots);
    ts_pool_free(g->ctx, &r.pairs);
    ts_buf_free(g->ctx, &r.text);
    return code;
}

void hg_strings_free(ts_ctx *ctx, hg_strings *s)
{
    ts_free(ctx, s->same);
    ts_free(ctx, s->bits);
    ts_free(ctx, s->bytes);
    ts_free(ctx, s->length);
    ts_vec_free(ctx, &s->pairs);
    *s = (hg_strings){0};
}
