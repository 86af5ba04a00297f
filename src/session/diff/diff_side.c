#include "session/diff/diff_parts.h"

#include "model/sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SQL_CHOSEN                                                                                 \
    "WITH RECURSIVE chosen(id) AS (SELECT id FROM source WHERE :source IS NULL OR id IN "          \
    "(SELECT value FROM json_each(:source))) "

#define SQL_HEAP_OF_CHOSEN                                                                         \
    SQL_CHOSEN "SELECT d.file_id, EXISTS (SELECT 1 FROM js_heap_analysis AS a WHERE a.file_id = "  \
               "d.file_id) FROM js_heap_file_detail AS d WHERE d.source_id IN chosen "             \
               "ORDER BY d.file_id"

/* --- opening ------------------------------------------------------------------------------- */

ts_code diff_side_check(const diff_side *s)
{
    int64_t version;
    ts_code code = ts_db_version(&version, s->db);
    if (code == TS_OK && version != TS_SCHEMA_VERSION) {
        return ts_fail(
            s->ctx, TS_ERR_INPUT,
            "cannot compare the database: path=\"%s\": it has version %" PRId64
            " of the schema, not %d; trace_streamer upgrade makes the present one of an older one",
            s->path, version, TS_SCHEMA_VERSION);
    }
    return code;
}

void diff_side_close(diff_side *s)
{
    if (!s->borrowed) {
        ts_db_close(s->db);
    }
    if (s->ctx != NULL) {
        ts_buf_free(s->ctx, &s->chosen);
        ts_buf_free(s->ctx, &s->label);
    }
}

ts_code diff_side_reader(ts_reader **out, ts_target **copy, const diff_side *s,
                         const diff_asked *asked)
{
    *copy = NULL;
    return s->fd < 0 ? ts_reader_finished(out, copy, s->ctx, s->path, asked->guard)
                     : ts_reader_open_fd(out, s->ctx, s->fd, s->path);
}

/* --- rows of small questions ---------------------------------------------------------------- */

enum { FOUND_VALUES = 3 };

/* The first row, and how many there are. */
typedef struct found_row {
    ts_ctx *ctx;
    int64_t ints[FOUND_VALUES];
    bool null[FOUND_VALUES];
    ts_buf text; /* of the first row's first column */
    uint64_t rows;
} found_row;

static ts_code take_found(void *user, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n)
{
    found_row *f = user;
    if (f->rows++ > 0) {
        return TS_OK;
    }
    for (int i = 0; i < n && i < FOUND_VALUES; i++) {
        f->null[i] = types[i] == TS_CELL_NULL;
        f->ints[i] = types[i] == TS_CELL_INT ? strtoll(values[i], NULL, 10) : 0;
    }
    return types[0] == TS_CELL_NULL ? TS_OK : ts_buf_put(f->ctx, &f->text, values[0], lengths[0]);
}

static ts_code ask_one(found_row *f, const diff_side *s, const char *sql, const ts_param *params,
                       size_t n)
{
    const ts_rows_visitor visitor = {f, NULL, take_found, NULL, NULL};
    f->ctx = s->ctx;
    return ts_db_query(s->db, sql, strlen(sql), params, n, &visitor);
}

/* The same with the sources as a parameter. */
static ts_code ask_source(found_row *f, const diff_side *s, const char *sql)
{
    const ts_param param = {"source", s->chosen.p};
    return ask_one(f, s, sql, &param, s->chosen.n == 0 ? 0 : 1);
}

/* --- sources ------------------------------------------------------------------------------- */

ts_code diff_side_select(diff_side *s)
{
    const ts_rows_from from = ts_db_rows(s->db);
    ts_model *model = NULL;
    ts_idset sources = {0};
    if (s->selector == NULL) {
        return TS_OK;
    }
    ts_code code = ts_model_open(&model, s->ctx);
    if (code == TS_OK) {
        ts_model_read(model, &from);
        code = ts_sources_find(&sources, model, ts_text_of(s->selector));
    }
    TS_STEP(code, ts_idset_put(&s->chosen, s->ctx, &sources));
    TS_STEP(code, ts_buf_putc(s->ctx, &s->chosen, '\0'));
    ts_idset_free(s->ctx, &sources);
    ts_model_close(model);
    return code != TS_ERR_USAGE ? code : ts_cause(s->ctx, "cannot compare %s", s->path);
}

