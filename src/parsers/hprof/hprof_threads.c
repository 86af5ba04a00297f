/* Threads: what their objects say, and their stacks. */
#include "parsers/hprof/hprof.h"

/* Fields of threads, and of the object that newer JDKs keep some of them in. */
enum { NAME, TID, HOLDER, DAEMON, STATUS, FIELDS };

/* Where a class has them; looked for once as long as threads are of one class. */
typedef struct places {
    uint32_t class;
    hprof_place fields[FIELDS];
} places;

typedef struct threads {
    hprof_dump *d;
    places thread, holder;
} threads;

static ts_code find_places(places *p, hprof_dump *d, const hprof_sub *s)
{
    static const char *const names[FIELDS] = {"name", "tid", "holder", "daemon", "threadStatus"};
    uint64_t number;
    if (!ts_idmap_find(&number, &d->class_of, (int64_t)s->class_id) || p->class == number) {
        return TS_OK;
    }
    p->class = (uint32_t)number;
    for (unsigned i = 0; i < FIELDS; i++) {
        p->fields[i] = (hprof_place){0, 0};
        if (d->f->text_budget > 0) {
            TS_TRY(hprof_field_place(&p->fields[i], d, p->class, names[i]));
        }
    }
    return TS_OK;
}

/* What the fields of the thread's object say, or its holder's. */
static ts_code read_fields(ts_row_java_heap_thread *row, threads *t, const hprof_sub *thread)
{
    hprof_dump *d = t->d;
    hprof_sub holder;
    uint64_t value;
    bool got, held;
    TS_TRY(hprof_field_value(&value, &held, d, thread, t->thread.fields[HOLDER]));
    if (held) {
        TS_TRY(hprof_record_of(&holder, &held, d, hprof_node_of(d, value)));
        held = held && holder.tag == HPROF_INSTANCE;
    }
    if (held) {
        TS_TRY(find_places(&t->holder, d, &holder));
    }
    TS_TRY(hprof_field_value(&value, &got, d, thread, t->thread.fields[TID]));
    if (got) {
        TS_SET_VALUE(java_heap_thread, row, tid, (int64_t)value);
    }
    for (unsigned i = DAEMON; i <= STATUS; i++) {
        TS_TRY(hprof_field_value(&value, &got, d, thread, t->thread.fields[i]));
        if (!got && held) {
            TS_TRY(hprof_field_value(&value, &got, d, &holder, t->holder.fields[i]));
        }
        if (got && i == DAEMON) {
            TS_SET_VALUE(java_heap_thread, row, daemon, value != 0);
        } else if (got) {
            TS_SET_VALUE(java_heap_thread, row, status, (int32_t)value);
        }
    }
    return TS_OK;
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

static ts_code put_thread(threads *all, const hprof_thread *t)
{
    hprof_dump *d = all->d;
    hprof_file *f = d->f;
    uint64_t id;
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
        TS_TRY(find_places(&all->thread, d, &s));
        TS_TRY(read_fields(&row, all, &s));
        TS_TRY(hprof_field_value(&id, &got, d, &s, all->thread.fields[NAME]));
        TS_TRY(got ? hprof_string_text(&name, d, hprof_node_of(d, id)) : TS_OK);
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
    threads all = {.d = d, .thread.class = HPROF_NONE, .holder.class = HPROF_NONE};
    for (size_t i = 0; i < d->threads.n; i++) {
        TS_TRY(put_thread(&all, (const hprof_thread *)d->threads.p + i));
    }
    return TS_OK;
}
