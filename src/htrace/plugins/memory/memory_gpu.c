/* Parts of memory-plugin: memory of the GPU, of windows, of the render service. */
#include "htrace/plugins/memory/memory.h"

#include "base/ckd.h"

#define TAKE(table, column, value)                                                                 \
    row.column = ts_records_int(&row.null, TS_NULL_BIT(table, column), &s->records, (value))
#define TAKE_DICT(table, column, value)                                                            \
    memory_dict(&row.column, &row.null, TS_NULL_BIT(table, column), s, (value))
#define NO_TIME_BIT(table) (s->ts == TS_NO_TIME ? TS_NULL_BIT(table, ts) : 0)

static ts_sink *sink_of(const memory_plugin *s)
{
    return ts_store_sink(s->records.host->store);
}

/* --- memory of processes on the GPU ----------------------------------------------------------- */

enum { G_NAME, G_ALL, G_PROCESSES, G_FIELDS };
static const ts_field_def gpu_fields[G_FIELDS] = {
    [G_NAME] = {1, TS_FIELD_BYTES, "gpu_name"},
    [G_ALL] = {2, TS_FIELD_INT, "all_gpu_size"},
    [G_PROCESSES] = {3, TS_FIELD_BYTES, "gpu_process_info"},
};

enum { P_ADDRESS, P_PID, P_TID, P_SIZE, P_FIELDS };
static const ts_field_def gpu_process_fields[P_FIELDS] = {
    [P_ADDRESS] = {1, TS_FIELD_BYTES, "addr"},
    [P_PID] = {2, TS_FIELD_INT32, "pid"},
    [P_TID] = {3, TS_FIELD_INT32, "tid"},
    [P_SIZE] = {4, TS_FIELD_INT, "used_gpu_size"},
};

/* What the rows of one part share. */
typedef struct gpu_part {
    memory_plugin *s;
    const ts_value *v;
    const ts_value *module; /* of windows */
} gpu_part;

/* The thread first, and then its process. */
static ts_code take_thread(ts_row_memory_process_gpu *row, memory_plugin *s, const ts_value *v)
{
    const ts_plugin_host *host = s->records.host;
    bool known = v[P_PID].state != TS_VALUE_UNKNOWN;
    ts_code code = TS_OK;
    if (known && v[P_TID].state != TS_VALUE_UNKNOWN) {
        code = ts_thread_seen(&row->itid, host->store, host->source_id, v[P_TID].i, v[P_PID].i);
    } else {
        row->null |= TS_NULL_BIT(memory_process_gpu, itid);
        ts_records_lose(&s->records, 1);
    }
    if (!known) {
        row->null |= TS_NULL_BIT(memory_process_gpu, ipid);
        ts_records_lose(&s->records, 1);
        return code;
    }
    return code != TS_OK ? code
                         : ts_process_seen(&row->ipid, host->store, host->source_id, v[P_PID].i);
}

static ts_code gpu_process(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    const gpu_part *part = user;
    memory_plugin *s = part->s;
    ts_row_memory_process_gpu row = {.id = ts_records_next(&s->records, TS_T_memory_process_gpu),
                                     .ts = s->ts};
    ts_value v[P_FIELDS];
    bool put;
    ts_code code =
        ts_fields_part(v, NULL, m, "gpu_process_info", gpu_process_fields, P_FIELDS, p, n);
    if (code != TS_OK ||
        (code = memory_record(&put, s, "gpu",
                              v[P_PID].state != TS_VALUE_UNKNOWN ||
                                  v[P_SIZE].state != TS_VALUE_UNKNOWN)) != TS_OK ||
        !put) {
        return code;
    }
    row.null |= NO_TIME_BIT(memory_process_gpu);
    TAKE(memory_process_gpu, all_gpu_size, &part->v[G_ALL]);
    TAKE(memory_process_gpu, used_gpu_size, &v[P_SIZE]);
    TS_TRY_INTO(code, take_thread(&row, s, v));
    TS_TRY_INTO(code, TAKE_DICT(memory_process_gpu, gpu_name_id, &part->v[G_NAME]));
    TS_TRY_INTO(code, ts_records_text(&row.addr, &s->text, &s->records, &v[P_ADDRESS]));
    return ts_put_memory_process_gpu(sink_of(s), &row);
}

ts_code memory_gpu(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value v[G_FIELDS];
    gpu_part part = {.s = user, .v = v};
    ts_code code = ts_fields_part(v, NULL, m, "gpumemoryinfo", gpu_fields, G_FIELDS, p, n);
    return code != TS_OK
               ? code
               : ts_fields_repeat(m, gpu_fields[G_PROCESSES].number, p, n, gpu_process, &part);
}

/* --- windows ---------------------------------------------------------------------------------- */

enum { W_NAME, W_ID, W_MODULES, W_PURGEABLE, W_FIELDS };
static const ts_field_def window_fields[W_FIELDS] = {
    [W_NAME] = {1, TS_FIELD_BYTES, "window_name"},
    [W_ID] = {2, TS_FIELD_INT, "id"},
    [W_MODULES] = {3, TS_FIELD_BYTES, "gpu_detail_info"},
    [W_PURGEABLE] = {4, TS_FIELD_INT, "gpu_purgeable_size"},
};

