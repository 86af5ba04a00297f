/*
 * Names of archive members. They are shown and compared, never used as paths to write. What leads
 * out of the archive (a slash or a drive at the begin, "..") is removed; when two names become the
 * same by that, those of one kind get a first part of their own, so that files which belong
 * together stay together.
 */
#include "input/archive_private.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ORIGIN_MAX = 255,  /* kinds of removed parts that are distinguished */
    LINK_PASSES = 8,   /* so many links to links */
    TARGET_MAX = 4096, /* bytes of a link's target, as file systems have it */
};

/* --- cleaning ------------------------------------------------------------------------------- */

/* A part of a name between slashes; backslashes part names elsewhere. `removed` may be NULL. */
static ts_code clean_part(ts_ctx *ctx, ts_buf *out, ts_buf *removed, const char *p, size_t n)
{
    size_t begin = out->n;
    ts_code code = TS_OK;
    if (n == 0 || (n == 1 && p[0] == '.')) {
        return TS_OK;
    }
    if (begin > 0 && (code = ts_buf_putc(ctx, out, '/')) != TS_OK) {
        return code;
    }
    begin = out->n;
    for (const char *end = p + n; p < end && code == TS_OK;) {
        const char *stop = memchr(p, '\\', (size_t)(end - p));
        size_t inner = (size_t)((stop == NULL ? end : stop) - p);
        size_t skip = inner + (stop != NULL);
        bool up = inner == 2 && p[0] == '.' && p[1] == '.';
        bool root = inner == 0 && out->n == 0;
        bool drive = inner == 2 && p[1] == ':' && out->n == 0 && (p[0] | 0x20) >= 'a' &&
                     (p[0] | 0x20) <= 'z';
        if (up || root || drive) {
            code = ts_buf_put(ctx, removed, p, inner);
            TS_STEP(code, ts_buf_putc(ctx, removed, '/'));
        } else {
            code = ts_buf_put(ctx, out, p, skip);
        }
        p += skip;
    }
    if (out->n == begin && begin > 0) {
        out->n--; /* nothing is left of it: no slash */
    }
    return code;
}

static ts_code names_clean_name(ts_ctx *ctx, ts_buf *out, ts_buf *removed, const char *name)
{
    ts_code code = TS_OK;
    out->n = 0;
    removed->n = 0;
    if (name[0] == '/') {
        code = ts_buf_putc(ctx, removed, '/');
    }
    for (const char *p = name; *p != '\0' && code == TS_OK;) {
        size_t n = strcspn(p, "/");
        code = clean_part(ctx, out, removed, p, n);
        p += n + (p[n] == '/');
    }
    TS_STEP(code, ts_buf_reserve(ctx, out, 1));
    return code;
}

/* The number of what was removed; 0 for nothing. */
static ts_code find_origin(uint8_t *origin, ts_archive *ar, const ts_buf *removed)
{
    char **all = ar->removed.p;
    size_t i = 0;
    *origin = 0;
    if (removed->n == 0) {
        return TS_OK;
    }
    while (i < ar->removed.n && !ts_text_is(ts_buf_text(removed), all[i])) {
        i++;
    }
    if (i == ar->removed.n && i < ORIGIN_MAX) {
        char *text;
        TS_NEED(ar->ctx, text = ts_strndup(ar->ctx, removed->p, removed->n));
        if ((all = ts_vec_add(ar->ctx, &ar->removed, sizeof *all)) == NULL) {
            ts_free(ar->ctx, text);
            return ar->ctx->error.code;
        }
        *all = text;
    }
    *origin = (uint8_t)(i < ORIGIN_MAX ? i + 1 : ORIGIN_MAX);
    return TS_OK;
}

/* --- collecting ----------------------------------------------------------------------------- */

