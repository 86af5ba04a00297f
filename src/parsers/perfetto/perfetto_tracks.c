/*
 * Tracks: what events and counters are on. They are of the whole trace; descriptors may come after
 * events, and several describe one track. Whose a track is, it or the nearest of those around it
 * says, once all are known.
 */
#include "parsers/perfetto/perfetto.h"

#include <inttypes.h>
#include <stdio.h>

/* --- threads --------------------------------------------------------------------------------- */

/* Processes that cannot see each other may have equal thread ids: the first one is that of the
 * system. */
static ts_code new_thread(perfetto_thread *thread, perfetto *p, int64_t pid, int64_t tid)
{
    uint64_t seen;
    *thread = (perfetto_thread){-1, -1};
    if (pid != 0) {
        TS_TRY(ts_process(&thread->ipid, p->store, p->source_id, pid));
    }
    if (pid == 0 && tid == 0) {
        *thread = (perfetto_thread){0, 0};
        return TS_OK;
    }
    if (ts_idmap_find(&seen, &p->tids, tid)) {
        return ts_thread_new(&thread->itid, p->store, p->source_id, tid, thread->ipid, "os");
    }
    TS_TRY(ts_idmap_put(p->ctx, &p->tids, tid, 1));
    return ts_thread(&thread->itid, p->store, p->source_id, tid, thread->ipid, "os");
}

ts_code perfetto_thread_of(perfetto_thread *thread, perfetto *p, int64_t pid, int64_t tid)
{
    const int64_t key[2] = {pid, tid};
    perfetto_thread *t;
    uint32_t number;
    bool added;
    TS_TRY(ts_pool_intern(p->ctx, &number, &added, &p->thread_keys,
                          (ts_text){(const char *)key, sizeof key}));
    if (added) {
        TS_NEED(p->ctx, t = ts_vec_add(p->ctx, &p->threads, sizeof *t));
        TS_TRY(new_thread(t, p, pid, tid));
    }
    *thread = ((const perfetto_thread *)p->threads.p)[number];
    return TS_OK;
}

/* --- tracks ---------------------------------------------------------------------------------- */

typedef struct track_key {
    uint64_t uuid;
    perfetto_space space;
} track_key;

static bool is_track(const void *owner, uint32_t number, const void *key)
{
    const perfetto_track *t = perfetto_track_at(owner, number);
    const track_key *k = key;
    return t->uuid == k->uuid && t->space == k->space;
}

static uint64_t track_hash(const perfetto *p, const track_key *k)
{
    return ts_hash_number(&p->track_index.key, (int64_t)(k->uuid * 2 + k->space));
}

ts_code perfetto_track_of(uint32_t *track, perfetto *p, perfetto_space space, uint64_t uuid)
{
    const track_key key = {uuid, space};
    ts_index_place place;
    perfetto_track *t;
    TS_TRY(ts_index_reserve(p->ctx, &p->track_index));
    *track = ts_index_search(&place, &p->track_index, track_hash(p, &key), is_track, p, &key);
    if (*track != TS_INDEX_NONE) {
        return TS_OK;
    }
    *track = (uint32_t)p->tracks.n;
    TS_NEED(p->ctx, t = ts_vec_add(p->ctx, &p->tracks, sizeof *t));
    *t = (perfetto_track){
        .uuid = uuid,
        .multiplier = 1,
        .ipid = -1,
        .itid = -1,
        .name = PERFETTO_NONE,
        .thread_name = PERFETTO_NONE,
        .process_name = PERFETTO_NONE,
        .unit_name = PERFETTO_NONE,
        .space = (uint8_t)space,
        .described = space != SPACE_UUID || uuid == 0,
    };
    if (space == SPACE_THREAD) {
        t->is_thread = true;
        t->pid = (int32_t)(uuid >> 32);
        t->tid = (int32_t)(uint32_t)uuid;
    }
    ts_index_add(&p->track_index, place, *track);
    return TS_OK;
}

/* The last name that is not empty counts. */
static ts_code take_name(uint32_t *name, perfetto *p, const ts_wire_field *f)
{
    uint32_t text;
    TS_TRY(perfetto_text_of(&text, p, f));
    *name = text == PERFETTO_NONE || perfetto_text(p, text).n == 0 ? *name : text;
    return TS_OK;
}

