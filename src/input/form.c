/*
 * Forms that were sent by HTTP (RFC 7578): parts between boundaries. One look through all bytes
 * finds the boundaries; parts are read where they are. There are no checksums: bytes that are
 * missing in a part show only when the head of the request says how many there were.
 */
#include "input/form.h"
#include "input/archive_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>

enum { FORM_BLANKS = 64 /* after a boundary */ };

/* A boundary that was found. */
typedef struct form_mark {
    uint64_t end;   /* where what precedes it ends */
    uint64_t after; /* after its line */
    bool found;
    bool last; /* it ends the form */
    bool cut;  /* the form ends before its line */
} form_mark;

/* --- boundaries ------------------------------------------------------------------------------- */

/* What follows a boundary; false: its text is part of something else. */
static bool form_mark_ends(form_mark *m, const char *p, size_t n, size_t at, uint64_t offset)
{
    size_t i = at;
    m->last = n - at >= 2 && p[at] == '-' && p[at + 1] == '-';
    if (m->last) {
        m->after = offset + 2;
        return true;
    }
    while (i < n && (p[i] == ' ' || p[i] == '\t')) {
        i++;
    }
    i += i < n && p[i] == '\r' ? 1 : 0;
    m->cut = i == n || (i + 1 == n && p[at] == '-');
    m->after = offset + (i - at) + 1;
    return m->cut || p[i] == '\n';
}

/* Is a boundary at `at`, after the end of a line or at the beginning of the body? */
static ts_code form_check_mark(form_mark *m, ts_archive *ar, uint64_t at)
{
    const ts_form *f = &ar->form;
    uint64_t from = at - f->at < 2 ? f->at : at - 2;
    size_t before = (size_t)(at - from);
    const uint8_t *p;
    size_t n;
    ts_code code =
        ts_archive_window(&p, &n, ar, from, before + f->boundary_n + (size_t)FORM_BLANKS + 2);
    if (code != TS_OK || n < before + f->boundary_n) {
        return code;
    }
    n = n < before + f->boundary_n + FORM_BLANKS + 2 ? n : before + f->boundary_n + FORM_BLANKS + 2;
    if (before > 0 && p[before - 1] != '\n') {
        return TS_OK;
    }
    m->end = at - (before > 0 ? 1 : 0) - (before == 2 && p[0] == '\r' ? 1 : 0);
    m->found = form_mark_ends(m, (const char *)p, n, before + f->boundary_n, at + f->boundary_n);
    return TS_OK;
}

/* The next boundary from `from` on. */
static ts_code form_search(form_mark *m, ts_archive *ar, uint64_t from)
{
    const ts_form *f = &ar->form;
    ts_code code = TS_OK;
    *m = (form_mark){0};
    while (code == TS_OK && !m->found && (code = ts_check_cancel(ar->ctx)) == TS_OK) {
        const uint8_t *p;
        const uint8_t *hit;
        size_t n;
        code = ts_archive_window(&p, &n, ar, from, f->boundary_n);
        if (code != TS_OK || n < f->boundary_n) {
            break;
        }
        hit = memmem(p, n, f->boundary, f->boundary_n);
        if (hit == NULL) {
            from += n - f->boundary_n + 1;
            continue;
        }
        from += (uint64_t)(hit - p);
        code = form_check_mark(m, ar, from);
        from++;
    }
    return code;
}

/* Bytes at the end that a boundary may begin with. */
static ts_code form_tail(size_t *n, ts_archive *ar, uint64_t from)
{
    const ts_form *f = &ar->form;
    uint64_t size = ts_blob_size(ar->blob);
    char mark[TS_FORM_BOUNDARY + 2] = "\r\n";
    const uint8_t *p;
    size_t got;
    size_t have = size - from < f->boundary_n + 1 ? (size_t)(size - from) : f->boundary_n + 1;
    ts_code code = ts_archive_window(&p, &got, ar, size - have, have);
    *n = 0;
    memcpy(mark + 2, f->boundary, f->boundary_n);
    for (size_t i = 1; i <= have && i <= got && code == TS_OK; i++) {
        const char *from_mark = mark + (f->bare ? 1 : 0);
        if (memcmp(p + got - i, from_mark, i) == 0) {
            *n = i;
        }
    }
    return code;
}

/* --- parts ----------------------------------------------------------------------------------- */

/* *found: the head of a part is complete; *data: where its bytes begin. */
static ts_code form_part_head(bool *found, form_part *part, uint64_t *data, ts_archive *ar,
                              uint64_t from)
{
    const ts_form *f = &ar->form;
    const uint8_t *bytes;
    ts_text line;
    size_t at = 0;
    size_t n;
    ts_code code = ts_archive_window(&bytes, &n, ar, from, FORM_HEAD_MAX);
    const char *p = (const char *)bytes;
    *found = false;
    *part = (form_part){.value = true};
    n = n < FORM_HEAD_MAX ? n : FORM_HEAD_MAX;
    while (code == TS_OK && !*found && form_line(&line, &at, p, n)) {
        if (line.n >= f->boundary_n && memcmp(line.p, f->boundary, f->boundary_n) == 0) {
            break;
        }
        *found = line.n == 0;
        form_part_line(part, line);
    }
    *data = from + at;
    return code;
}

