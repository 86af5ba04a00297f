#include "tables/question_values.h"

#include <stdio.h>

/* Statements have :v, the typed value, and the parameters of the question. */
typedef struct value_kind {
    const char *begins;   /* what the text of the parameter begins with */
    const char *find;     /* the value to bind, NULL: there is none */
    const char *there_is; /* one text of what could have been typed */
} value_kind;

#define FILES                                                                                      \
    "SELECT id FROM js_heap_files WHERE id = :v OR file_name = CAST(:v AS TEXT) "                  \
    "ORDER BY id = :v DESC, id LIMIT 1"
#define FILES_THERE                                                                                \
    "SELECT 'heaps are ' || group_concat(id || ifnull(' (' || file_name || ')', ''), ', ') "       \
    "FROM (SELECT id, file_name FROM js_heap_files ORDER BY id LIMIT 8)"

/* Names that have the first letters of what was typed come first. */
#define ALIKE(name) "instr(lower(" name "), lower(substr(:v, 1, 3))) = 0"

static const value_kind kinds[] = {
    {"id of a process",
     "SELECT pid FROM process WHERE pid = :v OR name = CAST(:v AS TEXT) ORDER BY pid = :v DESC, id "
     "LIMIT 1",
     "SELECT 'processes are ' || group_concat(pid || ifnull(' (' || name || ')', ''), ', ') "
     "FROM (SELECT pid, name FROM process ORDER BY name IS NULL, " ALIKE("name") ", id LIMIT 8)"},
    {"id in js_heap_files", FILES, FILES_THERE},
    {"the snapshot to compare with", FILES, FILES_THERE},
    {"id of the node in that file",
     "SELECT id FROM js_heap_nodes WHERE file_id = ifnull(:file, 0) AND id = :v LIMIT 1",
     "SELECT 'ids are from ' || min(id) || ' to ' || max(id) || ' in heap ' || file_id "
     "FROM js_heap_nodes WHERE file_id = ifnull(:file, 0)"},
};

enum { TABLE_NAME_MAX = 64, STATEMENT_MAX = 256 };

static bool begins_with(ts_text text, const char *word)
{
    size_t n = strlen(word);
    return text.n >= n && memcmp(text.p, word, n) == 0;
}

static ts_code bad_value(ts_ctx *ctx, const ts_param *p, const char *why, ts_text there)
{
    return ts_fail(ctx, TS_ERR_USAGE, "bad value for the parameter %s: \"%s\" %s%s%.*s", p->name,
                   p->value, why, there.n > 0 ? "; " : "", (int)there.n,
                   there.n > 0 ? there.p : "");
}

/* --- rows that must be there --------------------------------------------------------------- */

typedef struct first_cell {
    ts_ctx *ctx;
    ts_buf *out;
    bool found;
} first_cell;

static ts_code take_cell(void *user, const char *const *values, const size_t *lengths,
                         const ts_cell_type *types, int n)
{
    first_cell *f = user;
    if (f->found || n == 0 || types[0] == TS_CELL_NULL) {
        return TS_OK;
    }
    f->found = true;
    return ts_buf_put(f->ctx, f->out, values[0], lengths[0]);
}

static ts_code ask_value(bool *found, ts_buf *out, ts_db *db, ts_ctx *ctx, const char *sql,
                         const char *value, const char *file)
{
    first_cell f = {ctx, out, false};
    const ts_rows_visitor visitor = {&f, NULL, take_cell, NULL};
    ts_param params[2] = {{"v", value}};
    size_t n = strstr(sql, ":v") != NULL ? 1 : 0;
    if (file != NULL && strstr(sql, ":file") != NULL) {
        params[n++] = (ts_param){"file", file};
    }
    ts_code code = ts_db_query(db, sql, strlen(sql), params, n, &visitor);
    *found = f.found;
    return code;
}

static ts_code put_row(ts_buf *out, ts_db *db, ts_ctx *ctx, const value_kind *kind,
                       const ts_param *p, const char *file)
{
    ts_buf there = {0};
    bool found;
    ts_code code = ask_value(&found, out, db, ctx, kind->find, p->value, file);
    if (code == TS_OK && !found) {
        code = ask_value(&found, &there, db, ctx, kind->there_is, p->value, file);
        if (code == TS_OK) {
            code = bad_value(ctx, p, "is not in the database", ts_buf_text(&there));
        }
    }
    ts_buf_free(ctx, &there);
    return code;
}

