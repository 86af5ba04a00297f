/* The longest waits for a CPU, and what ran there meanwhile, as the rows of the question cpu_waits.
 *
 * Three passes: over the states for the waits; over what ran on CPUs for where each of their
 * threads ran next, which begins when the wait ends; and once more for what had these CPUs. */
#include "model/sched_rows.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/sorter.h"
#include "model/sort_by.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAIT_COLUMNS = 9, WAITS_USUAL = 20, RAN_MEMORY = 16 * 1024 * 1024 };

typedef struct cpu_wait {
    int64_t id, ts, dur, itid;
    unsigned state;
    bool met; /* something ran on its CPU meanwhile: */
    int64_t ran_itid;
    ts_wide ran;
} cpu_wait;

/* Where a thread ran after its wait. */
typedef struct wait_place {
    int64_t cpu, from, until;
    int64_t reach; /* the greatest end of the places of the CPU up to this one */
    uint32_t wait;
} wait_place;

/* What a thread ran of a wait. */
typedef struct wait_ran {
    uint64_t wait;
    uint64_t itid; /* ts_sorter_key */
    int64_t dur;
} wait_ran;

typedef struct cpu_waits {
    ts_ctx *ctx;
    ts_model *m;
    ts_vec waits;   /* of cpu_wait, the longest first */
    ts_vec by_end;  /* uint32_t: places of waits by thread and end */
    ts_vec places;  /* of wait_place */
    ts_sorter *ran; /* of wait_ran */
} cpu_waits;

static const char *const wait_states[] = {"R", "R+", "R-B"};
enum { WAIT_STATES = 3 };

/* --- waits ------------------------------------------------------------------------------------ */

static int compare_waits(const void *a, const void *b)
{
    const cpu_wait *x = a;
    const cpu_wait *y = b;
    if (x->dur != y->dur) {
        return x->dur < y->dur ? 1 : -1;
    }
    return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts) : (x->id > y->id) - (x->id < y->id);
}

/* Leaves the longest. */
static void cut_waits(cpu_waits *c, uint32_t most)
{
    if (c->waits.n > 1) {
        qsort(c->waits.p, c->waits.n, sizeof(cpu_wait), compare_waits);
    }
    c->waits.n = c->waits.n < most ? c->waits.n : most;
}

static ts_code read_waits(cpu_waits *c, const sched_pid *pid, uint32_t most)
{
    static const unsigned columns[] = {TS_C_thread_state__state, TS_C_thread_state__ts,
                                       TS_C_thread_state__dur, TS_C_thread_state__itid,
                                       TS_C_thread_state__pid};
    ts_walk at = ts_walk_of(*ts_model_rows(c->m), TS_T_thread_state, columns, 5);
    int64_t least = 1; /* shorter ones are not among the longest */
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        ts_text text = ts_walk_text(&at, 0);
        int64_t dur = ts_walk_int_or(&at, 2, 0);
        unsigned state = 0;
        while (state < WAIT_STATES && !ts_text_is(text, wait_states[state])) {
            state++;
        }
        if (dur < least || state == WAIT_STATES ||
            !sched_wants_pid(pid, !ts_walk_null(&at, 4), ts_walk_int(&at, 4))) {
            continue;
        }
        const cpu_wait wait = {.id = ts_walk_id(&at),
                               .ts = ts_walk_int(&at, 1),
                               .dur = dur,
                               .itid = ts_walk_int(&at, 3),
                               .state = state};
        code = ts_vec_push(c->ctx, &c->waits, &wait, sizeof wait);
        if (c->waits.n >= 1024 + 2 * (size_t)most) {
            cut_waits(c, most);
            least = most == 0 ? INT64_MAX : ((const cpu_wait *)c->waits.p)[most - 1].dur;
        }
    }
    cut_waits(c, most);
    return code;
}

/* --- where they ended ------------------------------------------------------------------------- */

static int compare_end(const cpu_wait *w, int64_t itid, int64_t end)
{
    int64_t own = ts_sat_add(w->ts, w->dur);
    return w->itid != itid ? (w->itid > itid) - (w->itid < itid) : (own > end) - (own < end);
}

static int compare_ends(const void *user, uint32_t a, uint32_t b)
{
    const cpu_wait *all = user;
    return compare_end(&all[a], all[b].itid, ts_sat_add(all[b].ts, all[b].dur));
}

static ts_code sort_ends(cpu_waits *c)
{
    TS_TRY(ts_vec_reserve(c->ctx, &c->by_end, c->waits.n + 1, sizeof(uint32_t)));
    for (uint32_t i = 0; i < c->waits.n; i++) {
        ((uint32_t *)c->by_end.p)[c->by_end.n++] = i;
    }
    return ts_sort_by(c->ctx, c->by_end.p, c->by_end.n, compare_ends, c->waits.p);
}

