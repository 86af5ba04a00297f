#include "tables/redact_text.h"

enum { ROUNDS = 10, RADIX = 63, CAPITALS = 26, DIGITS = 10, LONG_LEAST = 24, PER_WORD = 10 };

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

/* Where the characters of a kind are in the alphabet. */
typedef struct piece_kind {
    unsigned first, count;
} piece_kind;

static const piece_kind digit_kind = {0, DIGITS};
static const piece_kind capital_kind = {DIGITS, CAPITALS};
static const piece_kind letter_kind = {DIGITS + CAPITALS, RADIX - DIGITS - CAPITALS};

static piece_kind kind_of(char c)
{
    return ts_is_digit(c) ? digit_kind : c >= 'A' && c <= 'Z' ? capital_kind : letter_kind;
}

static unsigned place_of(char c)
{
    return ts_is_digit(c)         ? (unsigned)(c - '0')
           : c >= 'A' && c <= 'Z' ? DIGITS + (unsigned)(c - 'A')
           : c >= 'a' && c <= 'z' ? DIGITS + CAPITALS + (unsigned)(c - 'a')
                                  : RADIX - 1;
}

bool ts_redact_is_piece(char c)
{
    return ts_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool only_digits(ts_text t)
{
    size_t i = 0;
    while (i < t.n && ts_is_digit(t.p[i])) {
        i++;
    }
    return i == t.n;
}

/* Letters alone are words of columns of words only. */
static bool is_word(const ts_redactor *r, ts_text text)
{
    uint32_t id;
    return text.n > 1 && ts_pool_find(&id, &r->words, text);
}

/* --- SipHash-2-4 ---------------------------------------------------------------------------- */

static void absorb(ts_hash *h, uint64_t word)
{
    h->v3 ^= word;
    ts_hash_round(h);
    ts_hash_round(h);
    h->v0 ^= word;
}

static uint64_t squeeze(ts_hash h)
{
    h.v2 ^= 0xff;
    for (unsigned i = 0; i < 4; i++) {
        ts_hash_round(&h);
    }
    return h.v0 ^ h.v1 ^ h.v2 ^ h.v3;
}

/* What a function is for is in the first word, so that no two of them meet. */
static uint64_t function(const ts_redactor *r, unsigned what, unsigned round, size_t n,
                         uint64_t value)
{
    ts_hash h = ts_hash_begin(&r->key);
    absorb(&h, (uint64_t)n << 32 | (uint64_t)round << 16 | what);
    absorb(&h, value);
    absorb(&h, UINT64_C(16) << 56); /* as SipHash ends a message of 16 bytes */
    return squeeze(h);
}

/* --- short pieces: as many characters -------------------------------------------------------- */

/* One character: its place in the order that the key gives its kind. */
static char permute(const ts_redactor *r, char c, piece_kind kind)
{
    const unsigned own = place_of(c) - kind.first;
    const uint64_t value = function(r, kind.first, 0, 1, own);
    unsigned rank = 0;
    for (unsigned i = 0; i < kind.count; i++) {
        const uint64_t other = function(r, kind.first, 0, 1, i);
        rank += other < value || (other == value && i < own) ? 1 : 0;
    }
    return alphabet[kind.first + rank];
}

/* The halves of a piece as numbers: the first character counts within its kind. */
typedef struct feistel {
    size_t n, half;   /* characters, and those of the first half */
    unsigned radix;   /* of all but the first character */
    piece_kind kind;  /* of that */
    uint64_t most[2]; /* numbers are below these */
    uint64_t value[2];
} feistel;

static uint64_t feistel_read(const feistel *f, const char *p, size_t n, bool head)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        value = value * f->radix + (place_of(p[i]) - (head && i == 0 ? f->kind.first : 0));
    }
    return value;
}

static void feistel_write(const feistel *f, char *p, size_t n, bool head, uint64_t value)
{
    for (size_t i = n; i-- > 0;) {
        const bool first = head && i == 0;
        p[i] = alphabet[first ? f->kind.first + value : value % f->radix];
        value /= f->radix;
    }
}

