#include "session/kinds.h"

#include "tables/question_text.h"
#include "tables/schema.h"
#include "tables/table_rows.h"

#include <stdlib.h>

/* "40 Hottest methods": the number and the rest. */
long ts_report_order(ts_text *title, const ts_shipped *s)
{
    ts_text line = ts_question_first(ts_buf_text(&s->sql), "Report");
    long order = 0;
    size_t i = 0;
    for (; i < line.n && i < 9 && line.p[i] >= '0' && line.p[i] <= '9'; i++) {
        order = order * 10 + (line.p[i] - '0');
    }
    while (i < line.n && line.p[i] == ' ') {
        i++;
    }
    *title = (ts_text){line.p + i, line.n - i};
    return order;
}

static int compare_order(const void *a, const void *b)
{
    const ts_shipped *p = a;
    const ts_shipped *q = b;
    ts_text title;
    unsigned long x = (unsigned long)ts_report_order(&title, p) - 1; /* without one: last */
    unsigned long y = (unsigned long)ts_report_order(&title, q) - 1;
    return x != y ? (x > y) - (x < y) : strcmp(p->name, q->name);
}

void ts_report_sort(ts_questions *all)
{
    if (all->count > 0) {
        qsort(all->all, all->count, sizeof *all->all, compare_order);
    }
}

/* --- tables -------------------------------------------------------------------------------- */

static bool is_new(const ts_vec *kinds, ts_text table)
{
    const ts_kind *all = kinds->p;
    for (size_t i = 0; i < kinds->n; i++) {
        if (ts_text_equal(all[i].table, table)) {
            return false;
        }
    }
    return !ts_text_is(table, "source");
}

static int table_of(ts_text name)
{
    int t = 0;
    while (t < TS_TABLE_COUNT && !ts_text_is(name, ts_schema[t].name)) {
        t++;
    }
    return t;
}

/* Compatible tables that are views have no rows of their own: they show those of other tables. */
static ts_code add_kind(ts_vec *out, ts_db *db, ts_ctx *ctx, const ts_question_need *need)
{
    const ts_rows_from from = ts_db_rows(db);
    int t = table_of(need->table);
    uint64_t rows = t == TS_TABLE_COUNT ? 0 : ts_rows_count(&from, ts_schema[t].name);
    const ts_kind kind = {need->table, need->what, rows > INT64_MAX ? INT64_MAX : (int64_t)rows};
    return rows > 0 ? ts_vec_push(ctx, out, &kind, sizeof kind) : TS_OK;
}

ts_code ts_kinds_found(ts_vec *out, ts_db *db, ts_ctx *ctx, const ts_questions *all)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < all->count; i++) {
        ts_text part = ts_question_part(ts_buf_text(&all->all[i].sql), "Needs");
        ts_question_need need;
        while (code == TS_OK && ts_question_need_next(&need, &part)) {
            code = is_new(out, need.table) ? add_kind(out, db, ctx, &need) : TS_OK;
        }
    }
    return code;
}

bool ts_kinds_has(ts_text *what, const ts_vec *kinds, const ts_shipped *s)
{
    ts_text part = ts_question_part(ts_buf_text(&s->sql), "Needs");
    ts_question_need need;
    while (ts_question_need_next(&need, &part)) {
        if (!is_new(kinds, need.table)) {
            *what = need.what;
            return true;
        }
    }
    return false;
}

bool ts_kinds_fit(const ts_shipped *s, const uint64_t *rows)
{
    ts_text part = ts_question_part(ts_buf_text(&s->sql), "Needs");
    ts_question_need need;
    while (ts_question_need_next(&need, &part)) {
        int t = table_of(need.table);
        if (t < TS_TABLE_COUNT && t != TS_T_source && rows[t] > 0) {
            return true;
        }
    }
    return false;
}
