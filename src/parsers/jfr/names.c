/* Names of classes and methods of the Java VM. */
#include "parsers/jfr/names.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Hidden classes have an address behind their name: "A$$Lambda$91+0x0800/4943", "A$$Lambda/0x09".
 */
static size_t visible_length(ts_text raw)
{
    for (size_t i = 0; i + 1 < raw.n; i++) {
        if ((raw.p[i] == '/' && is_digit(raw.p[i + 1])) ||
            (raw.p[i] == '+' && raw.n - i > 2 && raw.p[i + 1] == '0' && raw.p[i + 2] == 'x')) {
            return i;
        }
    }
    return raw.n;
}

static const char *primitive(char c)
{
    static const struct {
        char c;
        const char *name;
    } names[] = {{'B', "byte"}, {'C', "char"}, {'D', "double"}, {'F', "float"},
                 {'I', "int"},  {'J', "long"}, {'S', "short"},  {'Z', "boolean"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].c == c) {
            return names[i].name;
        }
    }
    return NULL;
}

ts_code jfr_class_name(ts_ctx *ctx, ts_buf *out, ts_text raw)
{
    size_t dimensions = 0;
    ts_code code;
    raw.n = visible_length(raw);
    while (dimensions < raw.n && raw.p[dimensions] == '[') {
        dimensions++;
    }
    raw.p += dimensions;
    raw.n -= dimensions;
    if (dimensions > 0 && raw.n == 1 && primitive(raw.p[0]) != NULL) {
        raw = ts_text_of(primitive(raw.p[0]));
    } else if (dimensions > 0 && raw.n >= 2 && raw.p[0] == 'L' && raw.p[raw.n - 1] == ';') {
        raw = (ts_text){raw.p + 1, raw.n - 2};
    }
    code = ts_buf_reserve(ctx, out, raw.n + 2 * dimensions);
    for (size_t i = 0; i < raw.n && code == TS_OK; i++) {
        out->p[out->n++] = raw.p[i] == '/' ? '.' : raw.p[i];
    }
    for (size_t i = 0; i < dimensions && code == TS_OK; i++) {
        out->p[out->n++] = '[';
        out->p[out->n++] = ']';
    }
    return code;
}

ts_code jfr_modifiers(ts_ctx *ctx, ts_buf *out, uint32_t bits)
{
    static const uint32_t order[] = {1, 4, 2, 0x400, 8, 0x10, 0x20, 0x100, 0x800};
    const char *word =
        "public protected private abstract static final synchronized native strictfp";
    ts_code code = TS_OK;
    size_t start = out->n;
    for (size_t i = 0; i < sizeof order / sizeof order[0] && code == TS_OK; i++) {
        size_t n = strcspn(word, " ");
        if ((bits & order[i]) != 0) {
            code = ts_buf_printf(ctx, out, "%s%.*s", out->n > start ? " " : "", (int)n, word);
        }
        word += n + (word[n] == ' ' ? 1 : 0);
    }
    return code;
}

static bool begins(ts_text text, const char *with)
{
    size_t n = strlen(with);
    return text.p != NULL && text.n >= n && memcmp(text.p, with, n) == 0;
}

bool jfr_is_standard(ts_text module, ts_text package)
{
    static const char *const packages[] = {"java.",       "javax.",        "jdk.",
                                           "sun.",        "com.sun.",      "org.w3c.dom",
                                           "org.xml.sax", "org.ietf.jgss", "org.omg."};
    bool standard = begins(module, "java.") || begins(module, "jdk.");
    for (size_t i = 0; i < sizeof packages / sizeof packages[0] && !standard; i++) {
        standard = begins(package, packages[i]);
    }
    return standard;
}
