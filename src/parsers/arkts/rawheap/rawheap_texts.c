/*
 * Texts and their numbers, which are given in the order of first use. Long ones are known by a hash
 * and stay in the file until they are put.
 */
#include "parsers/arkts/rawheap/rawheap.h"

static ts_code number_of(uint32_t *out, rawheap *r, ts_text text, uint64_t at)
{
    static const char global[] = "_GLOBAL";
    char key[TS_POOL_KEY];
    const ts_text kept = ts_pool_key(key, r->ctx, text);
    bool added;
    uint32_t id;
    TS_TRY(ts_pool_intern(r->ctx, &id, &added, &r->texts, kept));
    if (added) {
        const rawheap_text place = {
            .at = (uint32_t)at,
            .size = text.n > TS_POOL_LONG ? (uint32_t)text.n : 0,
            .global = memmem(text.p, text.n, global, sizeof global - 1) != NULL,
        };
        TS_TRY(ts_vec_push(r->ctx, &r->text_places, &place, sizeof place));
    }
    *out = id + RAWHEAP_FIRST_TEXT;
    return TS_OK;
}

ts_code rawheap_number(uint32_t *out, rawheap *r, ts_text text)
{
    if (text.n > TS_POOL_LONG) { /* not in the file as it is: what names types and fields */
        text.n = TS_POOL_LONG;
    }
    return number_of(out, r, text, 0);
}

ts_code rawheap_word_number(uint32_t *out, rawheap *r, enum rawheap_word word)
{
    static const char *const words[WORD_COUNT] = {
        [WORD_ROOT] = "SyntheticRoot",
        [WORD_SUBROOT] = "-subroot-",
        [WORD_JS_OBJECT] = "JSObject",
        [WORD_HCLASS] = "hclass",
        [WORD_HASH] = "ArkInternalHash",
        [WORD_INLINE] = "InlineProperty",
        [WORD_INT] = "Int",
        [WORD_DOUBLE] = "Double",
        [WORD_UNDEFINED] = "Undefined",
        [WORD_NULL] = "Null",
        [WORD_FALSE] = "Boolean:false",
        [WORD_TRUE] = "Boolean:true",
        [WORD_EXCEPTION] = "Exception",
        [WORD_ILLEGAL] = "Illegal_Primitive",
        [WORD_UNKNOWN] = "unknown_type",
    };
    if (r->words[word] == 0) {
        TS_TRY(rawheap_number(&r->words[word], r, ts_text_of(words[word])));
    }
    *out = r->words[word];
    return TS_OK;
}

ts_code rawheap_file_text(uint32_t *out, rawheap *r, uint64_t at, uint32_t n)
{
    const uint64_t most = r->ctx->limits.max_string;
    const uint8_t *p;
    const uint8_t *end;
    size_t have;
    size_t want = n <= most ? n : (size_t)most + 1; /* that is cut and counted later */
    TS_TRY(ts_window_get(&p, &have, r->in, at, want));
    want = have < want ? have : want;
    end = want == 0 ? NULL : memchr(p, 0, want);
    want = end == NULL ? want : (size_t)(end - p);
    return number_of(out, r, (ts_text){want == 0 ? "" : (const char *)p, want}, at);
}

bool rawheap_is_global(const rawheap *r, uint32_t number)
{
    return number >= RAWHEAP_FIRST_TEXT &&
           ((const rawheap_text *)r->text_places.p)[number - RAWHEAP_FIRST_TEXT].global;
}

bool rawheap_is_empty(const rawheap *r, uint32_t number)
{
    return number == RAWHEAP_EMPTY || (number >= RAWHEAP_FIRST_TEXT &&
                                       ts_pool_text(&r->texts, number - RAWHEAP_FIRST_TEXT).n == 0);
}

uint32_t rawheap_text_count(const rawheap *r)
{
    return RAWHEAP_FIRST_TEXT + r->texts.count;
}
