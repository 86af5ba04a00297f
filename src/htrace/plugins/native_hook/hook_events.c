/*
 * Events of native memory in the order of their times: what each of them allocates or releases.
 *
 * A block of the heap or of the GPU is found by its process and address. Of two that are in use at
 * one address the release of the older was lost: it stays in use, and the younger one is found.
 * Mappings are ranges of a process: one ends when its last byte is gone.
 */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum { GROUP_HEAP, GROUP_MAPPED, GROUP_GPU };

/* What hooks trace (trace_type) that has rows. */
enum { TRACE_VK = 2, TRACE_GLES, TRACE_CL };

/* --- processes and threads -------------------------------------------------------------------- */

static ts_code process_of(hook_process **out, hook *h, int64_t pid)
{
    const ts_plugin_host *host = h->records.host;
    uint64_t found = h->last_process;
    if (h->processes.n > 0 && ((const hook_process *)h->processes.p)[found].pid == pid) {
        *out = (hook_process *)h->processes.p + found;
        return TS_OK;
    }
    if (!ts_idmap_find(&found, &h->process_of, pid)) {
        hook_process added = {.pid = pid};
        TS_TRY(ts_process_seen(&added.ipid, host->store, host->source_id, pid));
        found = h->processes.n;
        TS_TRY(ts_vec_push(host->ctx, &h->processes, &added, sizeof added));
        TS_TRY(ts_idmap_put(host->ctx, &h->process_of, pid, found));
    }
    h->last_process = found;
    *out = (hook_process *)h->processes.p + found;
    return TS_OK;
}

/* The process, if it has allocated something. */
static hook_process *known_process(const hook *h, int64_t pid)
{
    hook_process *all = h->processes.p;
    uint64_t found = h->last_process;
    if (h->processes.n > 0 && all[found].pid == pid) {
        return &all[found];
    }
    return ts_idmap_find(&found, &h->process_of, pid) ? &all[found] : NULL;
}

/* h->itid: the thread of the event. */
static ts_code find_thread(hook *h, const hook_event *e)
{
    const ts_plugin_host *host = h->records.host;
    hook_thread *known = &h->threads[(uint32_t)e->tid % HOOK_THREADS];
    if (known->tid == 0 || known->tid != e->tid || known->pid != e->pid) {
        TS_TRY(ts_thread_seen(&known->itid, host->store, host->source_id, e->tid, e->pid));
        known->pid = e->pid;
        known->tid = e->tid;
    }
    h->itid = known->itid;
    if (e->thread != 0) {
        uint32_t owner;
        TS_TRY(hook_owner_of(&owner, h, e->pid));
        return ts_idmap_put(host->ctx, &h->named, h->itid, (uint64_t)owner << 32 | e->thread);
    }
    return TS_OK;
}

