/* The JSON reader: interface, structure and literals. */
#include "json/json_impl.h"

#include "base/alloc.h"

#if JSON_HAS_SSE2
#include <emmintrin.h>
#endif

enum { LEVELS_PER_BYTE = 4, LEVEL_OBJECT = 1, LEVEL_INTS = 2, SHORT_STRING = 256 };

ts_code ts_json_new(ts_json **out, ts_ctx *ctx, const ts_json_handler *handler, void *user,
                    unsigned options)
{
    *out = NULL;
    ts_json *js = ts_alloc(ctx, 1, sizeof *js);
    TS_NEED(ctx, js);
    js->ctx = ctx;
    js->handler = handler;
    js->user = user;
    js->options = options;
    js->scan_ints = json_best_scan_ints();
    js->copy_text = json_best_copy_text();
    js->levels = NULL;
    js->level_cap = 0;
    ts_json_reset(js);
    *out = js;
    return TS_OK;
}

void ts_json_free(ts_json *js)
{
    if (js != NULL) {
        ts_free(js->ctx, js->levels);
        ts_free(js->ctx, js);
    }
}

void ts_json_reset(ts_json *js)
{
    js->code = TS_OK;
    js->state = JSON_AT_START;
    js->reason = NULL;
    js->base = 0;
    js->begin = js->at = js->end = "";
    js->depth = 0;
    js->in_object = false;
    js->want_ints = false;
    js->bom = 0;
    js->replaced = 0;
    js->piece_n = 0;
    js->int_n = 0;
}

ts_json_status ts_json_state(const ts_json *js)
{
    return js->state == JSON_STOPPED   ? TS_JSON_BAD
           : js->state == JSON_AT_REST ? TS_JSON_DONE
                                       : TS_JSON_MORE;
}

uint64_t ts_json_position(const ts_json *js)
{
    return js->base + (uint64_t)(js->at - js->begin);
}

const char *ts_json_reason(const ts_json *js)
{
    return js->reason;
}

uint64_t ts_json_depth(const ts_json *js)
{
    return js->depth;
}

uint64_t ts_json_replaced(const ts_json *js)
{
    return js->replaced;
}

ts_code json_flush_ints(ts_json *js)
{
    if (js->int_n == 0) {
        return TS_OK;
    }
    size_t n = js->int_n;
    js->int_n = 0;
    return js->handler->ints(js->user, js->ints, n);
}

static ts_code json_flush(ts_json *js)
{
    TS_TRY(json_flush_ints(js));
    return json_flush_piece(js, 0);
}

ts_code json_bad(ts_json *js, const char *reason)
{
    ts_code code = json_flush(js);
    js->state = JSON_STOPPED;
    js->reason = reason;
    return code;
}

void json_value_done(ts_json *js)
{
    js->state = js->depth == 0 ? JSON_AT_REST : JSON_AT_COMMA;
}

/* ---- levels ---- */

static unsigned level_shift(uint64_t depth)
{
    return (unsigned)((depth - 1) % LEVELS_PER_BYTE * 2);
}

static void set_level(ts_json *js, unsigned bits)
{
    uint8_t *b = &js->levels[(js->depth - 1) / LEVELS_PER_BYTE];
    unsigned shift = level_shift(js->depth);
    *b = (uint8_t)((*b & ~(3u << shift)) | bits << shift);
    js->in_object = (bits & LEVEL_OBJECT) != 0;
    js->want_ints = (bits & LEVEL_INTS) != 0;
}

/* Opens a level. False with TS_OK in *code: there are too many. */
static bool json_push(ts_code *code, ts_json *js, unsigned bits)
{
    *code = TS_OK;
    if (js->depth >= js->ctx->limits.json_depth) {
        return false;
    }
    size_t index = (size_t)(js->depth / LEVELS_PER_BYTE);
    if (index == js->level_cap) {
        size_t cap = js->level_cap == 0 ? 64 : js->level_cap * 2;
        uint8_t *grown = ts_realloc(js->ctx, js->levels, cap, 1);
        if (grown == NULL) {
            *code = js->ctx->error.code;
            return false;
        }
        memset(grown + js->level_cap, 0, cap - js->level_cap);
        js->levels = grown;
        js->level_cap = cap;
    }
    js->depth++;
    set_level(js, bits);
    return true;
}

static void json_pop(ts_json *js)
{
    js->depth--;
    unsigned bits = 0;
    if (js->depth > 0) {
        unsigned byte = js->levels[(js->depth - 1) / LEVELS_PER_BYTE];
        bits = byte >> level_shift(js->depth);
    }
    js->in_object = (bits & LEVEL_OBJECT) != 0;
    js->want_ints = (bits & LEVEL_INTS) != 0;
}

/* ---- structure ---- */

static ts_code begin_object(ts_json *js)
{
    ts_code code;
    if (!json_push(&code, js, LEVEL_OBJECT)) {
        if (code != TS_OK) {
            return code;
        }
        return json_bad(js, "nested too deep");
    }
    js->at++;
    js->state = JSON_AT_KEY_OR_END;
    return js->handler->object_begin == NULL ? TS_OK : js->handler->object_begin(js->user);
}