static ts_code take_process(perfetto *p, perfetto_track *t, const ts_wire_field *message,
                            bool *good)
{
    ts_wire w;
    ts_wire_field f;
    uint32_t command = PERFETTO_NONE;
    uint32_t name = PERFETTO_NONE;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    t->is_process = true;
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_VARINT) {
            t->pid = (int32_t)f.value;
        } else if (f.number == 2 && command == PERFETTO_NONE) {
            code = take_name(&command, p, &f);
        } else if (f.number == 6) {
            code = take_name(&name, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    name = name == PERFETTO_NONE ? command : name;
    t->process_name = name == PERFETTO_NONE ? t->process_name : name;
    return code;
}

static ts_code take_thread(perfetto *p, perfetto_track *t, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    t->is_thread = true;
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_VARINT) {
            t->pid = (int32_t)f.value;
        } else if (f.number == 2 && f.type == TS_WIRE_VARINT) {
            t->tid = (int64_t)f.value;
        } else if (f.number == 5) {
            code = take_name(&t->thread_name, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

static ts_code take_counter(perfetto *p, perfetto_track *t, const ts_wire_field *message,
                            bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    t->is_counter = true;
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_VARINT) {
            t->counter_type = f.number == 1 && f.value < 8 ? (uint8_t)f.value : t->counter_type;
            t->unit = f.number == 3 && f.value < 8 ? (uint8_t)f.value : t->unit;
            t->multiplier = f.number == 4 && f.value != 0 ? (int64_t)f.value : t->multiplier;
            t->incremental = f.number == 5 ? f.value != 0 : t->incremental;
        } else if (f.number == 6) {
            code = take_name(&t->unit_name, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

static ts_code take_part(perfetto *p, perfetto_track *t, const ts_wire_field *f, bool *good)
{
    switch (f->number) {
    case 2:
    case 10:
    case 13:
        return take_name(&t->name, p, f);
    case 3:
        return f->type == TS_WIRE_BYTES ? take_process(p, t, f, good) : TS_OK;
    case 4:
        return f->type == TS_WIRE_BYTES ? take_thread(p, t, f, good) : TS_OK;
    case 5:
        t->parent = f->value;
        t->has_parent = f->type != TS_WIRE_BYTES && f->value != 0;
        return TS_OK;
    case 8:
        return f->type == TS_WIRE_BYTES ? take_counter(p, t, f, good) : TS_OK;
    default:
        return TS_OK;
    }
}

ts_code perfetto_track_descriptor(perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    uint64_t uuid = 0;
    uint32_t track;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        uuid = f.number == 1 && f.type != TS_WIRE_BYTES ? f.value : uuid;
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (!*good) {
        return TS_OK;
    }
    TS_TRY_INTO(code, perfetto_track_of(&track, p, SPACE_UUID, uuid));
    perfetto_track_at(p, track)->described = true;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        code = take_part(p, perfetto_track_at(p, track), &f, good);
    }
    return code;
}

/* --- descriptors of old Chrome --------------------------------------------------------------- */

ts_code perfetto_process_descriptor(perfetto *p, const ts_wire_field *message, bool *good)
{
    perfetto_track t = {.process_name = PERFETTO_NONE};
    int64_t ipid;
    ts_code code = take_process(p, &t, message, good);
    if (code != TS_OK || !*good || t.pid <= 0) {
        return code;
    }
    code = ts_process(&ipid, p->store, p->source_id, t.pid);
    TS_STEP_IF(code, t.process_name != PERFETTO_NONE,
               ts_process_name(p->store, ipid, perfetto_text(p, t.process_name)));
    return code;
}

static int64_t us(uint64_t v)
{
    return v > INT64_MAX / 1000 ? TS_NO_TIME : (int64_t)v * 1000;
}

/* The thread of the sequence, and what its deltas are added to. */
ts_code perfetto_thread_descriptor(perfetto *p, const ts_wire_field *message, bool *good)
{
    perfetto_track t = {.thread_name = PERFETTO_NONE};
    perfetto_track *made;
    uint32_t track;
    ts_wire w;
    ts_wire_field f;
    ts_code code = take_thread(p, &t, message, good);
    if (code != TS_OK || !*good) {
        return code;
    }
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 6 && f.type == TS_WIRE_VARINT) {
            p->sequence->time = us(f.value);
        } else if (f.number == 7 && f.type == TS_WIRE_VARINT) {
            p->sequence->thread_time = us(f.value);
        }
    }
    TS_TRY(perfetto_track_of(&track, p, SPACE_THREAD,
                             (uint64_t)(uint32_t)t.pid << 32 | (uint32_t)t.tid));
    made = perfetto_track_at(p, track);
    made->thread_name = t.thread_name == PERFETTO_NONE ? made->thread_name : t.thread_name;
    p->sequence->thread = track;
    return TS_OK;
}

/* --- whose they are -------------------------------------------------------------------------- */

/* The track around it; PERFETTO_NONE: none is known. */
static uint32_t parent_of(const perfetto *p, const perfetto_track *t)
{
    const track_key key = {t->parent, SPACE_UUID};
    return !t->has_parent ? PERFETTO_NONE
                          : ts_index_find(&p->track_index, track_hash(p, &key), is_track, p, &key);
}

/* It, or the nearest one around it that is a thread's or a process's; NULL: none. */
static const perfetto_track *owner_of(perfetto *p, uint32_t i)
{
    const perfetto_track *t = perfetto_track_at(p, i);
    for (unsigned steps = 0; !t->is_thread && !t->is_process; steps++) {
        i = parent_of(p, t);
        if (i == PERFETTO_NONE || steps == PERFETTO_PARENTS) {
            p->n.deep += steps == PERFETTO_PARENTS ? 1 : 0;
            return NULL;
        }
        t = perfetto_track_at(p, i);
    }
    return t;
}

static ts_code find_owner(perfetto *p, uint32_t i)
{
    const perfetto_track *owner = owner_of(p, i);
    perfetto_track *t = perfetto_track_at(p, i);
    perfetto_thread thread = {-1, -1};
    ts_code code = TS_OK;
    if (owner == NULL) {
        return TS_OK;
    }
    if (owner->is_thread) {
        code = perfetto_thread_of(&thread, p, owner->pid, owner->tid);
    } else {
        code = ts_process(&thread.ipid, p->store, p->source_id, owner->pid);
    }
    t->ipid = thread.ipid;
    t->itid = thread.itid;
    return code;
}

ts_code perfetto_tracks_name(perfetto *p)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < p->tracks.n && code == TS_OK; i++) {
        const perfetto_track *t = perfetto_track_at(p, i);
        if (t->process_name != PERFETTO_NONE && t->ipid >= 0) {
            code = ts_process_name(p->store, t->ipid, perfetto_text(p, t->process_name));
        }
        TS_STEP_IF(code, t->thread_name != PERFETTO_NONE && t->itid >= 0,
                   ts_thread_name(p->store, t->itid, perfetto_text(p, t->thread_name)));
    }
    return code;
}