static void feistel_run(const ts_redactor *r, feistel *f, char *p)
{
    f->value[0] = feistel_read(f, p, f->half, true);
    f->value[1] = feistel_read(f, p + f->half, f->n - f->half, false);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned to = i & 1;
        const unsigned what = f->radix << 8 | f->kind.first;
        f->value[to] =
            (f->value[to] + function(r, what, i + 1, f->n, f->value[1 - to]) % f->most[to]) %
            f->most[to];
    }
    feistel_write(f, p, f->half, true, f->value[0]);
    feistel_write(f, p + f->half, f->n - f->half, false, f->value[1]);
}

static void encrypt(const ts_redactor *r, char *out, ts_text piece)
{
    const piece_kind kind = kind_of(piece.p[0]);
    const bool digits = only_digits(piece);
    feistel f = {.n = piece.n,
                 .half = (piece.n + 1) / 2,
                 .radix = digits ? DIGITS : RADIX,
                 .kind = kind,
                 .most = {kind.count, 1}};
    if (piece.n == 1) {
        out[0] = permute(r, piece.p[0], kind);
        return;
    }
    for (size_t i = 1; i < piece.n; i++) {
        f.most[i < f.half ? 0 : 1] *= f.radix;
    }
    memcpy(out, piece.p, piece.n);
    do { /* what begins with a digit and is no number stays so, and no token is a word */
        feistel_run(r, &f, out);
    } while ((!digits && only_digits((ts_text){out, piece.n})) ||
             is_word(r, (ts_text){out, piece.n}));
}

/* --- long ones: a hash ------------------------------------------------------------------------ */

static size_t long_class(size_t n)
{
    size_t class = LONG_LEAST;
    while (class < n && class < TS_TOKEN_MOST) {
        class = class % 3 == 0 ? class / 3 * 4 : class / 2 * 3; /* 24 32 48 64 96 128 */
    }
    return class;
}

static size_t long_token(const ts_redactor *r, char out[TS_TOKEN_MOST], ts_text text)
{
    const piece_kind kind = kind_of(text.p[0]);
    const bool digits = only_digits(text);
    const size_t n = digits && text.n < TS_TOKEN_MOST ? text.n : long_class(text.n);
    ts_hash h = ts_hash_begin(&r->key);
    uint64_t word = 0;
    absorb(&h, UINT64_C(1) << 63 | text.n);
    for (size_t i = 0; i < text.n; i += 8) {
        word = 0;
        memcpy(&word, text.p + i, text.n - i < 8 ? text.n - i : 8);
        absorb(&h, le64toh(word));
    }
    for (size_t i = 0; i < n; i++) {
        if (i % PER_WORD == 0) {
            absorb(&h, i);
            word = squeeze(h);
        }
        out[i] = i == 0 ? alphabet[kind.first + word % kind.count]
                        : alphabet[word % (digits ? DIGITS : RADIX)];
        word /= RADIX;
    }
    return n;
}

/* Words that stay elsewhere do not: nothing else may have their tokens. */
static bool is_exact(const ts_redactor *r, ts_text piece)
{
    bool ascii = piece.n <= TS_TOKEN_EXACT && !is_word(r, piece);
    for (size_t i = 0; ascii && i < piece.n; i++) {
        ascii = (unsigned char)piece.p[i] < 0x80;
    }
    return ascii;
}

