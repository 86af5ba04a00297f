/* Tables of native memory: texts, frames, stacks; and the chains that events have. */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/alloc.h"

#include <inttypes.h>

/* Fields of NativeHookData that are tables. */
enum { FILE_NAME = 8, SYMBOL_NAME, THREAD_NAME, MAPS_INFO, SYMBOL_TABLE, FRAME_MAP, STACK_MAP };

/* --- texts ------------------------------------------------------------------------------------ */

ts_code hook_text_place(uint32_t *place, hook *h, ts_text text)
{
    TS_TRY(ts_pool_intern(h->records.host->ctx, place, NULL, &h->texts, text));
    ++*place;
    return TS_OK;
}

ts_code hook_text_of(uint32_t *place, hook *h, const ts_value *value)
{
    ts_text text;
    TS_TRY(ts_records_text(&text, &h->text, &h->records, value));
    *place = 0;
    return text.p == NULL ? TS_OK : hook_text_place(place, h, text);
}

/* Files of the allocator: whoever called it is meant. */
static bool is_passed(ts_text file)
{
    static const char *const paths[] = {
        "/system/lib/libc++.so",
        "/system/lib64/libc++.so",
        "/system/lib/ld-musl-aarch64.so.1",
        "/system/lib/ld-musl-arm.so.1",
        "/system/lib64/libdfmalloc.z.so",
        "/system/lib64/chipset-sdk-sp/libc++.so",
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (ts_text_is(file, paths[i])) {
            return true;
        }
    }
    return memmem(file.p, file.n, "libc++_shared.so", strlen("libc++_shared.so")) != NULL;
}

ts_code hook_text_info(const hook_text **info, hook *h, uint32_t place)
{
    hook_text *all;
    while (h->text_info.n < place) {
        hook_text *added;
        TS_NEED(h->records.host->ctx,
                added = ts_vec_add(h->records.host->ctx, &h->text_info, sizeof *added));
        added->dict = -1;
    }
    all = h->text_info.p;
    *info = &all[place - 1];
    if (all[place - 1].dict < 0) {
        ts_text text = ts_pool_text(&h->texts, place - 1);
        TS_TRY(ts_dict(&all[place - 1].dict, h->records.host->store, text));
        all[place - 1].passed = is_passed(text);
    }
    return TS_OK;
}

/* --- owners ----------------------------------------------------------------------------------- */

ts_code hook_owner_of(uint32_t *owner, hook *h, int64_t pid)
{
    ts_ctx *ctx = h->records.host->ctx;
    uint64_t found;
    hook_owner *added;
    pid = h->several ? pid : 0;
    if (h->last_owner != 0 && h->last_pid == pid) {
        *owner = h->last_owner - 1;
        return TS_OK;
    }
    if (ts_idmap_find(&found, &h->owner_of, pid)) {
        *owner = (uint32_t)found;
    } else {
        *owner = (uint32_t)h->owners.n;
        TS_NEED(ctx, added = ts_vec_add(ctx, &h->owners, sizeof *added));
        added->pid = pid;
        TS_TRY(ts_idmap_put(ctx, &h->owner_of, pid, *owner));
    }
    h->last_pid = pid;
    h->last_owner = *owner + 1;
    return TS_OK;
}

/* --- frames ----------------------------------------------------------------------------------- */

enum { IP, SYMBOL, FILE_PATH, OFFSET, SYMBOL_OFFSET, SYMBOL_ID, FILE_ID, FRAME_FIELDS };
static const ts_field_def frame_fields[FRAME_FIELDS] = {
    [IP] = {1, TS_FIELD_INT, "ip"},
    [SYMBOL] = {3, TS_FIELD_BYTES, "symbol_name"},
    [FILE_PATH] = {4, TS_FIELD_BYTES, "file_path"},
    [OFFSET] = {5, TS_FIELD_INT, "offset"},
    [SYMBOL_OFFSET] = {6, TS_FIELD_INT, "symbol_offset"},
    [SYMBOL_ID] = {7, TS_FIELD_UINT32, "symbol_name_id"},
    [FILE_ID] = {8, TS_FIELD_UINT32, "file_path_id"},
};