static ts_code put_track(perfetto *p, uint32_t i)
{
    const perfetto_track *t = perfetto_track_at(p, i);
    uint32_t parent = parent_of(p, t);
    char uuid[24];
    int n = snprintf(uuid, sizeof uuid, "%" PRIu64, t->uuid);
    ts_row_perfetto_track row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_perfetto_track) + 1,
        .source_id = p->source_id,
        .uuid = t->space == SPACE_UUID ? (ts_text){uuid, (size_t)n} : TS_TEXT_NULL,
        .parent_id = (int64_t)parent + 1,
        .name = perfetto_text(p, t->name),
        .kind = t->is_counter   ? TS_TEXT_LIT("counter")
                : t->is_thread  ? TS_TEXT_LIT("thread")
                : t->is_process ? TS_TEXT_LIT("process")
                                : TS_TEXT_LIT("track"),
        .ipid = t->ipid,
        .itid = t->itid,
    };
    TS_NULL_IF(parent == PERFETTO_NONE, perfetto_track, &row, parent_id);
    row.parent_id += row.id - (int64_t)i - 1; /* other traces have tracks, too */
    TS_NULL_IF(t->ipid < 0, perfetto_track, &row, ipid);
    TS_NULL_IF(t->itid < 0, perfetto_track, &row, itid);
    return ts_put_perfetto_track(p->sink, &row);
}

ts_code perfetto_tracks_ready(perfetto *p)
{
    ts_code code = TS_OK;
    p->track_base = (int64_t)ts_sink_rows(p->sink, TS_T_perfetto_track);
    for (uint32_t i = 0; i < p->tracks.n && code == TS_OK; i++) {
        p->n.no_track += perfetto_track_at(p, i)->described ? 0 : 1;
        code = find_owner(p, i);
        TS_STEP(code, put_track(p, i));
    }
    return code;
}