/* Takes the part; its texts are borrowed from the window. */
static ts_code form_add_part(ts_archive *ar, const form_part *part, uint64_t data)
{
    ts_ctx *ctx = ar->ctx;
    ts_fileset *set = ar->set;
    ts_text text = part->filename.n > 0 ? part->filename : part->name;
    ts_member place = {.at = data, .ordinal = ar->next++, .size = 0};
    char *name = ts_strndup(ctx, text.p == NULL ? "" : text.p, text.n);
    char *field = ts_strndup(ctx, part->name.p == NULL ? "" : part->name.p, part->name.n);
    ts_code code = name == NULL || field == NULL ? ctx->error.code : TS_OK;
    if (code == TS_OK && (code = ts_fileset_entry(&ar->entries, set)) == TS_OK) {
        set->name_bytes += part->name.n;
        code = ts_archive_add(ar, &place, TS_ENTRY_FILE, name, NULL);
    }
    if (code == TS_OK) {
        set->members[set->count - 1].field = field;
        set->members[set->count - 1].value = part->value;
        field = NULL;
    }
    ts_free(ctx, name);
    ts_free(ctx, field);
    return code;
}

/* The bytes between places are those of no part; blank ones do not matter. */
static ts_code form_stray(ts_archive *ar, uint64_t from, uint64_t to)
{
    ts_code code = TS_OK;
    bool blank = true;
    for (uint64_t at = from; at < to && blank && code == TS_OK;) {
        const uint8_t *p;
        size_t n;
        code = ts_archive_window(&p, &n, ar, at, 1);
        n = to - at < n ? (size_t)(to - at) : n;
        for (size_t i = 0; i < n && blank && code == TS_OK; i++) {
            blank = p[i] == '\r' || p[i] == '\n' || p[i] == ' ' || p[i] == '\t';
        }
        at = n == 0 ? to : at + n;
    }
    if (code == TS_OK && !blank) {
        ts_fileset_note_stray(ar->set, from, to - from);
    }
    return code;
}

static ts_code form_end_part(ts_archive *ar, const form_mark *m, uint64_t data)
{
    ts_member *member = &ar->set->members[ar->set->count - 1];
    size_t tail = 0;
    ts_code code = TS_OK;
    if (m->found) {
        member->size = (int64_t)(m->end < data ? 0 : m->end - data);
        return TS_OK;
    }
    code = form_tail(&tail, ar, data);
    member->size = (int64_t)(ts_blob_size(ar->blob) - data - tail);
    member->cut = true;
    return code;
}

static ts_code form_list_parts(form_mark *m, ts_archive *ar)
{
    uint64_t from = ar->form.at;
    ts_code code = form_search(m, ar, from);
    TS_STEP(code, form_stray(ar, from, m->found ? m->end : ts_blob_size(ar->blob)));
    while (code == TS_OK && m->found && !m->last && !m->cut) {
        form_part part;
        uint64_t data;
        bool found;
        from = m->after;
        code = form_part_head(&found, &part, &data, ar, from);
        TS_STEP_IF(code, found, form_add_part(ar, &part, data));
        if (code == TS_OK) {
            /* The end of its head, or of its line, may be that before the boundary. */
            code = form_search(m, ar, found ? data : from);
        }
        if (code == TS_OK && found) {
            code = form_end_part(ar, m, data);
        } else if (code == TS_OK) {
            code = form_stray(ar, from, m->found ? m->end : ts_blob_size(ar->blob));
        }
    }
    return code;
}

/* --- the form -------------------------------------------------------------------------------- */

/* The head of the request, and the boundary. *usable: there is one; *chunked: but its body has to
 * be taken out of chunks first. */
static ts_code form_open(bool *usable, bool *chunked, ts_archive *ar)
{
    ts_form *f = &ar->form;
    const uint8_t *p;
    size_t n;
    form_head head = {.length = -1};
    ts_text boundary;
    ts_code code = ts_archive_window(&p, &n, ar, 0, FORM_HEAD_MAX);
    *usable = false;
    *chunked = false;
    if (code != TS_OK) {
        return code;
    }
    boundary = form_first_boundary((const char *)p, n);
    ts_free(ar->ctx, f->target);
    *f = (ts_form){.length = -1};
    if (boundary.p == NULL) {
        (void)form_head_read(&head, (const char *)p, n);
        f->at = head.body;
        *chunked = head.chunked && head.body > 0 && !ar->chunks.decoded;
        f->length = head.chunked ? -1 : head.length;
        f->encoded = head.encoded;
        boundary = form_first_boundary((const char *)p + f->at, n - (size_t)f->at);
    }
    if (boundary.p != NULL) {
        f->boundary_n = boundary.n;
        memcpy(f->boundary, boundary.p, boundary.n);
        f->bare = boundary.p[boundary.n] == '\n';
    } else if (head.boundary.n > 0 && head.boundary.n + 2 < TS_FORM_BOUNDARY) {
        f->boundary_n = head.boundary.n + 2;
        memcpy(f->boundary, "--", 2);
        memcpy(f->boundary + 2, head.boundary.p, head.boundary.n);
    }
    *usable = f->boundary_n > 0 && (f->at > 0 || boundary.p != NULL) && !f->encoded;
    f->target = ts_strndup(ar->ctx, head.target.p == NULL ? "" : head.target.p, head.target.n);
    return f->target == NULL ? ar->ctx->error.code : TS_OK;
}

