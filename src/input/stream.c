/*
 * A stream is a stack of layers above one member of a fileset: the file or archive member at the
 * bottom, a decompressor for each wrapper above it.
 *
 * Wrappers are taken off while the first TS_PEEK bytes of the top are those of one. The decision
 * uses the same bytes however many came at once, so it does not depend on the size of reads. At
 * most limits.archive_depth wrappers are taken off, those around the set included; beyond that it
 * is TS_ERR_LIMIT. The viewer's line before a recording counts as a wrapper named "mark", once.
 *
 * Pipes and archives can only be read from their beginning: one stream at a time has the set
 * (set->busy), and a pipe of which more was read than is kept cannot be opened again.
 */
#include "input/input_private.h"

#include "base/alloc.h"
#include "input/codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_wrapper(ts_stream *s, const char *name)
{
    size_t n = strlen(s->wrappers);
    (void)snprintf(s->wrappers + n, sizeof s->wrappers - n, "%s%s", n == 0 ? "" : "+", name);
}

/* Takes the viewer's line off when it ends within the first TS_MARK_MAX bytes (QA-13). */
static ts_code stream_take_mark(ts_stream *s)
{
    const uint8_t *p;
    size_t n;
    size_t want = TS_PEEK;
    for (;;) {
        TS_TRY(ts_layer_window(&p, &n, s->top, want));
        size_t look = n < TS_MARK_MAX ? n : TS_MARK_MAX;
        const uint8_t *end = look == 0 ? NULL : memchr(p, '\n', look);
        if (end != NULL) {
            s->marked = (uint64_t)(end - p) + 1;
            ts_layer_take(s->top, (size_t)s->marked);
            add_wrapper(s, "mark");
            return TS_OK;
        }
        if (n < want || want == TS_MARK_MAX) {
            return TS_OK;
        }
        want = want * 4 < TS_MARK_MAX ? want * 4 : TS_MARK_MAX;
    }
}

/* Whether one wrapper more may be taken off. */
static ts_code check_depth(const ts_stream *s)
{
    char shown[TS_ERROR_TEXT / 2];
    return s->depth < s->ctx->limits.archive_depth
               ? TS_OK
               : ts_fail(s->ctx, TS_ERR_LIMIT,
                         "'%s' is compressed or archived more than %" PRIu32
                         " times over, which is the limit",
                         ts_member_shown(shown, sizeof shown, s->set, s->member),
                         s->ctx->limits.archive_depth);
}

static ts_code push_codec(ts_stream *s, const ts_codec *codec)
{
    ts_code code;
    TS_TRY_INTO(code, check_depth(s));
    ts_layer *below = s->top;
    s->top = NULL;
    s->bottom = NULL;
    code = ts_decompress_layer(&s->top, s->set, below, codec);
    s->depth++;
    add_wrapper(s, codec->name);
    return code;
}

/* Takes wrappers off until something else is there. */
static ts_code stream_unwrap(ts_stream *s)
{
    bool mark_seen = false;
    for (;;) {
        const uint8_t *p;
        size_t n;
        ts_sniffed sniffed;
        ts_code code;
        TS_TRY_INTO(code, ts_layer_window(&p, &n, s->top, TS_PEEK));
        /* Judged by the same bytes however many came at once. */
        bool whole = n < TS_PEEK;
        n = whole ? n : TS_PEEK;
        TS_TRY_INTO(code, ts_sniff_wrapper(&sniffed, s->ctx, p, n, whole));
        if (sniffed.mark && !mark_seen) {
            mark_seen = true;
            code = stream_take_mark(s);
        } else if (sniffed.codec != NULL) {
            code = push_codec(s, sniffed.codec);
        } else {
            s->wrap = ts_sniff_archive(p, n);
            return TS_OK;
        }
        if (code != TS_OK) {
            return code;
        }
    }
}

/* What only can be read from its begin, by one stream at a time. */
static ts_code lock(ts_stream *s)
{
    ts_fileset *set = s->set;
    ts_ctx *ctx = s->ctx;
    if (set->kind == TS_SET_DIRECTORY || (set->kind == TS_SET_FILE && set->regular)) {
        return TS_OK;
    }
    if (set->busy) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "'%s' has an open stream already", set->shown);
    }
    if (set->spent) {
        return ts_fail(ctx, TS_ERR_INPUT, "'%s' can be read only once", set->shown);
    }
    set->busy = true;
    set->keep = true;
    s->locks = true;
    return TS_OK;
}

/* Opens like ts_member_open. */
static ts_code stream_open_plain(ts_stream **out, ts_fileset *set, uint32_t i)
{
    ts_ctx *ctx = set->ctx;
    *out = NULL;
    if (i >= set->count) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "'%s' has no member %" PRIu32, set->shown, i);
    }
    ts_stream *s = ts_zalloc(ctx, 1, sizeof *s);
    TS_NEED(ctx, s);
    s->ctx = ctx;
    s->set = set;
    s->member = i;
    s->depth = set->depth;
    ts_code code = lock(s);
    TS_STEP(code, set->kind == TS_SET_ARCHIVE ? ts_archive_layer(&s->top, set, i)
                                              : ts_file_layer(&s->top, set, i));
    if (code == TS_OK) {
        s->bottom = s->top;
        code = stream_unwrap(s);
    }
    if (code != TS_OK) {
        ts_stream_close(s);
        return code;
    }
    *out = s;
    return TS_OK;
}

