/* GET calls/scatter: calls by when they began and how long they took, counted in cells. */
#include "serve/views/calls_view.h"

#include "serve/views/frame_tree.h"

enum { P_FROM, P_TO, P_COLUMNS };
enum { SCATTER_CELLS = 100000, SCATTER_COLUMNS = 1000, SCATTER_ROW_BITS = 8 };

const ts_view_param ts_calls_scatter_params[] = {
    TS_PARAM_TIME("from", false), TS_PARAM_TIME("to", false), {.name = NULL}};

typedef struct scatter_cell {
    int64_t key; /* column and row */
    uint64_t n;
    int64_t any; /* greatest id */
} scatter_cell;

/* Sums of the calls of the range. */
enum { C_TS, C_DUR, C_CPU, C_WAIT, C_SUSPEND, C_COLUMNS };

typedef struct scatter_sums {
    uint64_t count;
    ts_wide sum[C_COLUMNS];
    bool known[C_COLUMNS]; /* a call has it */
    int64_t longest;       /* id; with `known`, and its values: */
    ts_cell of_longest[C_COLUMNS];
} scatter_sums;

typedef struct scatter {
    ts_view_call *call;
    int64_t from;
    int64_t to;
    int64_t first; /* of all calls */
    uint64_t width;
    bool any;
    ts_idmap keys;
    ts_vec cells; /* of scatter_cell */
    scatter_sums all;
} scatter;

/* The greatest n for which 10^(n/10) is not above the duration: tenths of decades. Powers are
 * compared, not logarithms, so that 10, 100 ... are where they belong on every machine. */
static int64_t scatter_row(int64_t dur)
{
    static const uint64_t tenths[] = {1000000000000000000, 1258925411794167210, 1584893192461113485,
                                      1995262314968879601, 2511886431509580111, 3162277660168379332,
                                      3981071705534972507, 5011872336272722850, 6309573444801932494,
                                      7943282347242815020};
    unsigned __int128 value = (unsigned __int128)(uint64_t)dur * 1000000000000000000;
    unsigned __int128 decade = 1;
    int64_t row = 0;
    while (decade <= (uint64_t)dur / 10) {
        decade *= 10;
        row += 10;
    }
    int64_t tenth = 0;
    while (tenth < 9 && value >= decade * tenths[tenth + 1]) {
        tenth++;
    }
    return row + tenth;
}

/* Where all calls begin and end, for the columns; the statement has them of all as well. */
static void scatter_span(scatter *s, const ts_batch *b, unsigned i)
{
    ts_cell ts = ts_cell_of(b, C_TS, i);
    uint64_t last = s->any ? (uint64_t)s->first + (s->width - 1) : 0;
    if (ts.null) {
        return;
    }
    if (!s->any || ts.value > (int64_t)last) {
        last = (uint64_t)ts.value;
    }
    if (!s->any || ts.value < s->first) {
        s->first = ts.value;
    }
    s->any = true;
    s->width = last - (uint64_t)s->first + 1;
}

static void scatter_sum(scatter_sums *all, const ts_batch *b, unsigned i)
{
    ts_cell dur = ts_cell_of(b, C_DUR, i);
    bool longest = !dur.null && (!all->known[C_DUR] || dur.value > all->of_longest[C_DUR].value);
    all->count++;
    all->longest = longest ? b->rowids[i] : all->longest;
    for (unsigned c = C_DUR; c < C_COLUMNS; c++) {
        ts_cell cell = ts_cell_of(b, c, i);
        all->known[c] = all->known[c] || !cell.null;
        all->sum[c] += cell.null ? 0 : cell.value;
        all->of_longest[c] = longest ? cell : all->of_longest[c];
    }
}

static void scatter_put_sums(ts_jout *out, const scatter_sums *all)
{
    static const char *const names[] = {NULL, "dur", "cpu_dur", "wait_dur", "suspend_dur"};
    bool capped = false;
    ts_jout_open(out, "all", '{');
    ts_jout_uint(out, "count", all->count);
    for (unsigned c = C_DUR; c < C_COLUMNS; c++) {
        if (all->known[c]) {
            ts_jout_int(out, names[c], ts_wide_cap(all->sum[c], &capped));
        } else {
            ts_jout_null(out, names[c]);
        }
    }
    ts_jout_close(out, '}');
    if (!all->known[C_DUR]) {
        ts_jout_null(out, "longest");
        return;
    }
    ts_jout_open(out, "longest", '{');
    ts_jout_int(out, "id", all->longest);
    for (unsigned c = C_DUR; c < C_COLUMNS; c++) {
        if (all->of_longest[c].null) {
            ts_jout_null(out, names[c]);
        } else {
            ts_jout_int(out, names[c], all->of_longest[c].value);
        }
    }
    ts_jout_close(out, '}');
}

