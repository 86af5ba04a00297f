#include "pod_impl.h"

#include <stdlib.h>
#include <string.h>

enum { DAY_MS = 86400000, PAUSE_MAX = 100 };

static const int64_t no_faults[MC_FAULT_COUNT] = {
#define MC_FAULT_NONE(id, name, help) -1,
    MC_FAULTS(MC_FAULT_NONE)
#undef MC_FAULT_NONE
};

bool mc_hit(const mc_pod *p, mc_fault fault, int64_t number)
{
    return p->fault[fault] == number;
}

void mc_span_add(mc_spans *s, uint64_t start, uint64_t end)
{
    if (s->n == s->cap) {
        s->cap = s->cap * 2 + 64;
        s->p = mk_realloc(s->p, s->cap * sizeof s->p[0]);
    }
    s->p[s->n++] = (mc_span){start, end};
}

/* Words `from` to `to`, as `kind` writes them. */
static void put_word(mc_pod *p, mc_stream *s, uint32_t id, bool wrong)
{
    bool is_method;

    mc_word(&p->text, id, &is_method);
    if (s->kind != MC_DICTIONARY)
        mc_varint(&p->record, id);
    if (mc_hit(p, MC_WORD_LENGTH, id) && s->kind != MC_CALLS_DICTIONARY)
        mc_varint(&p->record, INT32_MAX);
    else
        mc_string(&p->record, wrong ? "replaced later" : (const char *)p->text.p);
    mc_stream_record(s, &p->record);
    if (s->kind != MC_CALLS_DICTIONARY && !wrong) {
        p->f->words++;
        p->f->methods += is_method;
    }
}

static void put_words(mc_pod *p, uint32_t count)
{
    uint32_t end = p->words - p->words_written < count ? p->words : p->words_written + count;

    for (uint32_t i = p->words_written; i < end; i++) {
        if (p->c->positions && i % 10 == 3)
            put_word(p, &p->dictionary, i, true);
        if (!p->c->positions || i % 10 != 3)
            put_word(p, &p->dictionary, i, false);
        if (p->c->positions && i % 10 == 4)
            put_word(p, &p->dictionary, i - 1, false);
    }
    if (p->c->positions && end == p->words && p->words_written < end && (end - 1) % 10 == 3)
        put_word(p, &p->dictionary, end - 1, false);
    p->words_written = end;
}

static void put_calls_dictionary(mc_pod *p)
{
    mc_stream s;

    mc_stream_open(&s, p->out, MC_CALLS_DICTIONARY, 1);
    for (uint32_t i = MC_FIRST_METHOD; i < p->words; i += 2)
        put_word(p, &s, i, false);
    mc_stream_close(&s, true);
}

static void put_params(mc_pod *p)
{
    mc_stream s;
    bool is_method;

    if (p->c->no_params && p->f->pods == 0) {
        /* A reader takes those of another start of the server. */
        if (p->c->container == MC_AGENT && p->c->pods > 1)
            p->f->params += MC_FIRST_METHOD - 3;
        return;
    }
    mc_stream_open(&s, p->out, MC_PARAMS, 1);
    mk_buf_byte(&p->record, (uint8_t)p->c->params_version);
    for (uint32_t i = 3; i < MC_FIRST_METHOD; i++) {
        mc_word(&p->text, i, &is_method);
        if (mc_hit(p, MC_PARAM_LENGTH, i - 3))
            mc_varint(&p->record, UINT32_MAX);
        else
            mc_string(&p->record, (const char *)p->text.p);
        mk_buf_byte(&p->record, i >= MC_W_PLAIN);
        mk_buf_byte(&p->record, i % 4 == 0 ? 1 : i % 4 == 1 ? 2 : 0);
        mc_varint(&p->record, i % 5 == 0 ? 1000 : i % 5 == 1 ? (uint32_t)-3 : 100);
        mc_string(&p->record, i % 9 == 0 ? "void com.example.Type.method(int)" : "");
        mc_stream_record(&s, &p->record);
        p->f->params++;
    }
    mc_stream_close(&s, true);
}

static void next_pause(mc_pod *p, uint64_t after)
{
    uint64_t gap = mk_below(&p->rand, 10) == 0 ? 0 : mk_below(&p->rand, 2 * (uint64_t)p->c->pause);

    p->pause_next_start = after + gap;
    p->pause_next_end = p->pause_next_start + 1 + mk_below(&p->rand, PAUSE_MAX);
}

/* The pauses up to the latest time of the threads. */
static void put_pauses(mc_pod *p)
{
    while (p->c->pause > 0 && p->pause_next_end <= p->now) {
        uint64_t start = p->pause_next_start;
        uint64_t end = p->pause_next_end;

        mc_varint(&p->record, (uint32_t)(end - p->pause_written));
        mc_varint(&p->record, (uint32_t)(end - start));
        mc_stream_record(&p->suspend, &p->record);
        p->pause_written = end;
        p->f->pauses++;
        p->f->pause_sum += (int64_t)(end - start);
        if (p->f->pause_max < (int64_t)(end - start))
            p->f->pause_max = (int64_t)(end - start);
        if (p->c->expect != NULL)
            mc_span_add(&p->pauses, start, end);
        next_pause(p, end);
    }
}