/* Threads without a name get that of their last event. */
static ts_code name_threads(hook *h)
{
    ts_store *store = h->records.host->store;
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < h->named.count && code == TS_OK; i++) {
        const ts_idmap_entry *entry = &h->named.entries[i];
        const hook_owner *owner = hook_owner_at(h, (uint32_t)(entry->value >> 32));
        uint64_t place;
        if (ts_thread_row(store, entry->id)->name.p == NULL &&
            ts_idmap_find(&place, &owner->threads, (int64_t)(uint32_t)entry->value)) {
            code = ts_thread_name(store, entry->id, ts_pool_text(&h->texts, (uint32_t)place - 1));
        }
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The number of a chain is given when its first event is handled, where it is not recorded. */
static ts_code use_chain(hook *h, uint32_t chain)
{
    hook_chain *c = chain == 0 ? NULL : hook_chain_at(h, chain - 1);
    if (c == NULL) {
        return TS_OK;
    }
    h->counts.stacks_unknown += !c->listed;
    c->wanted = c->wanted || h->wanted;
    if (c->number == 0) {
        c->number = ++h->numbers;
        return ts_vec_push(h->records.host->ctx, &h->order, &(uint32_t){chain - 1},
                           sizeof(uint32_t));
    }
    return TS_OK;
}

/* The row of the group before this one, which has a size, lasted until now. */
static ts_code follow_group(hook *h, hook_group *g)
{
    const uint64_t before = g->last;
    const bool known = h->ts != TS_NO_TIME && g->last_ts != TS_NO_TIME && g->gaps == h->gaps;
    const int64_t lasted = known ? ts_sat_sub(h->ts, g->last_ts) : TS_NO_TIME;
    g->last = h->row_count + 1;
    g->last_ts = h->ts;
    g->gaps = h->gaps;
    return before == 0 ? TS_OK : hook_row_change(h, before - 1, HOOK_CURRENT, lasted);
}

/* A row of the event; change: what the group has more in use. */
static ts_code put_row(hook *h, hook_process *p, unsigned group, hook_row *row, const hook_event *e,
                       int64_t change)
{
    hook_group *g = h->records.host->ctx->compat ? &h->all_groups[group] : &p->groups[group];
    g->all = ts_sat_add(g->all, change);
    row->ts = h->ts;
    row->end_ts = TS_NO_TIME;
    row->addr = e->addr;
    row->all = g->all;
    row->ipid = (uint32_t)p->ipid;
    row->itid = (uint32_t)h->itid;
    row->chain = e->chain;
    row->flags =
        (uint8_t)((h->wanted ? 0 : HOOK_ROW_UNWANTED) | (h->gaps > 0 ? HOOK_ROW_UNSUMMED : 0));
    TS_TRY(row->size == 0 ? TS_OK : follow_group(h, g));
    *(h->wanted ? &h->events->imported : &h->events->skipped) += 1;
    TS_TRY(use_chain(h, e->chain));
    return hook_row_add(h, row);
}

/* --- blocks ----------------------------------------------------------------------------------- */

typedef struct block_key {
    uint64_t addr;
    uint32_t place;
} block_key;

static bool is_block(const void *owner, uint32_t number, const void *key)
{
    const hook_block *b = (const hook_block *)((const hook *)owner)->blocks.p + number;
    const block_key *k = key;
    return b->addr == k->addr && b->place == k->place;
}

static uint64_t hash_block(const hook *h, uint64_t addr, uint32_t place)
{
    ts_hash hash = ts_hash_begin(&h->block_index.key);
    ts_hash_word(&hash, addr);
    ts_hash_word(&hash, place);
    return ts_hash_end(&hash);
}

static uint32_t block_place(const hook *h, const hook_process *p, unsigned group)
{
    return (uint32_t)(p - (const hook_process *)h->processes.p) * HOOK_GROUPS + group;
}

static ts_code open_block(hook *h, const hook_block *block)
{
    ts_ctx *ctx = h->records.host->ctx;
    const block_key key = {block->addr, block->place};
    ts_index_place place;
    uint32_t found;
    TS_TRY(ts_index_reserve(ctx, &h->block_index));
    found = ts_index_search(&place, &h->block_index, hash_block(h, key.addr, key.place), is_block,
                            h, &key);
    if (found != TS_INDEX_NONE) {
        h->counts.frees_lost++;
        ((hook_block *)h->blocks.p)[found] = *block;
        return TS_OK;
    }
    TS_TRY(ts_vec_push(ctx, &h->blocks, block, sizeof *block));
    ts_index_add(&h->block_index, place, (uint32_t)h->blocks.n - 1);
    return TS_OK;
}

static bool close_block(hook_block *out, hook *h, uint64_t addr, uint32_t place)
{
    const block_key key = {addr, place};
    hook_block *all = h->blocks.p;
    uint64_t hash = hash_block(h, addr, place);
    uint32_t found = ts_index_find(&h->block_index, hash, is_block, h, &key);
    uint32_t last = (uint32_t)h->blocks.n - 1;
    if (found == TS_INDEX_NONE) {
        return false;
    }
    *out = all[found];
    ts_index_remove(&h->block_index, hash, found);
    if (found != last) {
        all[found] = all[last];
        ts_index_renumber(&h->block_index, hash_block(h, all[found].addr, all[found].place), last,
                          found);
    }
    h->blocks.n--;
    return true;
}

static ts_code alloc_block(hook *h, const hook_event *e, hook_type type, unsigned group)
{
    hook_process *p;
    hook_row row = {.size = e->size, .type = (uint8_t)type, .text = e->text};
    hook_block block = {
        .addr = e->addr, .row = h->row_count, .ts = h->ts, .size = e->size, .text = e->text};
    TS_TRY(find_thread(h, e));
    TS_TRY(process_of(&p, h, e->pid));
    block.place = block_place(h, p, group);
    TS_TRY(open_block(h, &block));
    return put_row(h, p, group, &row, e, e->size);
}

/* *found: what was allocated there. */
static ts_code free_block(bool *found, hook *h, const hook_event *e, hook_type type, unsigned group)
{
    hook_process *p = known_process(h, e->pid);
    hook_block block;
    hook_row row = {.type = (uint8_t)type};
    *found = p != NULL && close_block(&block, h, e->addr, block_place(h, p, group));
    if (!*found) {
        h->events->skipped++;
        return TS_OK;
    }
    TS_TRY(find_thread(h, e));
    row.size = block.size;
    row.text = block.text;
    TS_TRY(hook_row_change(h, block.row, HOOK_END, h->ts));
    return put_row(h, p, group, &row, e, -block.size);
}

/* --- mappings --------------------------------------------------------------------------------- */

static hook_mapping *mapping_at(const hook *h, uint32_t place)
{
    return (hook_mapping *)h->mappings.p + place;
}

static ts_code new_mapping(uint32_t *place, hook *h, const hook_mapping *mapping)
{
    if (h->free_mapping != 0) {
        *place = h->free_mapping - 1;
        h->free_mapping = mapping_at(h, *place)->next;
        *mapping_at(h, *place) = *mapping;
        return TS_OK;
    }
    *place = (uint32_t)h->mappings.n;
    return ts_vec_push(h->records.host->ctx, &h->mappings, mapping, sizeof *mapping);
}

/* What a release takes of mappings. */
typedef struct hook_taking {
    hook *h;
    bool replaced; /* by another mapping: the release was lost */
    bool any;
    uint64_t bytes;
    uint32_t text; /* of the first mapping that is touched */
} hook_taking;

static ts_code take_part(void *user, const hook_range *part)
{
    hook_taking *t = user;
    hook_mapping *m = mapping_at(t->h, part->value);
    const uint64_t bytes = part->last - part->first + 1;
    t->text = t->any ? t->text : m->text;
    t->any = true;
    t->bytes += bytes;
    m->left -= bytes;
    if (m->left > 0) {
        const uint64_t gone = m->size - m->left;
        TS_TRY(hook_row_part(t->h, m->row, m->left));
        return gone >> 48 != 0 ? TS_OK : hook_row_change(t->h, m->row, HOOK_GONE, (int64_t)gone);
    }
    m->next = t->h->free_mapping;
    t->h->free_mapping = part->value + 1;
    t->h->counts.frees_lost += t->replaced;
    return t->replaced ? TS_OK : hook_row_change(t->h, m->row, HOOK_END, t->h->ts);
}

/* The last address of `size` bytes, at least one. */
static uint64_t last_of(uint64_t addr, int64_t size)
{
    uint64_t last;
    return ts_ckd_add(&last, addr, (uint64_t)size - 1) ? UINT64_MAX : last;
}

static ts_code map_range(hook *h, const hook_event *e)
{
    hook_process *p;
    hook_taking taking = {.h = h, .replaced = true};
    hook_row row = {.size = e->size, .type = HOOK_T_MMAP, .text = e->text};
    hook_mapping mapping = {
        .addr = e->addr, .size = (uint64_t)e->size, .row = h->row_count, .text = e->text};
    hook_range range = {.first = e->addr};
    h->counts.mmap++;
    TS_TRY(find_thread(h, e));
    TS_TRY(process_of(&p, h, e->pid));
    if (e->size > 0) {
        range.last = last_of(e->addr, e->size);
        mapping.left = range.last - range.first + 1;
        TS_TRY(hook_ranges_cut(h->records.host->ctx, &p->mapped, range.first, range.last, take_part,
                               &taking));
        TS_TRY(new_mapping(&range.value, h, &mapping));
        TS_TRY(hook_ranges_add(h->records.host->ctx, &p->mapped, range));
    }
    return put_row(h, p, GROUP_MAPPED, &row, e, e->size);
}

static ts_code unmap_range(hook *h, const hook_event *e)
{
    hook_process *p = known_process(h, e->pid);
    hook_taking taking = {.h = h};
    hook_row row = {.type = HOOK_T_MUNMAP};
    h->counts.munmap++;
    if (p != NULL && e->size > 0) {
        TS_TRY(hook_ranges_cut(h->records.host->ctx, &p->mapped, e->addr, last_of(e->addr, e->size),
                               take_part, &taking));
    }
    if (!taking.any) {
        h->counts.munmap_invalid++;
        h->events->skipped++;
        return TS_OK;
    }
    TS_TRY(find_thread(h, e));
    row.size = (int64_t)taking.bytes; /* at most the event's */
    row.text = taking.text;
    return put_row(h, p, GROUP_MAPPED, &row, e, -row.size);
}

/* A tag names the mapping that has exactly its addresses, and no name yet. */
static ts_code tag_range(hook *h, const hook_event *e)
{
    const hook_process *p = known_process(h, e->pid);
    hook_range range;
    h->counts.tag++;
    h->events->imported++;
    if (p != NULL && e->text != 0 && hook_ranges_find(&range, &p->mapped, e->addr)) {
        hook_mapping *m = mapping_at(h, range.value);
        if (m->text == 0 && m->addr == e->addr && m->size == (uint64_t)e->size) {
            m->text = e->text;
            return hook_row_change(h, m->row, HOOK_SUB_TYPE, e->text);
        }
    }
    return TS_OK;
}

/* --- statistics ------------------------------------------------------------------------------- */

static ts_code read_sums(hook_sums *sums, hook *h, uint64_t place)
{
    size_t got;
    TS_TRY(ts_spool_read(&got, h->sums, place * sizeof *sums, sums, sizeof *sums));
    return got == sizeof *sums ? TS_OK
                               : ts_fail(h->records.host->ctx, TS_ERR_INTERNAL,
                                         "sums of native memory are missing");
}

/* A process is seen from its first sums on, as far as nothing else is known (QP-1). */
static void set_start(const hook *h, const hook_process *p)
{
    ts_row_process *row = ts_process_row(h->records.host->store, p->ipid);
    if ((row->null & TS_NULL_BIT(process, start_ts)) != 0 && h->ts != TS_NO_TIME && h->ts != 0 &&
        p->ipid != 0) {
        TS_SET_VALUE(process, row, start_ts, h->ts);
    }
}

static ts_code put_statistic(hook *h, const hook_event *e)
{
    ts_ctx *ctx = h->records.host->ctx;
    hook_process *p;
    hook_sums sums;
    hook_row row = {.ts = h->ts,
                    .end_ts = TS_NO_TIME,
                    .addr = e->addr,
                    .size = e->size,
                    .chain = e->chain,
                    .text = e->text,
                    .type = HOOK_T_STATISTIC};
    bool *summed = e->chain == 0 ? &h->bare_summed : &hook_chain_at(h, e->chain - 1)->summed;
    h->counts.statistics++;
    TS_TRY(process_of(&p, h, e->pid));
    set_start(h, p);
    TS_TRY(read_sums(&sums, h, e->addr));
    *summed = *summed || sums.apply_size != sums.release_size;
    if (!h->wanted || !*summed) {
        h->events->skipped++;
        return TS_OK;
    }
    h->events->imported++;
    row.ipid = (uint32_t)p->ipid;
    TS_TRY(use_chain(h, e->chain));
    TS_TRY(ts_idmap_put(ctx, &h->last_sums, (int64_t)e->chain << 32 | (uint32_t)e->size,
                        h->row_count));
    return hook_row_add(h, &row);
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code trace_event(hook *h, const hook_event *e)
{
    static const hook_type types[] = {HOOK_T_VK_ALLOC, HOOK_T_GLES_ALLOC, HOOK_T_CL_ALLOC};
    unsigned gpu = e->trace - TRACE_VK;
    bool found;
    if (e->trace < TRACE_VK || e->trace > TRACE_CL) {
        h->counts.traces++;
        h->events->skipped++;
        return TS_OK;
    }
    return e->kind == HOOK_TRACE_ALLOC
               ? alloc_block(h, e, types[gpu], GROUP_GPU + gpu)
               : free_block(&found, h, e, (hook_type)(types[gpu] + 1), GROUP_GPU + gpu);
}

static ts_code handle_kind(hook *h, const hook_event *e)
{
    bool found;
    switch (e->kind) {
    case HOOK_ALLOC:
        h->counts.alloc++;
        return alloc_block(h, e, HOOK_T_ALLOC, GROUP_HEAP);
    case HOOK_FREE:
        h->counts.free++;
        TS_TRY(free_block(&found, h, e, HOOK_T_FREE, GROUP_HEAP));
        h->counts.free_invalid += !found;
        return TS_OK;
    case HOOK_MMAP:
        return map_range(h, e);
    case HOOK_MUNMAP:
        return unmap_range(h, e);
    case HOOK_TAG:
        return tag_range(h, e);
    case HOOK_STATISTICS:
        return put_statistic(h, e);
    default:
        return trace_event(h, e);
    }
}

static void note_time(hook *h, int64_t ts)
{
    int64_t before = ts_sat_sub(ts, h->interval);
    before = before < 0 ? 0 : before;
    before = before > ts ? ts : before;
    h->first = !h->noted || before < h->first ? before : h->first;
    h->last = !h->noted || ts > h->last ? ts : h->last;
    h->noted = true;
}

static ts_code handle(void *user, const void *record)
{
    hook *h = user;
    const hook_event *e = record;
    const int64_t raw =
        (e->flags & HOOK_UNTIMED) != 0 ? TS_NO_TIME : (int64_t)(e->key ^ (UINT64_C(1) << 63));
    TS_TRY(ts_records_time(&h->ts, &h->wanted, &h->records, raw));
    h->gaps += (e->flags & HOOK_AFTER_GAP) != 0 || (h->gaps == 0 && e->key >= h->gap_from);
    if (h->wanted && h->ts != TS_NO_TIME) {
        note_time(h, h->ts);
    }
    return handle_kind(h, e);
}

ts_code hook_events_handle(hook *h)
{
    TS_TRY(ts_sorter_drain(h->sorter, handle, h));
    ts_sorter_close(h->sorter);
    h->sorter = NULL;
    return name_threads(h);
}

void hook_events_free(hook *h)
{
    ts_ctx *ctx = h->records.host->ctx;
    for (size_t i = 0; i < h->processes.n; i++) {
        hook_ranges_free(ctx, &((hook_process *)h->processes.p)[i].mapped);
    }
    ts_sorter_close(h->sorter);
    ts_spool_free(h->sums);
    ts_vec_free(ctx, &h->processes);
    ts_idmap_free(ctx, &h->process_of);
    ts_idmap_free(ctx, &h->named);
    ts_vec_free(ctx, &h->blocks);
    ts_index_free(ctx, &h->block_index);
    ts_vec_free(ctx, &h->mappings);
}