ts_code ts_member_open(ts_stream **out, ts_fileset *set, uint32_t i)
{
    uint32_t count;
    *out = NULL;
    TS_TRY(ts_fileset_count(&count, set));
    return stream_open_plain(out, set, i);
}

void ts_stream_close(ts_stream *s)
{
    if (s == NULL) {
        return;
    }
    ts_layer_free(s->top);
    if (s->locks) {
        s->set->busy = false;
    }
    ts_free(s->ctx, s);
}

ts_code ts_stream_read(size_t *got, ts_stream *s, void *buf, size_t cap)
{
    if (s->locks) {
        s->set->keep = false;
    }
    ts_code code = ts_layer_read(got, s->top, buf, cap);
    if (code == TS_OK) {
        s->offset += *got;
    }
    return code;
}

ts_code ts_stream_read_ahead(ts_stream *s)
{
    const ts_fileset *set = s->set;
    bool plain = set->parent == NULL && !s->locks && set->kind != TS_SET_ARCHIVE;
    if (!plain || s->bottom != NULL || s->ahead) {
        return TS_OK;
    }
    s->ahead = true;
    return ts_ahead_layer(&s->top, s->set);
}

ts_code ts_stream_hole(uint64_t *n, ts_stream *s)
{
    *n = 0;
    return s->top == s->bottom && s->top->at == s->top->have ? ts_file_layer_hole(n, s->top)
                                                             : TS_OK;
}

void ts_stream_skip(ts_stream *s, uint64_t n)
{
    ts_file_layer_skip(s->top, n);
    s->offset += n;
}

ts_code ts_stream_peek(ts_text *head, ts_stream *s)
{
    const uint8_t *p;
    size_t n;
    *head = (ts_text){"", 0};
    ts_code code = ts_layer_window(&p, &n, s->top, TS_PEEK);
    if (code == TS_OK && n > 0) {
        *head = (ts_text){(const char *)p, n < TS_PEEK ? n : TS_PEEK};
    }
    return code;
}

ts_wrap ts_stream_wrap(ts_stream *s)
{
    return s->wrap;
}

const char *ts_stream_wrappers(const ts_stream *s)
{
    return s->wrappers;
}

uint64_t ts_stream_offset(const ts_stream *s)
{
    return s->offset;
}

const ts_damage *ts_stream_damage(const ts_stream *s)
{
    const ts_damage *first = NULL;
    /* The lowest damaged layer is the cause of what those above it say. */
    for (const ts_layer *l = s->top; l != NULL; l = l->below) {
        if (l->damaged && !(first != NULL && l->damage.trailing)) {
            first = &l->damage;
        }
    }
    return first;
}

const ts_damage *ts_stream_doubt(const ts_stream *s)
{
    for (const ts_layer *l = s->top; l != NULL; l = l->below) {
        if (l->damaged && l->damage.doubtful) {
            return &l->damage;
        }
    }
    for (const ts_fileset *set = s->set; set != NULL; set = set->parent) {
        if (set->damaged && set->damage.doubtful) {
            return &set->damage;
        }
    }
    return NULL;
}

ts_code ts_member_enter(ts_fileset **out, ts_fileset *set, uint32_t i)
{
    ts_ctx *ctx = set->ctx;
    char shown[TS_ERROR_TEXT / 2];
    ts_fileset *inner = NULL;
    ts_stream *s = NULL;
    ts_blob *blob = NULL;
    *out = NULL;
    ts_code code;
    TS_TRY_INTO(code, ts_member_open(&s, set, i));
    ts_wrap wrap = s->wrap;
    uint32_t depth = s->depth;
    (void)ts_member_shown(shown, sizeof shown, set, i);
    code = wrap == TS_WRAP_NONE ? ts_fail(ctx, TS_ERR_FORMAT, "'%s' is not an archive", shown)
                                : check_depth(s);
    if (code != TS_OK) {
        ts_stream_close(s);
        return code;
    }
    TS_TRY_INTO(code, ts_blob_of_stream(&blob, s));
    code = ts_fileset_new(&inner, ctx, TS_SET_ARCHIVE, set->members[i].name, shown);
    if (code != TS_OK) {
        ts_blob_close(blob);
        return code;
    }
    inner->depth = depth + 1;
    inner->raw_size = (int64_t)ts_blob_size(blob);
    if ((code = ts_archive_new(&inner->archive, inner, blob, wrap)) != TS_OK) {
        ts_fileset_close(inner);
        return code;
    }
    inner->parent = set;
    inner->parent_member = i;
    inner->sibling = set->children;
    set->children = inner;
    *out = inner;
    return TS_OK;
}
