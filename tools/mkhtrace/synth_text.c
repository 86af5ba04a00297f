#include "synth.h"

/* Names that come first, as in every V8 snapshot; the rest is made of the words below. */
static const char *const first_names[] = {
    "<dummy>",       "",           "(GC roots)",   "(Internalized strings)",
    "Object",        "Array",      "system / Map", "Function",
    "Map",           "Set",        "Date",         "Promise",
    "(string)",      "Uint8Array", "prototype",    "__proto__",
    "map",           "elements",   "shared",       "context",
    "length",        "name",       "value",        "next",
    "function_data", "properties", "scope_info",   "feedback_cell",
};

static const char *const words[] = {
    "user",  "order",  "item",   "cache",   "view",   "state", "handler", "request",
    "node",  "list",   "config", "session", "render", "image", "promise", "context",
    "build", "update", "page",   "stream",  "token",  "query", "router",  "module",
    "get",   "set",    "on",     "is",      "chunk",  "map",   "profile", "component",
};

enum { FIRST_NAMES = sizeof first_names / sizeof first_names[0] };
enum { WORDS = sizeof words / sizeof words[0] };

static void put_word(mk_text *t, mk_rand *r, bool capital)
{
    const char *w = words[mk_below(r, WORDS)];
    char first[2] = {(char)(w[0] - 'a' + 'A'), '\0'};

    if (!capital) {
        mk_text_str(t, w);
        return;
    }
    mk_text_str(t, first);
    mk_text_str(t, w + 1);
}

static void put_identifier(mk_text *t, mk_rand *r, uint64_t index)
{
    uint64_t parts = 1 + mk_below(r, 3);

    put_word(t, r, mk_below(r, 4) == 0);
    for (uint64_t i = 0; i < parts; i++)
        put_word(t, r, true);
    mk_text_num(t, (int64_t)index);
}

static void put_url(mk_text *t, mk_rand *r, uint64_t index)
{
    mk_text_str(t, "https://app.example.org/static/chunk-");
    put_word(t, r, false);
    mk_text_str(t, "/");
    mk_text_num(t, (int64_t)index);
    mk_text_str(t, ".js?v=1.2.3");
}

static void put_source(mk_text *t, mk_rand *r, uint64_t index)
{
    uint64_t lines = 2 + mk_below(r, 12);

    for (uint64_t i = 0; i < lines; i++) {
        mk_text_str(t, "function ");
        put_word(t, r, false);
        mk_text_num(t, (int64_t)(index + i));
        mk_text_str(t, "(a, b) {\\n\\treturn a[\\\"x\\\"] < b && /\\\\d+/.test(b);\\n}\\r\\n");
    }
}

static void put_unicode(mk_text *t, mk_rand *r, uint64_t index, mk_style style)
{
    static const char *const escaped[] = {
        "caf\\u00E9 ", "\\u4F60\\u597D ", "\\uD83D\\uDE00 ", "\\uD83D\\uDC69\\u200D\\uD83D\\uDCBB ",
        "\\uD83D ",    "\\uDE00x ",       "a\\u0000b ",      "\\u001F\\u007F ",
    };
    static const char *const plain[] = {
        "café ", "你好 ", "😀 ", "👩‍💻 ", "\\ud83d ", "\\ude00x ", "a\\u0000b ", "\\u001f ",
    };
    uint64_t n = 1 + mk_below(r, 4);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t which = mk_below(r, 8);

        if (style == MK_ARKTS && (which == 4 || which == 5)) /* half a pair */
            which -= 2;
        mk_text_str(t, style == MK_UTF8 ? plain[which] : escaped[which]);
    }
    mk_text_num(t, (int64_t)index);
}

void mk_synth_string(mk_text *t, uint64_t seed, uint64_t index, mk_style style)
{
    mk_rand r = {mk_mix(seed ^ 0x5354524EU) + index};
    uint64_t kind = mk_below(&r, 100);

    mk_text_str(t, "\"");
    if (index < FIRST_NAMES)
        mk_text_str(t, first_names[index]);
    else if (kind < 70)
        put_identifier(t, &r, index);
    else if (kind < 85)
        put_url(t, &r, index);
    else if (kind < 95)
        mk_text_num(t, (int64_t)(mk_next(&r) >> 8));
    else if (kind < 98)
        put_unicode(t, &r, index, style);
    else
        put_source(t, &r, index);
    mk_text_str(t, "\"");
}
