#include "tables/frame_names.h"

#include "base/ckd.h"
#include "base/utf8.h"

#include <strings.h>

typedef struct language_name {
    const char *name;
    ts_language language;
} language_name;

/* The first one of a language is what it is called in profiles. */
static const language_name languages[] = {
    {"java", TS_LANG_JAVA},     {"jvm", TS_LANG_JAVA},          {"kotlin", TS_LANG_JAVA},
    {"scala", TS_LANG_JAVA},    {"golang", TS_LANG_GO},         {"go", TS_LANG_GO},
    {"python", TS_LANG_PYTHON}, {"nodejs", TS_LANG_NODEJS},     {"javascript", TS_LANG_NODEJS},
    {"js", TS_LANG_NODEJS},     {"node", TS_LANG_NODEJS},       {"node.js", TS_LANG_NODEJS},
    {"php", TS_LANG_PHP},       {"dotnet", TS_LANG_DOTNET},     {".net", TS_LANG_DOTNET},
    {"c#", TS_LANG_DOTNET},     {"csharp", TS_LANG_DOTNET},     {"ruby", TS_LANG_RUBY},
    {"rust", TS_LANG_RUST},     {"pyroscope-rs", TS_LANG_RUST}, {"cpp", TS_LANG_CPP},
    {"cplusplus", TS_LANG_CPP}, {"c++", TS_LANG_CPP},
};

ts_language ts_language_of(ts_text name)
{
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
        const char *known = languages[i].name;
        if (name.p != NULL && name.n == strlen(known) && strncasecmp(name.p, known, name.n) == 0) {
            return languages[i].language;
        }
    }
    return TS_LANG_UNKNOWN;
}

const char *ts_language_name(ts_language language)
{
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
        if (languages[i].language == language) {
            return languages[i].name;
        }
    }
    return NULL;
}

/* --- texts ---------------------------------------------------------------------------------- */

static ts_text sub(ts_text t, size_t from, size_t to)
{
    return (ts_text){t.p + from, to - from};
}

/* Position of the first c from `from` on, or t.n. */
static size_t find(ts_text t, char c, size_t from)
{
    const char *at = from < t.n ? memchr(t.p + from, c, t.n - from) : NULL;
    return at == NULL ? t.n : (size_t)(at - t.p);
}

/* Position of the last c, or t.n. */
static size_t find_last(ts_text t, char c)
{
    const char *at = t.n == 0 ? NULL : memrchr(t.p, c, t.n);
    return at == NULL ? t.n : (size_t)(at - t.p);
}

/* Position after the first `what`, or 0. */
static size_t find_behind(ts_text t, const char *what)
{
    const char *at = t.n == 0 ? NULL : memmem(t.p, t.n, what, strlen(what));
    return at == NULL ? 0 : (size_t)(at - t.p) + strlen(what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool all_digits(ts_text t)
{
    for (size_t i = 0; i < t.n; i++) {
        if (!is_digit(t.p[i])) {
            return false;
        }
    }
    return t.n > 0;
}

ts_language ts_language_of_file(ts_text file)
{
    if (file.p == NULL) {
        return TS_LANG_UNKNOWN;
    }
    return ts_text_ends(file, ".go")   ? TS_LANG_GO
           : ts_text_ends(file, ".py") ? TS_LANG_PYTHON
                                       : TS_LANG_UNKNOWN;
}

static ts_text or_null(ts_text t)
{
    return t.n == 0 ? TS_TEXT_NULL : t;
}

static ts_text base_name(ts_text path)
{
    size_t slash;
    if (path.p == NULL) {
        return path;
    }
    slash = find_last(path, '/');
    return slash == path.n ? path : sub(path, slash + 1, path.n);
}

/* --- Go ------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Dots in the last element of a path are written as %2e, also of paths in arguments of types; so
 * are bytes of letters that are not ASCII. */
static ts_code go_unescape(ts_ctx *ctx, ts_text *part, ts_buf *scratch)
{
    const ts_text raw = *part;
    size_t from = scratch->n;
    ts_code code = TS_OK;
    if (raw.p == NULL || find(raw, '%', 0) == raw.n) {
        return TS_OK;
    }
    for (size_t i = 0; i < raw.n && code == TS_OK; i++) {
        int high = raw.p[i] == '%' && i + 2 < raw.n ? hex_digit(raw.p[i + 1]) : -1;
        int low = high < 2 ? -1 : hex_digit(raw.p[i + 2]);
        code = ts_buf_putc(ctx, scratch, low < 0 ? raw.p[i] : (char)(high * 16 + low));
        i += low < 0 ? 0 : 2;
    }
    if (code == TS_OK && ts_utf8_valid(scratch->p + from, scratch->n - from)) {
        *part = (ts_text){scratch->p + from, scratch->n - from};
    }
    return code;
}

/* func1, gowrap2, deferwrap1, func1-range2, and the 0 of init.0: made by the compiler, no methods.
 */
static bool go_made(ts_text name)
{
    static const char *const words[] = {"func", "gowrap", "deferwrap", ""};
    name = sub(name, 0, find(name, '-', 0));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ts_text_begins(name, words[i]) && all_digits(sub(name, strlen(words[i]), name.n))) {
            return true;
        }
    }
    return false;
}