/* The part of all pauses before `t`; `sums` are those of the pauses before each. */
static uint64_t paused_before(const mc_pod *p, const uint64_t *sums, uint64_t t)
{
    size_t low = 0;
    size_t high = p->pauses.n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (p->pauses.p[mid].start < t)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0)
        return 0;
    mc_span last = p->pauses.p[low - 1];

    return sums[low - 1] + (t < last.end ? t : last.end) - last.start;
}

static void count_suspended(mc_pod *p)
{
    uint64_t *sums = mk_realloc(NULL, p->pauses.n * sizeof sums[0]);
    uint64_t sum = 0;

    for (size_t i = 0; i < p->pauses.n; i++) {
        sums[i] = sum;
        sum += p->pauses.p[i].end - p->pauses.p[i].start;
    }
    for (size_t i = 0; i < p->spans.n; i++)
        p->f->suspended += (int64_t)(paused_before(p, sums, p->spans.p[i].end) -
                                     paused_before(p, sums, p->spans.p[i].start));
    free(sums);
}

/* Streams that no reader decodes. */
static void put_others(mc_pod *p)
{
    static const char line[] = "[info][gc] Pause Young 12M->3M(64M) 1.234ms\n";

    for (mc_kind kind = MC_GC; kind <= (p->c->others ? MC_HEAP : MC_GC); kind++) {
        mc_stream s;

        mc_stream_open(&s, p->out, kind, 1);
        for (int i = 0; i < 20; i++)
            mc_stream_put(&s, line, sizeof line - 1);
        mc_stream_close(&s, true);
    }
}

static void init(mc_pod *p, mc_output *o, int64_t number, mc_figures *f)
{
    const mc_config *c = o->config;

    *p = (mc_pod){.out = o, .c = c, .fault = number == 0 ? c->fault : no_faults, .f = f};
    p->rand.state = mk_mix((uint64_t)c->seed + (uint64_t)number * 7919);
    p->timer0 = (uint64_t)(c->start + number * DAY_MS);
    p->now = p->timer0 + (uint64_t)c->uptime;
    p->words = MC_FIRST_METHOD + (uint32_t)c->methods;
    p->threads = mk_realloc(NULL, (size_t)c->threads * sizeof p->threads[0]);
    for (int64_t i = 0; i < c->threads; i++) {
        mc_thread *t = &p->threads[i];

        *t = (mc_thread){.id = i == 0 ? 1 : 20 + i, .now = p->now, .name_index = -1};
        t->stack = mk_realloc(NULL, ((size_t)c->depth + 4) * sizeof t->stack[0]);
    }
}

static void open_streams(mc_pod *p)
{
    mc_output *o = p->out;
    uint32_t first = (uint32_t)p->c->first_index;

    mc_trace_open(p, first);
    if (p->c->copies)
        mc_stream_open(&p->copies, o, MC_CALLS_SLOW, 1);
    mc_calls_open(p, 1);
    mc_stream_open(&p->xml, o, MC_XML, 1);
    mc_stream_open(&p->sql, o, MC_SQL, 1);
    mc_stream_open(&p->dictionary, o, p->c->positions ? MC_POS_DICTIONARY : MC_DICTIONARY, 1);
    mc_stream_open(&p->suspend, o, MC_SUSPEND, 1);
    mc_u64(&p->record, p->now);
    p->pause_written = p->now;
    /* The header alone is a phrase, or begins one. */
    mc_stream_record(&p->suspend, &p->record);
    if (p->c->pause > 0)
        next_pause(p, p->now + (uint64_t)p->c->pause / 3);
    put_words(p, MC_FIRST_METHOD + (uint32_t)p->c->methods / 2);
    put_params(p);
}

static void end_pod(mc_pod *p)
{
    for (int64_t i = 0; i < p->c->threads; i++) {
        if (i < p->c->open)
            mc_root_open(p, &p->threads[i]);
        mc_block_end(p, &p->threads[i]);
        mk_buf_free(&p->threads[i].block);
        free(p->threads[i].done);
        free(p->threads[i].stack);
    }
    put_words(p, UINT32_MAX);
    put_pauses(p);
    put_others(p);
    if (p->c->container == MC_AGENT)
        put_calls_dictionary(p);
    mc_stream_close(&p->dictionary, true);
    mc_stream_close(&p->suspend, true);
    mc_stream_close(&p->sql, true);
    mc_stream_close(&p->xml, true);
    mc_stream_close(&p->trace, true);
    mc_stream_close(&p->calls, true);
    if (p->copies.out != NULL)
        mc_stream_close(&p->copies, true);
    if (p->c->expect != NULL)
        count_suspended(p);
}

void mc_pod_write(mc_output *o, int64_t number, mc_figures *f)
{
    mc_pod p;
    const mc_config *c = o->config;

    init(&p, o, number, f);
    mc_output_pod(o, number);
    open_streams(&p);
    for (int64_t i = 0; i < c->calls; i++) {
        mc_thread *t = &p.threads[mk_below(&p.rand, (uint64_t)c->threads)];

        /* A thread that waited for work goes on about where the others are. */
        if (t->now + 2000 < p.now)
            t->now = p.now - mk_below(&p.rand, 1000);
        mc_root(&p, t, i);
        put_words(&p, 1);
        put_pauses(&p);
    }
    end_pod(&p);
    f->pods++;
    free(p.threads);
    free(p.pauses.p);
    free(p.spans.p);
    mk_buf_free(&p.record);
    mk_buf_free(&p.text);
}
