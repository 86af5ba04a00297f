/*
 * Events as rows: those of their own tables, their stacks, and samples of the common tables.
 *
 * A path has an item of its own, which says thread, kind and beginning of the event it is of. Calls
 * to the file system and requests to block devices are therefore sorted twice: with the paths, by
 * what they have in common, and then by their ends. Of several paths of one event the last counts,
 * and only the first of several events gets it.
 */
#include "htrace/plugins/ebpf/ebpf.h"

#include "base/ckd.h"
#include "tables/store_processes.h"

#include <inttypes.h>
#include <stdio.h>

enum { SORT_MEMORY = 4 << 20, PROCESS_NAME = 16 };

#define NO_TEXT UINT64_MAX

/* An event, or a text of one, by what both say. */
typedef struct ebpf_joined {
    uint64_t kind; /* the type of the event, and which one */
    uint64_t thread;
    uint64_t start;
    uint64_t rank; /* 0: a text */
    uint64_t end;
    uint64_t pos; /* of its item in the section */
} ebpf_joined;

/* An event by its end. */
typedef struct ebpf_end {
    uint64_t end;
    uint64_t pos;
    uint64_t text; /* place of its path, or NO_TEXT */
} ebpf_end;

/* A distinct stack of the section. */
typedef struct ebpf_chain {
    uint64_t hash[2]; /* of the process and the addresses */
    int64_t node;     /* of its innermost frame; 0: none */
} ebpf_chain;

typedef struct ebpf_event {
    ebpf_type type;
    const uint8_t *fixed; /* what events of its type have */
    uint64_t pos;
    uint32_t pid, tid;
    uint64_t start, end; /* as recorded */
    ts_text process;
    /* In the database. */
    int64_t ipid, itid;
    int64_t start_ts, end_ts, dur; /* TS_NO_TIME: not known */
    int64_t chain;                 /* -1: none */
    int64_t node;                  /* 0: none */
    int64_t path;                  /* in data_dict; -1: none */
} ebpf_event;

/* --- sorting ------------------------------------------------------------------------------------
 */

/* Kind of call or request: a number that texts name as well. */
static uint32_t which_of(ebpf_type type, const uint8_t *p)
{
    return type == EBPF_FILE   ? (uint32_t)ebpf_number(p + 54, 2)
           : type == EBPF_PAGE ? (uint32_t)ebpf_number(p + 62, 2)
                               : ebpf_u32(p + 60);
}

static uint64_t start_of(ebpf_type type, const uint8_t *p)
{
    return ebpf_u64(p + (type == EBPF_BLOCK ? 24 : 16));
}

static uint64_t end_of(ebpf_type type, const uint8_t *p)
{
    return ebpf_u64(p + (type == EBPF_BLOCK ? 32 : 24));
}

static ts_code put_joined(ebpf *e, const ebpf_joined *j)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 5};
    return ts_sorter_put(&e->joined, e->ctx, j, sizeof *j, &order, SORT_MEMORY);
}

static ts_code put_end(ebpf *e, ebpf_type type, const ebpf_end *end)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    return ts_sorter_put(&e->ends[type - EBPF_FILE], e->ctx, end, sizeof *end, &order, SORT_MEMORY);
}

ts_code ebpf_add_event(ebpf *e, const ebpf_item *item)
{
    const ebpf_type type = (ebpf_type)item->type;
    const uint8_t *p = item->fixed;
    const uint64_t start = start_of(type, p);
    e->begin =
        start > INT64_MAX || (e->timed && (int64_t)start >= e->begin) ? e->begin : (int64_t)start;
    e->timed = e->timed || start <= INT64_MAX;
    if (type == EBPF_PAGE) {
        return put_end(e, type, &(ebpf_end){end_of(type, p), item->pos, NO_TEXT});
    }
    return put_joined(e, &(ebpf_joined){.kind = (uint64_t)type << 32 | which_of(type, p),
                                        .thread = ebpf_u64(p),
                                        .start = start,
                                        .rank = 1,
                                        .end = end_of(type, p),
                                        .pos = item->pos});
}

