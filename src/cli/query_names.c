#include "cli/query_rows.h"

#include "symbols/demangle.h"

ts_code ts_written_header(void *user, const char *const *names, int n)
{
    return ts_row_printer_header(((ts_written_rows *)user)->printer, names, n);
}

static bool may_be_mangled(ts_text t)
{
    return t.n > 2 && t.p[0] == '_' && (t.p[1] == 'Z' || t.p[1] == 'R');
}

/* Where the name ends that the text begins with: no mangled one has blanks. */
static size_t name_length(ts_text t)
{
    size_t n = 0;
    while (n < t.n && t.p[n] != ';' && t.p[n] != ' ') {
        n++;
    }
    return n;
}

/* Whether one of the names of a text may be mangled. */
static bool has_mangled(ts_text t)
{
    bool has = may_be_mangled(t);
    size_t n = name_length(t);
    while (!has && n < t.n) {
        t = ts_text_from(t, n + 1);
        n = name_length(t);
        has = may_be_mangled(t);
    }
    return has;
}

/* Its names, one after the other, into `text`. */
static ts_code write_names(ts_written_rows *w, ts_text t)
{
    ts_code code = TS_OK;
    while (t.n > 0 && code == TS_OK) {
        const size_t n = name_length(t);
        ts_text name = {t.p, n};
        code = ts_demangle(&name, w->ctx, &w->name, name);
        TS_STEP(code, ts_buf_put(w->ctx, &w->text, name.p, name.n));
        TS_STEP_IF(code, n < t.n, ts_buf_putc(w->ctx, &w->text, t.p[n]));
        t = ts_text_from(t, n < t.n ? n + 1 : n);
    }
    return code;
}

static ts_code write_cells(ts_written_rows *w, const char *const *values, const size_t *lengths,
                           const ts_cell_type *types, int n)
{
    const char **out = w->values.p;
    size_t *length = w->lengths.p;
    size_t *place = w->places.p;
    ts_code code = TS_OK;
    for (int i = 0; i < n && code == TS_OK; i++) {
        const ts_text cell = {values[i], lengths[i]};
        out[i] = values[i];
        length[i] = lengths[i];
        place[i] = SIZE_MAX;
        if (types[i] == TS_CELL_TEXT && has_mangled(cell)) {
            place[i] = w->text.n;
            code = write_names(w, cell);
            length[i] = w->text.n - place[i];
            TS_STEP(code, ts_buf_putc(w->ctx, &w->text, '\0'));
        }
    }
    for (int i = 0; i < n && code == TS_OK; i++) {
        out[i] = place[i] == SIZE_MAX ? out[i] : w->text.p + place[i];
    }
    return code;
}

ts_code ts_written_row(void *user, const char *const *values, const size_t *lengths,
                       const ts_cell_type *types, int n)
{
    ts_written_rows *w = user;
    w->text.n = 0;
    TS_TRY(ts_vec_reserve(w->ctx, &w->values, (size_t)n, sizeof(const char *)));
    TS_TRY(ts_vec_reserve(w->ctx, &w->lengths, (size_t)n, sizeof(size_t)));
    TS_TRY(ts_vec_reserve(w->ctx, &w->places, (size_t)n, sizeof(size_t)));
    TS_TRY(write_cells(w, values, lengths, types, n));
    return ts_row_printer_row(w->printer, w->values.p, w->lengths.p, types, n);
}

void ts_written_free(ts_written_rows *w)
{
    ts_buf_free(w->ctx, &w->name);
    ts_buf_free(w->ctx, &w->text);
    ts_vec_free(w->ctx, &w->values);
    ts_vec_free(w->ctx, &w->lengths);
    ts_vec_free(w->ctx, &w->places);
}