enum { M_NAME, M_CATEGORIES, M_FIELDS };
static const ts_field_def module_fields[M_FIELDS] = {
    [M_NAME] = {1, TS_FIELD_BYTES, "module_name"},
    [M_CATEGORIES] = {2, TS_FIELD_BYTES, "gpu_sub_info"},
};

enum { C_NAME, C_SIZE, C_ENTRIES, C_FIELDS };
static const ts_field_def category_fields[C_FIELDS] = {
    [C_NAME] = {1, TS_FIELD_BYTES, "category_name"},
    [C_SIZE] = {2, TS_FIELD_INT, "size"},
    [C_ENTRIES] = {3, TS_FIELD_INT, "entry_num"},
};

/* A row whose window may be said to be a process's later. */
typedef struct waiting_window {
    int64_t rowid;
    int64_t name;
} waiting_window;

/* The row, with its process when it is known, else to be completed. */
static ts_code put_window(memory_plugin *s, ts_row_memory_window_gpu *row)
{
    ts_ctx *ctx = s->records.host->ctx;
    waiting_window *waiting;
    uint64_t ipid = 0;
    if ((row->null & TS_NULL_BIT(memory_window_gpu, window_name_id)) != 0) {
        row->null |= TS_NULL_BIT(memory_window_gpu, ipid);
        return ts_put_memory_window_gpu(sink_of(s), row);
    }
    if (ts_idmap_find(&ipid, &s->windows, row->window_name_id)) {
        row->ipid = (int64_t)ipid;
        return ts_put_memory_window_gpu(sink_of(s), row);
    }
    TS_TRY(ts_sink_reserve(sink_of(s), TS_T_memory_window_gpu, row,
                           TS_NULL_BIT(memory_window_gpu, ipid)));
    TS_NEED(ctx, waiting = ts_vec_add(ctx, &s->waiting, sizeof *waiting));
    *waiting =
        (waiting_window){ts_records_next(&s->records, TS_T_memory_window_gpu), row->window_name_id};
    return TS_OK;
}

static ts_code window_category(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    const gpu_part *part = user;
    memory_plugin *s = part->s;
    ts_row_memory_window_gpu row = {.id = ts_records_next(&s->records, TS_T_memory_window_gpu),
                                    .ts = s->ts};
    ts_value v[C_FIELDS];
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, "gpu_sub_info", category_fields, C_FIELDS, p, n);
    if (code != TS_OK ||
        (code = memory_record(&put, s, "window",
                              v[C_NAME].state != TS_VALUE_UNKNOWN ||
                                  v[C_SIZE].state != TS_VALUE_UNKNOWN)) != TS_OK ||
        !put) {
        return code;
    }
    row.null |= NO_TIME_BIT(memory_window_gpu);
    TAKE(memory_window_gpu, window_id, &part->v[W_ID]);
    TAKE(memory_window_gpu, purgeable_size, &part->v[W_PURGEABLE]);
    TAKE(memory_window_gpu, size, &v[C_SIZE]);
    TAKE(memory_window_gpu, count, &v[C_ENTRIES]);
    TS_TRY_INTO(code, TAKE_DICT(memory_window_gpu, window_name_id, &part->v[W_NAME]));
    TS_TRY_INTO(code, TAKE_DICT(memory_window_gpu, module_name_id, part->module));
    TS_TRY_INTO(code, TAKE_DICT(memory_window_gpu, category_name_id, &v[C_NAME]));
    return put_window(s, &row);
}

static ts_code window_module(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    gpu_part part = *(const gpu_part *)user;
    ts_value v[M_FIELDS];
    ts_code code = ts_fields_part(v, NULL, m, "gpu_detail_info", module_fields, M_FIELDS, p, n);
    part.module = &v[M_NAME];
    return code != TS_OK ? code
                         : ts_fields_repeat(m, module_fields[M_CATEGORIES].number, p, n,
                                            window_category, &part);
}

ts_code memory_window(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value v[W_FIELDS];
    gpu_part part = {.s = user, .v = v};
    ts_code code = ts_fields_part(v, NULL, m, "gpudumpinfo", window_fields, W_FIELDS, p, n);
    return code != TS_OK
               ? code
               : ts_fields_repeat(m, window_fields[W_MODULES].number, p, n, window_module, &part);
}

enum { I_NAME, I_PID, I_FIELDS };
static const ts_field_def info_fields[I_FIELDS] = {
    [I_NAME] = {1, TS_FIELD_BYTES, "window_name"},
    [I_PID] = {2, TS_FIELD_INT32, "pid"},
};

