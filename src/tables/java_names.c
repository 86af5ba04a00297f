/* How Java's classes and methods are written for people. */
#include "tables/frame_names.h"

static bool java_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the part begins that only names hidden classes and lambdas apart, or the end. */
static size_t java_hidden(ts_text t)
{
    for (size_t i = 0; i + 1 < t.n; i++) {
        if ((t.p[i] == '/' && java_digit(t.p[i + 1])) ||
            (t.p[i] == '+' && i + 2 < t.n && t.p[i + 1] == '0' && t.p[i + 2] == 'x')) {
            return i;
        }
    }
    return t.n;
}

static ts_code put_dotted(ts_ctx *ctx, ts_buf *out, ts_text t)
{
    size_t from = out->n;
    ts_code code = ts_buf_put(ctx, out, t.p, t.n);
    for (size_t i = from; i < out->n && code == TS_OK; i++) {
        out->p[i] = out->p[i] == '/' ? '.' : out->p[i];
    }
    return code;
}

static const char *primitive(char c)
{
    switch (c) {
    case 'B':
        return "byte";
    case 'C':
        return "char";
    case 'D':
        return "double";
    case 'F':
        return "float";
    case 'I':
        return "int";
    case 'J':
        return "long";
    case 'S':
        return "short";
    case 'Z':
        return "boolean";
    default:
        return NULL;
    }
}

/* One type of a descriptor: its dimensions, and where it ends; 0: it is none. */
typedef struct java_type {
    size_t dimensions;
    ts_text name; /* of a class; NULL: `word` */
    const char *word;
} java_type;

static size_t read_type(java_type *out, ts_text t, size_t i)
{
    *out = (java_type){0};
    for (; i < t.n && t.p[i] == '['; i++) {
        out->dimensions++;
    }
    if (i < t.n && t.p[i] == 'L') {
        const char *end = memchr(t.p + i, ';', t.n - i);
        if (end == NULL || end == t.p + i + 1) {
            return 0;
        }
        out->name = (ts_text){t.p + i + 1, (size_t)(end - t.p) - i - 1};
        return (size_t)(end - t.p) + 1;
    }
    out->word = i < t.n ? primitive(t.p[i]) : NULL;
    return out->word == NULL ? 0 : i + 1;
}

static ts_code put_type(ts_ctx *ctx, ts_buf *out, const java_type *type, bool simple)
{
    ts_text name = type->word != NULL ? ts_text_of(type->word) : type->name;
    const char *slash = simple && name.n > 0 ? memrchr(name.p, '/', name.n) : NULL;
    ts_code code;
    if (slash != NULL) {
        name = (ts_text){slash + 1, name.n - (size_t)(slash + 1 - name.p)};
    }
    code = put_dotted(ctx, out, name);
    for (size_t i = 0; i < type->dimensions && code == TS_OK; i++) {
        code = ts_buf_put(ctx, out, "[]", 2);
    }
    return code;
}

ts_code ts_java_class(ts_ctx *ctx, ts_buf *out, ts_text symbol)
{
    java_type type;
    symbol.n = java_hidden(symbol);
    if (symbol.n > 0 && symbol.p[0] == '[' && read_type(&type, symbol, 0) == symbol.n) {
        return put_type(ctx, out, &type, false);
    }
    return put_dotted(ctx, out, symbol);
}

void ts_java_split(ts_text *package, ts_text *cls, ts_text name)
{
    const char *dot = name.n == 0 ? NULL : memrchr(name.p, '.', name.n);
    *package = TS_TEXT_NULL;
    *cls = name.n == 0 ? TS_TEXT_NULL : name;
    if (dot != NULL && dot > name.p && dot + 1 < name.p + name.n) {
        *package = (ts_text){name.p, (size_t)(dot - name.p)};
        *cls = (ts_text){dot + 1, name.n - package->n - 1};
    }
}