static ts_code put_token(ts_redactor *r, ts_text piece, bool exact)
{
    char out[TS_TOKEN_MOST];
    size_t n = piece.n;
    if (exact) {
        encrypt(r, out, piece);
    } else {
        n = long_token(r, out, piece);
    }
    if (r->learn != NULL) {
        TS_TRY(r->learn(r->user, (ts_text){out, n}, piece));
    }
    return ts_buf_put(r->ctx, &r->out, out, n);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Where the known extensions at the end begin: "x.js.gz" has two. */
static size_t extensions_at(ts_text text)
{
    static const char known[] =
        " abc apk bin bz2 c cc cjs class cpp cpuprofile cs dat data db dex dll dylib ets exe go gz "
        "h "
        "hap heapprofile heapsnapshot heaptimeline hprof hpp hsp htm html htrace jar java jfr js "
        "json "
        "jsp jsx kt ko log lz4 mjs node oat odex pb perfetto php pl pprof pprofs ps1 py pyc "
        "rawheap rb "
        "rs scala sh so sql sys tar tgz trace ts tsx txt vdex wasm war xml xz yaml yml zip zst ";
    size_t end = text.n;
    for (;;) {
        char word[16] = " ";
        size_t at = end;
        while (at > 0 && ts_redact_is_piece(text.p[at - 1])) {
            at--;
        }
        if (at < 2 || text.p[at - 1] != '.' || !ts_redact_is_piece(text.p[at - 2]) || at == end ||
            end - at > sizeof word - 3) {
            return end;
        }
        memcpy(word + 1, text.p + at, end - at);
        word[end - at + 1] = ' ';
        if (strstr(known, word) == NULL) {
            return end;
        }
        end = at - 1;
    }
}

static ts_code put_pieces(ts_redactor *r, ts_text text)
{
    const size_t end = extensions_at(text);
    ts_code code = TS_OK;
    for (size_t i = 0; i < end && code == TS_OK;) {
        size_t n = 0;
        while (i + n < end && ts_redact_is_piece(text.p[i + n])) {
            n++;
        }
        ts_text piece = {text.p + i, n};
        code = n == 0 ? ts_buf_putc(r->ctx, &r->out, text.p[i])
                      : put_token(r, piece, is_exact(r, piece));
        i += n == 0 ? 1 : n;
    }
    TS_STEP(code, ts_buf_put(r->ctx, &r->out, text.p + end, text.n - end));
    return code;
}

/* Whether it may be a name, a path or an address. */
static bool is_cut(ts_text text)
{
    bool cut = text.n <= TS_REDACT_CUT;
    size_t pieces = 0;
    for (size_t i = 0; cut && i < text.n; i++) {
        cut = (unsigned char)text.p[i] > ' ';
        pieces += ts_redact_is_piece(text.p[i]) ? 1 : 0;
    }
    return cut && pieces * 2 >= text.n;
}

static ts_code put_value(ts_redactor *r, ts_text text)
{
    return is_cut(text) ? put_pieces(r, text) : put_token(r, text, false);
}

static ts_code put_name(ts_redactor *r, ts_text text)
{
    return text.n <= TS_REDACT_CUT ? put_pieces(r, text) : put_token(r, text, false);
}

/* Words with blanks, commas, bars and colons between them; each that is not known is a name. */
static ts_code put_words(ts_redactor *r, ts_text text)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < text.n && code == TS_OK;) {
        size_t n = 0;
        while (i + n < text.n && !is_one_of(text.p[i + n], " ,;:|")) {
            n++;
        }
        ts_text word = {text.p + i, n};
        uint32_t id;
        code = n == 0                               ? ts_buf_putc(r->ctx, &r->out, text.p[i])
               : ts_pool_find(&id, &r->words, word) ? ts_buf_put(r->ctx, &r->out, word.p, word.n)
               : n == 1 ? put_token(r, word, false) /* no other letter, which would be a word */
                        : put_name(r, word);
        i += n == 0 ? 1 : n;
    }
    return code;
}