static ts_code frame_read(hook_frame *frame, hook *h, ts_message *m, const uint8_t *p, size_t n)
{
    static const uint16_t bits[FRAME_FIELDS] = {
        [IP] = HOOK_HAS_IP,
        [SYMBOL] = HOOK_HAS_SYMBOL,
        [FILE_PATH] = HOOK_HAS_FILE,
        [OFFSET] = HOOK_HAS_OFFSET,
        [SYMBOL_OFFSET] = HOOK_HAS_SYMBOL_OFFSET,
        [SYMBOL_ID] = HOOK_HAS_SYMBOL_ID,
        [FILE_ID] = HOOK_HAS_FILE_ID,
    };
    ts_value v[FRAME_FIELDS];
    TS_TRY(ts_fields_part(v, NULL, m, "frame", frame_fields, FRAME_FIELDS, p, n));
    memset(frame, 0, sizeof *frame);
    for (unsigned k = 0; k < FRAME_FIELDS; k++) {
        frame->has |= v[k].state == TS_VALUE_READ ? bits[k] : 0;
    }
    frame->ip = (uint64_t)v[IP].i;
    frame->offset = (uint64_t)v[OFFSET].i;
    frame->symbol_offset = (uint64_t)v[SYMBOL_OFFSET].i;
    if (h->strings) {
        frame->has &= (uint16_t) ~(HOOK_HAS_SYMBOL | HOOK_HAS_FILE);
        frame->symbol = (uint32_t)v[SYMBOL_ID].i;
        frame->file = (uint32_t)v[FILE_ID].i;
        return TS_OK;
    }
    frame->has &= (uint16_t) ~(HOOK_HAS_SYMBOL_ID | HOOK_HAS_FILE_ID);
    if ((frame->has & HOOK_HAS_SYMBOL) != 0) {
        TS_TRY(hook_text_of(&frame->symbol, h, &v[SYMBOL]));
    }
    return (frame->has & HOOK_HAS_FILE) == 0 ? TS_OK : hook_text_of(&frame->file, h, &v[FILE_PATH]);
}

/* --- chains ----------------------------------------------------------------------------------- */

static ts_code add_chain(uint32_t *place, hook *h, const hook_chain *chain)
{
    *place = (uint32_t)h->chains.n;
    return ts_vec_push(h->records.host->ctx, &h->chains, chain, sizeof *chain);
}

static ts_code lists_spool(hook *h)
{
    return h->lists != NULL ? TS_OK : ts_spool_new(&h->lists, h->records.host->ctx);
}

/* The chain of a stack, made when it is new. */
static ts_code stack_place(uint32_t *place, hook *h, uint32_t owner, uint32_t id)
{
    ts_idmap *stacks = &hook_owner_at(h, owner)->stacks;
    hook_chain chain = {.owner = owner, .id = id, .number = id};
    uint64_t found;
    if (ts_idmap_find(&found, stacks, id)) {
        *place = (uint32_t)found;
        return TS_OK;
    }
    if (h->offline) {
        chain.number = 0; /* it gets one with its addresses */
    } else if (h->several) {
        chain.number = ++h->numbers;
    }
    TS_TRY(add_chain(place, h, &chain));
    return ts_idmap_put(h->records.host->ctx, stacks, id, *place);
}

ts_code hook_stack_chain(uint32_t *chain, hook *h, int64_t pid, const ts_value *id)
{
    uint32_t owner;
    *chain = 0;
    if (id->i == 0) {
        return TS_OK;
    }
    TS_TRY(hook_owner_of(&owner, h, pid));
    TS_TRY(stack_place(chain, h, owner, (uint32_t)id->i));
    if (h->offline && !hook_chain_at(h, *chain)->listed) {
        h->counts.stacks_unknown++;
        *chain = 0;
        return TS_OK;
    }
    if (h->offline) {
        TS_TRY(hook_stack_now(chain, h));
    }
    ++*chain;
    return TS_OK;
}