static ts_code add_member(ts_archive *ar, const ts_member *place, const char *name)
{
    ts_member *m;
    ts_code code = ts_fileset_add(&m, ar->set, name);
    if (code == TS_OK) {
        char *own = m->name;
        *m = *place;
        m->name = own;
        m->path = NULL;
        m->seen = 0;
    }
    return code;
}

static ts_code add_link(ts_archive *ar, const ts_member *place, bool hard, const char *name,
                        const char *target)
{
    ts_ctx *ctx = ar->ctx;
    ts_archive_link *l;
    TS_NEED(ctx, l = ts_vec_add(ctx, &ar->links, sizeof *l));
    ar->set->name_bytes += strlen(name) + (target == NULL ? 0 : strlen(target));
    *l = (ts_archive_link){.place = *place, .hard = hard};
    TS_NEED(ctx, l->name = ts_strndup(ctx, name, strlen(name)));
    if (target != NULL) {
        l->target = ts_strndup(ctx, target, strlen(target));
    }
    return target != NULL && l->target == NULL ? ctx->error.code : TS_OK;
}

ts_code ts_archive_add(ts_archive *ar, const ts_member *place, ts_entry_kind kind, const char *name,
                       const char *target)
{
    ts_ctx *ctx = ar->ctx;
    ts_member m = *place;
    ts_buf clean = {0};
    ts_buf removed = {0};
    ts_code code = names_clean_name(ctx, &clean, &removed, name == NULL ? "" : name);
    if (code == TS_OK && clean.n == 0) {
        code = ts_buf_printf(ctx, &clean, "unnamed-%" PRIu64, place->ordinal);
    } else if (code == TS_OK) {
        clean.p[clean.n] = '\0';
    }
    if (code != TS_OK || (code = find_origin(&m.origin, ar, &removed)) != TS_OK) {
        goto out;
    }
    switch (kind) {
    case TS_ENTRY_FILE:
        code = add_member(ar, &m, clean.p);
        break;
    case TS_ENTRY_LINK:
    case TS_ENTRY_HARD_LINK:
        code = add_link(ar, &m, kind == TS_ENTRY_HARD_LINK, clean.p, target);
        break;
    case TS_ENTRY_OTHER:
        code = ts_fileset_note_unread(ar->set, clean.p);
        break;
    }
out:
    ts_buf_free(ctx, &clean);
    ts_buf_free(ctx, &removed);
    return code;
}

void ts_archive_forget(ts_archive *ar)
{
    ts_ctx *ctx = ar->ctx;
    for (size_t i = 0; i < ar->links.n; i++) {
        ts_free(ctx, ((ts_archive_link *)ar->links.p)[i].name);
        ts_free(ctx, ((ts_archive_link *)ar->links.p)[i].target);
    }
    for (size_t i = 0; i < ar->removed.n; i++) {
        ts_free(ctx, ((char **)ar->removed.p)[i]);
    }
    ts_vec_free(ctx, &ar->links);
    ts_vec_free(ctx, &ar->removed);
    ar->entries = 0;
}

/* --- places --------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const ts_member *x = a;
    const ts_member *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* A directory may name its members in any order. What one claims of the next is not its own. */
static void order_members(ts_fileset *set)
{
    if (set->count == 0) {
        return;
    }
    qsort(set->members, set->count, sizeof *set->members, compare_places);
    for (uint32_t i = set->count - 1; i-- > 0;) {
        ts_member *m = &set->members[i];
        const ts_member *next = &set->members[i + 1];
        uint64_t end = next->at > m->at ? next->at : next->room;
        m->room = end < m->room ? end : m->room;
    }
}

/* --- links ---------------------------------------------------------------------------------- */

