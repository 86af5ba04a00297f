#include "pod_impl.h"

#include <stdlib.h>
#include <string.h>

static void advance(mc_pod *p, mc_thread *t)
{
    uint64_t r = mk_below(&p->rand, 100);

    if (r < 25)
        t->now += mk_below(&p->rand, 31);
    else if (r < 32)
        t->now += mk_below(&p->rand, 500);
    else if (r < 33)
        t->now += mk_below(&p->rand, 3000);
}

static void rotate_text(mc_pod *p, mc_stream *s)
{
    mc_kind kind = s->kind;
    uint32_t next = s->index + 1;

    if (s->offset < (uint64_t)p->c->rotate_texts)
        return;
    mc_stream_close(s, false);
    mc_stream_open(s, p->out, kind, next);
    /* The agent writes a statement again into each file that needs it. */
    if (kind == MC_SQL)
        memset(p->statement_at, 0, sizeof p->statement_at);
}

static uint64_t put_text(mc_pod *p, mc_stream *s, bool bad)
{
    uint64_t at = s->offset;

    if (bad)
        mc_varint(&p->record, UINT32_MAX);
    else
        mc_string(&p->record, (const char *)p->text.p);
    mc_stream_put(s, p->record.p, p->record.n);
    p->record.n = 0;
    return at;
}

static void tag_statement(mc_pod *p, mc_thread *t)
{
    size_t n = (size_t)mk_below(&p->rand, STATEMENTS);

    rotate_text(p, &p->sql);
    if (p->statement_at[n] == 0) {
        mc_statement(&p->text, n);
        p->statement_at[n] = put_text(p, &p->sql, mc_hit(p, MC_TEXT_LENGTH, p->texts)) + 1;
        p->texts++;
        p->f->sql++;
    }
    mc_tag_clob(p, t, MC_W_SQL, 3, p->sql.index, p->statement_at[n] - 1);
}

static void tag_large(mc_pod *p, mc_thread *t)
{
    uint64_t at;

    rotate_text(p, &p->xml);
    mc_value(&p->text, p->values++);
    p->text.n--;
    for (uint64_t i = mk_below(&p->rand, 10); i > 0; i--)
        mk_buf_str(&p->text, ", a longer value");
    mk_buf_byte(&p->text, '\0');
    at = put_text(p, &p->xml, false);
    p->f->xml++;
    mc_tag_clob(p, t, MC_W_BINDS, 1, p->xml.index, at);
}

/* A parameter whose values go into the trace and the call record. */
static void tag_index(mc_pod *p, mc_thread *t)
{
    mc_call *call = &t->call;
    uint32_t g = call->groups;
    uint64_t r = mk_below(&p->rand, 50);
    uint32_t values = r == 0 ? 0 : r == 1 ? 3 : 1;

    if (g == MAX_GROUPS)
        return;
    call->groups++;
    call->group_word[g] = MC_W_PLAIN + g;
    call->group_values[g] = values;
    call->group_first[g] = p->values;
    for (uint32_t i = 0; i < values; i++) {
        mc_value(&p->text, p->values++);
        mc_tag_text(p, t, MC_W_PLAIN + g, 2, (const char *)p->text.p);
    }
}

static void maybe_tag(mc_pod *p, mc_thread *t)
{
    uint64_t r = mk_below(&p->rand, 100);

    if (r < 5) {
        tag_statement(p, t);
    } else if (r < 8) {
        tag_large(p, t);
    } else if (r < 24) {
        tag_index(p, t);
    } else if (r < 28) {
        mc_value(&p->text, p->values++);
        mc_tag_text(p, t, MC_W_MESSAGE, 0, (const char *)p->text.p);
    }
}

/* Some are called much more often than others. */
static uint32_t pick_any(mc_pod *p, int64_t n)
{
    return (uint32_t)mk_below(&p->rand, mk_below(&p->rand, (uint64_t)n) + 1);
}