static bool is_hex(char c)
{
    return ts_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Decimal and hexadecimal numbers with ,;:|+-. and blanks between them. */
static bool is_numbers(ts_text text)
{
    size_t i = 0;
    while (i < text.n) {
        const bool hex = i + 2 < text.n && text.p[i] == '0' && text.p[i + 1] == 'x';
        if (is_one_of(text.p[i], " ,;:|+-.")) {
            i++;
            continue;
        }
        if (!ts_is_digit(text.p[i])) {
            return false;
        }
        i += hex ? 2 : 0;
        while (i < text.n && (hex ? is_hex(text.p[i]) : ts_is_digit(text.p[i]))) {
            i++;
        }
    }
    return true;
}

/* Whether a text of the class stays as it is, whatever it says. */
static bool redact_spares(const ts_redactor *r, ts_text_class class)
{
    return class == TS_TEXT_OWN || (class == TS_TEXT_NAME && r->level < TS_REDACT_NAMES) ||
           (class == TS_TEXT_PLACE && r->level < TS_REDACT_ALL);
}

/* --- JSON --------------------------------------------------------------------------------------
 */

/* Appends a string between its quotes, from `at` on, where its first character is. False: it has
 * no end. */
static bool json_string(ts_code *code, ts_redactor *r, ts_text text, size_t *at)
{
    const size_t start = *at;
    bool escapes = false;
    size_t i = start;
    while (i < text.n && text.p[i] != '"') {
        escapes = escapes || text.p[i] == '\\';
        i += text.p[i] == '\\' ? 2 : 1;
    }
    if (i >= text.n) {
        return false;
    }
    ts_text string = {text.p + start, i - start};
    *at = ++i;
    while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\n')) {
        i++;
    }
    const bool key = i < text.n && text.p[i] == ':';
    if (string.n == 0 || (key && (redact_spares(r, TS_TEXT_NAME) || is_word(r, string)))) {
        *code = ts_buf_put(r->ctx, &r->out, string.p, string.n);
    } else {
        *code = escapes ? put_token(r, string, false) : put_value(r, string);
    }
    TS_STEP(*code, ts_buf_putc(r->ctx, &r->out, '"'));
    return true;
}

static bool is_json_word(ts_text text, size_t at, size_t *n)
{
    static const char *const words[] = {"true", "false", "null"};
    const ts_text left = ts_text_from(text, at);
    for (size_t i = 0; i < 3; i++) {
        *n = strlen(words[i]);
        if (ts_text_begins(left, words[i])) {
            return true;
        }
    }
    *n = 1;
    return is_one_of(text.p[at], "{}[]:, \t\r\n+-.eE0123456789");
}

/* Strings become tokens; numbers and what is between them stay. What is no JSON is a text. */
static ts_code put_json(ts_redactor *r, ts_text text)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < text.n && code == TS_OK;) {
        size_t n = 1;
        bool fits = text.p[i] == '"' || is_json_word(text, i, &n);
        TS_STEP_IF(code, fits, ts_buf_put(r->ctx, &r->out, text.p + i, n));
        i += n;
        if (fits && code == TS_OK && text.p[i - 1] == '"') {
            fits = json_string(&code, r, text, &i);
        }
        if (!fits) {
            r->out.n = 0;
            return put_value(r, text);
        }
    }
    return code;
}

/* --- classes -----------------------------------------------------------------------------------
 */

ts_code ts_redact_text(ts_text *out, ts_redactor *r, ts_text_class class, ts_text text)
{
    ts_code code;
    *out = text;
    if (text.n == 0 || redact_spares(r, class) || (class == TS_TEXT_NAME && is_word(r, text)) ||
        (class == TS_TEXT_NUMBER && is_numbers(text)) ||
        (r->keep != NULL && r->keep(r->user, text))) {
        return TS_OK;
    }
    r->out.n = 0;
    switch (class) {
    case TS_TEXT_NAME:
    case TS_TEXT_PLACE:
        code = put_name(r, text);
        break;
    case TS_TEXT_WORD:
        code = put_words(r, text);
        break;
    case TS_TEXT_JSON:
        code = put_json(r, text);
        break;
    default:
        code = put_value(r, text);
    }
    *out = ts_buf_text(&r->out);
    return code;
}

ts_code ts_redact_entry(ts_text *out, ts_redactor *r, ts_text text)
{
    *out = text;
    if (text.n == 0 || is_word(r, text) || (r->keep != NULL && r->keep(r->user, text))) {
        return TS_OK;
    }
    r->out.n = 0;
    TS_TRY(put_value(r, text));
    *out = ts_buf_text(&r->out);
    return TS_OK;
}

ts_code ts_redactor_init(ts_redactor *r, ts_ctx *ctx)
{
    r->ctx = ctx;
    return ts_redact_add_words(&r->words, ctx);
}

void ts_redactor_free(ts_redactor *r)
{
    if (r->ctx != NULL) {
        ts_pool_free(r->ctx, &r->words);
        ts_buf_free(r->ctx, &r->out);
    }
}