/* The link's target is its data, as zips have it. */
static ts_code read_target(ts_archive *ar, ts_archive_link *link)
{
    ts_ctx *ctx = ar->ctx;
    uint8_t text[TARGET_MAX];
    ts_layer *layer = NULL;
    size_t n = 0;
    size_t got = 1;
    ts_code code = TS_OK;
    if (!link->place.encrypted && ts_zip_method_known(link->place.method)) {
        code = ts_zip_layer(&layer, ar, &link->place);
    }
    while (code == TS_OK && layer != NULL && got > 0 && n < sizeof text) {
        code = ts_layer_read(&got, layer, text + n, sizeof text - n);
        n += got;
    }
    ts_layer_free(layer);
    if (code == TS_OK) {
        link->target = ts_strndup(ctx, (const char *)text, strnlen((const char *)text, n));
        code = link->target == NULL ? ctx->error.code : TS_OK;
    }
    return code;
}

/* The name that a symbolic link stands for, as members have it; empty when it leads out. */
static ts_code names_follow(ts_ctx *ctx, ts_buf *out, const ts_archive_link *link)
{
    const char *target = link->target;
    const char *slash = strrchr(link->name, '/');
    ts_code code = TS_OK;
    out->n = 0;
    if (target[0] != '/' && slash != NULL) {
        code = ts_buf_put(ctx, out, link->name, (size_t)(slash - link->name));
    }
    for (const char *p = target; *p != '\0' && code == TS_OK;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            const char *up = out->n == 0 ? NULL : memrchr(out->p, '/', out->n);
            if (out->n == 0) {
                return TS_OK;
            }
            out->n = up == NULL ? 0 : (size_t)(up - out->p);
        } else if (n > 0 && !(n == 1 && p[0] == '.')) {
            code = out->n > 0 ? ts_buf_putc(ctx, out, '/') : TS_OK;
            TS_STEP(code, ts_buf_put(ctx, out, p, n));
        }
        p += n + (p[n] == '/');
    }
    return code;
}

/* --- members by name ------------------------------------------------------------------------ */

typedef struct name_ref {
    const char *name;
    uint32_t member;
} name_ref;

/* In the order of the names; of the members when it was made, which may be fewer than now. */
typedef struct name_index {
    name_ref *refs;
    uint32_t n;
} name_index;

static int compare_refs(const void *a, const void *b)
{
    const name_ref *x = a;
    const name_ref *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->member > y->member) - (x->member < y->member);
}

/* Makes the index, again when members were added. The caller frees index->refs. */
static ts_code index_names(name_index *index, const ts_fileset *set)
{
    name_ref *refs = ts_alloc(set->ctx, set->count, sizeof *refs);
    TS_NEED(set->ctx, refs);
    for (uint32_t i = 0; i < set->count; i++) {
        refs[i] = (name_ref){set->members[i].name, i};
    }
    qsort(refs, set->count, sizeof *refs, compare_refs);
    ts_free(set->ctx, index->refs);
    *index = (name_index){refs, set->count};
    return TS_OK;
}

/* The first member of that name. */
static bool find_member(uint32_t *i, const name_index *index, const char *name)
{
    uint32_t low = 0;
    uint32_t high = index->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (strcmp(index->refs[mid].name, name) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low == index->n || strcmp(index->refs[low].name, name) != 0) {
        return false;
    }
    *i = index->refs[low].member;
    return true;
}

/* Is there a member below that name? */
static bool names_is_directory(const name_index *index, const char *name)
{
    size_t n = strlen(name);
    uint32_t low = 0;
    uint32_t high = index->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const char *at = index->refs[mid].name;
        int order = strncmp(at, name, n);
        if (order == 0 && (unsigned char)at[n] == '/') {
            return true;
        }
        if (order < 0 || (order == 0 && (unsigned char)at[n] < '/')) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return false;
}

