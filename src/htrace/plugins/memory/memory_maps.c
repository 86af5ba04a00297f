/* Parts of memory-plugin: mappings, anonymous shared memory, DMA buffers. */
#include "htrace/plugins/memory/memory.h"

#include "base/ckd.h"

#include <stdlib.h>

/* --- mappings --------------------------------------------------------------------------------- */

enum {
    START,
    END,
    PERMISSION,
    PATH,
    SIZE,
    RSS,
    PSS,
    RESIDE,
    DIRTY,
    SWAPPER,
    PRIVATE_CLEAN,
    PRIVATE_DIRTY,
    SHARED_CLEAN,
    SHARED_DIRTY,
    SWAP,
    SWAP_PSS,
    CATEGORY,
    MAP_FIELDS
};
static const ts_field_def map_fields[MAP_FIELDS] = {
    [START] = {1, TS_FIELD_BYTES, "start_addr"},
    [END] = {2, TS_FIELD_BYTES, "end_addr"},
    [PERMISSION] = {3, TS_FIELD_BYTES, "permission"},
    [PATH] = {4, TS_FIELD_BYTES, "path"},
    [SIZE] = {5, TS_FIELD_UINT, "size"},
    [RSS] = {6, TS_FIELD_UINT, "rss"},
    [PSS] = {7, TS_FIELD_UINT, "pss"},
    [RESIDE] = {8, TS_FIELD_REAL, "reside"},
    [DIRTY] = {9, TS_FIELD_UINT, "dirty"},
    [SWAPPER] = {10, TS_FIELD_UINT, "swapper"},
    [PRIVATE_CLEAN] = {11, TS_FIELD_UINT, "private_clean"},
    [PRIVATE_DIRTY] = {12, TS_FIELD_UINT, "private_dirty"},
    [SHARED_CLEAN] = {13, TS_FIELD_UINT, "shared_clean"},
    [SHARED_DIRTY] = {14, TS_FIELD_UINT, "shared_dirty"},
    [SWAP] = {15, TS_FIELD_UINT, "swap"},
    [SWAP_PSS] = {16, TS_FIELD_UINT, "swap_pss"},
    [CATEGORY] = {17, TS_FIELD_UINT, "category"},
};

#define TAKE(table, column, value)                                                                 \
    row.column = ts_records_int(&row.null, TS_NULL_BIT(table, column), &s->records, (value))
#define TAKE_DICT(table, column, value)                                                            \
    memory_dict(&row.column, &row.null, TS_NULL_BIT(table, column), s, (value))

/* "0x" and the text. */
static ts_code address(ts_text *out, ts_buf *buf, memory_plugin *s, const ts_value *value)
{
    ts_text text;
    ts_code code = ts_records_text(&text, &s->text, &s->records, value);
    *out = TS_TEXT_NULL;
    buf->n = 0;
    if (code != TS_OK || text.p == NULL ||
        (code = ts_buf_put(s->records.host->ctx, buf, "0x", 2)) != TS_OK ||
        (code = ts_buf_put(s->records.host->ctx, buf, text.p, text.n)) != TS_OK) {
        return code;
    }
    *out = ts_buf_text(buf);
    return TS_OK;
}