ts_code ebpf_add_text(ebpf *e, const ebpf_item *item)
{
    const uint8_t *p = item->fixed;
    int64_t itid;
    TS_TRY(ts_thread_seen(&itid, e->store, e->source_id, ebpf_u32(p + 4), ebpf_u32(p)));
    return put_joined(e, &(ebpf_joined){.kind = (uint64_t)ebpf_u32(p + 16) << 32 | ebpf_u32(p + 20),
                                        .thread = ebpf_u64(p),
                                        .start = ebpf_u64(p + 8),
                                        .pos = item->pos});
}

typedef struct ebpf_join {
    ebpf *e;
    ebpf_joined text; /* that came last */
    bool has_text;    /* and was not used */
} ebpf_join;

static ts_code join(void *user, const void *record)
{
    ebpf_join *j = (ebpf_join *)user;
    const ebpf_joined *r = (const ebpf_joined *)record;
    if (r->rank == 0) {
        j->text = *r;
        j->has_text = true;
        return TS_OK;
    }
    const bool fits = j->has_text && j->text.kind == r->kind && j->text.thread == r->thread &&
                      j->text.start == r->start;
    j->has_text = false;
    return put_end(j->e, (ebpf_type)(r->kind >> 32),
                   &(ebpf_end){r->end, r->pos, fits ? j->text.pos : NO_TEXT});
}

/* --- stacks -------------------------------------------------------------------------------------
 */

/* A number as the tables write it; 2^64 - 1 is none. */
static ts_text hex(char to[24], uint64_t v)
{
    const int n = snprintf(to, 24, "0x%" PRIx64, v);
    return v == UINT64_MAX ? TS_TEXT_NULL : (ts_text){to, (size_t)n};
}

static bool is_chain(const void *owner, uint32_t number, const void *key)
{
    const ebpf_chain *c = (const ebpf_chain *)((const ebpf *)owner)->chains.p + number;
    const uint64_t *hash = (const uint64_t *)key;
    return c->hash[0] == hash[0] && c->hash[1] == hash[1];
}

/* The rows of a new stack; its addresses are in e->ips, the innermost first. */
static ts_code put_chain(int64_t *node, ebpf *e, int64_t number, int64_t pid)
{
    int64_t depth = 0;
    *node = 0;
    for (size_t i = e->ips.n; i > 0; i--) {
        const uint64_t ip = ((const uint64_t *)e->ips.p)[i - 1];
        const ebpf_frame *f;
        char text[24];
        bool added;
        if (ip == 0) {
            continue;
        }
        TS_TRY(ebpf_resolve(&f, e, pid, ip));
        ts_row_ebpf_callstack row = {
            .id = (int64_t)ts_sink_rows(e->sink, TS_T_ebpf_callstack),
            .callchain_id = number,
            .depth = depth,
            .ip = hex(text, ip),
            .symbols_id = f->symbol,
            .file_path_id = f->file,
        };
        TS_NULL_IF(f->symbol < 0, ebpf_callstack, &row, symbols_id);
        TS_NULL_IF(f->file < 0, ebpf_callstack, &row, file_path_id);
        TS_TRY(ts_put_ebpf_callstack(e->sink, &row));
        TS_TRY(ts_stack_node(node, &added, e->store, e->source_id, *node, f->method, TS_NO_LINE,
                             depth, NULL));
        depth++;
    }
    return TS_OK;
}

/* How many addresses the event has; an issue when it says more than there are. */
static ts_code count_ips(size_t *count, ebpf *e, const ebpf_event *v, uint64_t room)
{
    const uint64_t told = v->type == EBPF_FILE   ? ebpf_number(v->fixed + 52, 2)
                          : v->type == EBPF_PAGE ? ebpf_number(v->fixed + 60, 2)
                                                 : ebpf_u32(v->fixed + 56);
    const uint64_t most = room < EBPF_IPS ? room : EBPF_IPS;
    *count = (size_t)(told < most ? told : most);
    if (told <= most) {
        return TS_OK;
    }
    e->lost_values++;
    return ebpf_issue(e, ebpf_ips, v->pos - EBPF_ITEM, "a stack of %" PRIu64 " addresses has %zu",
                      told, *count);
}