/* The frames of an event, each with its length: what makes two lists one. */
static ts_code add_bytes(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    hook *h = user;
    ts_ctx *ctx = h->records.host->ctx;
    const uint64_t length = n;
    (void)m;
    TS_TRY(ts_buf_put(ctx, &h->bytes, &length, sizeof length));
    return ts_buf_put(ctx, &h->bytes, p, n);
}

static ts_code write_frame(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    hook *h = user;
    hook_chain *chain = hook_chain_at(h, (uint32_t)h->chains.n - 1);
    hook_frame frame;
    TS_TRY(frame_read(&frame, h, m, p, n));
    if (chain->count == HOOK_STACK_MAX) {
        h->counts.stacks_cut += (uint64_t)chain->listed;
        chain->listed = false; /* counted once */
        return TS_OK;
    }
    chain->count++;
    return ts_spool_write(h->lists, &frame, sizeof frame);
}

ts_code hook_list_chain(uint32_t *chain, hook *h, ts_message *m, int64_t pid, uint32_t field,
                        const uint8_t *p, size_t n)
{
    ts_ctx *ctx = h->records.host->ctx;
    char key[TS_POOL_KEY];
    hook_chain added = {.listed = true};
    uint32_t list;
    bool is_new;
    h->bytes.n = 0;
    TS_TRY(ts_fields_repeat(m, field, p, n, add_bytes, h));
    TS_TRY(ts_pool_intern(ctx, &list, &is_new, &h->lists_seen,
                          ts_pool_key(key, ctx, ts_buf_text(&h->bytes))));
    if (!is_new) {
        *chain = ((const uint32_t *)h->of_list.p)[list] + 1;
        return TS_OK;
    }
    TS_TRY(lists_spool(h));
    TS_TRY(hook_owner_of(&added.owner, h, pid));
    added.at = ts_spool_size(h->lists);
    TS_TRY(add_chain(chain, h, &added));
    TS_TRY(ts_vec_push(ctx, &h->of_list, chain, sizeof *chain));
    TS_TRY(ts_fields_repeat(m, field, p, n, write_frame, h));
    hook_chain_at(h, *chain)->listed = true;
    ++*chain;
    return TS_OK;
}

/* --- tables ----------------------------------------------------------------------------------- */

/* A text with an id. */
static ts_code name_table(hook *h, const ts_value *v, uint32_t owner, uint32_t field)
{
    hook_owner *o = hook_owner_at(h, owner);
    ts_idmap *map = field == THREAD_NAME ? &o->threads
                    : field == FILE_NAME ? &o->files
                                         : &o->symbols;
    uint64_t unused;
    uint32_t place;
    if (field == THREAD_NAME && ts_idmap_find(&unused, map, v[0].i)) {
        return TS_OK; /* the first of an id counts */
    }
    TS_TRY(hook_text_of(&place, h, &v[1]));
    return place == 0 ? TS_OK : ts_idmap_put(h->records.host->ctx, map, v[0].i, place);
}

static ts_code frame_table(hook *h, ts_message *m, const ts_value *v, uint32_t owner)
{
    ts_ctx *ctx = h->records.host->ctx;
    ts_idmap *map = &hook_owner_at(h, owner)->frames;
    hook_frame frame;
    uint64_t found;
    TS_TRY(frame_read(&frame, h, m, v[1].p, v[1].n));
    if (ts_idmap_find(&found, map, v[0].i)) {
        ((hook_frame *)h->frames.p)[found] = frame;
        return TS_OK;
    }
    TS_TRY(ts_vec_push(ctx, &h->frames, &frame, sizeof frame));
    return ts_idmap_put(ctx, map, v[0].i, h->frames.n - 1);
}

