/* Profiles of pprof as files: sniffing, opening, feeding, ending. */
#include "parsers/format.h"
#include "parsers/pprof/pprof.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* --- sniffing ------------------------------------------------------------------------------- */

/* Which fields of the outermost message are messages, and how many fields those have. */
static const uint8_t inner_fields[PPROF_FIELDS] = {
    [PPROF_SAMPLE_TYPE] = 2, [PPROF_SAMPLE] = 3,   [PPROF_MAPPING] = 10,
    [PPROF_LOCATION] = 5,    [PPROF_FUNCTION] = 5, [PPROF_PERIOD_TYPE] = 2,
};

/* A list of numbers, packed, or a message of numbers only. */
static bool is_packed(const ts_wire_field *list)
{
    ts_wire w;
    uint64_t v;
    ts_wire_init(&w, list->p, list->n);
    while (ts_wire_packed(&v, &w)) {
    }
    return w.fault == TS_WIRE_OK;
}

static bool is_numbers(const ts_wire_field *message, uint32_t last)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number > last || f.type != TS_WIRE_VARINT) {
            return false;
        }
    }
    return w.fault == TS_WIRE_OK;
}

/* A kind of value has two numbers and nothing else: what other traces have as their first messages
 * is told by that. Later fields of the others are passed over. */
static bool is_inner(uint32_t field, const ts_wire_field *message)
{
    enum { LABELS = 3, LINES = 4, LABEL_FIELDS = 4, LINE_FIELDS = 3 };
    bool kind = field == PPROF_SAMPLE_TYPE || field == PPROF_PERIOD_TYPE;
    ts_wire w;
    ts_wire_field f;
    if (kind) {
        return is_numbers(message, inner_fields[field]);
    }
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        bool bytes = f.type == TS_WIRE_BYTES;
        bool good =
            f.number > inner_fields[field]               ? true
            : !bytes                                     ? f.type == TS_WIRE_VARINT
            : field == PPROF_SAMPLE && f.number < LABELS ? is_packed(&f)
            : field == PPROF_SAMPLE && f.number == LABELS
                ? is_numbers(&f, LABEL_FIELDS)
                : field == PPROF_LOCATION && f.number == LINES && is_numbers(&f, LINE_FIELDS);
        if (!good) {
            return false;
        }
    }
    return w.fault == TS_WIRE_OK;
}

static bool is_field(const ts_wire_field *f)
{
    if (f->number >= PPROF_FIELDS) {
        return f->number < 32;
    }
    if (inner_fields[f->number] > 0) {
        return f->type == TS_WIRE_BYTES && is_inner(f->number, f);
    }
    return f->type == (f->number == PPROF_STRING ? TS_WIRE_BYTES : TS_WIRE_VARINT) ||
           (f->number == PPROF_COMMENT && f->type == TS_WIRE_BYTES);
}

/*
 * There is no magic number: what can be seen must be fields of a profile. When some cannot be, it
 * may be a damaged one, if there are enough messages before that.
 */
static int pprof_sniff(const ts_sniff *s)
{
    enum { ENOUGH = 4 };
    ts_wire w;
    ts_wire_field f;
    size_t messages = 0;
    bool strings = false; /* the list of texts begins, as it has to, with the empty one */
    bool good = true;
    if (s->head == NULL || s->n < 2) {
        return TS_SNIFF_NO;
    }
    ts_wire_init(&w, s->head, s->n);
    while (good && ts_wire_next(&f, &w)) {
        good = is_field(&f);
        strings = strings || (f.number == PPROF_STRING && f.n == 0);
        messages += good && f.number < PPROF_FIELDS && f.n > 0 &&
                    (inner_fields[f.number] > 0 || (f.number == PPROF_STRING && strings));
    }
    /* The last field that can be seen may go on; so may that of a profile that is cut. */
    good = good && (w.fault == TS_WIRE_OK || w.fault == TS_WIRE_CUT || w.fault == TS_WIRE_LENGTH);
    return messages == 0 ? TS_SNIFF_NO
           : good        ? TS_SNIFF_LIKELY
                         : (messages >= ENOUGH ? TS_SNIFF_WEAK : TS_SNIFF_NO);
}

/* --- the stream ----------------------------------------------------------------------------- */

static void free_list(ts_ctx *ctx, pprof_list *list)
{
    ts_vec_free(ctx, &list->items);
    ts_idmap_free(ctx, &list->others);
}