/* The stack of the event, whose item has `length` bytes. */
static ts_code find_chain(ebpf *e, ebpf_event *v, uint32_t fixed, uint32_t length)
{
    ts_index_place place;
    uint64_t hash[2];
    const uint8_t *p;
    size_t count;
    size_t n;
    v->chain = -1;
    TS_TRY(count_ips(&count, e, v, (length - fixed) / 8));
    if (count == 0) {
        return TS_OK;
    }
    TS_TRY(ts_index_reserve(e->ctx, &e->chain_index));
    TS_TRY(ts_window_get(&p, &n, &e->bytes, v->pos + fixed, count * 8));
    ts_hash h = ts_hash_begin(&e->chain_index.key);
    ts_hash_word(&h, v->pid);
    e->ips.n = 0;
    TS_TRY(ts_vec_reserve(e->ctx, &e->ips, count, sizeof(uint64_t)));
    for (size_t i = 0; i < count; i++) {
        const uint64_t ip = ebpf_u64(p + 8 * i);
        ((uint64_t *)e->ips.p)[i] = ip;
        ts_hash_word(&h, ip);
    }
    e->ips.n = count;
    hash[0] = ts_hash_end(&h);
    hash[1] = ts_hash_more(&h);
    uint32_t number = ts_index_search(&place, &e->chain_index, hash[0], is_chain, e, hash);
    if (number == TS_INDEX_NONE) {
        ebpf_chain chain = {.hash = {hash[0], hash[1]}};
        number = (uint32_t)e->chains.n;
        TS_TRY(put_chain(&chain.node, e, e->chains_before + number, v->pid));
        TS_TRY(ts_vec_push(e->ctx, &e->chains, &chain, sizeof chain));
        ts_index_add(&e->chain_index, place, number);
    }
    v->chain = e->chains_before + number;
    v->node = ((const ebpf_chain *)e->chains.p)[number].node;
    return TS_OK;
}

/* --- samples of the common tables ---------------------------------------------------------------
 */

static ts_code put_label(ebpf *e, int64_t sample, const char *key, ts_text value)
{
    const ts_row_stack_sample_label row = {
        .sample_id = sample, .key = ts_text_of(key), .value = value};
    return ts_put_stack_sample_label(e->sink, &row);
}

static ts_code put_number(ebpf *e, int64_t sample, const char *key, int64_t value)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRId64, value);
    return put_label(e, sample, key, (ts_text){text, (size_t)n});
}

static ts_code put_size(ebpf *e, int64_t sample, int64_t size)
{
    if (e->value_type == 0) {
        const ts_row_stack_value_type type = {
            .id = (int64_t)ts_sink_rows(e->sink, TS_T_stack_value_type) + 1,
            .source_id = e->source_id,
            .name = TS_TEXT_LIT("size"),
            .unit = TS_TEXT_LIT("bytes"),
        };
        e->value_type = type.id;
        TS_TRY(ts_put_stack_value_type(e->sink, &type));
    }
    const ts_row_stack_sample_value row = {
        .sample_id = sample, .value_type_id = e->value_type, .value = size};
    return ts_put_stack_sample_value(e->sink, &row);
}

/* size < 0: none. *sample is its id. */
static ts_code put_sample(int64_t *sample, ebpf *e, const ebpf_event *v, ts_text event,
                          int64_t size)
{
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(e->sink, TS_T_stack_sample) + 1,
        .source_id = e->source_id,
        .itid = v->itid,
        .ts = v->start_ts,
        .dur = v->dur,
        .node_id = v->node,
        .event = event,
    };
    *sample = row.id;
    TS_NULL_IF(v->start_ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(v->dur == TS_NO_TIME, stack_sample, &row, dur);
    TS_NULL_IF(v->node == 0, stack_sample, &row, node_id);
    TS_TRY(ts_put_stack_sample(e->sink, &row));
    TS_TRY(size < 0 ? TS_OK : put_size(e, row.id, size));
    return v->path < 0 ? TS_OK : put_label(e, row.id, "path", ts_buf_text(&e->path));
}

static ts_code put_numbered_sample(ebpf *e, const ebpf_event *v, const char *event, int64_t size)
{
    char text[40];
    int64_t sample;
    const int n = snprintf(text, sizeof text, "%s_%" PRIu32, event, which_of(v->type, v->fixed));
    return put_sample(&sample, e, v, (ts_text){text, (size_t)n}, size);
}

/* --- rows of each kind --------------------------------------------------------------------------
 */

typedef enum file_kind { FILE_OPEN, FILE_CLOSE, FILE_READ, FILE_WRITE, FILE_KINDS } file_kind;