/* The numbers of a field of a stack, into h->bytes. */
static ts_code stack_numbers(uint32_t *count, hook *h, uint32_t field, const uint8_t *p, size_t n)
{
    ts_field_list list = {.number = field, .kind = TS_FIELD_NUMBERS};
    uint64_t number;
    bool cut = false;
    ts_code code = TS_OK;
    h->bytes.n = 0;
    *count = 0;
    while (code == TS_OK && !cut && ts_fields_next(&number, &list, p, n)) {
        cut = *count == HOOK_STACK_MAX;
        if (!cut) {
            code = ts_buf_put(h->records.host->ctx, &h->bytes, &number, sizeof number);
            ++*count;
        }
    }
    h->counts.stacks_cut += cut;
    return code;
}

static ts_code stack_table(hook *h, const ts_value *v, uint32_t owner, const uint8_t *p, size_t n)
{
    uint32_t place;
    uint32_t count;
    hook_chain *chain;
    TS_TRY(stack_place(&place, h, owner, (uint32_t)v[0].i));
    if (hook_chain_at(h, place)->listed) {
        return TS_OK; /* the first of an id counts */
    }
    TS_TRY(lists_spool(h));
    TS_TRY(stack_numbers(&count, h, h->offline ? 3 : 2, p, n));
    if (h->offline) {
        return hook_stack_bind(h, place, count);
    }
    chain = hook_chain_at(h, place);
    chain->at = ts_spool_size(h->lists);
    chain->count = count;
    chain->listed = true;
    return ts_spool_write(h->lists, h->bytes.p, h->bytes.n);
}

/* --- mappings and symbols --------------------------------------------------------------------- */

static ts_code map_table(hook *h, const ts_value *v, uint32_t owner)
{
    const uint64_t start = (uint64_t)v[1].i;
    const uint64_t end = (uint64_t)v[2].i;
    const hook_map map = {start, (uint64_t)v[3].i, (uint32_t)v[4].i};
    if (!h->offline || start >= end) {
        h->tables->imported--;
        h->tables->skipped++;
        return TS_OK;
    }
    return hook_map_table(h, owner, start, end, &map);
}

static ts_code symbol_table(hook *h, const ts_value *v, uint32_t owner)
{
    const hook_symbols symbols = {.vaddr = (uint64_t)v[2].i, .file_offset = (uint64_t)v[3].i};
    if (!h->offline) {
        h->tables->imported--;
        h->tables->skipped++;
        return TS_OK;
    }
    return hook_symbol_table(h, owner, v[1].i, &symbols, (uint32_t)v[4].i, ts_value_text(&v[5]),
                             ts_value_text(&v[6]));
}

/* --- all tables ------------------------------------------------------------------------------- */

enum { TABLE_FIELDS = 7 };

typedef struct table_kind {
    const char *name;
    unsigned pid; /* of its fields */
    unsigned count;
    ts_field_def fields[TABLE_FIELDS];
} table_kind;

#define NAMES(name)                                                                                \
    {                                                                                              \
        name, 2, 3,                                                                                \
        {                                                                                          \
            {1, TS_FIELD_UINT32, "id"}, {2, TS_FIELD_BYTES, "name"},                               \
            {                                                                                      \
                3, TS_FIELD_INT32, "pid"                                                           \
            }                                                                                      \
        }                                                                                          \
    }

