/* Events of a trace: decoding, and looking ahead. */
#include "parsers/cloud/events.h"
#include "parsers/cloud/pod.h"

static void decode_event(cloud_event *e, cloud_cursor *c)
{
    uint8_t h = cloud_u8(c);
    e->kind = h & 3;
    e->type = 0;
    e->first = CLOUD_NO_EVENT;
    e->step = (uint32_t)(h & 0x7f) >> 2;
    if (e->kind == CLOUD_FINISH || c->got != CLOUD_GOT) {
        return;
    }
    if ((h & 0x80) != 0) {
        e->step |= cloud_varint(c) << 5;
    }
    if (e->kind == CLOUD_EXIT) {
        return;
    }
    e->word = cloud_varint(c);
    if (e->kind == CLOUD_ENTER) {
        return;
    }
    e->type = cloud_u8(c);
    if (e->type == CLOUD_INLINE_VALUE || e->type == CLOUD_INDEX_VALUE) {
        e->value = cloud_text(c);
    } else if (e->type == CLOUD_XML_VALUE || e->type == CLOUD_SQL_VALUE) {
        e->file = cloud_varint(c);
        e->offset = cloud_varint(c);
    } else {
        cloud_fail(c, CLOUD_BAD);
    }
}

void cloud_decode_events(cloud_batch *batch, cloud_cursor c)
{
    bool finish = false;
    batch->n = 0;
    batch->got = CLOUD_GOT;
    while (batch->n < CLOUD_BATCH && !finish) {
        cloud_event *e = &batch->events[batch->n];
        decode_event(e, &c);
        if (c.got != CLOUD_GOT) {
            batch->got = c.got;
            return;
        }
        e->end = c.p;
        finish = e->kind == CLOUD_FINISH;
        batch->n++;
    }
}

static void fetch_path(const cloud_pod *pod, int64_t parent, uint32_t word)
{
    int64_t method;
    if (cloud_path_is(cloud_path_place(&pod->paths, (uint32_t)parent, word), (uint32_t)parent,
                      word)) {
        return;
    }
    method = cloud_word_method(&pod->words, word);
    if (method != 0) {
        ts_stack_node_fetch(pod->store, pod->source_id, parent, method, TS_NO_LINE);
    }
}

void cloud_look_ahead(const cloud_pod *pod, const cloud_thread *t, cloud_batch *batch)
{
    uint8_t open[CLOUD_BATCH]; /* entered in the batch */
    unsigned open_n = 0;
    uint32_t depth = cloud_thread_depth(t); /* of what was entered before it */
    for (unsigned i = 0; i < batch->n; i++) {
        cloud_event *e = &batch->events[i];
        if (e->kind == CLOUD_EXIT) {
            if (open_n > 0) {
                open_n--;
            } else if (depth > 0) {
                depth--;
            }
        }
        if (e->kind != CLOUD_ENTER) {
            continue;
        }
        if (open_n > 0) {
            cloud_event *caller = &batch->events[open[open_n - 1]];
            e->next = caller->first;
            caller->first = (uint8_t)i;
        } else {
            fetch_path(pod, cloud_thread_node(t, depth), e->word);
        }
        open[open_n++] = (uint8_t)i;
    }
}

void cloud_look_below(const cloud_pod *pod, const cloud_thread *t, const cloud_batch *batch,
                      unsigned i)
{
    int64_t node = cloud_thread_node(t, cloud_thread_depth(t));
    for (unsigned k = batch->events[i].first; k != CLOUD_NO_EVENT; k = batch->events[k].next) {
        fetch_path(pod, node, batch->events[k].word);
    }
}
