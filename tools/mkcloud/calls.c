#include "pod_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mc_thread_name(char *out, size_t n, int64_t id)
{
    if (id == 1)
        snprintf(out, n, "main");
    else
        snprintf(out, n, "http-nio-8080-exec-%lld", (long long)id - 1);
}

static void put_header(mc_pod *p, mc_stream *s, uint64_t base)
{
    mk_buf head = {0};

    if (p->c->format != 0)
        mc_u64(&head, 0xFFFEFDFC00000000U | (uint32_t)p->c->format);
    mc_u64(&head, base);
    mc_stream_put(s, head.p, head.n);
    mk_buf_free(&head);
}

void mc_calls_open(mc_pod *p, uint32_t index)
{
    mc_stream_open(&p->calls, p->out, MC_CALLS, index);
    p->call_time = p->now + 1000;
    put_header(p, &p->calls, p->call_time);
    if (p->copies.out != NULL && index == 1)
        put_header(p, &p->copies, p->call_time);
    p->call_names = 0;
    for (int64_t i = 0; i < p->c->threads; i++)
        p->threads[i].name_index = NO_INDEX;
}

static void put_thread(mc_pod *p, mc_thread *t, mk_buf *b, int64_t number)
{
    char name[64];

    if (mc_hit(p, MC_CALL_THREAD, number)) {
        mc_varint(b, p->call_names + 5);
        return;
    }
    if (t->name_index != NO_INDEX) {
        mc_varint(b, (uint32_t)t->name_index);
        return;
    }
    /* The agent forgets the names when its cache is full; threads then get a second index. */
    if (p->call_names > 0 && p->call_names % NAMES_CACHED == 0) {
        for (int64_t i = 0; i < p->c->threads; i++)
            p->threads[i].name_index = NO_INDEX;
    }
    t->name_index = (int32_t)p->call_names;
    mc_varint(b, p->call_names++);
    mc_thread_name(name, sizeof name, t->id);
    mc_string(b, name);
}

static void put_key(mc_pod *p, const mc_call *call, mk_buf *b, int64_t number)
{
    mc_varint(b, call->file + (mc_hit(p, MC_CALL_FILE, number) ? 1000 : 0));
    mc_varint(b, (uint32_t)call->offset);
    mc_varint(b, call->record + (mc_hit(p, MC_CALL_KEY, number) ? 1 : 0));
}

static void put_params(mc_pod *p, const mc_call *call, mk_buf *b, int64_t number)
{
    bool huge = mc_hit(p, MC_CALL_VALUES, number);
    bool negative = mc_hit(p, MC_CALL_STRING, number);
    bool unknown = mc_hit(p, MC_CALL_WORD, number);

    if (mc_hit(p, MC_CALL_PARAMS, number)) {
        mc_varint(b, 5000);
        return;
    }
    mc_varint(b, call->groups + (huge || negative ? 1 : 0));
    for (uint32_t i = 0; i < call->groups; i++) {
        mc_varint(b, call->group_word[i] + (i == 0 && unknown ? p->words + 1000 : 0));
        mc_varint(b, call->group_values[i]);
        for (uint32_t k = 0; k < call->group_values[i]; k++) {
            mc_value(&p->text, call->group_first[i] + k);
            mc_string(b, (const char *)p->text.p);
        }
    }
    if (huge || negative) {
        mc_varint(b, MC_W_MESSAGE);
        mc_varint(b, huge ? (1U << 20) + 1 : 1);
        if (negative)
            mc_varint(b, UINT32_MAX);
    }
}

/* The long number as the agent writes it: from 2^28 on, its encoder ends too early when the low 28
 * bits need few bytes. */
static uint64_t stored(const mc_pod *p, uint64_t v)
{
    uint64_t low = v & ((1U << 28) - 1);

    return p->c->short_longs && v != low && low < 1U << 21 ? low : v;
}

/* What a reader makes of it: the tags of the root have the number in full. */
static int64_t amount(const mc_pod *p, const mc_call *call, int i)
{
    return (int64_t)(call->joined ? call->amounts[i] : stored(p, call->amounts[i]));
}