static const table_kind table_kinds[] = {
    [FILE_NAME] = NAMES("file_path"),
    [SYMBOL_NAME] = NAMES("symbol_name"),
    [THREAD_NAME] = NAMES("thread_name_map"),
    [FRAME_MAP] = {"frame_map",
                   2,
                   3,
                   {{1, TS_FIELD_UINT32, "id"},
                    {2, TS_FIELD_BYTES, "frame"},
                    {3, TS_FIELD_INT32, "pid"}}},
    [STACK_MAP] = {"stack_map",
                   2,
                   4,
                   {{1, TS_FIELD_UINT32, "id"},
                    {2, TS_FIELD_NUMBERS, "frame_map_id"},
                    {4, TS_FIELD_INT32, "pid"},
                    {3, TS_FIELD_NUMBERS, "ip"}}},
    [MAPS_INFO] = {"maps_info",
                   0,
                   5,
                   {{1, TS_FIELD_INT32, "pid"},
                    {2, TS_FIELD_INT, "start"},
                    {3, TS_FIELD_INT, "end"},
                    {4, TS_FIELD_INT, "offset"},
                    {5, TS_FIELD_UINT32, "file_path_id"}}},
    [SYMBOL_TABLE] = {"symbol_tab",
                      0,
                      7,
                      {{7, TS_FIELD_INT32, "pid"},
                       {1, TS_FIELD_UINT32, "file_path_id"},
                       {2, TS_FIELD_INT, "text_exec_vaddr"},
                       {3, TS_FIELD_INT, "text_exec_vaddr_file_offset"},
                       {4, TS_FIELD_UINT32, "sym_entry_size"},
                       {5, TS_FIELD_BYTES, "sym_table"},
                       {6, TS_FIELD_BYTES, "str_table"}}},
};

static ts_code take_table(hook *h, ts_message *m, uint32_t field, const ts_value *v, uint32_t owner,
                          const uint8_t *p, size_t n)
{
    switch (field) {
    case STACK_MAP:
        return stack_table(h, v, owner, p, n);
    case FRAME_MAP:
        return frame_table(h, m, v, owner);
    case MAPS_INFO:
        return map_table(h, v, owner);
    case SYMBOL_TABLE:
        return symbol_table(h, v, owner);
    default:
        return name_table(h, v, owner, field);
    }
}

ts_code hook_table(hook *h, ts_message *m, uint32_t field, const uint8_t *p, size_t n)
{
    const ts_plugin_host *host = h->records.host;
    const table_kind *kind = &table_kinds[field];
    ts_value v[TABLE_FIELDS];
    int64_t ipid;
    uint32_t owner;
    h->tables->seen++;
    TS_TRY(ts_fields_part(v, NULL, m, kind->name, kind->fields, kind->count, p, n));
    for (unsigned k = 0; k < kind->count; k++) {
        if (v[k].state == TS_VALUE_UNKNOWN) {
            h->tables->lost++; /* what is damaged is recorded */
            return TS_OK;
        }
    }
    h->tables->imported++;
    TS_TRY(ts_process_seen(&ipid, host->store, host->source_id, v[kind->pid].i));
    TS_TRY(hook_owner_of(&owner, h, v[kind->pid].i));
    return take_table(h, m, field, v, owner, p, n);
}

void hook_tables_free(hook *h)
{
    ts_ctx *ctx = h->records.host->ctx;
    for (uint32_t i = 0; i < h->owners.n; i++) {
        hook_owner *o = hook_owner_at(h, i);
        ts_idmap_free(ctx, &o->files);
        ts_idmap_free(ctx, &o->symbols);
        ts_idmap_free(ctx, &o->threads);
        ts_idmap_free(ctx, &o->frames);
        ts_idmap_free(ctx, &o->stacks);
        hook_ranges_free(ctx, &o->mapped);
        hook_ranges_free(ctx, &o->unmapped);
        ts_idmap_free(ctx, &o->tables);
        ts_idmap_free(ctx, &o->waiting);
    }
    ts_vec_free(ctx, &h->owners);
    ts_idmap_free(ctx, &h->owner_of);
    ts_pool_free(ctx, &h->texts);
    ts_vec_free(ctx, &h->text_info);
    ts_buf_free(ctx, &h->text);
    ts_buf_free(ctx, &h->bytes);
    ts_vec_free(ctx, &h->frames);
    ts_vec_free(ctx, &h->direct);
    ts_vec_free(ctx, &h->chains);
    ts_pool_free(ctx, &h->lists_seen);
    ts_vec_free(ctx, &h->of_list);
    ts_vec_free(ctx, &h->order);
    ts_spool_free(h->lists);
}