static ts_code put_map(memory_plugin *s, const ts_value *v)
{
    ts_ctx *ctx = s->records.host->ctx;
    ts_sink *sink = ts_store_sink(s->records.host->store);
    ts_row_smaps row = {.id = ts_records_next(&s->records, TS_T_smaps), .timeStamp = s->ts};
    ts_row_smaps_detail detail = {.smaps_id = row.id, .ipid = s->ipid};
    const bool exchanged = ctx->compat; /* QP-9 */
    ts_buf start = {0};
    ts_buf end = {0};
    ts_code code;
    TS_NULL_IF(s->ts == TS_NO_TIME, smaps, &row, timeStamp);
    TAKE(smaps, dirty, &v[DIRTY]);
    TAKE(smaps, swapper, &v[SWAPPER]);
    TAKE(smaps, resident_size, &v[RSS]);
    TAKE(smaps, pss, &v[PSS]);
    TAKE(smaps, virtaul_size, &v[SIZE]);
    TAKE(smaps, shared_clean, &v[exchanged ? PRIVATE_CLEAN : SHARED_CLEAN]);
    TAKE(smaps, shared_dirty, &v[exchanged ? PRIVATE_DIRTY : SHARED_DIRTY]);
    TAKE(smaps, private_clean, &v[exchanged ? SHARED_CLEAN : PRIVATE_CLEAN]);
    TAKE(smaps, private_dirty, &v[exchanged ? SHARED_DIRTY : PRIVATE_DIRTY]);
    TAKE(smaps, swap, &v[SWAP]);
    TAKE(smaps, swap_pss, &v[SWAP_PSS]);
    (void)ts_records_int(&row.null, TS_NULL_BIT(smaps, reside), &s->records, &v[RESIDE]);
    row.reside = v[RESIDE].d;
    row.type = memory_mapping_type(ts_value_text(&v[PATH]), ts_value_text(&v[PERMISSION]));
    if (v[PATH].state == TS_VALUE_UNKNOWN || v[PERMISSION].state == TS_VALUE_UNKNOWN) {
        row.null |= TS_NULL_BIT(smaps, type);
        ts_records_lose(&s->records, 1);
    }
    detail.category = ts_records_int(&detail.null, TS_NULL_BIT(smaps_detail, category), &s->records,
                                     &v[CATEGORY]);
    if ((code = address(&row.start_addr, &start, s, &v[START])) == TS_OK &&
        (code = address(&row.end_addr, &end, s, &v[END])) == TS_OK &&
        (code = TAKE_DICT(smaps, protection_id, &v[PERMISSION])) == TS_OK &&
        (code = TAKE_DICT(smaps, path_id, &v[PATH])) == TS_OK &&
        (code = ts_put_smaps(sink, &row)) == TS_OK) {
        code = ts_put_smaps_detail(sink, &detail);
    }
    ts_buf_free(ctx, &start);
    ts_buf_free(ctx, &end);
    return code;
}

/* What of anonymous shared memory a process has, for the rows of that. */
static ts_code add_shared(memory_plugin *s, const ts_value *v)
{
    static const char place[] = "/dev/ashmem/";
    uint64_t sum = 0;
    int64_t pss;
    if (v[PATH].state != TS_VALUE_READ ||
        memmem(v[PATH].p, v[PATH].n, place, sizeof place - 1) == NULL) {
        return TS_OK;
    }
    (void)ts_idmap_find(&sum, &s->shared, s->ipid);
    pss = ts_sat_add((int64_t)sum, ts_sat_add(v[PSS].i, v[SWAP_PSS].i));
    return ts_idmap_put(s->records.host->ctx, &s->shared, s->ipid, (uint64_t)pss);
}

ts_code memory_map(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    memory_plugin *s = user;
    ts_value v[MAP_FIELDS];
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, "smapinfo", map_fields, MAP_FIELDS, p, n);
    if (code != TS_OK ||
        (code = memory_record(&put, s, "smaps", v[START].state != TS_VALUE_UNKNOWN)) != TS_OK ||
        v[START].state == TS_VALUE_UNKNOWN || (code = add_shared(s, v)) != TS_OK) {
        return code;
    }
    return put ? put_map(s, v) : TS_OK;
}

/* --- what several processes hold -------------------------------------------------------------- */

/* Rows of one message that share a thing: the flag of each depends on the others. */
typedef struct shared_thing {
    int64_t id[2]; /* what it is */
    int64_t ipid;
    int64_t rank; /* which process is its first: the lowest, or (DMA) the highest */
    size_t place; /* among the rows of the message */
    int64_t flag;
} shared_thing;