/* Where the result's type begins in a descriptor whose types all are ones; 0: it is none. */
static size_t check_descriptor(ts_text d)
{
    java_type type;
    size_t i = 1;
    size_t end;
    if (d.p == NULL || d.n < 3 || d.p[0] != '(') {
        return 0;
    }
    while (i < d.n && d.p[i] != ')') {
        if ((i = read_type(&type, d, i)) == 0) {
            return 0;
        }
    }
    if (i + 1 >= d.n) {
        return 0;
    }
    end = d.p[i + 1] == 'V' ? i + 2 : read_type(&type, d, i + 1);
    return end == d.n ? i + 1 : 0;
}

static ts_code put_arguments(ts_ctx *ctx, ts_buf *out, ts_text d)
{
    java_type type;
    ts_code code = ts_buf_putc(ctx, out, '(');
    for (size_t i = 1; d.p[i] != ')' && code == TS_OK;) {
        if (i > 1) {
            code = ts_buf_put(ctx, out, ", ", 2);
        }
        i = read_type(&type, d, i);
        TS_STEP(code, put_type(ctx, out, &type, true));
    }
    TS_STEP(code, ts_buf_putc(ctx, out, ')'));
    return code;
}

ts_code ts_java_method(ts_ctx *ctx, ts_buf *out, ts_text cls, ts_text name, ts_text descriptor)
{
    size_t result = check_descriptor(descriptor);
    java_type type;
    ts_code code = TS_OK;
    if (result > 0 && descriptor.p[result] != 'V') {
        (void)read_type(&type, descriptor, result);
        if (type.word == NULL || type.dimensions > 0) {
            code = put_type(ctx, out, &type, true);
            TS_STEP(code, ts_buf_putc(ctx, out, ' '));
        }
    }
    if (code == TS_OK && cls.n > 0) {
        code = ts_buf_put(ctx, out, cls.p, cls.n);
        TS_STEP(code, ts_buf_putc(ctx, out, '.'));
    }
    TS_STEP(code, ts_buf_put(ctx, out, name.p, name.n));
    TS_STEP_IF(code, result > 0, put_arguments(ctx, out, descriptor));
    return code;
}

ts_code ts_java_modifiers(ts_ctx *ctx, ts_buf *out, int64_t flags)
{
    static const int64_t bits[] = {0x1, 0x4, 0x2, 0x400, 0x8, 0x10, 0x20, 0x100, 0x800};
    const char *word =
        "public protected private abstract static final synchronized native strictfp";
    const char *blank = "";
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0] && code == TS_OK; i++) {
        int n = (int)strcspn(word, " ");
        if ((flags & bits[i]) != 0) {
            code = ts_buf_printf(ctx, out, "%s%.*s", blank, n, word);
            blank = " ";
        }
        word += n + (word[n] == ' ');
    }
    return code;
}

/* `prefix` itself, or something below it when it ends in a dot. */
static bool java_within(ts_text name, const char *prefix)
{
    size_t n = strlen(prefix);
    if (name.p == NULL) {
        return false;
    }
    if (prefix[n - 1] == '.') {
        return (name.n >= n && memcmp(name.p, prefix, n) == 0) ||
               (name.n == n - 1 && memcmp(name.p, prefix, n - 1) == 0);
    }
    return name.n >= n && memcmp(name.p, prefix, n) == 0 && (name.n == n || name.p[n] == '.');
}

ts_text ts_java_library(ts_text package, ts_text module)
{
    static const char *const packages[] = {
        "java.",       "javax.",      "jdk.",          "sun.",    "com.sun.",
        "org.w3c.dom", "org.xml.sax", "org.ietf.jgss", "org.omg",
    };
    if (java_within(module, "java.") || java_within(module, "jdk.")) {
        return TS_STANDARD_LIBRARY;
    }
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++) {
        if (java_within(package, packages[i])) {
            return TS_STANDARD_LIBRARY;
        }
    }
    return module.n == 0 ? TS_TEXT_NULL : module;
}