/* The first of by_end that is not before. */
static size_t find_end(const cpu_waits *c, int64_t itid, int64_t end)
{
    const uint32_t *order = c->by_end.p;
    size_t low = 0;
    size_t high = c->by_end.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_end((const cpu_wait *)c->waits.p + order[middle], itid, end) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int compare_places(const void *a, const void *b)
{
    const wait_place *x = a;
    const wait_place *y = b;
    if (x->cpu != y->cpu) {
        return x->cpu < y->cpu ? -1 : 1;
    }
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->wait > y->wait) - (x->wait < y->wait);
}

/* In the order of CPUs and times, each once. */
static void sort_places(cpu_waits *c)
{
    wait_place *all = c->places.p;
    size_t n = 0;
    if (c->places.n > 1) {
        qsort(all, c->places.n, sizeof *all, compare_places);
    }
    for (size_t i = 0; i < c->places.n; i++) {
        if (n > 0 && compare_places(&all[n - 1], &all[i]) == 0) {
            continue;
        }
        all[n] = all[i];
        bool more = n > 0 && all[n - 1].cpu == all[n].cpu && all[n - 1].reach > all[n].until;
        all[n].reach = more ? all[n - 1].reach : all[n].until;
        n++;
    }
    c->places.n = n;
}

static ts_code read_places(cpu_waits *c)
{
    static const unsigned columns[] = {TS_C_sched_slice__itid, TS_C_sched_slice__ts,
                                       TS_C_sched_slice__cpu};
    ts_walk at = ts_walk_of(*ts_model_rows(c->m), TS_T_sched_slice, columns, 3);
    const cpu_wait *waits = c->waits.p;
    ts_code code = sort_ends(c);
    while (c->waits.n > 0 && ts_walk_next(&code, &at)) {
        int64_t itid = ts_walk_int(&at, 0);
        int64_t ts = ts_walk_int(&at, 1);
        for (size_t i = find_end(c, itid, ts); code == TS_OK && i < c->by_end.n; i++) {
            uint32_t wait = ((const uint32_t *)c->by_end.p)[i];
            if (compare_end(&waits[wait], itid, ts) != 0) {
                break;
            }
            const wait_place place = {
                .cpu = ts_walk_int(&at, 2), .from = waits[wait].ts, .until = ts, .wait = wait};
            code = ts_vec_push(c->ctx, &c->places, &place, sizeof place);
        }
    }
    sort_places(c);
    return code;
}

/* --- what ran meanwhile ----------------------------------------------------------------------- */

/* After the last place of the CPU that begins before `end`. */
static size_t places_before(const cpu_waits *c, int64_t cpu, int64_t end)
{
    const wait_place *all = c->places.p;
    size_t low = 0;
    size_t high = c->places.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].cpu < cpu || (all[middle].cpu == cpu && all[middle].from < end)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static ts_code add_ran(cpu_waits *c, int64_t itid, int64_t cpu, int64_t ts, int64_t dur)
{
    const wait_place *all = c->places.p;
    int64_t end = ts_sat_add(ts, dur);
    for (size_t i = places_before(c, cpu, end);
         i-- > 0 && all[i].cpu == cpu && all[i].reach > ts;) {
        const wait_place *p = &all[i];
        const wait_ran ran = {
            .wait = p->wait,
            .itid = ts_sorter_key(itid),
            .dur = ts_sat_sub(end < p->until ? end : p->until, ts > p->from ? ts : p->from)};
        if (p->until > ts) {
            TS_TRY(ts_sorter_add(c->ran, &ran));
        }
    }
    return TS_OK;
}

static ts_code read_ran(cpu_waits *c)
{
    static const unsigned columns[] = {TS_C_sched_slice__itid, TS_C_sched_slice__cpu,
                                       TS_C_sched_slice__ts, TS_C_sched_slice__dur};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    ts_walk at = ts_walk_of(*ts_model_rows(c->m), TS_T_sched_slice, columns, 4);
    ts_code code = ts_sorter_open(&c->ran, c->ctx, sizeof(wait_ran), &order, RAN_MEMORY);
    while (c->places.n > 0 && ts_walk_next(&code, &at)) {
        TS_STEP_IF(code, ts_walk_int(&at, 0) != 0 && !ts_walk_null(&at, 3),
                   add_ran(c, ts_walk_int(&at, 0), ts_walk_int(&at, 1), ts_walk_int(&at, 2),
                           ts_walk_int(&at, 3)));
    }
    return code;
}

/* What a thread ran of a wait in all. Threads come in the order of their ids: of equal ones the
 * first is it. */
