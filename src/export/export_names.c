#include "export/export_parts.h"

typedef struct named {
    int64_t number; /* pid or tid; -1: not known */
    int64_t parent; /* of a source its parent, of a thread its ipid; -1: none */
    uint32_t name;  /* place in the pool + 1; 0: none */
} named;

/* Columns of the number, the parent and the name. */
typedef struct names_from {
    enum ts_table_id table;
    unsigned columns[4]; /* id, number, parent, name */
} names_from;

static const names_from from_source = {
    TS_T_source, {TS_C_source__id, TS_C_source__pid, TS_C_source__parent_id, TS_C_source__name}};
static const names_from from_process = {
    TS_T_process, {TS_C_process__id, TS_C_process__pid, TS_C_process__ipid, TS_C_process__name}};
static const names_from from_thread = {
    TS_T_thread, {TS_C_thread__id, TS_C_thread__tid, TS_C_thread__ipid, TS_C_thread__name}};

static ts_code names_row(ts_naming *names, ts_ctx *ctx, ts_vec *out, const ts_walk *at)
{
    int64_t id = ts_walk_int(at, 0);
    ts_text text = ts_walk_text(at, 3);
    uint32_t place = 0;
    size_t before = out->n;
    ts_code code = ts_vec_reach(ctx, out, id, sizeof(named));
    if (code == TS_OK && text.n > 0) {
        code = ts_pool_intern(ctx, &place, NULL, &names->texts, text);
        place++;
    }
    if (code != TS_OK) {
        return code;
    }
    named *all = out->p;
    for (size_t k = before; k < out->n; k++) {
        all[k] = (named){-1, -1, 0};
    }
    all[id] = (named){
        ts_walk_int_or(at, 1, -1),
        ts_walk_int_or(at, 2, -1),
        place,
    };
    return TS_OK;
}

static ts_code names_read(ts_naming *names, ts_ctx *ctx, ts_reader *reader, ts_vec *out,
                          const names_from *from)
{
    ts_walk rows = ts_walk_of(ts_rows_of(reader), from->table, from->columns, 4);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = names_row(names, ctx, out, &rows);
    }
    return code;
}

ts_code ts_naming_load(ts_naming *names, ts_ctx *ctx, ts_reader *reader)
{
    *names = (ts_naming){0};
    ts_code code = names_read(names, ctx, reader, &names->sources, &from_source);
    TS_STEP(code, names_read(names, ctx, reader, &names->processes, &from_process));
    TS_STEP(code, names_read(names, ctx, reader, &names->threads, &from_thread));
    return code;
}

void ts_naming_free(ts_naming *names, ts_ctx *ctx)
{
    ts_vec_free(ctx, &names->sources);
    ts_vec_free(ctx, &names->processes);
    ts_vec_free(ctx, &names->threads);
    ts_pool_free(ctx, &names->texts);
}

static const named *names_find(const ts_vec *v, int64_t id)
{
    return id >= 0 && (uint64_t)id < v->n ? &((const named *)v->p)[id] : NULL;
}

static ts_text names_text(const ts_naming *names, const named *n)
{
    return n == NULL || n->name == 0 ? (ts_text){"", 0} : ts_pool_text(&names->texts, n->name - 1);
}

ts_text ts_naming_source(const ts_naming *names, int64_t source_id)
{
    return names_text(names, names_find(&names->sources, source_id));
}

ts_text ts_naming_thread(const ts_naming *names, int64_t itid)
{
    return names_text(names, names_find(&names->threads, itid));
}

ts_text ts_naming_process(const ts_naming *names, int64_t ipid)
{
    return names_text(names, names_find(&names->processes, ipid));
}

ts_text ts_naming_process_of(const ts_naming *names, int64_t itid)
{
    const named *thread = names_find(&names->threads, itid);
    return ts_naming_process(names, thread == NULL ? -1 : thread->parent);
}

/* Parents come before their children, so the way up ends. */
static int64_t pid_of_source(const ts_naming *names, int64_t id)
{
    const named *n = names_find(&names->sources, id);
    while (n != NULL && n->number < 0 && n->parent < id) {
        id = n->parent;
        n = names_find(&names->sources, id);
    }
    return n == NULL || n->number < 0 ? 0 : n->number;
}

ts_who ts_naming_who(const ts_naming *names, int64_t source_id, int64_t itid)
{
    const named *thread = names_find(&names->threads, itid);
    const named *process = thread == NULL ? NULL : names_find(&names->processes, thread->parent);
    ts_who who = {pid_of_source(names, source_id), TS_WHO_MADE_UP + 2 * source_id};
    if (process != NULL && process->number >= 0) {
        who.pid = process->number;
    }
    if (thread != NULL) {
        who.tid = thread->number >= 0 ? thread->number : TS_WHO_MADE_UP + 2 * itid + 1;
    }
    return who;
}