/* "id in cloud_call", "id of a row of callstack" */
static ts_code put_table_row(ts_buf *out, ts_db *db, ts_ctx *ctx, ts_text table, const ts_param *p)
{
    char find[STATEMENT_MAX];
    char there_is[STATEMENT_MAX];
    size_t n = 0;
    while (n < table.n && n < TABLE_NAME_MAX &&
           ((table.p[n] >= 'a' && table.p[n] <= 'z') || table.p[n] == '_')) {
        n++;
    }
    const value_kind kind = {"", find, there_is};
    snprintf(find, sizeof find, "SELECT id FROM %.*s WHERE id = :v LIMIT 1", (int)n, table.p);
    snprintf(
        there_is, sizeof there_is,
        "SELECT ifnull('ids of %.*s are from ' || min(id) || ' to ' || max(id), '%.*s is empty')"
        " FROM %.*s",
        (int)n, table.p, (int)n, table.p, (int)n, table.p);
    return put_row(out, db, ctx, &kind, p, NULL);
}

/* --- values of their own ------------------------------------------------------------------- */

static ts_code put_typed(ts_buf *out, ts_ctx *ctx, const ts_param *p)
{
    return ts_buf_put(ctx, out, p->value, strlen(p->value));
}

/* "number of rows", "levels of callers" */
static ts_code put_count(ts_buf *out, ts_ctx *ctx, const ts_param *p)
{
    size_t n = strlen(p->value);
    if (n == 0 || n > 18 || strspn(p->value, "0123456789") != n) {
        return bad_value(ctx, p, "is no number that is 0 or more", TS_TEXT_NULL);
    }
    return put_typed(out, ctx, p);
}

/* "wait, contended or park (default: all)" */
static ts_code put_word(ts_buf *out, ts_ctx *ctx, ts_text words, const ts_param *p)
{
    size_t end = 0;
    size_t n = strlen(p->value);
    while (end < words.n && words.p[end] != '(' && words.p[end] != ':') {
        end++;
    }
    words.n = end;
    for (size_t i = 0; i + n <= words.n; i++) {
        if (memcmp(words.p + i, p->value, n) == 0 && (i == 0 || words.p[i - 1] == ' ') &&
            (i + n == words.n || strchr(" ,", words.p[i + n]) != NULL) && n > 0 &&
            !(n == 2 && memcmp(p->value, "or", 2) == 0)) {
            return put_typed(out, ctx, p);
        }
    }
    while (words.n > 0 && words.p[words.n - 1] == ' ') {
        words.n--;
    }
    ts_buf there = {0};
    ts_code code = ts_buf_printf(ctx, &there, "it is one of %.*s", (int)words.n, words.p);
    if (code == TS_OK) {
        code = bad_value(ctx, p, "is none of the words", ts_buf_text(&there));
    }
    ts_buf_free(ctx, &there);
    return code;
}

/* --- all ----------------------------------------------------------------------------------- */

static const char *value_of_file(const ts_param *given, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(given[i].name, "file") == 0) {
            return given[i].value;
        }
    }
    return NULL;
}

static ts_text after(ts_text text, const char *word)
{
    size_t n = strlen(word);
    return (ts_text){text.p + n, text.n - n};
}

ts_code ts_question_value(ts_buf *out, ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                          const ts_param *given, size_t count, size_t which)
{
    static const char *const counts[] = {"number of ", "levels of ", "references of a way",
                                         "objects that are looked at", "points wanted"};
    static const char *const tables[] = {"id in ", "id of a row of "};
    const ts_param *p = &given[which];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (begins_with(param->doc, kinds[i].begins)) {
            return put_row(out, db, ctx, &kinds[i], p, value_of_file(given, count));
        }
    }
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (begins_with(param->doc, tables[i])) {
            return put_table_row(out, db, ctx, after(param->doc, tables[i]), p);
        }
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (begins_with(param->doc, counts[i])) {
            return put_count(out, ctx, p);
        }
    }
    return begins_with(param->doc, "one of ") ? put_word(out, ctx, after(param->doc, "one of "), p)
                                              : put_typed(out, ctx, p);
}
