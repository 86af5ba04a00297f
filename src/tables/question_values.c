#include "tables/question_values.h"

#include "base/names.h"
#include "base/pool.h"

#include <stdio.h>
#include <stdlib.h>

/* Statements have :v, the typed value, and the parameters of the question that choose a file. */
typedef struct value_kind {
    const char *begins; /* what the text of the parameter begins with */
    const char *find;   /* the value to bind, NULL: there is none */
    const char *names; /* what could have been typed: ids and names, ids NULL where names are all */
    const char *there_is; /* what these are, "heaps are "; names NULL: a statement that says it */
} value_kind;

#define FILE_OF(v)                                                                                 \
    "SELECT id FROM js_heap_files WHERE id = " v " OR file_name = CAST(" v " AS TEXT) "            \
    "ORDER BY id = " v " DESC, id LIMIT 1"
#define FILES "SELECT id, file_name FROM js_heap_files ORDER BY id"
#define FILE_ID "ifnull((" FILE_OF(":file") "), 0)"
#define BASE_ID "(SELECT base_file_id FROM js_heap_analysis WHERE file_id = " FILE_ID ")"
#define CLASS_OF(file)                                                                             \
    "SELECT name FROM js_heap_constructor WHERE file_id = " file " AND name = :v LIMIT 1"
#define CLASSES_OF(file)                                                                           \
    "SELECT NULL, name FROM js_heap_constructor WHERE file_id = " file " ORDER BY id"
#define NODE_TYPES                                                                                 \
    "FROM js_heap_file_detail AS d CROSS JOIN js_heap_info AS t ON t.rowid BETWEEN "               \
    "d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1 WHERE d.file_id = " FILE_ID
#define LABEL "key || '=' || ifnull(value, '')"
#define EVENTS "SELECT DISTINCT NULL, event FROM stack_sample WHERE event IS NOT NULL"

#define STACK_WEIGHTS                                                                              \
    "SELECT column1 FROM (VALUES ('cpu'), ('wall'), ('waiting'), ('allocation'), ('live'), "       \
    "('samples'), ('dur'))"