/* Which kind a call is of; FILE_KINDS: it is not known. */
static file_kind kind_of_call(uint32_t call)
{
    static const file_kind kinds[] = {FILE_KINDS, FILE_OPEN,  FILE_READ, FILE_WRITE,
                                      FILE_READ,  FILE_WRITE, FILE_READ, FILE_WRITE,
                                      FILE_READ,  FILE_WRITE, FILE_CLOSE};
    return call < sizeof kinds / sizeof kinds[0] ? kinds[call] : FILE_KINDS;
}

/* -1: not known. */
static int64_t descriptor_of(const ebpf *e, file_kind kind, const uint8_t *p, int32_t ret)
{
    if (kind == FILE_OPEN) {
        const int64_t failed = e->host->ctx->compat ? INT32_MAX : -1; /* QN-75 */
        return ret >= 0 ? ret : failed;
    }
    return (int32_t)ebpf_u32(p + (kind == FILE_CLOSE ? 64 : 56));
}

static ts_code put_file(ebpf *e, const ebpf_event *v)
{
    static const ts_text events[] = {
        [FILE_OPEN] = TS_TEXT_LIT("fs_open"),
        [FILE_CLOSE] = TS_TEXT_LIT("fs_close"),
        [FILE_READ] = TS_TEXT_LIT("fs_read"),
        [FILE_WRITE] = TS_TEXT_LIT("fs_write"),
    };
    const uint8_t *p = v->fixed;
    const int32_t ret = (int32_t)ebpf_u32(p + 48);
    const file_kind kind = kind_of_call(which_of(v->type, p));
    const int64_t fd = descriptor_of(e, kind, p, ret);
    const bool sized = ret >= 0 && (kind == FILE_READ || kind == FILE_WRITE);
    char texts[6][24];
    int64_t sample;
    ts_row_file_system_sample row = {
        .id = (int64_t)ts_sink_rows(e->sink, TS_T_file_system_sample),
        .callchain_id = v->chain,
        .type = kind,
        .ipid = v->ipid,
        .itid = v->itid,
        .start_ts = v->start_ts,
        .end_ts = v->end_ts,
        .dur = v->dur,
        .return_value = hex(texts[0], ret < 0 ? 0 : (uint64_t)ret),
        .error_code = ret < 0 ? hex(texts[1], (uint64_t) - (int64_t)ret) : TS_TEXT_NULL,
        .fd = fd,
        .file_id = v->path,
        .size = ret,
        .first_argument = hex(texts[2], ebpf_u64(p + 56)),
        .second_argument = hex(texts[3], ebpf_u64(p + 64)),
        .third_argument = hex(texts[4], ebpf_u64(p + 72)),
        .fourth_argument = hex(texts[5], ebpf_u64(p + 80)),
    };
    TS_NULL_IF(v->start_ts == TS_NO_TIME, file_system_sample, &row, start_ts);
    TS_NULL_IF(v->end_ts == TS_NO_TIME, file_system_sample, &row, end_ts);
    TS_NULL_IF(v->dur == TS_NO_TIME, file_system_sample, &row, dur);
    TS_NULL_IF(fd == -1, file_system_sample, &row, fd);
    TS_NULL_IF(v->path < 0, file_system_sample, &row, file_id);
    TS_NULL_IF(!sized, file_system_sample, &row, size);
    TS_TRY(ts_put_file_system_sample(e->sink, &row));
    TS_TRY(put_sample(&sample, e, v, events[kind], sized ? ret : -1));
    TS_TRY(fd == -1 ? TS_OK : put_number(e, sample, "fd", fd));
    return ret < 0 ? put_number(e, sample, "error", -(int64_t)ret) : TS_OK;
}

static ts_code put_page(ebpf *e, const ebpf_event *v)
{
    const uint8_t *p = v->fixed;
    const uint32_t size = ebpf_u32(p + 56);
    char text[24];
    ts_row_paged_memory_sample row = {
        .id = (int64_t)ts_sink_rows(e->sink, TS_T_paged_memory_sample),
        .callchain_id = v->chain,
        .type = which_of(v->type, p),
        .ipid = v->ipid,
        .itid = v->itid,
        .start_ts = v->start_ts,
        .end_ts = v->end_ts,
        .dur = v->dur,
        .size = size,
        .addr = hex(text, ebpf_u64(p + 48)),
    };
    TS_NULL_IF(v->start_ts == TS_NO_TIME, paged_memory_sample, &row, start_ts);
    TS_NULL_IF(v->end_ts == TS_NO_TIME, paged_memory_sample, &row, end_ts);
    TS_NULL_IF(v->dur == TS_NO_TIME, paged_memory_sample, &row, dur);
    TS_TRY(ts_put_paged_memory_sample(e->sink, &row));
    return put_numbered_sample(e, v, "page_fault", size);
}