static ts_code begin_array(ts_json *js)
{
    ts_code code;
    if (!json_push(&code, js, 0)) {
        if (code != TS_OK) {
            return code;
        }
        return json_bad(js, "nested too deep");
    }
    js->at++;
    js->state = JSON_AT_VALUE_OR_END;
    if (js->handler->array_begin == NULL) {
        return TS_OK;
    }
    int want = TS_JSON_PLAIN;
    code = js->handler->array_begin(js->user, &want);
    if (want == TS_JSON_WANT_INTS && js->handler->ints != NULL) {
        set_level(js, LEVEL_INTS);
    }
    return code;
}

/* `at` is the bracket that ends the level. */
static ts_code end_level(ts_json *js)
{
    TS_TRY(json_flush_ints(js));
    ts_code (*call)(void *) = js->in_object ? js->handler->object_end : js->handler->array_end;
    js->at++;
    json_pop(js);
    json_value_done(js);
    return call == NULL ? TS_OK : call(js->user);
}

static void begin_literal(ts_json *js, const char *rest, ts_json_kind kind)
{
    js->at++;
    js->state = JSON_IN_LITERAL;
    js->literal = rest;
    js->literal_kind = kind;
}

static ts_code literal_step(ts_json *js)
{
    while (js->at < js->end) {
        if (*js->at != *js->literal) {
            return json_bad(js, "invalid literal");
        }
        js->at++;
        js->literal++;
        if (*js->literal == '\0') {
            json_value_done(js);
            return js->handler->literal == NULL ? TS_OK
                                                : js->handler->literal(js->user, js->literal_kind);
        }
    }
    return TS_OK;
}

/* Takes runs of integers as long as the scanner finds any. */
static ts_code json_take_ints(ts_json *js)
{
    ts_code code = TS_OK;
    size_t n = 1;
    while (code == TS_OK && n > 0) {
        n = js->scan_ints(&js->at, js->end, js->ints + js->int_n, JSON_INTS - js->int_n);
        if (n > 0) {
            js->state = JSON_AT_VALUE;
            js->int_n += n;
        }
        if (js->int_n == JSON_INTS) {
            code = json_flush_ints(js);
        }
    }
    return code;
}

/* The closing quote of a text that ends within 16 bytes and needs no change; NULL: ask the
 * scanners.
 */
static inline const char *quote_at_once(const char *p, const char *end)
{
#if JSON_HAS_SSE2
    if (end - p >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
        /* Compared with signs, bytes of 0x80 and above are below a blank, too. */
        __m128i other = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(' ')),
                                     _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
        unsigned quotes = (unsigned)_mm_movemask_epi8(quote);
        unsigned before =
            quotes ^ (quotes - 1); /* up to the first quote; all where there is none */
        if (quotes != 0 && ((unsigned)_mm_movemask_epi8(other) & before) == 0) {
            return p + (unsigned)__builtin_ctz(quotes);
        }
    }
#else
    (void)p;
    (void)end;
#endif
    return NULL;
}

/* The opening quote is at `at`. Where the closing one is, when the block has all of the string and
 * it is short and needs no change; else NULL. */
static const char *short_string(const ts_json *js, bool is_key)
{
    const char *p = js->at + 1;
    const char *end = js->end - p > SHORT_STRING ? p + SHORT_STRING : js->end;
    const char *quote = quote_at_once(p, end);
    if (quote != NULL) {
        return quote;
    }
    quote = !is_key && (js->options & TS_JSON_RAW_STRINGS) != 0 ? json_scan_bytes(p, end)
                                                                : json_scan_text(p, end);
    return quote < end && *quote == '"' ? quote : NULL;
}

static ts_code string_value(ts_json *js)
{
    const char *p = js->at + 1;
    const char *quote = short_string(js, false);
    if (quote == NULL) {
        json_string_begin(js, false);
        return TS_OK;
    }
    js->at = quote + 1;
    json_value_done(js);
    return js->handler->string == NULL ? TS_OK
                                       : js->handler->string(js->user, p, (size_t)(quote - p),
                                                             TS_JSON_FIRST | TS_JSON_LAST);
}

static ts_code key(ts_json *js)
{
    const char *p = js->at + 1;
    const char *quote = short_string(js, true);
    if (quote == NULL) {
        json_string_begin(js, true);
        return TS_OK;
    }
    js->at = quote + 1;
    js->state = JSON_AT_COLON;
    return js->handler->key == NULL ? TS_OK : js->handler->key(js->user, p, (size_t)(quote - p));
}