static const value_kind kinds[] = {
    {"id of a process",
     "SELECT pid FROM process WHERE pid = :v OR name = CAST(:v AS TEXT) ORDER BY pid = :v DESC, id "
     "LIMIT 1",
     "SELECT pid, name FROM process WHERE pid IS NOT NULL ORDER BY id", "processes are "},
    {"id in js_heap_files", FILE_OF(":v"), FILES, "heaps are "},
    {"the snapshot to compare with", FILE_OF(":v"), FILES, "heaps are "},
    {"id of the node in that file",
     "SELECT id FROM js_heap_nodes WHERE file_id = " FILE_ID " AND id = :v LIMIT 1", NULL,
     "SELECT 'ids are from ' || min(id) || ' to ' || max(id) || ' in heap ' || file_id "
     "FROM js_heap_nodes WHERE file_id = " FILE_ID},
    {"node_index of the object",
     "SELECT :v FROM java_heap_file WHERE id = ifnull(:file, 1) AND CAST(:v AS INTEGER) BETWEEN 1 "
     "AND object_count - 1",
     NULL,
     "SELECT 'objects are from 1 to ' || (object_count - 1) FROM java_heap_file WHERE id = "
     "ifnull(:file, 1)"},
    {"a class of that file", CLASS_OF(FILE_ID), CLASSES_OF(FILE_ID), "classes are "},
    {"a class of the file before", CLASS_OF(BASE_ID), CLASSES_OF(BASE_ID), "classes are "},
    {"a type of nodes", "SELECT t.str_value " NODE_TYPES " AND t.str_value = :v LIMIT 1",
     "SELECT NULL, t.str_value " NODE_TYPES, "types are "},
    {"id of the object in the recording",
     "SELECT :v WHERE EXISTS (SELECT 1 FROM tptp_reference WHERE heap_dump_id = ifnull(:dump, 1) "
     "AND :v IN (from_object_id, to_object_id)) OR EXISTS (SELECT 1 FROM tptp_gc_root WHERE "
     "heap_dump_id = ifnull(:dump, 1) AND object_id = :v) OR EXISTS (SELECT 1 FROM tptp_allocation "
     "WHERE object_id = :v)",
     NULL,
     "SELECT 'ids with references are from ' || min(min(from_object_id), min(to_object_id)) "
     "|| ' to ' || max(max(from_object_id), max(to_object_id)) "
     "FROM tptp_reference WHERE heap_dump_id = ifnull(:dump, 1)"},
    {"an event of samples, or call",
     "SELECT :v WHERE :v = 'call' OR EXISTS (SELECT 1 FROM stack_sample WHERE event = :v)",
     EVENTS " UNION ALL SELECT NULL, 'call'", "events are "},
    {"an event of samples", "SELECT :v WHERE EXISTS (SELECT 1 FROM stack_sample WHERE event = :v)",
     EVENTS, "events are "},
    {"a label of samples",
     "SELECT :v WHERE EXISTS (SELECT 1 FROM stack_sample_label WHERE CAST(:v AS TEXT) IN "
     "(key, " LABEL ") OR " LABEL " GLOB CAST(:v AS TEXT))",
     "SELECT DISTINCT NULL, " LABEL " FROM stack_sample_label", "labels are "},
    {"a weight of stacks",
     "SELECT :v WHERE :v IN (" STACK_WEIGHTS ") OR EXISTS (SELECT 1 FROM stack_value_type WHERE "
     ":v IN (name, name || '/' || unit)) OR EXISTS (SELECT 1 FROM v_stack_weight WHERE :v IN "
     "(class || '/' || unit, class || ':' || reason, name, name || '/' || unit))",
     "SELECT NULL, column1 FROM (" STACK_WEIGHTS ") UNION SELECT NULL, name FROM stack_value_type "
     "UNION SELECT NULL, class || ':' || reason FROM v_stack_weight WHERE class = 'waiting' AND "
     "reason IS NOT NULL",
     "weights are "},
};

enum { TABLE_NAME_MAX = 64, STATEMENT_MAX = 256 };

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

/* The parameters that choose a heap, which statements of kinds may have. */
typedef struct value_call {
    ts_db *db;
    ts_ctx *ctx;
    const ts_param *given;
    size_t count;
    const ts_param *p; /* the one that is looked at */
} value_call;

static ts_code ask_rows(const value_call *c, const char *sql, const ts_rows_visitor *visitor)
{
    static const char *const choosing[] = {"file", "dump"};
    ts_param params[3] = {{"v", c->p->value}};
    size_t n = strstr(sql, ":v") != NULL ? 1 : 0;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < 2; k++) {
            char name[8];
            snprintf(name, sizeof name, ":%s", choosing[k]);
            if (strcmp(c->given[i].name, choosing[k]) == 0 && strstr(sql, name) != NULL) {
                params[n++] = c->given[i];
            }
        }
    }
    return ts_db_query(c->db, sql, strlen(sql), params, n, visitor);
}

static ts_code ask_cell(bool *found, ts_buf *out, const value_call *c, const char *sql)
{
    first_cell f = {c->ctx, out, false};
    const ts_rows_visitor visitor = {&f, NULL, take_cell, NULL, NULL};
    ts_code code = ask_rows(c, sql, &visitor);
    *found = f.found;
    return code;
}

typedef struct name_rows {
    ts_ctx *ctx;
    ts_nearest near;
    ts_pool texts;
} name_rows;

