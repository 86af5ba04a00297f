/*
 * Chunks of a recording: what their sizes and times say about missing and misplaced ones. Text is
 * lost in whole chunks, unless one of them has another size than the others: V8 and ArkTS send
 * chunks of one size, but the last.
 */
#include "parsers/arkts/heap/heap_state.h"

static heap_mark *mark_of(ts_heap *h, uint64_t number)
{
    return &h->chunks.marks[number % HEAP_MARKS];
}

static bool is_open(const ts_heap *h, enum heap_part part)
{
    return heap_state_of(h, part) == PART_OPEN;
}

static void compare_size(ts_heap *h, uint64_t bytes, bool last)
{
    if (h->chunks.count == 1 && !last) {
        h->chunks.size = bytes;
    } else if (last ? h->chunks.count > 1 && bytes > h->chunks.size : bytes != h->chunks.size) {
        h->chunks.differ = true;
    }
}

/* Notes the end of a chunk in an array that is open. */
static void note_seam(heap_trust *t, heap_place place)
{
    for (int i = 0; i < 2 && t->bad == UINT64_MAX; i++) {
        if (t->seam[i].rows == UINT64_MAX) {
            t->seam[i] = place;
        }
    }
    if (t->first_seam.rows == UINT64_MAX) {
        t->first_seam = place;
    }
}

void ts_heap_chunk_begin(ts_heap *h)
{
    heap_mark *mark;
    if (h->chunks.count > 0) {
        compare_size(h, mark_of(h, h->chunks.count - 1)->bytes, false);
    }
    mark = mark_of(h, h->chunks.count++);
    memset(mark, 0, sizeof *mark);
    mark->part = h->part;
    for (int i = 0; i <= PART_STRINGS; i++) {
        enum heap_part part = (enum heap_part)i;
        heap_place place = {heap_rows_of(h, part), part == PART_NODES ? h->nodes.self_size : 0};
        mark->place[i] = place;
        if (is_open(h, part)) {
            note_seam(&h->trust[i], place);
        }
    }
}

void heap_chunk_text(ts_heap *h, const char *p, size_t n)
{
    heap_mark *mark;
    size_t left;
    if (h->chunks.count == 0) {
        return;
    }
    mark = mark_of(h, h->chunks.count - 1);
    left = sizeof mark->head - mark->head_n;
    mark->bytes += n;
    n = n < left ? n : left;
    memcpy(mark->head + mark->head_n, p, n);
    mark->head_n += n;
}

bool heap_chunks_whole(const ts_heap *h)
{
    const heap_mark *last;
    if (h->chunks.count < 2 || h->chunks.differ) {
        return false;
    }
    last = &h->chunks.marks[(h->chunks.count - 1) % HEAP_MARKS];
    return last->bytes <= h->chunks.size;
}

/* Arrays that the chunks from this mark on belong to are not certain. */
static void doubt_from(ts_heap *h, uint64_t number)
{
    static const heap_mark beginning = {.part = PART_OTHER};
    bool kept = h->chunks.count - number <= HEAP_MARKS;
    const heap_mark *mark = kept ? mark_of(h, number) : &beginning;
    for (int i = 0; i <= PART_STRINGS; i++) {
        enum heap_part part = (enum heap_part)i;
        heap_trust *t = &h->trust[i];
        if ((mark->part == part || is_open(h, part) ||
             heap_rows_of(h, part) > mark->place[i].rows) &&
            mark->place[i].rows < t->limit.rows) {
            t->limit = mark->place[i];
        }
    }
}

/* Chunks from this mark on are not in their places. */
static void misplace(ts_heap *h, uint64_t number)
{
    h->chunks.misplaced = true;
    doubt_from(h, number);
}

void ts_heap_break(ts_heap *h)
{
    if (h->chunks.count > 0 && h->fed > 0) {
        doubt_from(h, h->chunks.count - 1);
    } else {
        h->damage.broken = true; /* an object, which has no chunks */
    }
}

static bool same_chunk(const heap_mark *a, const heap_mark *b)
{
    return a->has_ts && b->has_ts && a->ts == b->ts && a->bytes == b->bytes &&
           a->head_n == sizeof a->head && a->head_n == b->head_n &&
           memcmp(a->head, b->head, a->head_n) == 0;
}

/* The oldest chunk that came later than `ts`. */
static uint64_t first_later(ts_heap *h, int64_t ts)
{
    uint64_t oldest = h->chunks.count <= HEAP_MARKS ? 0 : h->chunks.count - HEAP_MARKS;
    for (uint64_t i = oldest; i < h->chunks.count; i++) {
        const heap_mark *mark = mark_of(h, i);
        if (mark->has_ts && mark->ts > ts) {
            return i == oldest && oldest > 0 ? 0 : i;
        }
    }
    return h->chunks.count - 1;
}

/*
 * A time before that of an earlier chunk, and then later ones again: the chunks were exchanged.
 * When the times stay earlier, it is the clock that was set back.
 */
void ts_heap_chunk_time(ts_heap *h, bool has_ts, int64_t ts)
{
    if (!has_ts || h->chunks.count == 0) {
        return;
    }
    if (h->chunks.suspect != UINT64_MAX && ts >= h->chunks.latest_ts) {
        misplace(h, h->chunks.suspect);
        h->chunks.suspect = UINT64_MAX;
    }
    if (h->chunks.has_latest && ts < h->chunks.latest_ts && h->chunks.suspect == UINT64_MAX) {
        h->chunks.suspect = first_later(h, ts);
    }
    if (!h->chunks.has_latest || ts > h->chunks.latest_ts) {
        h->chunks.latest_ts = ts;
        h->chunks.has_latest = true;
    }
    if (!mark_of(h, h->chunks.count - 1)->has_ts) {
        mark_of(h, h->chunks.count - 1)->has_ts = true;
        mark_of(h, h->chunks.count - 1)->ts = ts;
        if (h->chunks.count > 1 &&
            same_chunk(mark_of(h, h->chunks.count - 1), mark_of(h, h->chunks.count - 2))) {
            misplace(h, h->chunks.count - 1);
        }
    }
}