static ts_code other_value(ts_json *js)
{
    switch (*js->at) {
    case '{':
        return begin_object(js);
    case '[':
        return begin_array(js);
    case '"':
        return string_value(js);
    case 't':
        begin_literal(js, "rue", TS_JSON_TRUE);
        return TS_OK;
    case 'f':
        begin_literal(js, "alse", TS_JSON_FALSE);
        return TS_OK;
    case 'n':
        begin_literal(js, "ull", TS_JSON_NULL);
        return TS_OK;
    default:
        break;
    }
    bool utf16 = js->base + (uint64_t)(js->at - js->begin) == 0 && (unsigned char)*js->at >= 0xFE;
    return json_bad(js, utf16                               ? "the text is not UTF-8"
                        : js->state == JSON_AT_VALUE_OR_END ? "expected a value or ']'"
                                                            : "expected a value");
}

static ts_code value(ts_json *js)
{
    char c = *js->at;
    if (json_is_digit(c) || c == '-') {
        const char *before = js->at;
        if (js->want_ints) {
            ts_code code = json_take_ints(js);
            if (code != TS_OK || js->at != before) {
                return code;
            }
        }
        return json_number_begin(js);
    }
    ts_code code;
    TS_TRY_INTO(code, json_flush_ints(js));
    return other_value(js);
}

static ts_code comma(ts_json *js)
{
    char c = *js->at;
    if (c == ',') {
        js->at++;
        js->state = js->in_object ? JSON_AT_KEY : JSON_AT_VALUE;
        return TS_OK;
    }
    if (c == (js->in_object ? '}' : ']')) {
        return end_level(js);
    }
    return json_bad(js, js->in_object ? "expected ',' or '}'" : "expected ',' or ']'");
}

static inline ts_code structure(ts_json *js)
{
    js->at = json_skip_space(js->at, js->end);
    if (js->at == js->end) {
        return TS_OK;
    }
    char c = *js->at;
    switch (js->state) {
    case JSON_AT_VALUE_OR_END:
        return c == ']' ? end_level(js) : value(js);
    case JSON_AT_COMMA:
        return comma(js);
    case JSON_AT_KEY_OR_END:
    case JSON_AT_KEY:
        if (c == '"') {
            return key(js);
        }
        if (js->state == JSON_AT_KEY) {
            return json_bad(js, "expected a key");
        }
        return c == '}' ? end_level(js) : json_bad(js, "expected a key or '}'");
    case JSON_AT_COLON:
        if (c != ':') {
            return json_bad(js, "expected ':'");
        }
        js->at++;
        js->state = JSON_AT_VALUE;
        return TS_OK;
    case JSON_AT_REST:
        return json_bad(js, "text after the end of the document");
    default:
        return value(js);
    }
}

static ts_code start(ts_json *js)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (*js->at == mark[js->bom]) {
        js->at++;
        js->bom++;
        if (mark[js->bom] == '\0') {
            js->state = JSON_AT_VALUE;
        }
        return TS_OK;
    }
    if (js->bom > 0) {
        return json_bad(js, "incomplete byte order mark");
    }
    js->state = JSON_AT_VALUE;
    return TS_OK;
}

static ts_code json_step(ts_json *js)
{
    switch (js->state) {
    case JSON_AT_START:
        return start(js);
    case JSON_IN_STRING:
        return json_string_step(js);
    case JSON_IN_NUMBER:
        return json_number_step(js);
    case JSON_IN_LITERAL:
        return literal_step(js);
    default:
        return structure(js);
    }
}

ts_code ts_json_feed(ts_json *js, const char *p, size_t n)
{
    if (js->code != TS_OK || js->state == JSON_STOPPED || n == 0) {
        return js->code;
    }
    ts_code code = TS_OK;
    js->begin = js->at = p;
    js->end = p + n;
    while (code == TS_OK && js->at < js->end && js->state != JSON_STOPPED) {
        code =
            js->state >= JSON_AT_VALUE && js->state <= JSON_AT_REST ? structure(js) : json_step(js);
    }
    TS_STEP(code, json_flush(js));
    js->base += (uint64_t)(js->at - js->begin);
    js->begin = js->at = js->end = "";
    js->code = code;
    return code;
}

static const char *end_reason(const ts_json *js)
{
    switch (js->state) {
    case JSON_IN_STRING:
        return js->is_key ? "the text ends inside a key" : "the text ends inside a string";
    case JSON_IN_NUMBER:
        return "the text ends inside a number";
    case JSON_IN_LITERAL:
        return "the text ends inside a literal";
    case JSON_AT_START:
        return js->bom > 0 ? "incomplete byte order mark" : "the text is empty";
    default:
        return js->depth == 0  ? "the text is empty"
               : js->in_object ? "the text ends inside an object"
                               : "the text ends inside an array";
    }
}

ts_code ts_json_finish(ts_json *js)
{
    if (js->code != TS_OK || js->state == JSON_STOPPED || js->state == JSON_AT_REST) {
        return js->code;
    }
    /* Inside an array or object a number at the end may have lost digits. */
    if (js->state == JSON_IN_NUMBER && js->depth == 0 && json_number_may_end(js)) {
        js->code = json_number_end(js);
    } else {
        js->code = json_bad(js, end_reason(js));
    }
    return js->code;
}