static ts_code take_name(void *user, const char *const *values, const size_t *lengths,
                         const ts_cell_type *types, int n)
{
    name_rows *rows = user;
    uint32_t id;
    ts_text name = TS_TEXT_NULL;
    rows->near.no_ids = types[0] == TS_CELL_NULL;
    if (n > 1 && types[1] != TS_CELL_NULL) {
        ts_code code =
            ts_pool_intern(rows->ctx, &id, NULL, &rows->texts, (ts_text){values[1], lengths[1]});
        if (code != TS_OK) {
            return code;
        }
        name = ts_pool_text(&rows->texts, id);
    }
    ts_nearest_add(&rows->near, rows->near.no_ids ? 0 : strtoll(values[0], NULL, 10), name,
                   TS_TEXT_NULL);
    return TS_OK;
}

/* "heaps are 0 (Snapshot0), 1 (Snapshot1)" */
static ts_code put_there(ts_buf *out, const value_call *c, const value_kind *kind)
{
    name_rows rows = {.ctx = c->ctx, .near = {.typed = ts_text_of(c->p->value)}};
    const ts_rows_visitor visitor = {&rows, NULL, take_name, NULL, NULL};
    bool found;
    if (kind->names == NULL) {
        return ask_cell(&found, out, c, kind->there_is);
    }
    ts_code code = ask_rows(c, kind->names, &visitor);
    TS_STEP_IF(code, rows.near.count > 0, ts_buf_printf(c->ctx, out, "%s", kind->there_is));
    TS_STEP(code, ts_nearest_put(out, c->ctx, &rows.near));
    ts_pool_free(c->ctx, &rows.texts);
    return code;
}

static ts_code put_row(ts_buf *out, const value_call *c, const value_kind *kind)
{
    ts_buf there = {0};
    bool found;
    ts_code code = ask_cell(&found, out, c, kind->find);
    if (code == TS_OK && !found) {
        code = put_there(&there, c, kind);
        TS_STEP(code, bad_value(c->ctx, c->p, "is not in the database", ts_buf_text(&there)));
    }
    ts_buf_free(c->ctx, &there);
    return code;
}

/* Bytes of the table's name that the text begins with. */
static size_t table_name(ts_text text)
{
    size_t n = 0;
    while (n < text.n && n < TABLE_NAME_MAX &&
           ((text.p[n] >= 'a' && text.p[n] <= 'z') || text.p[n] == '_')) {
        n++;
    }
    return n;
}

/* "id in cloud_call", "id of a row of callstack" */
static ts_code put_table_row(ts_buf *out, const value_call *c, ts_text table)
{
    char find[STATEMENT_MAX];
    char there_is[STATEMENT_MAX];
    const size_t n = table_name(table);
    const value_kind kind = {"", find, NULL, there_is};
    snprintf(find, sizeof find, "SELECT id FROM %.*s WHERE id = :v LIMIT 1", (int)n, table.p);
    snprintf(
        there_is, sizeof there_is,
        "SELECT ifnull('ids of %.*s are from ' || min(id) || ' to ' || max(id), '%.*s is empty')"
        " FROM %.*s",
        (int)n, table.p, (int)n, table.p, (int)n, table.p);
    return put_row(out, c, &kind);
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
        return bad_value(ctx, p, "is not a number that is 0 or more", TS_TEXT_NULL);
    }
    return put_typed(out, ctx, p);
}

/* The words of "wait, contended or park (default: all)". */
static ts_text words_of(ts_text text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] != '(' && text.p[n] != ':') {
        n++;
    }
    while (n > 0 && text.p[n - 1] == ' ') {
        n--;
    }
    return (ts_text){text.p, n};
}

/* Takes a word off them; false at the end. */
static bool next_word(ts_text *word, ts_text *rest)
{
    do {
        size_t n = 0;
        while (rest->n > 0 && strchr(" ,", rest->p[0]) != NULL) {
            *rest = ts_text_from(*rest, 1);
        }
        while (n < rest->n && strchr(" ,", rest->p[n]) == NULL) {
            n++;
        }
        *word = (ts_text){rest->p, n};
        *rest = ts_text_from(*rest, n);
    } while (ts_text_is(*word, "or"));
    return word->n > 0;
}

