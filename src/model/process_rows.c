/* What processes used of CPU and memory, as the rows of the question process_usage: one pass over
 * their measurements for sums and ends, and one over those of the processes that are shown, in the
 * order of time, for how each developed. */
#include "base/alloc.h"
#include "base/sorter.h"
#include "model/answer_rows.h"
#include "model/keyed_rows.h"
#include "model/select.h"
#include "model/sort_by.h"

#include <stdlib.h>

enum {
    USAGE_COLUMNS = 11,
    ROWS_USUAL = 20,
    PARTS = 24, /* of a trend */
    BARS = 8,
    POINT_MEMORY = 16 * 1024 * 1024
};

/* Numbers of which the least and the greatest are asked. */
typedef struct extent {
    bool any;
    ts_wide least, most;
} extent;

/* Of a part of the measurements. */
typedef struct part_mean {
    double cpu, bytes;
    uint64_t cpus, sizes; /* that are known */
} part_mean;

/* A measurement at an end. */
typedef struct end_point {
    int64_t ts, row;
    bool known;
    ts_wide bytes;
} end_point;

typedef struct process_sum {
    int64_t pid;
    int64_t name; /* twice its place in names + 1, 0 without one; odd: pid is not known */
    uint64_t n, cpus;
    double cpu, most_cpu;
    extent bytes, read, written;
    end_point first, last;
    uint64_t at;      /* measurements that came before, in the second pass */
    part_mean *parts; /* of those that are shown */
} process_sum;

typedef struct process_point {
    uint64_t process;
    uint64_t ts;  /* ts_sorter_key */
    uint64_t row; /* likewise */
    double cpu;
    int64_t pss;    /* KiB */
    uint64_t known; /* POINT_CPU, POINT_PSS */
} process_point;

enum { POINT_KEYS = 3, POINT_CPU = 1, POINT_PSS = 2, KIB = 1024 };

typedef struct usage {
    ts_ctx *ctx;
    ts_model *m;
    ts_span span;
    ts_pool names;
    ts_keyed_rows processes; /* of process_sum */
    ts_vec order;            /* uint32_t: those that are shown */
    part_mean *parts;
    ts_sorter *points;
} usage;

/* --- sums ------------------------------------------------------------------------------------- */

static void extent_add(extent *e, const ts_walk *at, unsigned column, int64_t unit)
{
    if (!ts_walk_null(at, column)) {
        ts_wide value = (ts_wide)ts_walk_int(at, column) * unit;
        e->least = !e->any || value < e->least ? value : e->least;
        e->most = !e->any || value > e->most ? value : e->most;
        e->any = true;
    }
}

enum { C_TS, C_PID, C_NAME, C_CPU, C_PSS, C_READ, C_WRITTEN };

static ts_code process_of(process_sum **out, usage *u, const ts_walk *at)
{
    uint32_t name = 0;
    if (!ts_walk_null(at, C_NAME)) {
        TS_TRY(ts_pool_intern(u->ctx, &name, NULL, &u->names, ts_walk_text(at, C_NAME)));
        name++;
    }
    const int64_t key[2] = {ts_walk_int_or(at, C_PID, 0),
                            (int64_t)name * 2 + ts_walk_null(at, C_PID)};
    TS_NEED(u->ctx, *out = ts_keyed_row_of(&u->processes, key));
    return TS_OK;
}

static ts_code add_point(usage *u, const ts_walk *at)
{
    process_sum *p;
    TS_TRY(process_of(&p, u, at));
    bool has_cpu = !ts_walk_null(at, C_CPU);
    bool has_pss = !ts_walk_null(at, C_PSS);
    const process_point point = {.process =
                                     (uint64_t)(p - (const process_sum *)u->processes.rows.p),
                                 .ts = ts_sorter_key(ts_walk_int(at, C_TS)),
                                 .row = ts_sorter_key(ts_walk_id(at)),
                                 .cpu = at->b->columns[C_CPU].reals[at->row],
                                 .pss = ts_walk_int(at, C_PSS),
                                 .known = (has_cpu ? POINT_CPU : 0) | (has_pss ? POINT_PSS : 0)};
    const end_point end = {ts_walk_int(at, C_TS), ts_walk_id(at), has_pss,
                           (ts_wide)point.pss * KIB};
    if (has_cpu) {
        p->cpu += point.cpu;
        p->most_cpu = p->cpus == 0 || point.cpu > p->most_cpu ? point.cpu : p->most_cpu;
        p->cpus++;
    }
    extent_add(&p->bytes, at, C_PSS, KIB);
    extent_add(&p->read, at, C_READ, 1);
    extent_add(&p->written, at, C_WRITTEN, 1);
    /* Rows come in the order of their numbers. */
    p->first = p->n == 0 || end.ts < p->first.ts ? end : p->first;
    p->last = p->n == 0 || end.ts >= p->last.ts ? end : p->last;
    p->n++;
    return ts_sorter_add(u->points, &point);
}

