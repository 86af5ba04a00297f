#include "export/export_language.h"

#include "tables/frame_names.h"

static ts_text language_text(ts_text t)
{
    return t.p == NULL ? (ts_text){"", 0} : t;
}

static ts_code language_join(ts_ctx *ctx, ts_buf *out, ts_text cls, ts_text name)
{
    ts_code code = TS_OK;
    if (cls.n > 0 && (code = ts_buf_put(ctx, out, cls.p, cls.n)) == TS_OK) {
        code = ts_buf_putc(ctx, out, '.');
    }
    TS_STEP(code, ts_buf_put(ctx, out, name.p, name.n));
    return code;
}

/* --- Java with its types spelt: "Ret (Arg,Arg)" ---------------------------------------------- */

/* A result that is a primitive type or void is not shown. */
static bool spelt_is_plain(ts_text ret)
{
    static const char *const words[] = {"byte", "char",  "double",  "float", "int",
                                        "long", "short", "boolean", "void"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ts_text_is(ret, words[i])) {
            return true;
        }
    }
    return false;
}

/* Divides it; false when it is none. */
static bool spelt_split(ts_text *ret, ts_text *arguments, ts_text signature)
{
    const char *bracket = signature.n > 0 ? memchr(signature.p, '(', signature.n) : NULL;
    if (bracket == NULL || bracket < signature.p + 2 || bracket[-1] != ' ' ||
        signature.p[signature.n - 1] != ')') {
        return false;
    }
    *ret = (ts_text){signature.p, (size_t)(bracket - signature.p) - 1};
    *arguments = (ts_text){bracket, signature.n - ret->n - 1};
    return true;
}

static ts_code spelt_put(ts_ctx *ctx, ts_buf *out, const ts_named *m, ts_text ret,
                         ts_text arguments)
{
    ts_code code = TS_OK;
    if (!spelt_is_plain(ret) && (code = ts_buf_put(ctx, out, ret.p, ret.n)) == TS_OK) {
        code = ts_buf_putc(ctx, out, ' ');
    }
    TS_STEP(code, language_join(ctx, out, m->cls, m->name));
    for (size_t i = 0; i < arguments.n && code == TS_OK; i++) {
        bool blank = arguments.p[i] == ',' && i + 1 < arguments.n && arguments.p[i + 1] != ' ';
        code = ts_buf_put(ctx, out, blank ? ", " : arguments.p + i, blank ? 2 : 1);
    }
    return code;
}

/* --- all ---------------------------------------------------------------------------------------
 */

static ts_code language_java(ts_ctx *ctx, ts_buf *text, ts_buf *scratch, ts_named *m)
{
    ts_text package = m->package;
    ts_text cls;
    ts_text ret, arguments;
    ts_code code;
    TS_TRY(code, ts_java_class(ctx, scratch, m->cls));
    cls = ts_buf_text(scratch);
    if (package.n == 0) {
        ts_java_split(&package, &cls, cls);
    }
    m->cls = language_text(cls);
    m->package = language_text(package);
    m->library = language_text(ts_java_library(m->package, m->library));
    if (spelt_split(&ret, &arguments, m->signature)) {
        return spelt_put(ctx, text, m, ret, arguments);
    }
    return ts_java_method(ctx, text, m->cls, m->name, m->signature);
}

ts_code ts_language_method(ts_ctx *ctx, ts_buf *text, ts_buf *scratch, ts_named *m,
                           ts_text language)
{
    ts_language known = ts_language_of(language);
    ts_code code;
    scratch->n = 0;
    if (known == TS_LANG_JAVA) {
        return language_java(ctx, text, scratch, m);
    }
    if (known != TS_LANG_GO) {
        return ts_buf_put(ctx, text, m->name.p, m->name.n);
    }
    code = language_join(ctx, text, m->cls, m->name);
    m->cls = language_text(ts_frame_class(known, m->cls));
    return code;
}