static void take_ran(cpu_wait *w, uint64_t itid, ts_wide dur)
{
    if (!w->met || dur > w->ran) {
        w->ran = dur;
        w->ran_itid = (int64_t)(itid ^ UINT64_C(1) << 63);
    }
    w->met = true;
}

static ts_code choose_ran(cpu_waits *c)
{
    cpu_wait *all = c->waits.p;
    wait_ran before = {0};
    bool any = false;
    ts_wide sum = 0;
    const void *record = NULL;
    ts_code code = ts_sorter_finish(c->ran);
    while (code == TS_OK && (code = ts_sorter_next(&record, c->ran)) == TS_OK && record != NULL) {
        const wait_ran *r = record;
        if (any && (r->wait != before.wait || r->itid != before.itid)) {
            take_ran(&all[before.wait], before.itid, sum);
            sum = 0;
        }
        sum += r->dur;
        before = *r;
        any = true;
    }
    if (code == TS_OK && any) {
        take_ran(&all[before.wait], before.itid, sum);
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int compare_shown(const void *user, uint32_t a, uint32_t b)
{
    const wait_place *all = user;
    return all[a].wait != all[b].wait ? (all[a].wait > all[b].wait) - (all[a].wait < all[b].wait)
                                      : (all[a].cpu > all[b].cpu) - (all[a].cpu < all[b].cpu);
}

static void put_wait(ts_answer_row *row, const cpu_wait *w, const ts_threads *threads,
                     const wait_place *place)
{
    const ts_thread_entry *ran = w->met ? ts_threads_at(threads, w->ran_itid) : NULL;
    char text[32] = "";
    ts_answer_begin(row);
    ts_answer_int(row, true, w->ts);
    ts_answer_int(row, true, w->dur);
    sched_put_thread(row, ts_threads_at(threads, w->itid));
    ts_answer_text(row, ts_text_of(wait_states[w->state]));
    ts_answer_int(row, place != NULL, place == NULL ? 0 : place->cpu);
    if (ran != NULL && ran->name.p == NULL && ran->tid != INT64_MIN) {
        snprintf(text, sizeof text, "thread %" PRId64, ran->tid);
    }
    ts_answer_text(row, text[0] != '\0' ? ts_text_of(text)
                        : ran == NULL   ? TS_TEXT_NULL
                                        : ran->name);
    ts_answer_sum(row, w->met, w->ran);
}

/* A row of each wait, or of each CPU on which its thread ran then. */
static ts_code put_waits(cpu_waits *c, const ts_rows_visitor *visitor)
{
    const ts_threads *threads = NULL;
    const wait_place *places = c->places.p;
    ts_answer_row row = {.ctx = c->ctx};
    ts_code code = ts_threads_get(&threads, c->m);
    uint32_t *order = ts_alloc(c->ctx, c->places.n + 1, sizeof *order);
    TS_STEP_IF(code, order == NULL, c->ctx->error.code);
    for (uint32_t i = 0; code == TS_OK && i < c->places.n; i++) {
        order[i] = i;
    }
    TS_STEP(code, ts_sort_by(c->ctx, order, c->places.n, compare_shown, places));
    size_t at = 0;
    for (uint32_t i = 0; code == TS_OK && i < c->waits.n; i++) {
        bool more;
        do {
            bool ran = at < c->places.n && places[order[at]].wait == i;
            put_wait(&row, (const cpu_wait *)c->waits.p + i, threads,
                     ran ? &places[order[at]] : NULL);
            at += ran ? 1 : 0;
            more = ran && at < c->places.n && places[order[at]].wait == i;
            code = ts_answer_put(&row, visitor);
        } while (code == TS_OK && more);
    }
    ts_free(c->ctx, order);
    ts_buf_free(c->ctx, &row.text);
    return code;
}

ts_code ts_answer_cpu_waits(ts_model *m, const ts_param *params, size_t count,
                            const ts_rows_visitor *visitor)
{
    static const char *const names[WAIT_COLUMNS] = {"ts",    "dur", "process",     "thread", "tid",
                                                    "state", "cpu", "ran_instead", "ran_dur"};
    const sched_pid pid = sched_pid_param(params, count);
    cpu_waits c = {.ctx = ts_model_ctx(m), .m = m};
    ts_code code = read_waits(&c, &pid, ts_answer_limit(params, count, WAITS_USUAL, UINT32_MAX));
    TS_STEP(code, read_places(&c));
    TS_STEP(code, read_ran(&c));
    TS_STEP(code, choose_ran(&c));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, WAIT_COLUMNS));
    TS_STEP(code, put_waits(&c, visitor));
    ts_sorter_close(c.ran);
    ts_vec_free(c.ctx, &c.waits);
    ts_vec_free(c.ctx, &c.by_end);
    ts_vec_free(c.ctx, &c.places);
    return code;
}