/* What the innermost invocation calls: any method, or one of a few that depend on it. */
static uint32_t pick_method(mc_pod *p, const mc_thread *t)
{
    uint64_t callee;

    if (p->c->callees == 0 || t->level == 0)
        return MC_FIRST_METHOD + pick_any(p, p->c->methods);
    callee = (uint64_t)t->stack[t->level - 1].method << 32 | pick_any(p, p->c->callees);
    callee *= UINT64_C(0x9e3779b97f4a7c15); /* 2^64 divided by the golden ratio: well spread */
    return MC_FIRST_METHOD + (uint32_t)((callee >> 32) % (uint64_t)p->c->methods);
}

/* `extra` invocations below the root; `chain`: each in the one before. */
static void invocations(mc_pod *p, mc_thread *t, int64_t extra, bool chain)
{
    int64_t depth = p->c->depth;

    if (depth == 1)
        extra = 0;
    while (extra > 0 || t->level > 1) {
        bool up = t->level > 1 &&
                  (extra == 0 || t->level == depth || (!chain && mk_below(&p->rand, 100) < 45));

        advance(p, t);
        if (up) {
            mc_exit(p, t);
            continue;
        }
        mc_enter(p, t, pick_method(p, t));
        extra--;
        maybe_tag(p, t);
    }
}

static void set_figures(mc_pod *p, mc_call *call)
{
    uint64_t number = mk_next(&p->rand);
    uint64_t duration = call->end - call->start;

    call->cpu = (int32_t)mk_below(&p->rand, duration + 1);
    call->wait = (int32_t)(number % (duration + 1));
    if (number % 97 == 0)
        call->cpu = -1 - call->cpu;
    call->logs_written = (uint32_t)(number >> 8 & 0xFFF) * (number % 3 == 0);
    call->logs_more = (uint32_t)(number >> 20 & 0xFF) * (number % 5 == 0);
    call->amounts[0] = number >> (number % 7 == 0 ? 24 : 40);
    for (size_t i = 1; i < 5; i++)
        call->amounts[i] = mk_below(&p->rand, 8) == 0 ? mk_next(&p->rand) >> 40 : 0;
    call->transactions = number % 11 == 0;
    call->queue_wait = number % 13 == 0 ? (uint32_t)(number >> 32 & 0x3F) : 0;
}

/* What the agent adds at the end of a root that gets a call record. */
static void tag_record(mc_pod *p, mc_thread *t)
{
    mc_call *call = &t->call;
    char name[64];

    mc_tag_number(p, t, MC_W_STARTED, (int64_t)call->start);
    mc_tag_text(p, t, MC_W_NODE, 0, p->c->service);
    mc_thread_name(name, sizeof name, t->id);
    mc_tag_text(p, t, MC_W_THREAD, 0, name);
    mc_tag_number(p, t, MC_W_LOG_GENERATED, call->logs_written + call->logs_more);
    mc_tag_number(p, t, MC_W_LOG_WRITTEN, call->logs_written);
    mc_tag_number(p, t, MC_W_CPU, call->cpu);
    mc_tag_number(p, t, MC_W_WAIT, call->wait);
    for (uint32_t i = 0; i < 5; i++)
        mc_tag_number(p, t, MC_W_MEMORY + i, (int64_t)call->amounts[i]);
    mc_tag_number(p, t, MC_W_TRANSACTIONS, call->transactions);
    mc_tag_number(p, t, MC_W_QUEUE_WAIT, call->queue_wait);
}

static void tag_faults(mc_pod *p, mc_thread *t, int64_t number)
{
    bool offset = mc_hit(p, MC_CLOB_OFFSET, number);

    if (mc_hit(p, MC_TAG_WORD, number))
        mc_tag_text(p, t, p->words + 1000, 0, "whose");
    if (!offset && !mc_hit(p, MC_CLOB_FILE, number))
        return;
    if (offset) {
        mc_statement(&p->text, 1);
        mc_tag_clob(p, t, MC_W_SQL, 3, p->sql.index, put_text(p, &p->sql, false) + 1);
        p->f->sql++;
    } else {
        mc_tag_clob(p, t, MC_W_SQL, 3, p->sql.index + 1000, 0);
    }
    p->f->clob_unresolved++;
}

/* The marker of a root's end; it carries the time step of the EXIT after it. */
static void mark_end(mc_pod *p, mc_thread *t, int64_t number)
{
    if (mc_hit(p, MC_TAG_TYPE, number)) {
        mc_tag_text(p, t, MC_W_CALL_INFO, 4, "");
        return;
    }
    mc_tag_text(p, t, MC_W_CALL_INFO, 0, "");
    if (mc_hit(p, MC_TAG_LENGTH, number)) {
        t->block.n--;
        mc_varint(&t->block, UINT32_MAX);
    }
}

