/* Samples of perf as rows. */
#include "parsers/perf_text/perf_text.h"

/* --- events ---------------------------------------------------------------------------------- */

/* Without its modifiers. Of these events the period is a time. */
static bool is_clock(ts_text event)
{
    const char *colon = event.n == 0 ? NULL : memchr(event.p, ':', event.n);
    event.n = colon == NULL ? event.n : (size_t)(colon - event.p);
    return ts_text_is(event, "cpu-clock") || ts_text_is(event, "task-clock");
}

/* The kind of the sample's value: the period of its event, or 1 where none is recorded. */
static ts_code find_type(perf_text *p, ts_text event, bool period)
{
    ts_ctx *ctx = p->job->ctx;
    int64_t profile = (int64_t)ts_sink_rows(p->sink, TS_T_profile) + 1;
    ts_profile_type *type;
    uint32_t number;
    bool added;
    p->scratch.n = 0;
    TS_TRY(ts_buf_putc(ctx, &p->scratch, period ? 'p' : 's'));
    TS_TRY(ts_buf_put(ctx, &p->scratch, event.p, event.n));
    TS_TRY(ts_pool_intern(ctx, &number, &added, &p->events, ts_buf_text(&p->scratch)));
    p->type = number;
    p->event = ts_pool_text(&p->events, number);
    p->event = p->event.n == 1 ? TS_TEXT_NULL : (ts_text){p->event.p + 1, p->event.n - 1};
    if (!added) {
        return TS_OK;
    }
    TS_NEED(ctx, type = ts_vec_add(ctx, &p->types, sizeof *type));
    return ts_profile_type_add(type, p->job->store, p->source_id, profile,
                               event.n > 0 ? event
                               : period    ? TS_TEXT_LIT("period")
                                           : TS_TEXT_LIT("samples"),
                               !period           ? TS_TEXT_LIT("samples")
                               : is_clock(event) ? TS_TEXT_LIT("ns")
                                                 : TS_TEXT_NULL,
                               TS_TEXT_NULL);
}

/* --- threads --------------------------------------------------------------------------------- */

static ts_code new_thread(int64_t *itid, perf_text *p, const perf_header *h)
{
    ts_store *store = p->job->store;
    int64_t ipid = -1;
    ts_code code = h->pid < 0 ? TS_OK : ts_process(&ipid, store, p->source_id, h->pid);
    if (code != TS_OK || h->tid < 0) {
        return code != TS_OK ? code : ts_profile_named_thread(itid, store, p->source_id, h->comm);
    }
    code = ts_thread_new(itid, store, p->source_id, h->tid, ipid, "os");
    TS_STEP(code, ts_thread_name(store, *itid, h->comm));
    return code;
}

/* A thread that changes its name is one for each name: each sample keeps that which it was taken
 * under. */
static ts_code find_thread(perf_text *p, const perf_header *h)
{
    ts_ctx *ctx = p->job->ctx;
    int64_t numbers[2] = {h->pid, h->tid};
    int64_t *itid;
    uint32_t number;
    bool added;
    ts_code code;
    p->scratch.n = 0;
    TS_TRY_INTO(code, ts_buf_put(ctx, &p->scratch, numbers, sizeof numbers));
    TS_TRY_INTO(code, ts_buf_put(ctx, &p->scratch, h->comm.p, h->comm.n));
    TS_TRY_INTO(code, ts_pool_intern(ctx, &number, &added, &p->threads, ts_buf_text(&p->scratch)));
    if (added) {
        TS_NEED(ctx, itid = ts_vec_add(ctx, &p->itids, sizeof *itid));
        code = new_thread(itid, p, h);
    }
    p->itid = ((const int64_t *)p->itids.p)[number];
    return code;
}

/* --- frames ---------------------------------------------------------------------------------- */

