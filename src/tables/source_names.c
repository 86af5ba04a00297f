#include "tables/source_names.h"

#include "base/names.h"

/* Ways in which a source is named, in the order of preference. */
typedef enum source_way {
    SOURCE_ID,
    SOURCE_PATH,
    SOURCE_NAME,
    SOURCE_PATH_NAME,
    SOURCE_LAST_PARTS,
    SOURCE_GLOB,
    SOURCE_WAYS
} source_way;

static bool same_text(ts_text a, ts_text b)
{
    return a.p != NULL && b.p != NULL && ts_text_equal(a, b);
}

static ts_text last_part(ts_text path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/') {
        at--;
    }
    return path.p == NULL ? path : (ts_text){path.p + at, path.n - at};
}

/* Whether the text is the path from a slash on. */
static bool is_end(ts_text path, ts_text text)
{
    return path.p != NULL && path.n > text.n && path.p[path.n - text.n - 1] == '/' &&
           memcmp(path.p + path.n - text.n, text.p, text.n) == 0;
}

/* The place of the source that contains it; names->count: there is none. */
static size_t parent_of(const ts_source_names *names, const ts_source_name *source)
{
    size_t i = 0;
    while (i < names->count &&
           (source->parent == 0 || names->at(names->all, i).id != source->parent)) {
        i++;
    }
    return i;
}

ts_text ts_source_names_path(const ts_source_names *names, size_t i)
{
    ts_source_name source = names->at(names->all, i);
    for (size_t steps = 0; steps <= names->count && source.path.n == 0; steps++) {
        size_t parent = parent_of(names, &source);
        if (parent == names->count) {
            return TS_TEXT_NULL;
        }
        source = names->at(names->all, parent);
    }
    return source.path;
}

/* Whether the text is first, a slash and second. */
static bool is_pair(ts_text text, ts_text first, ts_text second)
{
    return first.p != NULL && second.p != NULL && text.n == first.n + 1 + second.n &&
           memcmp(text.p, first.p, first.n) == 0 && text.p[first.n] == '/' &&
           memcmp(text.p + first.n + 1, second.p, second.n) == 0;
}

static bool is_source(const ts_source_names *names, size_t i, source_way way, ts_text typed)
{
    const ts_source_name source = names->at(names->all, i);
    const ts_source_name *s = &source;
    int64_t id;
    ts_text path;
    switch (way) {
    case SOURCE_ID:
        return ts_name_number(&id, typed) && s->id == id;
    case SOURCE_PATH:
        return same_text(s->path, typed);
    case SOURCE_NAME:
        return same_text(s->name, typed);
    case SOURCE_PATH_NAME:
        path = ts_source_names_path(names, i);
        return is_pair(typed, path, s->name) || is_pair(typed, last_part(path), s->name);
    case SOURCE_LAST_PARTS:
        return is_end(s->path, typed);
    case SOURCE_GLOB:
        return ts_glob_is(typed) &&
               ((s->path.p != NULL &&
                 (ts_glob_fits(typed, s->path) || ts_glob_fits(typed, last_part(s->path)))) ||
                (s->name.p != NULL && ts_glob_fits(typed, s->name)));
    case SOURCE_WAYS:
        break;
    }
    return false;
}

ts_code ts_source_names_find(bool *found, ts_ctx *ctx, const ts_source_names *names, ts_text typed)
{
    ts_nearest near = {.typed = typed};
    bool any = false;
    for (source_way way = 0; way < SOURCE_WAYS && !any; way++) {
        for (size_t i = 0; i < names->count; i++) {
            found[i] = is_source(names, i, way, typed);
            any = any || found[i];
        }
    }
    for (size_t i = 0; i < names->count; i++) {
        const ts_source_name s = names->at(names->all, i);
        size_t parent = any ? parent_of(names, &s) : names->count;
        found[i] = found[i] || (parent < names->count && found[parent]);
        if (!any) {
            ts_nearest_add(&near, s.id, s.name.n > 0 ? s.name : s.path, last_part(s.path));
        }
    }
    return any ? TS_OK : ts_nearest_fail(ctx, "source", "sources are ", &near);
}