static ts_code read_points(usage *u)
{
    static const unsigned columns[] = {
        TS_C_live_process__ts,           TS_C_live_process__process_id,
        TS_C_live_process__process_name, TS_C_live_process__cpu_usage,
        TS_C_live_process__pss_info,     TS_C_live_process__disk_reads,
        TS_C_live_process__disk_writes};
    const ts_sorter_order order = {.key_offset = 0, .key_count = POINT_KEYS};
    ts_walk at = ts_walk_of(*ts_model_rows(u->m), TS_T_live_process, columns, 7);
    ts_code code = ts_sorter_open(&u->points, u->ctx, sizeof(process_point), &order, POINT_MEMORY);
    while (ts_walk_next(&code, &at)) {
        TS_STEP_IF(code, !ts_walk_null(&at, C_TS) && ts_span_has(&u->span, ts_walk_int(&at, C_TS)),
                   add_point(u, &at));
    }
    return code;
}

/* --- those that are shown --------------------------------------------------------------------- */

static const process_sum *process_at(const usage *u, uint32_t place)
{
    return (const process_sum *)u->processes.rows.p + place;
}

static double mean_cpu(const process_sum *p)
{
    return p->cpus == 0 ? 0 : p->cpu / (double)p->cpus;
}

static ts_text name_of(const usage *u, const process_sum *p)
{
    return p->name < 2 ? TS_TEXT_NULL : ts_pool_text(&u->names, (uint32_t)(p->name / 2) - 1);
}

/* The most CPU time first, then the most memory; what is not known comes last, but for ids. */
static int compare_processes(const void *user, uint32_t a, uint32_t b)
{
    const process_sum *x = process_at(user, a);
    const process_sum *y = process_at(user, b);
    if ((x->cpus > 0) != (y->cpus > 0)) {
        return x->cpus > 0 ? -1 : 1;
    }
    if (mean_cpu(x) < mean_cpu(y) || mean_cpu(x) > mean_cpu(y)) {
        return mean_cpu(x) > mean_cpu(y) ? -1 : 1;
    }
    if (x->bytes.any != y->bytes.any) {
        return x->bytes.any ? -1 : 1;
    }
    if (x->bytes.most != y->bytes.most) {
        return x->bytes.most > y->bytes.most ? -1 : 1;
    }
    if (x->name % 2 != y->name % 2) {
        return x->name % 2 != 0 ? -1 : 1;
    }
    return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid)
                            : ts_text_order(name_of(user, x), name_of(user, y));
}

static ts_code choose_processes(usage *u, const ts_param *params, size_t count)
{
    size_t n = u->processes.rows.n;
    process_sum *all = u->processes.rows.p;
    TS_TRY(ts_vec_reserve(u->ctx, &u->order, n + 1, sizeof(uint32_t)));
    for (uint32_t i = 0; i < n; i++) {
        ((uint32_t *)u->order.p)[u->order.n++] = i;
    }
    TS_TRY(ts_sort_by(u->ctx, u->order.p, n, compare_processes, u));
    u->order.n = ts_answer_limit(params, count, ROWS_USUAL, (uint32_t)n);
    TS_NEED(u->ctx, u->parts = ts_zalloc(u->ctx, (u->order.n + 1) * PARTS, sizeof *u->parts));
    for (size_t i = 0; i < u->order.n; i++) {
        all[((const uint32_t *)u->order.p)[i]].parts = u->parts + i * PARTS;
    }
    return TS_OK;
}

/* --- how they developed ----------------------------------------------------------------------- */

/* The part of measurement `at` of n, of which the first parts have one more than the others. */
static uint64_t part_of(uint64_t at, uint64_t n)
{
    uint64_t size = n / PARTS;
    uint64_t larger = n % PARTS;
    return at < larger * (size + 1) ? at / (size + 1) : larger + (at - larger * (size + 1)) / size;
}

static ts_code part_point(void *user, const void *record)
{
    usage *u = user;
    const process_point *point = record;
    process_sum *p = (process_sum *)u->processes.rows.p + point->process;
    if (p->parts != NULL) {
        part_mean *part = &p->parts[part_of(p->at++, p->n)];
        part->cpu += (point->known & POINT_CPU) != 0 ? point->cpu : 0;
        part->cpus += (point->known & POINT_CPU) != 0;
        part->bytes += (point->known & POINT_PSS) != 0 ? (double)point->pss * KIB : 0;
        part->sizes += (point->known & POINT_PSS) != 0;
    }
    return TS_OK;
}