/* The rest of a name after its package: "(*T).M", "(*T[...]).M", "T.M" or "f". */
static void go_method(ts_frame_parts *out, ts_text rest)
{
    size_t dot = find(rest, '.', 0);
    size_t close = ts_text_begins(rest, "(*") ? find_behind(rest, ").") : 0;
    out->name = rest;
    if (close > 0) {
        out->cls = sub(rest, 0, close - 1);
        out->name = sub(rest, close, rest.n);
    } else if (dot > 0 && dot + 1 < rest.n && find(rest, '.', dot + 1) == rest.n &&
               find(rest, '[', 0) == rest.n && find(rest, '(', 0) == rest.n &&
               !go_made(sub(rest, dot + 1, rest.n))) {
        out->cls = sub(rest, 0, dot);
        out->name = sub(rest, dot + 1, rest.n);
    }
}

static ts_text go_library(ts_text package, ts_text file)
{
    size_t mod = file.p == NULL ? 0 : find_behind(file, "/pkg/mod/");
    ts_text first;
    if (mod > 0) {
        ts_text path = sub(file, mod, file.n);
        size_t at = find(path, '@', 0);
        return or_null(sub(path, 0, find(path, '/', at)));
    }
    if (package.p == NULL || ts_text_is(package, "main")) {
        return TS_TEXT_NULL;
    }
    first = sub(package, 0, find(package, '/', 0));
    return find(first, '.', 0) < first.n ? TS_TEXT_NULL : TS_STANDARD_LIBRARY;
}

static ts_code split_go(ts_ctx *ctx, ts_frame_parts *out, ts_buf *scratch, ts_text raw)
{
    ts_text seen = sub(raw, 0, find(raw, '[', 0));
    size_t slash = find_last(seen, '/');
    size_t dot = find(seen, '.', slash == seen.n ? 0 : slash + 1);
    ts_code code = TS_OK;
    if (dot < seen.n && dot > 0 && dot + 1 < raw.n) {
        out->package = sub(raw, 0, dot);
        go_method(out, sub(raw, dot + 1, raw.n));
        if ((code = go_unescape(ctx, &out->package, scratch)) == TS_OK &&
            (code = go_unescape(ctx, &out->cls, scratch)) == TS_OK) {
            code = go_unescape(ctx, &out->name, scratch);
        }
    }
    out->library = go_library(out->package, out->file);
    return code;
}

/* --- Python --------------------------------------------------------------------------------- */

/* The path of a module as Python names it: "a/b/__init__.py" is "a.b". */
static ts_code python_module(ts_ctx *ctx, ts_text *out, ts_buf *scratch, ts_text path)
{
    size_t from = scratch->n;
    size_t n = ts_text_ends(path, ".py") ? path.n - 3 : path.n;
    ts_code code = TS_OK;
    n -= n > 9 && memcmp(path.p + n - 9, "/__init__", 9) == 0 ? 9 : 0;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        code = ts_buf_putc(ctx, scratch, path.p[i] == '/' || path.p[i] == '\\' ? '.' : path.p[i]);
    }
    *out = or_null((ts_text){scratch->p + from, scratch->n - from});
    return code;
}

/* Position after "/lib/pythonX.Y/", or 0. */
static size_t python_standard(ts_text file)
{
    size_t at = find_behind(file, "/lib/python");
    size_t slash = at == 0 ? file.n : find(file, '/', at);
    for (size_t i = at; i < slash && at > 0; i++) {
        at = is_digit(file.p[i]) || file.p[i] == '.' ? at : 0;
    }
    return at == 0 || slash == file.n ? 0 : slash + 1;
}

static ts_code split_python(ts_ctx *ctx, ts_frame_parts *out, ts_buf *scratch)
{
    ts_text file = out->file;
    size_t site;
    if (file.p == NULL) {
        return TS_OK;
    }
    if (ts_text_begins(file, "<frozen ")) {
        out->library = TS_STANDARD_LIBRARY;
        return TS_OK;
    }
    site = find_behind(file, "site-packages/");
    site = site > 0 ? site : find_behind(file, "dist-packages/");
    if (site > 0) {
        ts_text path = sub(file, site, file.n);
        ts_text first = sub(path, 0, find(path, '/', 0));
        out->library = or_null(ts_text_ends(first, ".py") ? sub(first, 0, first.n - 3) : first);
        return python_module(ctx, &out->package, scratch, path);
    }
    site = python_standard(file);
    if (site > 0) {
        out->library = TS_STANDARD_LIBRARY;
        return python_module(ctx, &out->package, scratch, sub(file, site, file.n));
    }
    return python_module(ctx, &out->package, scratch, base_name(file));
}

/* --- Java ----------------------------------------------------------------------------------- */

