/* Threads: what their objects say, and their stacks. */
#include "parsers/hprof/hprof.h"

/* The record of an object that a field of another refers to. */
static ts_code follow(hprof_sub *s, bool *got, hprof_dump *d, const hprof_sub *from,
                      hprof_place place)
{
    uint64_t id;
    TS_TRY(hprof_field_value(&id, got, d, from, place));
    *got = *got && place.type == HPROF_OBJECT;
    return *got ? hprof_record_of(s, got, d, hprof_node_of(d, id)) : TS_OK;
}

static ts_code value_of(uint64_t *value, bool *got, hprof_dump *d, const hprof_sub *s,
                        const char *name)
{
    uint64_t number;
    hprof_place place;
    *got = false;
    if (s->tag != HPROF_INSTANCE || !ts_idmap_find(&number, &d->class_of, (int64_t)s->class_id)) {
        return TS_OK;
    }
    TS_TRY(hprof_field_place(&place, d, (uint32_t)number, name));
    return place.type == 0 ? TS_OK : hprof_field_value(value, got, d, s, place);
}

/* What the fields of the thread's object say; newer JDKs have some of them in its `holder`. */
static ts_code read_fields(ts_row_java_heap_thread *row, hprof_dump *d, const hprof_sub *thread)
{
    static const char *const names[] = {"daemon", "threadStatus"};
    hprof_sub holder;
    uint64_t number, value;
    hprof_place place;
    bool got, held = false;
    if (ts_idmap_find(&number, &d->class_of, (int64_t)thread->class_id)) {
        TS_TRY(hprof_field_place(&place, d, (uint32_t)number, "holder"));
        TS_TRY(follow(&holder, &held, d, thread, place));
    }
    TS_TRY(value_of(&value, &got, d, thread, "tid"));
    if (got) {
        TS_SET_VALUE(java_heap_thread, row, tid, (int64_t)value);
    }
    for (unsigned i = 0; i < 2; i++) {
        TS_TRY(value_of(&value, &got, d, thread, names[i]));
        if (!got && held) {
            TS_TRY(value_of(&value, &got, d, &holder, names[i]));
        }
        if (got && i == 0) {
            TS_SET_VALUE(java_heap_thread, row, daemon, value != 0);
        } else if (got) {
            TS_SET_VALUE(java_heap_thread, row, status, (int32_t)value);
        }
    }
    return TS_OK;
}

static ts_code read_name(hprof_decoded *name, hprof_dump *d, const hprof_sub *thread)
{
    uint64_t id;
    bool got;
    *name = (hprof_decoded){0};
    TS_TRY(value_of(&id, &got, d, thread, "name"));
    return got ? hprof_string_text(name, d, hprof_node_of(d, id)) : TS_OK;
}

/* Its stack, as a sample without a time. */
static ts_code put_sample(int64_t *id, hprof_dump *d, uint32_t node,
                          const ts_row_java_heap_thread *thread)
{
    hprof_file *f = d->f;
    bool numbered = (thread->null & TS_NULL_BIT(java_heap_thread, tid)) == 0;
    ts_row_stack_sample row = {
        .null = TS_NULL_BITS(stack_sample, ts, dur),
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_stack_sample) + 1,
        .source_id = f->source_id,
        .node_id = node,
        .event = TS_TEXT_LIT("thread"),
    };
    TS_TRY(ts_thread_new(&row.itid, f->store, f->source_id, numbered ? thread->tid : thread->serial,
                         -1, numbered ? "java" : "unknown"));
    if (thread->name.p != NULL) {
        TS_TRY(ts_thread_name(f->store, row.itid, thread->name));
    }
    *id = row.id;
    return ts_put_stack_sample(f->sink, &row);
}

static ts_code put_thread(hprof_dump *d, const hprof_thread *t)
{
    hprof_file *f = d->f;
    hprof_sub s;
    hprof_decoded name = {0};
    uint32_t node;
    bool got;
    ts_row_java_heap_thread row = {
        .null = TS_NULL_BITS(java_heap_thread, tid, daemon, status),
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_java_heap_thread) + 1,
        .file_id = d->file_id,
        .serial = t->serial,
        .node_index = t->node,
    };
    TS_NULL_IF(t->node == HPROF_NONE, java_heap_thread, &row, node_index);
    TS_TRY(hprof_record_of(&s, &got, d, t->node == HPROF_NONE ? 0 : t->node));
    if (got && s.tag == HPROF_INSTANCE) {
        TS_TRY(read_fields(&row, d, &s));
        TS_TRY(read_name(&name, d, &s));
    }
    TS_TRY(hprof_stack(&node, f, t->trace));
    row.name = name.text;
    if (node != 0) {
        TS_TRY(put_sample(&row.sample_id, d, node, &row));
    }
    TS_NULL_ZEROS(java_heap_thread, &row, sample_id);
    return ts_put_java_heap_thread(f->sink, &row);
}

void hprof_find_threads(hprof_dump *d)
{
    hprof_thread *t = d->threads.p;
    d->first_thread_id = (int64_t)ts_sink_rows(d->f->sink, TS_T_java_heap_thread) + 1;
    for (size_t i = 0; i < d->threads.n; i++) {
        t[i].node = hprof_node_of(d, t[i].id);
    }
}

ts_code hprof_put_threads(hprof_dump *d)
{
    for (size_t i = 0; i < d->threads.n; i++) {
        TS_TRY(put_thread(d, (const hprof_thread *)d->threads.p + i));
    }
    return TS_OK;
}