static void pprof_close(void *self)
{
    pprof *p = self;
    ts_ctx *ctx = p->job->ctx;
    ts_spool_free(p->samples);
    free_list(ctx, &p->mappings);
    free_list(ctx, &p->locations);
    free_list(ctx, &p->functions);
    ts_vec_free(ctx, &p->lines);
    ts_vec_free(ctx, &p->value_types);
    ts_vec_free(ctx, &p->comments);
    ts_vec_free(ctx, &p->text_ends);
    ts_vec_free(ctx, &p->locations_of);
    ts_vec_free(ctx, &p->values);
    ts_vec_free(ctx, &p->labels);
    ts_vec_free(ctx, &p->stack);
    ts_vec_free(ctx, &p->codes);
    ts_vec_free(ctx, &p->expanded);
    ts_paths_free(ctx, &p->paths);
    pprof_stacks_free(ctx, &p->stacks);
    ts_idmap_free(ctx, &p->named);
    ts_buf_free(ctx, &p->message);
    ts_buf_free(ctx, &p->texts);
    ts_buf_free(ctx, &p->scratch);
    ts_free(ctx, p);
}

/* The lists of a batch are never without memory: places in them are counted from its beginning. */
static ts_code make_lists(pprof *p)
{
    ts_ctx *ctx = p->job->ctx;
    ts_code code = ts_vec_reserve(ctx, &p->locations_of, 1, sizeof(uint64_t));
    code = code != TS_OK ? code : ts_vec_reserve(ctx, &p->values, 1, sizeof(int64_t));
    code = code != TS_OK ? code : ts_vec_reserve(ctx, &p->labels, 1, sizeof(pprof_label));
    return code != TS_OK ? code : ts_vec_reserve(ctx, &p->stack, 1, sizeof(uint32_t));
}

static ts_code pprof_open(void **self, ts_job *job)
{
    pprof *p = ts_zalloc(job->ctx, 1, sizeof *p);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, p);
    p->job = job;
    p->sink = ts_store_sink(job->store);
    p->mappings.size = sizeof(pprof_mapping);
    p->locations.size = sizeof(pprof_location);
    p->functions.size = sizeof(pprof_function);
    p->certain = SIZE_MAX;
    ts_profile_id_begin(&p->id);
    ts_wire_push_init(&p->wire, pprof_handler(), p, UINT64_MAX);
    if ((code = ts_job_source(&p->source_id, p->name, job, job->source_id, "profile", "pprof",
                              "Pprof")) != TS_OK ||
        (code = make_lists(p)) != TS_OK || (code = ts_spool_new(&p->samples, job->ctx)) != TS_OK) {
        pprof_close(p);
        return code;
    }
    *self = p;
    return TS_OK;
}

static ts_code pprof_feed(void *self, const uint8_t *bytes, size_t n)
{
    pprof *p = self;
    ts_profile_id_add(&p->id, bytes, n);
    return ts_wire_push_feed(&p->wire, bytes, n);
}

static ts_code pprof_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    pprof *p = self;
    *used = p->wire.fault != TS_WIRE_OK ? n : 0;
    return *used == 0 ? TS_OK : ts_wire_push_skip(&p->wire, n);
}

static ts_code pprof_finish(void *self, const ts_stream_end *end)
{
    pprof *p = self;
    ts_code code =
        ts_count_add(p->job->store, p->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0);
    if (code != TS_OK) {
        return code;
    }
    /* Nothing says how long the message is but its end; a fault before it is more than a cut. */
    p->job->text_bad = p->wire.fault != TS_WIRE_OK;
    p->wire.size = p->wire.at;
    code = ts_wire_push_finish(&p->wire);
    if (code == TS_OK && p->samples_seen + p->defined + p->value_types.n == 0) {
        return ts_fail(p->job->ctx, TS_ERR_FORMAT,
                       "%s is no profile of pprof: it has none of its messages", p->job->name);
    }
    if (code == TS_OK && p->wire.fault != TS_WIRE_OK) {
        ts_source(p->job->store, p->source_id)->complete = 0;
        code = ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_incomplete, p->name,
                        (int64_t)p->wire.fault_at, "%s", ts_wire_fault_text(p->wire.fault));
    }
    TS_STEP(code, pprof_write(p));
    return code;
}

TS_SOURCE_FORMAT(pprof) = {
    .name = "pprof",
    .title = "profile of pprof (.pb, .pprof: Go, Python, Node.js, ...)",
    .source_type = "profile",
    .sniff = pprof_sniff,
    .open = pprof_open,
    .feed = pprof_feed,
    .feed_zeros = pprof_feed_zeros,
    .finish = pprof_finish,
    .close = pprof_close,
};

/* --- gperftools ----------------------------------------------------------------------------- */

/* 0 and 3 in words of 8 bytes: the head of a CPU profile of gperftools. */
static int gperftools_sniff(const ts_sniff *s)
{
    static const uint8_t head[16] = {[8] = 3};
    return s->head != NULL && s->n >= sizeof head && memcmp(s->head, head, sizeof head) == 0
               ? TS_SNIFF_SURE
               : TS_SNIFF_NO;
}

TS_SOURCE_FORMAT(gperftools) = {
    .name = "gperftools",
    .title = "CPU profile of gperftools; to be translated first",
    .sniff = gperftools_sniff,
    .refusal = "a CPU profile of gperftools has addresses instead of names; translate it with "
               "\"pprof -proto PROGRAM FILE\" and give the result",
};