/* A share of a whole as a bar; one that is more than all of it, or less than nothing, has none. */
static ts_code put_bar(ts_buf *out, ts_ctx *ctx, double share)
{
    static const char *const bars[BARS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double height = (BARS - 1) * share + 0.5;
    return height > -1 && height < BARS
               ? ts_buf_put(ctx, out, bars[(int)height], strlen(bars[(int)height]))
               : TS_OK;
}

/* Both trends. */
static ts_code put_trends(ts_buf out[2], ts_ctx *ctx, const process_sum *p)
{
    double all = (double)(p->bytes.most - p->bytes.least);
    out[0].n = out[1].n = 0;
    for (unsigned i = 0; i < PARTS && i < p->n; i++) {
        const part_mean *part = &p->parts[i];
        bool cpu = part->cpus > 0 && (p->most_cpu < 0 || p->most_cpu > 0);
        bool bytes = part->sizes > 0 && all > 0;
        double more = bytes ? part->bytes / (double)part->sizes - (double)p->bytes.least : 0;
        TS_TRY(put_bar(&out[0], ctx, cpu ? part->cpu / (double)part->cpus / p->most_cpu : 0));
        TS_TRY(put_bar(&out[1], ctx, bytes ? more / all : 0));
    }
    return TS_OK;
}

static void put_process(ts_answer_row *row, const usage *u, const process_sum *p,
                        const ts_buf trends[2])
{
    ts_answer_begin(row);
    ts_answer_text(row, name_of(u, p));
    ts_answer_int(row, p->name % 2 == 0, p->pid);
    ts_answer_real(row, p->cpus > 0, mean_cpu(p));
    ts_answer_real(row, p->cpus > 0, p->most_cpu);
    ts_answer_text(row, ts_buf_text(&trends[0]));
    ts_answer_sum(row, p->first.known, p->first.bytes);
    ts_answer_sum(row, p->last.known, p->last.bytes);
    ts_answer_sum(row, p->bytes.any, p->bytes.most);
    ts_answer_text(row, ts_buf_text(&trends[1]));
    ts_answer_sum(row, p->read.any, p->read.most - p->read.least);
    ts_answer_sum(row, p->written.any, p->written.most - p->written.least);
}

static ts_code put_processes(usage *u, const ts_rows_visitor *visitor)
{
    ts_answer_row row = {.ctx = u->ctx};
    ts_buf trends[2] = {{0}, {0}};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < u->order.n; i++) {
        const process_sum *p = process_at(u, ((const uint32_t *)u->order.p)[i]);
        code = put_trends(trends, u->ctx, p);
        put_process(&row, u, p, trends);
        TS_STEP(code, ts_answer_put(&row, visitor));
    }
    ts_buf_free(u->ctx, &trends[0]);
    ts_buf_free(u->ctx, &trends[1]);
    ts_buf_free(u->ctx, &row.text);
    return code;
}

ts_code ts_answer_process_usage(ts_model *m, const ts_param *params, size_t count,
                                const ts_rows_visitor *visitor)
{
    static const char *const names[USAGE_COLUMNS] = {
        "process",      "pid",         "cpu_percent",  "most_cpu_percent",
        "cpu_trend",    "first_bytes", "last_bytes",   "most_bytes",
        "memory_trend", "read_bytes",  "written_bytes"};
    usage u = {.ctx = ts_model_ctx(m), .m = m, .span = TS_SPAN_ALL};
    u.processes = (ts_keyed_rows){.ctx = u.ctx, .size = sizeof(process_sum)};
    const ts_idset all = {.all = true};
    const char *from = ts_answer_param(params, count, "from");
    const char *to = ts_answer_param(params, count, "to");
    ts_code code = from == NULL ? TS_OK : ts_select_time(&u.span.from, m, "from", from, &all);
    TS_STEP_IF(code, to != NULL, ts_select_time(&u.span.to, m, "to", to, &all));
    TS_STEP(code, read_points(&u));
    TS_STEP(code, choose_processes(&u, params, count));
    TS_STEP(code, ts_sorter_drain(u.points, part_point, &u));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, USAGE_COLUMNS));
    TS_STEP(code, put_processes(&u, visitor));
    ts_sorter_close(u.points);
    ts_keyed_rows_free(&u.processes);
    ts_pool_free(u.ctx, &u.names);
    ts_vec_free(u.ctx, &u.order);
    ts_free(u.ctx, u.parts);
    return code;
}
