#include "pod_impl.h"

#include <stdlib.h>
#include <string.h>

enum { ENTER, EXIT, TAG, FINISH };

void mc_trace_open(mc_pod *p, uint32_t index)
{
    mk_buf head = {0};

    mc_stream_open(&p->trace, p->out, MC_TRACE, index);
    mc_u64(&head, p->timer0);
    mc_stream_put(&p->trace, head.p, head.n);
    mk_buf_free(&head);
}

static void rotate_if_full(mc_pod *p)
{
    uint32_t next = p->trace.index + 1;

    if (p->trace.offset < (uint64_t)p->c->rotate_trace)
        return;
    mc_stream_close(&p->trace, false);
    mc_trace_open(p, next);
}

static void begin_block(mc_pod *p, mc_thread *t)
{
    t->last = p->timer0;
    /* The clock of the buffer is near the first event, on either side of it. */
    t->real = t->now + 5 - mk_below(&p->rand, 40);
}

void mc_block_end(mc_pod *p, mc_thread *t)
{
    mk_buf head = {0};
    uint64_t offset;

    if (t->events == 0)
        return;
    rotate_if_full(p);
    offset = p->trace.offset;
    mc_u64(&head, (uint64_t)t->id);
    mc_u64(&head, t->real);
    mk_buf_byte(&t->block, p->f->blocks % 3 == 0 ? 0x7F : FINISH);
    mc_stream_put(&p->trace, head.p, head.n);
    mc_stream_put(&p->trace, t->block.p, t->block.n);
    mk_buf_free(&head);
    p->f->blocks++;
    p->f->threads += !t->seen;
    t->seen = true;
    if (t->in_call) {
        if (!t->call.placed) {
            t->call.file = p->trace.index;
            t->call.offset = offset;
            t->call.placed = true;
        }
        t->blocks++;
    }
    for (size_t i = 0; i < t->done_count; i++) {
        mc_call *call = &t->done[i];

        if (!call->placed) {
            call->file = p->trace.index;
            call->offset = offset;
        }
        mc_call_record(p, t, call);
    }
    t->done_count = 0;
    t->events = 0;
    t->block.n = 0;
}

static void event(mc_pod *p, mc_thread *t, uint32_t kind)
{
    uint32_t step;

    if (t->events >= (uint32_t)p->c->block)
        mc_block_end(p, t);
    if (t->events == 0)
        begin_block(p, t);
    step = (uint32_t)t->now - (uint32_t)t->last;
    t->last = t->now;
    if (step < 32) {
        mk_buf_byte(&t->block, (uint8_t)(step << 2 | kind));
    } else {
        /* The agent shifts with the sign: a negative step takes five bytes. */
        uint32_t high = step >> 5 | (step >> 31 != 0 ? 0xF8000000U : 0);

        mk_buf_byte(&t->block, (uint8_t)(0x80 | (step & 31) << 2 | kind));
        mc_varint(&t->block, high);
    }
    t->events++;
    if (t->now > p->now)
        p->now = t->now;
}

void mc_enter(mc_pod *p, mc_thread *t, uint32_t word)
{
    event(p, t, ENTER);
    mc_varint(&t->block, word);
    t->stack[t->level] = (mc_frame){t->now, 0, word};
    if (p->f->max_level < t->level)
        p->f->max_level = t->level;
    t->level++;
    t->call.enters++;
    p->f->enters++;
}

void mc_exit(mc_pod *p, mc_thread *t)
{
    event(p, t, EXIT);
    p->f->exits++;
    if (t->level == 0)
        p->f->stray_exits++;
    else
        mc_close_frame(p, t);
}

void mc_close_frame(mc_pod *p, mc_thread *t)
{
    mc_frame frame = t->stack[--t->level];
    uint64_t duration = t->now > frame.start ? t->now - frame.start : 0;

    p->f->slice_duration += (int64_t)duration;
    p->f->self += (int64_t)duration - (int64_t)frame.inner;
    if (t->level > 0)
        t->stack[t->level - 1].inner += duration;
    else
        p->f->root_duration += (int64_t)duration;
}

static void tag(mc_pod *p, mc_thread *t, uint32_t word, uint8_t type)
{
    int64_t *counts[] = {&p->f->tags_inline, &p->f->tags_big, &p->f->tags_index, &p->f->tags_dedup};

    event(p, t, TAG);
    mc_varint(&t->block, word);
    mk_buf_byte(&t->block, type);
    if (type < 4)
        (*counts[type])++;
    if (t->level == 0)
        p->f->stray_tags++;
}

void mc_tag_text(mc_pod *p, mc_thread *t, uint32_t word, uint8_t type, const char *text)
{
    tag(p, t, word, type);
    mc_string(&t->block, text);
}

void mc_tag_clob(mc_pod *p, mc_thread *t, uint32_t word, uint8_t type, uint32_t file,
                 uint64_t offset)
{
    tag(p, t, word, type);
    mc_varint(&t->block, file);
    mc_varint(&t->block, (uint32_t)offset);
}

void mc_tag_number(mc_pod *p, mc_thread *t, uint32_t word, int64_t v)
{
    char digits[MK_DIGITS + 2] = {0};

    if (v == 0)
        return;
    if (v < 0)
        digits[0] = '-';
    mk_digits(digits + (v < 0), v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
    mc_tag_text(p, t, word, 0, digits);
}
