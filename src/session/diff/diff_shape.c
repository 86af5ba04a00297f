#include "session/diff/diff_rows.h"

#include "tables/question_text.h"

#include <stdlib.h>

static int order_of(const ts_shipped *s)
{
    ts_text line = ts_question_first(ts_buf_text(&s->sql), "Order");
    int order = 0;
    for (size_t i = 0; i < line.n && line.p[i] >= '0' && line.p[i] <= '9' && order < 100000; i++) {
        order = order * 10 + (line.p[i] - '0');
    }
    return order;
}

static int compare_order(const void *a, const void *b)
{
    const ts_shipped *x = a;
    const ts_shipped *y = b;
    int i = order_of(x);
    int k = order_of(y);
    return i != k ? (i > k) - (i < k) : strcmp(x->name, y->name);
}

static void sort_by_order(const ts_questions *all)
{
    if (all->count > 0) {
        qsort(all->all, all->count, sizeof *all->all, compare_order);
    }
}

ts_code diff_load(ts_questions *all, ts_ctx *ctx, bool fleet)
{
    TS_TRY(ts_questions_load_from(all, ctx, fleet ? "/fleet/diff" : "/diff"));
    if (all->count == 0) {
        return ts_fail(ctx, TS_ERR_INPUT,
                       "what can be compared is not installed: %sdiff/*.sql is missing beside the "
                       "shipped questions",
                       fleet ? "fleet/" : "");
    }
    sort_by_order(all);
    return TS_OK;
}

static ts_code bad_shape(ts_ctx *ctx, const diff_shape *s, const char *what)
{
    return ts_fail(ctx, TS_ERR_INTERNAL, "the comparison \"%s\" has %s", s->file->name, what);
}

static bool put_name(char out[DIFF_NAME], ts_text name)
{
    if (name.n == 0 || name.n >= DIFF_NAME) {
        return false;
    }
    memcpy(out, name.p, name.n);
    out[name.n] = '\0';
    return true;
}

static ts_code read_keys(diff_shape *s, ts_ctx *ctx, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Key");
    ts_text line;
    ts_text name;
    size_t column;
    while (ts_question_line(&line, &column, &part)) {
        while (ts_question_name_next(&name, &line)) {
            if (s->key_count == DIFF_KEYS || !put_name(s->keys[s->key_count], name)) {
                return bad_shape(ctx, s, "too many or too long keys");
            }
            s->key_count++;
        }
    }
    return s->key_count > 0 ? TS_OK : bad_shape(ctx, s, "no key");
}

/* "ns, sum, share" */
static bool read_words(diff_value *v, ts_text words)
{
    static const char *const units[] = {"plain", "bytes", "ns"};
    static const char *const kinds[] = {"sum", "level", "each", "once"};
    ts_text word;
    bool unit = false;
    bool kind = false;
    while (ts_question_name_next(&word, &words)) {
        bool known = ts_text_is(word, "share");
        v->has_share = v->has_share || known;
        for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
            if (ts_text_is(word, units[i])) {
                v->unit = (diff_unit)i;
                known = unit = true;
            }
        }
        for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            if (ts_text_is(word, kinds[i])) {
                v->kind = (diff_kind)i;
                known = kind = true;
            }
        }
        if (!known) {
            return false;
        }
    }
    return unit && kind;
}

/* self_wall: share_wall, or share. */
static void name_share(char out[DIFF_NAME], const char *of)
{
    const char *rest = strncmp(of, "self_", 5) == 0 ? of + 5 : of;
    memcpy(out, "share_", 6);
    size_t n = strlen(rest);
    n = n > DIFF_NAME - 7 ? DIFF_NAME - 7 : n;
    memcpy(out + 6, rest, n);
    out[6 + n] = '\0';
}

static ts_code read_values(diff_shape *s, ts_ctx *ctx, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Values");
    ts_question_param entry;
    while (ts_question_param_next(&entry, &part)) {
        const char *colon = entry.doc.n == 0 ? NULL : memchr(entry.doc.p, ':', entry.doc.n);
        diff_value *v = &s->values[s->value_count];
        if (s->value_count + 2 > DIFF_VALUES || colon == NULL || !put_name(v->name, entry.names) ||
            !read_words(v, (ts_text){entry.doc.p, (size_t)(colon - entry.doc.p)})) {
            return bad_shape(ctx, s, "too many values, or one whose unit or kind is not known");
        }
        s->value_count++;
        if (v->has_share) {
            v[1] = (diff_value){
                .unit = DIFF_SHARE, .kind = DIFF_LEVEL, .share_of = s->value_count - 1};
            name_share(v[1].name, v->name);
            s->value_count++;
        }
    }
    return s->value_count > 0 ? TS_OK : bad_shape(ctx, s, "no values");
}

ts_code diff_shape_read(diff_shape *out, ts_ctx *ctx, const ts_shipped *file)
{
    ts_text sql = ts_buf_text(&file->sql);
    *out = (diff_shape){.file = file};
    TS_TRY(read_keys(out, ctx, sql));
    return read_values(out, ctx, sql);
}

ts_code diff_names(ts_buf *out, ts_ctx *ctx, const ts_questions *all, const bool *fits,
                   const ts_shipped *except)
{
    ts_code code = TS_OK;
    size_t begin = out->n;
    for (size_t i = 0; code == TS_OK && i < all->count; i++) {
        if ((fits == NULL || fits[i]) && &all->all[i] != except) {
            code = ts_buf_printf(ctx, out, "%s%s", out->n == begin ? "" : ", ", all->all[i].name);
        }
    }
    return code;
}

unsigned diff_value_find(const diff_shape *shape, const char *name, size_t n)
{
    unsigned i = 0;
    while (i < shape->value_count &&
           !(strlen(shape->values[i].name) == n && memcmp(shape->values[i].name, name, n) == 0)) {
        i++;
    }
    return i;
}

const char *diff_unit_name(diff_unit unit)
{
    static const char *const names[] = {"", "bytes", "ns", "%"};
    return names[unit];
}