/* What the image says of the code, as stackcollapse-perf marks it. */
static ts_text kind_of(bool inlined, ts_text image)
{
    static const char *const user[] = {"[unknown]", "[vdso]", "[vsyscall]", "[heap]", "[stack"};
    bool kernel = ts_text_begins(image, "[") || ts_text_ends(image, "vmlinux");
    if (inlined) {
        return TS_TEXT_LIT("inlined");
    }
    for (size_t i = 0; i < sizeof user / sizeof user[0]; i++) {
        kernel = kernel && !ts_text_begins(image, user[i]);
    }
    return kernel                                ? TS_TEXT_LIT("kernel")
           : ts_text_begins(image, "/tmp/perf-") ? TS_TEXT_LIT("jit")
                                                 : TS_TEXT_NULL;
}

/* The next part of the key, up to LF. */
static ts_text next_part(ts_text *rest)
{
    const char *lf = memchr(rest->p, '\n', rest->n);
    ts_text part = {rest->p, lf == NULL ? rest->n : (size_t)(lf - rest->p)};
    *rest = ts_text_from(*rest, part.n + (lf == NULL ? 0 : 1));
    return part;
}

/* The key holds: i or -, the name LF the image LF the file. */
static ts_code new_method(int64_t *method, perf_text *p)
{
    ts_text rest = ts_buf_text(&p->key);
    bool inlined = rest.p[0] == 'i';
    ts_text name, image, file;
    ts_frame_parts parts;
    ts_method row;
    rest = ts_text_from(rest, 1);
    name = next_part(&rest);
    image = next_part(&rest);
    file = rest.n == 0 ? TS_TEXT_NULL : rest;
    TS_TRY(ts_frame_split(p->job->ctx, &parts, &p->scratch, ts_language_of_file(file), name, file,
                          ts_text_is(image, "[unknown]") ? TS_TEXT_NULL : image));
    row = (ts_method){.name = parts.name,
                      .cls = parts.cls,
                      .package = parts.package,
                      .file = parts.file,
                      .library = parts.library,
                      .modifiers = kind_of(inlined, image)};
    return ts_stack_method(method, p->job->store, p->source_id, &row);
}

/* The frame that was read last goes into the stack. */
static ts_code push_last(perf_text *p, int64_t line)
{
    ts_ctx *ctx = p->job->ctx;
    char key[TS_POOL_KEY];
    perf_step *step;
    int64_t *method;
    uint32_t number;
    bool added;
    if (!p->has_last) {
        return TS_OK;
    }
    p->has_last = false;
    if (p->stack.n == PERF_MAX_FRAMES) {
        p->stack_bad = true;
        return ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_too_large, p->name,
                        (int64_t)p->lines.at, "a stack has more than %d frames", PERF_MAX_FRAMES);
    }
    TS_TRY(ts_pool_intern(ctx, &number, &added, &p->frames,
                          ts_pool_key(key, ctx, ts_buf_text(&p->key))));
    if (added) {
        TS_NEED(ctx, method = ts_vec_add(ctx, &p->methods, sizeof *method));
        TS_TRY(new_method(method, p));
    }
    TS_NEED(ctx, step = ts_vec_add(ctx, &p->stack, sizeof *step));
    *step = (perf_step){((const int64_t *)p->methods.p)[number], line};
    return TS_OK;
}

ts_code perf_sample_frame(perf_text *p, const perf_frame *f)
{
    ts_ctx *ctx = p->job->ctx;
    ts_code code = push_last(p, TS_NO_LINE);
    if (code != TS_OK || p->stack_bad) {
        return code;
    }
    p->key.n = 0;
    TS_TRY_INTO(code, ts_buf_putc(ctx, &p->key, f->inlined ? 'i' : '-'));
    if (f->symbol.n > 0) {
        code = ts_buf_put(ctx, &p->key, f->symbol.p, f->symbol.n);
    } else if (f->address.p == NULL || f->image.p != NULL) {
        code = ts_buf_put(ctx, &p->key, "[unknown]", 9);
    } else if ((code = ts_buf_put(ctx, &p->key, "0x", 2)) == TS_OK) {
        code = ts_buf_put(ctx, &p->key, f->address.p, f->address.n);
    }
    if (code != TS_OK || (code = ts_buf_putc(ctx, &p->key, '\n')) != TS_OK ||
        (code = ts_buf_put(ctx, &p->key, f->image.p, f->image.n)) != TS_OK) {
        return code;
    }
    p->has_last = true;
    return ts_buf_putc(ctx, &p->key, '\n');
}