/* Where the part begins that only names hidden classes and lambdas apart, or the end. */
static size_t java_hidden(ts_text t)
{
    for (size_t i = 0; i + 1 < t.n; i++) {
        if ((t.p[i] == '/' && is_digit(t.p[i + 1])) ||
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
    static const char *const names[] = {"byte", "char", "double", "float",
                                        "int",  "long", "short",  "boolean"};
    static const char letters[] = "BCDFIJSZ";
    const char *at = c == '\0' ? NULL : strchr(letters, c);
    return at == NULL ? NULL : names[at - letters];
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
        name = sub(name, (size_t)(slash + 1 - name.p), name.n);
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
    bool below = prefix[n - 1] == '.';
    if (name.p == NULL || name.n < n) {
        return name.p != NULL && below && name.n == n - 1 && memcmp(name.p, prefix, n - 1) == 0;
    }
    return ts_text_begins(name, prefix) && (below || name.n == n || name.p[n] == '.');
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

/* --- others --------------------------------------------------------------------------------- */

/* "|lm:Assembly |ns:Name.Space |ct:Class |fn:Method ..." of Datadog's profiler for .NET. */
static void split_dotnet(ts_frame_parts *out, ts_text raw)
{
    static const char *const tokens[] = {"|lm:", "|ns:", "|ct:", "|fn:"};
    ts_text *parts[] = {&out->library, &out->package, &out->cls, &out->name};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        size_t from = find_behind(raw, tokens[i]);
        if (from > 0) {
            size_t to = find(raw, '|', from);
            while (to > from && raw.p[to - 1] == ' ') {
                to--;
            }
            *parts[i] = to > from ? sub(raw, from, to) : *parts[i];
        }
    }
}

/* "file:function:line", from the right, when the profile has no files of its own. */
static void split_node(ts_frame_parts *out, ts_text raw)
{
    size_t colon = find_last(raw, ':');
    size_t first = colon == raw.n ? raw.n : find_last(sub(raw, 0, colon), ':');
    ts_text line = colon < raw.n ? sub(raw, colon + 1, raw.n) : TS_TEXT_NULL;
    int64_t v = 0;
    if (out->file.p != NULL || colon == raw.n || first >= colon || line.n > 9 ||
        !all_digits(line)) {
        return;
    }
    for (size_t i = 0; i < line.n; i++) {
        v = v * 10 + (line.p[i] - '0');
    }
    out->has_line = v > 0;
    out->line = v;
    out->file = or_null(sub(raw, 0, first));
    out->name = sub(raw, first + 1, colon);
}

/* "p/q/Class.method" or "p.q.Class.method", with or without "(...)" after it. */
static ts_code split_java(ts_ctx *ctx, ts_frame_parts *out, ts_buf *scratch, ts_text raw)
{
    ts_text plain = sub(raw, 0, find(raw, '(', 0));
    size_t dot = find_last(plain, '.');
    size_t from = scratch->n;
    ts_code code;
    if (dot == plain.n || dot == 0 || dot + 1 == plain.n) {
        return TS_OK;
    }
    code = ts_java_class(ctx, scratch, sub(raw, 0, dot));
    if (code == TS_OK) {
        ts_java_split(&out->package, &out->cls, (ts_text){scratch->p + from, scratch->n - from});
        out->name = sub(raw, dot + 1, raw.n);
        out->library = ts_java_library(out->package, TS_TEXT_NULL);
    }
    return code;
}

ts_code ts_frame_split(ts_ctx *ctx, ts_frame_parts *out, ts_buf *scratch, ts_language language,
                       ts_text raw, ts_text file, ts_text library)
{
    ts_code code;
    size_t more;
    *out = (ts_frame_parts){.name = raw, .file = or_null(file)};
    scratch->n = 0;
    /* Nothing moves while parts are appended. A class may grow by brackets. */
    if (ts_ckd_add(&more, raw.n, file.n) || ts_ckd_mul(&more, more, (size_t)3) ||
        ts_ckd_add(&more, more, (size_t)16)) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a name of %zu bytes is too long", raw.n);
    }
    code = ts_buf_reserve(ctx, scratch, more);
    if (code != TS_OK || raw.n == 0) {
        return code;
    }
    switch (language) {
    case TS_LANG_JAVA:
        code = split_java(ctx, out, scratch, raw);
        break;
    case TS_LANG_GO:
        return split_go(ctx, out, scratch, raw);
    case TS_LANG_PYTHON:
        return split_python(ctx, out, scratch);
    case TS_LANG_NODEJS:
        split_node(out, raw);
        break;
    case TS_LANG_DOTNET:
        split_dotnet(out, raw);
        break;
    case TS_LANG_PHP: {
        size_t colons = find_behind(raw, "::");
        if (colons > 2 && colons < raw.n) {
            out->cls = sub(raw, 0, colons - 2);
            out->name = sub(raw, colons, raw.n);
        }
        break;
    }
    default:
        break;
    }
    if (out->library.p == NULL && language != TS_LANG_JAVA) {
        out->library = or_null(base_name(library));
    }
    return code;
}

ts_text ts_frame_class(ts_language language, ts_text cls)
{
    if (language == TS_LANG_GO && cls.p != NULL && ts_text_begins(cls, "(*") &&
        ts_text_ends(cls, ")")) {
        ts_text bare = sub(cls, 2, cls.n - 1);
        return sub(bare, 0, find(bare, '[', 0));
    }
    return cls;
}