ts_code memory_window_info(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    memory_plugin *s = user;
    const ts_plugin_host *host = s->records.host;
    ts_value v[I_FIELDS];
    uint64_t null = 0;
    uint64_t have;
    int64_t name;
    int64_t ipid;
    ts_code code = ts_fields_part(v, NULL, m, "windowinfo", info_fields, I_FIELDS, p, n);
    if (code != TS_OK || v[I_NAME].state == TS_VALUE_UNKNOWN ||
        v[I_PID].state == TS_VALUE_UNKNOWN ||
        (code = memory_dict(&name, &null, 1, s, &v[I_NAME])) != TS_OK ||
        (code = ts_process_seen(&ipid, host->store, host->source_id, v[I_PID].i)) != TS_OK ||
        ts_idmap_find(&have, &s->windows, name)) { /* the first one counts */
        return code;
    }
    return ts_idmap_put(host->ctx, &s->windows, name, (uint64_t)ipid);
}

ts_code memory_windows_end(memory_plugin *s)
{
    const waiting_window *waiting = s->waiting.p;
    const uint64_t bit = TS_NULL_BIT(memory_window_gpu, ipid);
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < s->waiting.n; i++) {
        uint64_t ipid = 0;
        bool known = ts_idmap_find(&ipid, &s->windows, waiting[i].name);
        int64_t value = (int64_t)ipid;
        code = ts_sink_settle(sink_of(s), TS_T_memory_window_gpu, waiting[i].rowid, bit, &value);
        TS_STEP_IF(code, !known,
                   ts_sink_invalidate(sink_of(s), TS_T_memory_window_gpu, waiting[i].rowid,
                                      waiting[i].rowid, bit));
    }
    return code;
}

/* --- the render service ----------------------------------------------------------------------- */

ts_code memory_cpu_dump(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    static const ts_field_def total[] = {{1, TS_FIELD_INT, "total"}};
    memory_plugin *s = user;
    ts_row_memory_cpu row = {.id = ts_records_next(&s->records, TS_T_memory_cpu), .ts = s->ts};
    ts_value v;
    bool put;
    ts_code code = ts_fields_part(&v, NULL, m, "cpudumpinfo", total, 1, p, n);
    if (code != TS_OK ||
        (code = memory_record(&put, s, "cpu", v.state != TS_VALUE_UNKNOWN)) != TS_OK || !put) {
        return code;
    }
    row.null |= NO_TIME_BIT(memory_cpu);
    TAKE(memory_cpu, total_size, &v);
    return ts_put_memory_cpu(sink_of(s), &row);
}

ts_code memory_profile(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    static const ts_field_def fields[] = {{1, TS_FIELD_BYTES, "channel"},
                                          {2, TS_FIELD_INT, "total"}};
    memory_plugin *s = user;
    ts_row_memory_profile row = {.id = ts_records_next(&s->records, TS_T_memory_profile),
                                 .ts = s->ts};
    ts_value v[2];
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, "profilememinfo", fields, 2, p, n);
    if (code != TS_OK ||
        (code = memory_record(&put, s, "profile", v[0].state != TS_VALUE_UNKNOWN)) != TS_OK ||
        !put) {
        return code;
    }
    row.null |= NO_TIME_BIT(memory_profile);
    TAKE(memory_profile, total_size, &v[1]);
    code = TAKE_DICT(memory_profile, channel_id, &v[0]);
    return code != TS_OK ? code : ts_put_memory_profile(sink_of(s), &row);
}

enum { S_SIZE, S_TYPE, S_PID, S_NAME, S_FIELDS };
static const ts_field_def image_fields[S_FIELDS] = {
    [S_SIZE] = {1, TS_FIELD_INT, "size"},
    [S_TYPE] = {2, TS_FIELD_BYTES, "type"},
    [S_PID] = {3, TS_FIELD_INT32, "pid"},
    [S_NAME] = {4, TS_FIELD_BYTES, "surface_name"},
};

ts_code memory_image(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    memory_plugin *s = user;
    ts_row_memory_rs_image row = {.id = ts_records_next(&s->records, TS_T_memory_rs_image),
                                  .ts = s->ts};
    ts_value v[S_FIELDS];
    bool known;
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, "rsdumpinfo", image_fields, S_FIELDS, p, n);
    if (code != TS_OK ||
        (code = memory_record(&put, s, "image", v[S_SIZE].state != TS_VALUE_UNKNOWN)) != TS_OK ||
        !put) {
        return code;
    }
    row.null |= NO_TIME_BIT(memory_rs_image);
    TAKE(memory_rs_image, mem_size, &v[S_SIZE]);
    if (v[S_PID].state == TS_VALUE_READ) {
        code = memory_process(&row.ipid, &known, s, &v[S_PID], NULL);
    } else {
        row.null |= TS_NULL_BIT(memory_rs_image, ipid);
        ts_records_lose(&s->records, v[S_PID].state == TS_VALUE_UNKNOWN);
    }
    if (code != TS_OK || (code = TAKE_DICT(memory_rs_image, type_id, &v[S_TYPE])) != TS_OK ||
        (code = TAKE_DICT(memory_rs_image, surface_name_id, &v[S_NAME])) != TS_OK) {
        return code;
    }
    return ts_put_memory_rs_image(sink_of(s), &row);
}