static void begin_root(mc_pod *p, mc_thread *t, int64_t number)
{
    uint32_t method = pick_method(p, t);

    if (mc_hit(p, MC_STRAY_EXIT, number))
        mc_exit(p, t);
    if (mc_hit(p, MC_STRAY_TAG, number))
        mc_tag_text(p, t, MC_W_MESSAGE, 0, "nobody's");
    if (mc_hit(p, MC_NO_WORD, number))
        method = p->words + 1000;
    /* A full block ends before the event, which is then the first of the next. */
    if (t->events >= (uint32_t)p->c->block)
        mc_block_end(p, t);
    t->call = (mc_call){.start = t->now, .method = method, .record = t->events, .joined = true};
    t->in_call = true;
    t->blocks = 0;
    if (mc_hit(p, MC_LOST_ENTER, number)) {
        t->call.joined = false;
        t->call.enters = 1;
        return;
    }
    mc_enter(p, t, method);
    p->f->roots++;
}

static void end_root(mc_pod *p, mc_thread *t)
{
    if (t->level > 1) {
        /* The reader closes what is open at the marker; the EXIT belongs to the root. */
        p->f->lost += t->level;
        while (t->level > 1)
            mc_close_frame(p, t);
    }
    mc_exit(p, t);
    p->f->spanning += t->blocks > 0;
    t->in_call = false;
    if (t->done_count == t->done_cap) {
        t->done_cap = t->done_cap * 2 + 16;
        t->done = mk_realloc(t->done, t->done_cap * sizeof t->done[0]);
    }
    t->done[t->done_count++] = t->call;
}

void mc_root(mc_pod *p, mc_thread *t, int64_t number)
{
    bool alone = mc_hit(p, MC_LOST_ENTER, number);
    bool parent = mc_hit(p, MC_LOST_EXIT, number);
    bool chain = number == 0 && !alone && !parent;
    bool small = !chain && !alone && !parent && mk_below(&p->rand, 100) < (uint64_t)p->c->small;
    int64_t mean = p->c->frames;

    t->now += mk_below(&p->rand, 60);
    begin_root(p, t, number);
    if (chain) {
        invocations(p, t, p->c->depth - 1, true);
    } else if (parent) {
        mc_enter(p, t, pick_method(p, t));
    } else if (!small && !alone && mean > 0) {
        invocations(p, t, 1 + (int64_t)mk_below(&p->rand, (uint64_t)(2 * mean - 1)), false);
    }
    if (mc_hit(p, MC_CLOCK_BACK, number)) {
        mc_enter(p, t, pick_method(p, t));
        t->now -= 7;
        mc_exit(p, t);
        t->now += 7;
    }
    tag_faults(p, t, number);
    /* Records are written for more than one invocation, or more than 20 ms. */
    t->now += small ? mk_below(&p->rand, 13) : mk_below(&p->rand, 20);
    if (!small && t->call.enters == 1)
        t->now += 21;
    t->call.end = t->now;
    t->call.recorded = t->call.enters > 1 || t->call.end - t->call.start > 20;
    mark_end(p, t, number);
    if (t->call.recorded) {
        set_figures(p, &t->call);
        tag_record(p, t);
    }
    end_root(p, t);
}

void mc_root_open(mc_pod *p, mc_thread *t)
{
    uint64_t spent = 0;

    begin_root(p, t, INT64_MAX);
    for (int i = 0; i < 2 && t->level < p->c->depth; i++) {
        advance(p, t);
        mc_enter(p, t, pick_method(p, t));
    }
    p->f->open += t->level;
    /* A reader ends the open frames at the thread's last event. */
    for (uint32_t i = t->level; i-- > 0;) {
        uint64_t duration = t->now - t->stack[i].start;

        p->f->slice_duration += (int64_t)duration;
        p->f->self += (int64_t)(duration - t->stack[i].inner - spent);
        spent = duration;
    }
    p->f->root_duration += (int64_t)spent;
}