ts_code perf_sample_source(perf_text *p, ts_text file, int64_t line, bool inlined)
{
    ts_code code = ts_buf_put(p->job->ctx, &p->key, file.p, file.n);
    if (inlined) {
        p->key.p[0] = 'i';
    }
    TS_STEP(code, push_last(p, line));
    return code;
}

/* --- samples --------------------------------------------------------------------------------- */

/* The range begins with the first sample that has a time. */
static ts_code choose_wanted(perf_text *p, int64_t ts)
{
    if (p->spanned || ts == TS_NO_TIME) {
        return TS_OK;
    }
    p->spanned = true;
    return ts_wanted_span(&p->wanted, p->job->ctx, TS_CLOCK_BOOTTIME, NULL, ts)
               ? TS_OK
               : ts_issue(p->job->store, p->source_id, TS_ISSUE_time_range_unrelated, p->name,
                          TS_NO_OFFSET, "all samples are kept");
}

ts_code perf_sample_begin(perf_text *p, const perf_header *h)
{
    ts_code code;
    TS_TRY_INTO(code, choose_wanted(p, h->ts));
    p->place = PERF_SAMPLE;
    p->stack.n = 0;
    p->stack_bad = false;
    p->has_last = false;
    p->flat = false;
    p->ts = h->ts;
    p->skip = p->job->ctx->time_range.kind != TS_WANTED_ALL &&
              (h->ts == TS_NO_TIME || !ts_span_has(&p->wanted, h->ts));
    if (p->skip) {
        return TS_OK;
    }
    p->period = h->period < 0 ? 1 : h->period;
    code = find_type(p, h->event, h->period >= 0);
    TS_STEP(code, find_thread(p, h));
    return code;
}

/* The node of the stack, from the outermost frame on; 0: it is empty. */
static ts_code find_node(int64_t *node, perf_text *p)
{
    const perf_step *steps = p->stack.p;
    bool added;
    ts_code code = TS_OK;
    *node = 0;
    for (size_t i = p->stack.n; i > 0 && code == TS_OK; i--) {
        code = ts_stack_node(node, &added, p->job->store, p->source_id, *node, steps[i - 1].method,
                             steps[i - 1].line, (int64_t)(p->stack.n - i), NULL);
    }
    return code;
}

ts_code perf_sample_end(perf_text *p)
{
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_sample) + 1,
        .source_id = p->source_id,
        .itid = p->itid,
        .ts = p->ts,
        .event = p->event,
    };
    ts_row_stack_sample_value value = {.sample_id = row.id, .value = p->period};
    ts_code code;
    if (p->place != PERF_SAMPLE) {
        p->place = PERF_BETWEEN;
        return TS_OK;
    }
    p->place = PERF_BETWEEN;
    if (p->skip) {
        p->skipped++;
        return TS_OK;
    }
    if ((code = push_last(p, TS_NO_LINE)) != TS_OK ||
        (!p->stack_bad && (code = find_node(&row.node_id, p)) != TS_OK)) {
        return code;
    }
    TS_SET_NULL(stack_sample, &row, dur);
    if (row.node_id == 0) {
        TS_SET_NULL(stack_sample, &row, node_id);
    }
    if (row.ts == TS_NO_TIME) {
        TS_SET_NULL(stack_sample, &row, ts);
    } else {
        ts_range_note(p->job->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, row.ts);
    }
    p->good++;
    value.value_type_id = ((const ts_profile_type *)p->types.p)[p->type].id;
    code = ts_put_stack_sample(p->sink, &row);
    TS_STEP(code, ts_put_stack_sample_value(p->sink, &value));
    return code;
}