bool diff_sides_same(const diff_side sides[2])
{
    return !sides[0].nothing && sides[0].chosen.n == sides[1].chosen.n &&
           (sides[0].chosen.n == 0 || strcmp(sides[0].chosen.p, sides[1].chosen.p) == 0);
}

ts_code diff_side_heap(diff_side *s, bool first)
{
    found_row f = {0};
    if (s->nothing) {
        return TS_OK;
    }
    ts_code code = ask_source(
        &f, s, first ? SQL_HEAP_OF_CHOSEN " LIMIT 1" : SQL_HEAP_OF_CHOSEN " DESC LIMIT 1");
    ts_buf_free(s->ctx, &f.text);
    if (code == TS_OK && f.rows == 0) {
        return ts_fail(s->ctx, TS_ERR_USAGE, "there is no heap snapshot in %s%s%s", s->path,
                       s->selector == NULL ? "" : ", source ",
                       s->selector == NULL ? "" : s->selector);
    }
    s->file = f.ints[0];
    s->analysed = f.ints[1] != 0;
    return code;
}

ts_code diff_side_label(diff_side *s)
{
    char file[80];
    found_row f = {0};
    ts_code code = TS_OK;
    if (s->nothing) {
        code = ts_buf_put(s->ctx, &s->label, "nothing", strlen("nothing"));
        return code != TS_OK ? code : ts_buf_putc(s->ctx, &s->label, '\0');
    }
    if (s->file >= 0) {
        snprintf(file, sizeof file, "SELECT file_name FROM js_heap_files WHERE id = %" PRId64,
                 s->file);
        code = ask_one(&f, s, file, NULL, 0);
    } else if (s->chosen.n > 0) {
        code = ask_source(&f, s,
                          SQL_CHOSEN "SELECT ifnull(name, path) FROM source WHERE id IN chosen "
                                     "AND ifnull(parent_id, 0) NOT IN chosen");
    }
    if (code == TS_OK && f.rows > 1) {
        f.text.n = 0;
        code = ts_buf_put(s->ctx, &f.text, s->selector, strlen(s->selector));
    }
    s->label.n = 0;
    TS_STEP(code, ts_buf_printf(s->ctx, &s->label, "%s%s%.*s", s->path, f.text.n > 0 ? ", " : "",
                                (int)f.text.n, f.text.n > 0 ? f.text.p : ""));
    ts_buf_free(s->ctx, &f.text);
    return code != TS_OK ? code : ts_buf_putc(s->ctx, &s->label, '\0');
}

ts_code diff_side_losses(uint64_t *losses, diff_side *s, const diff_asked *asked)
{
    found_row f = {0};
    *losses = 0;
    if (s->nothing) {
        return TS_OK;
    }
    ts_code code = ask_source(
        &f, s,
        SQL_CHOSEN
        ", around(id) AS (SELECT id FROM chosen UNION SELECT s.parent_id FROM around AS c "
        "JOIN source AS s ON s.id = c.id) "
        "SELECT CAST(min(total(count), 9e18) AS INTEGER) FROM import_issue "
        "WHERE severity IN ('data_loss', 'error') AND (source_id IS NULL OR source_id IN around)");
    ts_buf_free(s->ctx, &f.text);
    *losses = f.ints[0] > 0 ? (uint64_t)f.ints[0] : 0;
    if (code == TS_OK && *losses > 0) {
        diff_note(asked,
                  "%s lost data (%llu defect%s, see v_data_quality): the comparison is of what is "
                  "left",
                  s->path, (unsigned long long)*losses, *losses == 1 ? "" : "s");
    }
    return code;
}