/*
 * The request says how long its body is. A body with its end mark that has another length has lost
 * or gained bytes in a part, which is unknown.
 */
static void form_check_length(ts_archive *ar, const form_mark *m)
{
    const ts_form *f = &ar->form;
    uint64_t size = ts_blob_size(ar->blob);
    uint64_t wanted;
    if (f->length < 0 || ts_ckd_add(&wanted, f->at, (uint64_t)f->length)) {
        return;
    }
    if (size < wanted || m->after > wanted) {
        ts_fileset_damage_set(ar->set, size,
                              "the body of the request has %" PRIu64 " bytes instead of %" PRId64,
                              size - f->at, f->length);
        ar->set->damage.doubtful = true;
    }
}

static void form_note_chunks(ts_archive *ar)
{
    const ts_form_chunks *c = &ar->chunks;
    if (c->fault != NULL) {
        ts_fileset_damage_set(ar->set, c->fault_at, "%s", c->fault);
    }
    if (c->stray_n > 0 && c->fault == NULL) {
        ts_fileset_note_stray(ar->set, c->stray_at, c->stray_n);
    }
}

ts_code ts_form_list(bool *usable, ts_archive *ar)
{
    form_mark m;
    bool chunked;
    ts_code code = form_open(usable, &chunked, ar);
    TS_STEP_IF(code, chunked && (code = ts_form_dechunk(ar, ar->form.at)) == TS_OK,
               form_open(usable, &chunked, ar));
    ar->next = 0;
    ar->entries = 0;
    if (code != TS_OK) {
        return code;
    }
    form_note_chunks(ar);
    if (!*usable) {
        ts_fileset_damage_set(ar->set, ar->form.at, "%s",
                              ar->form.encoded ? "the body of the request is sent in an encoding "
                                                 "(Transfer-Encoding) that is not read"
                                               : "the head of the request is not complete");
        return TS_OK;
    }
    code = form_list_parts(&m, ar);
    if (code == TS_OK && m.found && m.last) {
        form_check_length(ar, &m);
        code = form_stray(ar, m.after, ts_blob_size(ar->blob));
    } else if (code == TS_OK) {
        ts_fileset_damage_set(ar->set, ts_blob_size(ar->blob),
                              "the form has no end mark: it may have been cut off");
    }
    return code;
}

/* --- the bytes of a part --------------------------------------------------------------------- */

typedef struct form_layer {
    ts_layer base;
    ts_archive *archive;
    uint64_t at, end;
    bool cut;
} form_layer;

static ts_code form_pull(size_t *got, ts_layer *l, uint8_t *buf, size_t cap)
{
    form_layer *part = (form_layer *)l;
    const uint8_t *p;
    size_t n = 0;
    ts_code code = ts_check_cancel(l->ctx);
    *got = 0;
    TS_STEP_IF(code, part->at < part->end, ts_archive_window(&p, &n, part->archive, part->at, 1));
    if (code != TS_OK) {
        return code;
    }
    n = part->end - part->at < n ? (size_t)(part->end - part->at) : n;
    *got = n < cap ? n : cap;
    if (*got > 0) {
        memcpy(buf, p, *got);
        part->at += *got;
    } else if (part->cut || part->at < part->end) {
        ts_layer_damage(l, part->at, false, "the form ends within this part");
    }
    return ts_fileset_charge(part->archive->set, *got);
}

ts_code ts_form_layer(ts_layer **out, ts_archive *ar, const ts_member *m)
{
    form_layer *part = ts_zalloc(ar->ctx, 1, sizeof *part);
    *out = NULL;
    TS_NEED(ar->ctx, part);
    part->base.ctx = ar->ctx;
    part->base.pull = form_pull;
    part->base.direct = true;
    part->archive = ar;
    part->at = m->at;
    part->end = m->at + (uint64_t)m->size;
    part->cut = m->cut;
    *out = &part->base;
    return TS_OK;
}

const char *ts_fileset_form(const ts_fileset *set)
{
    return set->archive == NULL || set->archive->wrap != TS_WRAP_FORM ? NULL
           : set->archive->form.target == NULL                        ? ""
                                                                      : set->archive->form.target;
}

const char *ts_member_field(bool *value, const ts_fileset *set, uint32_t i)
{
    *value = set->members[i].value;
    return set->members[i].field;
}