static ts_code put_word(ts_buf *out, ts_ctx *ctx, ts_text text, const ts_param *p)
{
    const ts_text words = words_of(text);
    ts_text rest = words;
    ts_text word;
    while (next_word(&word, &rest)) {
        if (ts_text_is(word, p->value)) {
            return put_typed(out, ctx, p);
        }
    }
    return ts_fail(ctx, TS_ERR_USAGE, "bad value for the parameter %s: \"%s\" is not one of %.*s",
                   p->name, p->value, (int)words.n, words.p);
}

/* --- all ----------------------------------------------------------------------------------- */

static ts_text after(ts_text text, const char *word)
{
    size_t n = strlen(word);
    return (ts_text){text.p + n, text.n - n};
}

static const value_kind *kind_of(const ts_question_param *param)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (ts_text_begins(param->doc, kinds[i].begins)) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* What follows "id in " and the like; p NULL: it is no such text. */
static ts_text table_of(const ts_question_param *param)
{
    static const char *const tables[] = {"id in ", "id of a row of "};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (ts_text_begins(param->doc, tables[i])) {
            return after(param->doc, tables[i]);
        }
    }
    return TS_TEXT_NULL;
}

ts_code ts_question_value(ts_buf *out, ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                          const ts_param *given, size_t count, size_t which)
{
    static const char *const counts[] = {"number of ", "levels of ", "references of a way",
                                         "objects that are looked at", "points wanted"};
    const ts_param *p = &given[which];
    const value_call call = {db, ctx, given, count, p};
    const value_kind *kind = kind_of(param);
    const ts_text table = table_of(param);
    if (kind != NULL) {
        return put_row(out, &call, kind);
    }
    if (table.p != NULL) {
        return put_table_row(out, &call, table);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (ts_text_begins(param->doc, counts[i])) {
            return put_count(out, ctx, p);
        }
    }
    return ts_text_begins(param->doc, "one of ")
               ? put_word(out, ctx, after(param->doc, "one of "), p)
               : put_typed(out, ctx, p);
}

/* --- what could be typed ------------------------------------------------------------------- */

/* A row of ids and names. */
static ts_code tell_row(void *user, const char *const *values, const size_t *lengths,
                        const ts_cell_type *types, int n)
{
    const ts_choices *choices = user;
    const int i = n > 1 && types[1] != TS_CELL_NULL ? 1 : 0;
    return types[i] == TS_CELL_NULL
               ? TS_OK
               : choices->told(choices->user, (ts_text){values[i], lengths[i]});
}

static ts_code tell_words(const ts_choices *choices, ts_text words)
{
    ts_text word;
    ts_code code = TS_OK;
    while (code == TS_OK && next_word(&word, &words)) {
        code = choices->told(choices->user, word);
    }
    return code;
}

ts_code ts_question_choices(ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                            const ts_param *given, size_t count, const ts_choices *choices)
{
    const ts_param none = {"", ""};
    const value_call call = {db, ctx, given, count, &none};
    const value_kind *kind = kind_of(param);
    const ts_text table = table_of(param);
    ts_choices to = *choices;
    const ts_rows_visitor visitor = {.user = &to, .row = tell_row};
    char ids[STATEMENT_MAX];
    if (ts_text_begins(param->doc, "one of ")) {
        return tell_words(choices, words_of(after(param->doc, "one of ")));
    }
    if (db == NULL || (table.p == NULL && (kind == NULL || kind->names == NULL))) {
        return TS_OK;
    }
    if (kind != NULL && kind->names != NULL) {
        return ask_rows(&call, kind->names, &visitor);
    }
    snprintf(ids, sizeof ids, "SELECT id FROM %.*s ORDER BY id", (int)table_name(table), table.p);
    return ask_rows(&call, ids, &visitor);
}