/* *done: the link is a member now, or needs to be none. */
static ts_code names_resolve(bool *done, ts_archive *ar, const name_index *index,
                             ts_archive_link *link)
{
    ts_fileset *set = ar->set;
    ts_buf name = {0};
    ts_buf removed = {0};
    uint32_t i;
    ts_code code = link->target != NULL ? TS_OK : read_target(ar, link);
    TS_STEP(code, link->hard ? names_clean_name(ar->ctx, &name, &removed, link->target)
                             : names_follow(ar->ctx, &name, link));
    if (code == TS_OK && name.n > 0 && (code = ts_buf_putc(ar->ctx, &name, '\0')) == TS_OK) {
        if (find_member(&i, index, name.p)) {
            ts_member place = set->members[i];
            place.origin = link->place.origin;
            *done = true;
            code = add_member(ar, &place, link->name);
        } else if (!link->hard && names_is_directory(index, name.p)) {
            *done = true;
            set->skipped++;
        }
    }
    ts_buf_free(ar->ctx, &name);
    ts_buf_free(ar->ctx, &removed);
    return code;
}

/* Links are looked for among the members that were there before the pass. */
static ts_code resolve_links(ts_archive *ar, name_index *index)
{
    ts_fileset *set = ar->set;
    ts_archive_link *links = ar->links.p;
    size_t left = ar->links.n;
    ts_code code = TS_OK;
    for (unsigned pass = 0; pass < LINK_PASSES && left > 0 && code == TS_OK; pass++) {
        size_t before = left;
        left = 0;
        for (size_t i = 0; i < before && code == TS_OK; i++) {
            bool done = false;
            code = ts_check_cancel(ar->ctx);
            TS_STEP(code, names_resolve(&done, ar, index, &links[i]));
            if (!done) {
                ts_archive_link link = links[i];
                links[i] = links[left];
                links[left++] = link;
            }
        }
        if (left == before) {
            break;
        }
        TS_STEP(code, index_names(index, set));
    }
    for (size_t i = 0; i < left && code == TS_OK; i++) {
        code = ts_fileset_note_unread(set, links[i].name);
    }
    return code;
}

/* --- names that became the same ------------------------------------------------------------- */

static ts_code tell_apart(ts_fileset *set, const name_index *index)
{
    bool again[ORIGIN_MAX + 1] = {false};
    bool any = false;
    ts_buf name = {0};
    ts_code code = TS_OK;
    for (uint32_t i = 1; i < index->n; i++) {
        const name_ref *ref = &index->refs[i];
        uint8_t x = set->members[ref[-1].member].origin;
        uint8_t y = set->members[ref->member].origin;
        if (x != y && strcmp(ref[-1].name, ref->name) == 0) {
            again[x > y ? x : y] = true;
            any = true;
        }
    }
    for (uint32_t i = 0; any && i < set->count && code == TS_OK; i++) {
        ts_member *m = &set->members[i];
        if (!again[m->origin]) {
            continue;
        }
        name.n = 0;
        code = ts_buf_printf(set->ctx, &name, "(%u)/", m->origin + 1U);
        TS_STEP(code, ts_buf_put(set->ctx, &name, m->name, strlen(m->name)));
        char *p = code == TS_OK ? ts_strndup(set->ctx, name.p, name.n) : NULL;
        if (p == NULL) {
            code = set->ctx->error.code;
            break;
        }
        ts_free(set->ctx, m->name);
        m->name = p;
    }
    ts_buf_free(set->ctx, &name);
    return code;
}

ts_code ts_archive_settle(ts_archive *ar)
{
    name_index index = {0};
    ts_fileset *set = ar->set;
    if (ar->wrap == TS_WRAP_ZIP && !ar->streaming) {
        order_members(set);
    }
    if (ar->links.n == 0 && ar->removed.n == 0) {
        return TS_OK;
    }
    ts_code code = index_names(&index, set);
    TS_STEP_IF(code, ar->links.n > 0, resolve_links(ar, &index));
    TS_STEP_IF(code, ar->removed.n > 0, tell_apart(set, &index));
    if (code == TS_OK && ar->links.n > 0) {
        ts_archive_forget(ar);
    }
    ts_free(ar->ctx, index.refs);
    return code;
}