/* ns of each 4096 bytes; -1: not known. */
static int64_t per_block(const ebpf *e, const ebpf_event *v, uint32_t size)
{
    if (v->dur == TS_NO_TIME || size == 0) {
        return -1;
    }
    if (e->host->ctx->compat && size >= 4096) { /* QN-73 */
        return v->dur / (size / 4096);
    }
    const __int128 ns = (__int128)v->dur * 4096 / size;
    return ns > INT64_MAX ? -1 : (int64_t)ns;
}

static ts_code put_block(ebpf *e, const ebpf_event *v)
{
    const uint8_t *p = v->fixed;
    const uint32_t size = ebpf_u32(p + 44);
    char texts[2][24];
    ts_row_bio_latency_sample row = {
        .id = (int64_t)ts_sink_rows(e->sink, TS_T_bio_latency_sample),
        .callchain_id = v->chain,
        .type = which_of(v->type, p),
        .ipid = v->ipid,
        .itid = v->itid,
        .start_ts = v->start_ts,
        .end_ts = v->end_ts,
        .latency_dur = v->dur,
        .tier = ebpf_u32(p + 40),
        .size = size,
        .block_number = hex(texts[0], ebpf_u64(p + 48)),
        .dur_per_4k = per_block(e, v, size),
    };
    if (v->path >= 0) {
        const int n = snprintf(texts[1], sizeof texts[1], "%" PRId64, v->path);
        row.path_id = (ts_text){texts[1], (size_t)n};
    }
    TS_NULL_IF(v->start_ts == TS_NO_TIME, bio_latency_sample, &row, start_ts);
    TS_NULL_IF(v->end_ts == TS_NO_TIME, bio_latency_sample, &row, end_ts);
    TS_NULL_IF(v->dur == TS_NO_TIME, bio_latency_sample, &row, latency_dur);
    TS_NULL_IF(row.dur_per_4k < 0, bio_latency_sample, &row, dur_per_4k);
    TS_TRY(ts_put_bio_latency_sample(e->sink, &row));
    return put_numbered_sample(e, v, "bio", size);
}

/* --- events -------------------------------------------------------------------------------------
 */

static int64_t to_trace(ebpf *e, uint64_t raw)
{
    ts_clock clock;
    if (raw > INT64_MAX) {
        e->times.over++;
        return TS_NO_TIME;
    }
    return ts_htrace_time(&clock, &e->times, e->recorded, (int64_t)raw);
}

/* Its times in the trace; *wanted: --time-range has it. */
static void take_times(bool *wanted, ebpf *e, ebpf_event *v)
{
    v->start_ts = to_trace(e, v->start);
    v->end_ts = to_trace(e, v->end);
    v->dur =
        v->start_ts == TS_NO_TIME || v->end_ts == TS_NO_TIME ? TS_NO_TIME : v->end_ts - v->start_ts;
    *wanted = v->start_ts == TS_NO_TIME ? e->ctx->time_range.kind == TS_WANTED_ALL
                                        : ts_span_has(&e->span, v->start_ts);
    if (*wanted && v->dur != TS_NO_TIME) {
        e->first = e->first == TS_NO_TIME || v->start_ts < e->first ? v->start_ts : e->first;
        e->last = e->last == TS_NO_TIME || v->end_ts > e->last ? v->end_ts : e->last;
    }
}

/* What makes an event none, as an issue. */
static ts_code check_event(bool *good, ebpf *e, const ebpf_event *v)
{
    const uint32_t call = which_of(v->type, v->fixed);
    *good = false;
    if (v->type == EBPF_FILE && kind_of_call(call) == FILE_KINDS) {
        return ebpf_issue(e, ebpf_call, v->pos - EBPF_ITEM, "call %" PRIu32 " is not a known one",
                          call);
    }
    if (v->end < v->start) {
        return ebpf_issue(e, ebpf_times, v->pos - EBPF_ITEM,
                          "an event ends %" PRIu64 " ns before it begins", v->start - v->end);
    }
    *good = true;
    return TS_OK;
}