static ts_code scatter_add(scatter *s, const ts_batch *b, unsigned i)
{
    ts_ctx *ctx = ts_view_ctx(s->call);
    ts_cell ts = ts_cell_of(b, C_TS, i);
    ts_cell dur = ts_cell_of(b, C_DUR, i);
    uint64_t place;
    if (ts.null || ts.value < s->from || ts.value >= s->to) {
        return TS_OK;
    }
    scatter_sum(&s->all, b, i);
    unsigned __int128 offset = (uint64_t)ts.value - (uint64_t)s->first;
    unsigned __int128 width = s->width == 0 ? (unsigned __int128)UINT64_MAX + 1 : s->width;
    int64_t column = (int64_t)(offset * SCATTER_COLUMNS / width);
    /* NULL has a row of its own, as in the statement, before the others */
    int64_t row = dur.null ? 0 : dur.value < 1 ? 1 : 1 + scatter_row(dur.value);
    int64_t key = column << SCATTER_ROW_BITS | row;
    if (!ts_idmap_find(&place, &s->keys, key)) {
        scatter_cell *made = ts_vec_add(ctx, &s->cells, sizeof *made);
        TS_NEED(ctx, made);
        *made = (scatter_cell){.key = key, .any = INT64_MIN};
        place = s->cells.n - 1;
        TS_TRY(ts_idmap_put(ctx, &s->keys, key, place));
    }
    scatter_cell *cell = (scatter_cell *)s->cells.p + place;
    cell->n++;
    cell->any = b->rowids[i] > cell->any ? b->rowids[i] : cell->any;
    return TS_OK;
}

/* The first time finds the span, the second one counts. */
static ts_code scatter_scan(scatter *s, bool count)
{
    static const unsigned columns[C_COLUMNS] = {TS_C_cloud_call__ts, TS_C_cloud_call__dur,
                                                TS_C_cloud_call__cpu_dur, TS_C_cloud_call__wait_dur,
                                                TS_C_cloud_call__suspend_dur};
    ts_walk rows =
        ts_walk_of(ts_view_rows(s->call), TS_T_cloud_call, columns, count ? C_COLUMNS : C_CPU);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        if (count) {
            code = scatter_add(s, rows.b, rows.row);
        } else {
            scatter_span(s, rows.b, rows.row);
        }
    }
    return code;
}

static void scatter_put(scatter *s)
{
    static const char *const names[] = {"x", "y", "n", "any_id"};
    ts_jout *out = s->call->out;
    const scatter_cell *cells = s->cells.p;
    size_t n = s->cells.n;
    ts_view_by_key(&s->cells, sizeof *cells);
    ts_jout_open(out, NULL, '{');
    ts_jout_int(out, "from", s->any ? ts_view_since(s->call, s->first) : 0);
    ts_jout_uint(out, "span", s->width);
    for (unsigned column = 0; column < 4; column++) {
        ts_jout_open(out, names[column], '[');
        for (size_t i = 0; i < n && i < SCATTER_CELLS; i++) {
            const scatter_cell *c = &cells[i];
            int64_t row = c->key & ((1 << SCATTER_ROW_BITS) - 1);
            const int64_t values[] = {c->key >> SCATTER_ROW_BITS, row - 1, (int64_t)c->n, c->any};
            if (column == 1 && row == 0) {
                ts_jout_null(out, NULL);
            } else {
                ts_jout_int(out, NULL, values[column]);
            }
        }
        ts_jout_close(out, ']');
    }
    ts_jout_bool(out, "truncated", n > SCATTER_CELLS);
    scatter_put_sums(out, &s->all);
    ts_jout_close(out, '}');
}

ts_code ts_calls_scatter_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    scatter s = {.call = call,
                 .from = ts_view_time(call, P_FROM, INT64_MIN),
                 .to = ts_view_time(call, P_TO, INT64_MAX)};
    ts_code code = scatter_scan(&s, false);
    TS_STEP(code, scatter_scan(&s, true));
    if (code == TS_OK) {
        scatter_put(&s);
    }
    ts_idmap_free(ctx, &s.keys);
    ts_vec_free(ctx, &s.cells);
    return code;
}