static int by_thing(const void *pa, const void *pb)
{
    const shared_thing *a = pa;
    const shared_thing *b = pb;
    const int64_t x[] = {a->id[0], a->id[1], a->rank, a->ipid, (int64_t)a->place};
    const int64_t y[] = {b->id[0], b->id[1], b->rank, b->ipid, (int64_t)b->place};
    for (size_t i = 0; i < 5; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int by_given_place(const void *pa, const void *pb)
{
    const shared_thing *a = pa;
    const shared_thing *b = pb;
    return (a->place > b->place) - (a->place < b->place);
}

/* In order of things: of each process the first row is 0 or 2, the others are 1. Rows whose rank is
 * that of the thing's first one are 0. */
static void set_flags(shared_thing *things, size_t n)
{
    int64_t rank = 0;
    qsort(things, n, sizeof *things, by_thing);
    for (size_t i = 0; i < n; i++) {
        shared_thing *t = &things[i];
        bool same = i > 0 && t[-1].id[0] == t->id[0] && t[-1].id[1] == t->id[1];
        rank = same ? rank : t->rank;
        t->flag = same && t[-1].ipid == t->ipid ? 1 : t->rank == rank ? 0 : 2;
    }
    qsort(things, n, sizeof *things, by_given_place);
}

/* --- anonymous shared memory ------------------------------------------------------------------ */

enum { A_NAME, A_PID, A_ADJ, A_FD, A_TEXT, A_SIZE, A_ID, A_TIME, A_REFERENCES, A_PURGED, A_FIELDS };
static const ts_field_def ashmem_fields[A_FIELDS] = {
    [A_NAME] = {1, TS_FIELD_BYTES, "name"},
    [A_PID] = {2, TS_FIELD_INT32, "pid"},
    [A_ADJ] = {3, TS_FIELD_INT, "adj"},
    [A_FD] = {4, TS_FIELD_INT, "fd"},
    [A_TEXT] = {5, TS_FIELD_BYTES, "ashmem_name"},
    [A_SIZE] = {6, TS_FIELD_INT, "size"},
    [A_ID] = {7, TS_FIELD_INT, "id"},
    [A_TIME] = {8, TS_FIELD_INT, "time"},
    [A_REFERENCES] = {9, TS_FIELD_INT, "ref_count"},
    [A_PURGED] = {10, TS_FIELD_INT, "purged"},
};

typedef struct held_ashmem {
    shared_thing thing; /* first */
    ts_row_memory_ashmem row;
} held_ashmem;

static ts_code one_ashmem(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    memory_plugin *s = user;
    ts_value v[A_FIELDS];
    ts_row_memory_ashmem row = {.ts = s->ts};
    held_ashmem *held;
    uint64_t pss = 0;
    bool known;
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, "ashmeminfo", ashmem_fields, A_FIELDS, p, n);
    if (code != TS_OK ||
        (code = memory_process(&row.ipid, &known, s, &v[A_PID], &v[A_NAME])) != TS_OK ||
        (code = memory_record(&put, s, "ashmem", known)) != TS_OK || !put) {
        return code;
    }
    TS_NULL_IF(s->ts == TS_NO_TIME, memory_ashmem, &row, ts);
    TAKE(memory_ashmem, adj, &v[A_ADJ]);
    TAKE(memory_ashmem, fd, &v[A_FD]);
    TAKE(memory_ashmem, size, &v[A_SIZE]);
    TAKE(memory_ashmem, ashmem_id, &v[A_ID]);
    TAKE(memory_ashmem, time, &v[A_TIME]);
    TAKE(memory_ashmem, ref_count, &v[A_REFERENCES]);
    TAKE(memory_ashmem, purged, &v[A_PURGED]);
    (void)ts_idmap_find(&pss, &s->shared, row.ipid);
    row.pss = (int64_t)pss;
    TS_TRY_INTO(code, TAKE_DICT(memory_ashmem, ashmem_name_id, &v[A_TEXT]));
    TS_NEED(s->records.host->ctx, held = ts_vec_add(s->records.host->ctx, &s->held, sizeof *held));
    held->row = row;
    held->thing =
        (shared_thing){.id = {row.ashmem_id, row.time}, .ipid = row.ipid, .rank = row.ipid};
    return TS_OK;
}

/* The flags of rows that are held; `size` bytes each, the thing first. */
static ts_code flags_of(ts_vec *things, const memory_plugin *s, size_t size)
{
    ts_code code = ts_vec_reserve(s->records.host->ctx, things, s->held.n, sizeof(shared_thing));
    shared_thing *t = things->p;
    if (code != TS_OK) {
        return code;
    }
    for (size_t i = 0; i < s->held.n; i++) {
        memcpy(&t[i], (const char *)s->held.p + i * size, sizeof *t);
        t[i].place = i;
    }
    things->n = s->held.n;
    if (things->n > 0) {
        set_flags(t, things->n);
    }
    return TS_OK;
}

/* What depends on other parts of a message is not known when some of it could not be read. */
static void doubt_sums(uint64_t *null, memory_plugin *s, uint64_t columns)
{
    if (s->m->faults > 0) {
        *null |= columns;
        ts_records_lose(&s->records, (uint64_t)__builtin_popcountll(columns));
    }
}

ts_code memory_ashmem(memory_plugin *s, const uint8_t *p, size_t n)
{
    ts_vec things = {0};
    ts_code code = ts_fields_repeat(s->m, 5, p, n, one_ashmem, s);
    held_ashmem *held = s->held.p;
    code = code != TS_OK ? code : flags_of(&things, s, sizeof *held);
    for (size_t i = 0; code == TS_OK && i < things.n; i++) {
        held[i].row.id = ts_records_next(&s->records, TS_T_memory_ashmem);
        held[i].row.flag = ((const shared_thing *)things.p)[i].flag;
        doubt_sums(&held[i].row.null, s,
                   TS_NULL_BIT(memory_ashmem, flag) | TS_NULL_BIT(memory_ashmem, pss));
        code = ts_put_memory_ashmem(ts_store_sink(s->records.host->store), &held[i].row);
    }
    ts_vec_free(s->records.host->ctx, &things);
    ts_vec_free(s->records.host->ctx, &s->held);
    return code;
}

/* --- DMA buffers ------------------------------------------------------------------------------ */

enum { D_NAME, D_PID, D_FD, D_SIZE, D_INO, D_EXP_PID, D_EXP_TASK, D_BUFFER, D_EXPORTER, D_FIELDS };
static const ts_field_def dma_fields[D_FIELDS] = {
    [D_NAME] = {1, TS_FIELD_BYTES, "name"},
    [D_PID] = {2, TS_FIELD_INT32, "pid"},
    [D_FD] = {3, TS_FIELD_INT, "fd"},
    [D_SIZE] = {4, TS_FIELD_INT, "size"},
    [D_INO] = {5, TS_FIELD_INT, "ino"},
    [D_EXP_PID] = {6, TS_FIELD_INT, "exp_pid"},
    [D_EXP_TASK] = {7, TS_FIELD_BYTES, "exp_task_comm"},
    [D_BUFFER] = {8, TS_FIELD_BYTES, "buf_name"},
    [D_EXPORTER] = {9, TS_FIELD_BYTES, "exp_name"},
};

typedef struct held_dma {
    shared_thing thing; /* first */
    ts_row_memory_dma row;
} held_dma;

/* The compositor and the render service pass buffers of others on: those come first. */
static int64_t rank_of(const memory_plugin *s, int64_t ipid)
{
    ts_text name = ts_process_row(s->records.host->store, ipid)->name;
    return ts_text_is(name, "composer_host") ? 0 : ts_text_is(name, "render_service") ? -1 : -2;
}

static ts_code one_dma(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    memory_plugin *s = user;
    ts_value v[D_FIELDS];
    ts_row_memory_dma row = {.ts = s->ts};
    held_dma *held;
    bool known;
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, "dmainfo", dma_fields, D_FIELDS, p, n);
    if (code != TS_OK ||
        (code = memory_process(&row.ipid, &known, s, &v[D_PID], &v[D_NAME])) != TS_OK ||
        (code = memory_record(&put, s, "dma", known)) != TS_OK || !put) {
        return code;
    }
    TS_NULL_IF(s->ts == TS_NO_TIME, memory_dma, &row, ts);
    TAKE(memory_dma, fd, &v[D_FD]);
    TAKE(memory_dma, size, &v[D_SIZE]);
    TAKE(memory_dma, ino, &v[D_INO]);
    TAKE(memory_dma, exp_pid, &v[D_EXP_PID]);
    TS_TRY_INTO(code, TAKE_DICT(memory_dma, exp_task_comm_id, &v[D_EXP_TASK]));
    TS_TRY_INTO(code, TAKE_DICT(memory_dma, buf_name_id, &v[D_BUFFER]));
    TS_TRY_INTO(code, TAKE_DICT(memory_dma, exp_name_id, &v[D_EXPORTER]));
    TS_NEED(s->records.host->ctx, held = ts_vec_add(s->records.host->ctx, &s->held, sizeof *held));
    held->row = row;
    held->thing = (shared_thing){.id = {row.ino, 0}, .ipid = row.ipid, .rank = 0};
    return TS_OK;
}

ts_code memory_dma(memory_plugin *s, const uint8_t *p, size_t n)
{
    ts_vec things = {0};
    ts_code code = ts_fields_repeat(s->m, 6, p, n, one_dma, s);
    held_dma *held = s->held.p;
    for (size_t i = 0; code == TS_OK && i < s->held.n; i++) {
        held[i].thing.rank = rank_of(s, held[i].row.ipid); /* names of all are known now */
    }
    code = code != TS_OK ? code : flags_of(&things, s, sizeof *held);
    for (size_t i = 0; code == TS_OK && i < things.n; i++) {
        held[i].row.id = ts_records_next(&s->records, TS_T_memory_dma);
        held[i].row.flag = ((const shared_thing *)things.p)[i].flag;
        doubt_sums(&held[i].row.null, s, TS_NULL_BIT(memory_dma, flag));
        code = ts_put_memory_dma(ts_store_sink(s->records.host->store), &held[i].row);
    }
    ts_vec_free(s->records.host->ctx, &things);
    ts_vec_free(s->records.host->ctx, &s->held);
    return code;
}