/* Its path goes to e->path. */
static ts_code find_path(ebpf *e, ebpf_event *v, uint64_t text)
{
    ts_text path;
    const uint8_t *p;
    size_t n;
    v->path = -1;
    if (text == NO_TEXT) {
        return TS_OK;
    }
    TS_TRY(ts_window_get(&p, &n, &e->bytes, text - 4, 4 + 32));
    const uint32_t room = ebpf_u32(p) - 32;
    const uint32_t told = ebpf_u32(p + 4 + 24);
    TS_TRY(ebpf_text(&path, e, &e->path, text + 32, told < room ? told : room));
    TS_TRY(ts_dict(&v->path, e->store, path));
    if (path.p != e->path.p) {
        e->path.n = 0;
        return ts_buf_put(e->ctx, &e->path, path.p, path.n);
    }
    return TS_OK;
}

static ts_code put_event(ebpf *e, ebpf_event *v, uint32_t length, uint64_t text)
{
    static ts_code (*const put[])(ebpf * e, const ebpf_event *v) = {put_file, put_page, put_block};
    const unsigned kind = (unsigned)v->type - EBPF_FILE;
    bool good;
    bool wanted;
    e->received[kind]++;
    TS_TRY(check_event(&good, e, v));
    e->events->seen++;
    if (!good) {
        e->invalid[kind]++;
        e->events->lost++;
        return TS_OK;
    }
    take_times(&wanted, e, v);
    if (!wanted) {
        e->events->skipped++;
        return TS_OK;
    }
    TS_TRY(ts_process_named(&v->ipid, e->store, e->source_id, v->pid, v->process));
    TS_TRY(ts_thread_seen(&v->itid, e->store, e->source_id, v->tid, v->pid));
    TS_TRY(find_path(e, v, text));
    TS_TRY(find_chain(e, v, v->type == EBPF_FILE ? 104 : 80, length));
    e->events->imported++;
    return put[kind](e, v);
}

typedef struct ebpf_kind {
    ebpf *e;
    ebpf_type type;
} ebpf_kind;

static ts_code take_event(void *user, const void *record)
{
    const ebpf_kind *k = (const ebpf_kind *)user;
    const ebpf_end *end = (const ebpf_end *)record;
    const uint32_t fixed = k->type == EBPF_FILE ? 104 : 80;
    uint8_t copy[EBPF_FIXED];
    const uint8_t *p;
    size_t n;
    TS_TRY(ts_window_get(&p, &n, &k->e->bytes, end->pos - 4, 4 + fixed));
    const uint32_t length = ebpf_u32(p);
    memcpy(copy, p + 4, fixed);
    const char *process = (const char *)copy + (k->type == EBPF_FILE   ? 88
                                                : k->type == EBPF_PAGE ? 64
                                                                       : 8);
    ebpf_event v = {
        .type = k->type,
        .fixed = copy,
        .pos = end->pos,
        .pid = ebpf_u32(copy),
        .tid = ebpf_u32(copy + 4),
        .start = start_of(k->type, copy),
        .end = end_of(k->type, copy),
        .process = {process, strnlen(process, PROCESS_NAME)},
    };
    return put_event(k->e, &v, length, end->text);
}

ts_code ebpf_put_events(ebpf *e)
{
    ebpf_join joined = {.e = e};
    TS_TRY(ts_sorter_drain(e->joined, join, &joined));
    ts_sorter_close(e->joined);
    e->joined = NULL;
    for (unsigned k = 0; k < EBPF_KINDS; k++) {
        ebpf_kind kind = {e, (ebpf_type)(EBPF_FILE + k)};
        TS_TRY(ts_sorter_drain(e->ends[k], take_event, &kind));
        ts_sorter_close(e->ends[k]);
        e->ends[k] = NULL;
    }
    return TS_OK;
}

void ebpf_rows_free(ebpf *e)
{
    ts_ctx *ctx = e->host->ctx;
    ts_sorter_close(e->joined);
    e->joined = NULL;
    for (unsigned k = 0; k < EBPF_KINDS; k++) {
        ts_sorter_close(e->ends[k]);
        e->ends[k] = NULL;
    }
    ts_vec_free(ctx, &e->chains);
    ts_vec_free(ctx, &e->ips);
    ts_index_free(ctx, &e->chain_index);
    ts_buf_free(ctx, &e->path);
}