/* The record without its time, which depends on the record before. */
static void put_body(mc_pod *p, mc_thread *t, const mc_call *call, mk_buf *b, int64_t number)
{
    int64_t format = p->c->format;
    uint64_t duration = call->end - call->start + call->added;

    mc_varint(b, mc_hit(p, MC_CALL_METHOD, number)      ? call->method + 1
                 : mc_hit(p, MC_CALL_NO_METHOD, number) ? p->words + 1000
                                                        : call->method);
    mc_varint(b, mc_hit(p, MC_CALL_DURATION, number) ? UINT32_MAX : (uint32_t)duration);
    mc_varint(b, call->enters);
    if (format >= 1) {
        put_thread(p, t, b, number);
        mc_varint(b, call->logs_written);
        mc_varint(b, call->logs_more);
    }
    put_key(p, call, b, number);
    if (format >= 2) {
        /* Cut to 32 bits by the agent, before it is written as a long number. */
        mc_varlong(b, (uint32_t)call->cpu);
        mc_varlong(b, (uint32_t)call->wait);
        mc_varlong(b, stored(p, call->amounts[0]));
    }
    for (int i = 1; format >= 3 && i < 5; i++)
        mc_varlong(b, stored(p, call->amounts[i]));
    if (format >= 4) {
        mc_varint(b, call->transactions);
        mc_varint(b, call->queue_wait);
    }
    put_params(p, call, b, number);
}

static void count_record(mc_pod *p, const mc_call *call, uint64_t start)
{
    mc_figures *f = p->f;
    int64_t format = p->c->format;
    bool negative = mc_hit(p, MC_CALL_DURATION, p->call_count);
    uint64_t end = negative ? start - 1 : start + (call->end - call->start) + call->added;

    f->calls++;
    f->groups += call->groups;
    for (uint32_t i = 0; i < call->groups; i++)
        f->values += call->group_values[i];
    f->duration += (int64_t)end - (int64_t)start;
    f->call_enters += call->enters;
    f->logs_written += format >= 1 ? call->logs_written : 0;
    f->logs_generated += format >= 1 ? call->logs_written + call->logs_more : 0;
    f->cpu += format >= 2 ? call->cpu : 0;
    f->wait += format >= 2 ? call->wait : 0;
    f->memory += format >= 2 ? amount(p, call, 0) : 0;
    if (format >= 3) {
        f->file_read += amount(p, call, 1);
        f->file_written += amount(p, call, 2);
        f->net_read += amount(p, call, 3);
        f->net_written += amount(p, call, 4);
    }
    f->transactions += format >= 4 ? call->transactions : 0;
    f->queue_wait += format >= 4 ? call->queue_wait : 0;
    if (f->min_start == 0 || f->min_start > (int64_t)start)
        f->min_start = (int64_t)start;
    if (f->max_end < (int64_t)end)
        f->max_end = (int64_t)end;
    f->joined += call->joined;
    f->mismatched += call->joined && call->mismatched;
    if (p->c->expect != NULL && !negative)
        mc_span_add(&p->spans, start, end);
}

static void rotate_if_full(mc_pod *p)
{
    uint32_t next = p->calls.index + 1;

    if (p->calls.offset < (uint64_t)p->c->rotate_calls)
        return;
    mc_stream_close(&p->calls, false);
    mc_calls_open(p, next);
}

void mc_call_record(mc_pod *p, mc_thread *t, mc_call *call)
{
    int64_t number = p->call_count;
    uint64_t start = call->start;
    int times;

    if (!call->recorded)
        return;
    rotate_if_full(p);
    call->added = p->c->reactive && number % 5 == 0 ? 40 : 0;
    if (mc_hit(p, MC_CALL_START, number))
        start -= 1000;
    if (mc_hit(p, MC_CALL_KEY, number) || mc_hit(p, MC_CALL_FILE, number))
        call->joined = false;
    call->mismatched |= mc_hit(p, MC_CALL_START, number) || mc_hit(p, MC_CALL_METHOD, number) ||
                        mc_hit(p, MC_CALL_NO_METHOD, number);
    times = mc_hit(p, MC_CALL_TWICE, number) ? 2 : 1;
    for (int i = 0; i < times; i++) {
        p->record.n = 0;
        mc_zigzag(&p->record, (int32_t)(int64_t)(start - p->call_time));
        put_body(p, t, call, &p->record, number);
        mc_stream_put(&p->calls, p->record.p, p->record.n);
        if (p->copies.out != NULL)
            mc_stream_put(&p->copies, p->record.p, p->record.n);
        p->record.n = 0;
        p->call_time = start;
        count_record(p, call, start);
    }
    p->call_count++;
}
