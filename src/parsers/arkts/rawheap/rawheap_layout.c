/*
 * Where what is in a dump: from its last 8 bytes to the list of sections, from there to the tables.
 * A section that cannot be where the list says is left out and named; what is in others stays.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    HEADER = 16,
    TEXTS = 72,   /* a header with texts */
    LIST_END = 8, /* u32 n, u32 4 after the list of sections */
    FILE_END = 8,
    MOST_TYPES = 64 << 20,
    ROOTS = 0, /* sections: pairs of offset and size */
    STRINGS = 1,
    OBJECTS = 2,
    MOST_TABLES = 1 << 12,
};

bool rawheap_version_of(unsigned *version, const uint8_t head[8])
{
    static const uint8_t zeros[8];
    unsigned v = 0;
    *version = 1;
    if (memcmp(head, zeros, sizeof zeros) == 0) {
        return true;
    }
    for (unsigned i = 0; i < 8; i++) {
        const bool good = i >= 5       ? head[i] == '\0'
                          : i % 2 == 1 ? head[i] == '.'
                                       : head[i] >= '0' && head[i] <= '9';
        if (!good) {
            return false;
        }
        v = i < 5 && i % 2 == 0 ? v * 10 + head[i] - '0' : v;
    }
    *version = v <= 100 ? 1 : v <= 200 ? 2 : v / 100 == 3 ? 3 : 0;
    return true;
}

static ts_code read_u32(uint32_t *out, rawheap *r, uint64_t at)
{
    uint8_t p[4];
    TS_TRY(rawheap_read(r, p, at, sizeof p));
    *out = rawheap_u32(p);
    return TS_OK;
}

static ts_code section_bad(rawheap *r, uint64_t at, const char *what)
{
    return RAWHEAP_ISSUE(r, rawheap_section_bad, at, "%s", what);
}

/* --- from the end ----------------------------------------------------------------------------- */

/* *sections: pairs at *list; 0: the end is not that of a dump. */
static ts_code read_end(uint32_t *sections, uint64_t *list, rawheap *r)
{
    uint8_t p[8];
    uint64_t types_at;
    uint64_t types_size;
    uint32_t n;
    *sections = 0;
    if (r->size < HEADER + LIST_END + FILE_END) {
        return TS_OK;
    }
    TS_TRY(rawheap_read(r, p, r->size - FILE_END, sizeof p));
    types_at = rawheap_u32(p);
    types_size = rawheap_u32(p + 4);
    if (types_at + types_size + FILE_END != r->size || types_at < HEADER + LIST_END ||
        types_size > MOST_TYPES) {
        return TS_OK;
    }
    TS_TRY(rawheap_read(r, p, types_at - LIST_END, sizeof p));
    n = rawheap_u32(p);
    if (rawheap_u32(p + 4) != 4 || n < 6 || n % 2 != 0 || n > MOST_TABLES ||
        types_at - LIST_END - HEADER < 4 * (uint64_t)n) {
        return TS_OK;
    }
    r->layout.types = (rawheap_part){types_at, types_size};
    *list = types_at - LIST_END - 4 * (uint64_t)n;
    *sections = n / 2;
    return TS_OK;
}

/* --- roots ------------------------------------------------------------------------------------ */

/* A list of `count` addresses at *at, when it ends before `end`. */
static bool take_list(rawheap_list *list, uint64_t *at, uint32_t count, unsigned step, uint64_t end)
{
    if (count > (end - *at) / step) {
        return false;
    }
    *list = (rawheap_list){*at, count};
    *at += (uint64_t)count * step;
    return true;
}

/* The groups after the roots, up to the strings: older dumps have fewer. */
static ts_code read_groups(rawheap *r, uint64_t at, uint64_t end)
{
    rawheap_layout *l = &r->layout;
    uint32_t count;
    rawheap_list references;
    for (unsigned i = 0; i < RAWHEAP_GROUPS; i++) {
        const uint64_t rest = end - at;
        if (rest < 4 || (i < 2 && rest == 4)) { /* that was for alignment */
            return TS_OK;
        }
        TS_TRY(read_u32(&count, r, at));
        at += 4;
        if (!take_list(&l->groups[i], &at, count, l->word, end)) {
            return section_bad(r, at, "a group of roots is longer than its place");
        }
    }
    if (end - at >= 4) {
        TS_TRY(read_u32(&count, r, at));
        at += 4;
        if (count != UINT32_MAX && take_list(&references, &at, count, 8 + l->word, end)) {
            l->references = references;
            l->tracked = true;
        }
    }
    return TS_OK;
}

/* strings: where they begin, or how far the groups may go. */
static ts_code read_roots(rawheap *r, rawheap_part part, uint64_t strings)
{
    uint8_t p[8] = {0};
    uint64_t at = part.at + sizeof p;
    TS_TRY(rawheap_read(r, p, part.at, sizeof p));
    if (part.size < sizeof p || rawheap_u32(p + 4) != r->layout.word ||
        !take_list(&r->layout.roots, &at, rawheap_u32(p), r->layout.word, part.at + part.size)) {
        return section_bad(r, part.at, "the table of roots does not fit its section");
    }
    return strings > at ? read_groups(r, at, strings) : TS_OK;
}

/* --- sections --------------------------------------------------------------------------------- */

/* Does a section, number i of them, lie in the file and in none of those before it? */
static bool is_free(const rawheap_part *all, uint32_t i, uint64_t first, uint64_t end)
{
    const rawheap_part *s = &all[i];
    bool good = s->at >= first && s->at <= end && s->size >= 8 && s->size <= end - s->at;
    for (uint32_t k = 0; k < i && good; k++) {
        good = s->at + s->size <= all[k].at || all[k].at + all[k].size <= s->at;
    }
    return good;
}

/* Of a table of objects that leaves the file, the rows before its end can be read. */
static void cut_section(rawheap_part *s, uint64_t end)
{
    s->size = s->at < end && s->size > end - s->at ? end - s->at : s->size;
}

static ts_code read_section(rawheap *r, rawheap_part *all, uint32_t i, uint64_t end)
{
    static const char *const what[] = {"the section of roots is not where it should be",
                                       "the section of strings is not where it should be",
                                       "a section of objects is not where it should be"};
    const unsigned kind = i < OBJECTS ? i : OBJECTS;
    const uint64_t at = all[i].at;
    if (i > OBJECTS && all[i].size == 0) { /* a place in the list that is not used */
        return TS_OK;
    }
    if (!is_free(all, i, HEADER, end)) {
        TS_TRY(section_bad(r, at, what[kind]));
        if (kind == OBJECTS) {
            cut_section(&all[i], end);
        }
        if (kind != OBJECTS || !is_free(all, i, HEADER, end)) {
            all[i] = (rawheap_part){end, 0};
            return TS_OK;
        }
    }
    if (kind == STRINGS) {
        r->layout.strings = all[i];
    } else if (kind == OBJECTS && (i == OBJECTS || r->layout.version == 1)) {
        return ts_vec_push(r->ctx, &r->layout.tables, &all[i], sizeof all[i]);
    }
    return TS_OK;
}

static void read_texts(rawheap_layout *l, const uint8_t *p)
{
    static const size_t lengths[] = {32, 16, 8};
    l->has_texts = true;
    for (size_t i = 0; i < 3; p += lengths[i], i++) {
        memcpy(l->texts[i], p, lengths[i]);
    }
}

/* The sections by their list. `all` is bounded by MOST_TABLES. */
static ts_code read_sections(rawheap *r, uint32_t n, uint64_t list)
{
    ts_vec parts = {0};
    uint64_t groups_end;
    rawheap_part *all;
    ts_code code = ts_vec_reserve(r->ctx, &parts, n, sizeof *all);
    all = parts.p;
    for (uint32_t i = 0; i < n && code == TS_OK; i++) {
        uint8_t p[8];
        code = rawheap_read(r, p, list + 8 * (uint64_t)i, sizeof p);
        all[i] = (rawheap_part){rawheap_u32(p), rawheap_u32(p + 4)};
    }
    if (code == TS_OK && all[ROOTS].at >= TEXTS && r->size >= TEXTS) {
        uint8_t p[TEXTS - HEADER];
        code = rawheap_read(r, p, HEADER, sizeof p);
        read_texts(&r->layout, p);
    }
    groups_end = code == TS_OK && all[STRINGS].at <= list ? all[STRINGS].at : 0;
    for (uint32_t i = 0; i < n && code == TS_OK; i++) {
        code = read_section(r, all, i, list);
    }
    TS_STEP_IF(code, all[ROOTS].size > 0, read_roots(r, all[ROOTS], groups_end));
    ts_vec_free(r->ctx, &parts);
    return code;
}

/* --- without an end --------------------------------------------------------------------------- */

/* How many strings of a table at `at` are whole; 0: it is none. */
static ts_code count_strings(uint64_t *whole, uint32_t *declared, rawheap *r, uint64_t at)
{
    uint8_t p[8];
    *whole = 0;
    *declared = 0;
    if (r->size - at < sizeof p) {
        return TS_OK;
    }
    TS_TRY(rawheap_read(r, p, at, sizeof p));
    if (rawheap_u32(p + 4) != 0 || rawheap_u32(p) == 0) {
        return TS_OK;
    }
    *declared = rawheap_u32(p);
    for (at += sizeof p; *whole < *declared && r->size - at >= sizeof p; ++*whole) {
        uint64_t n;
        uint8_t last;
        TS_TRY(rawheap_read(r, p, at, sizeof p));
        at += sizeof p;
        n = rawheap_u32(p) + (uint64_t)rawheap_u32(p + 4) * r->layout.word + 1;
        if (n > r->size - at) {
            return TS_OK;
        }
        TS_TRY(rawheap_read(r, &last, at + n - 1, 1));
        if (last != 0) { /* it is not what it seemed to be */
            *declared = *whole > 0 ? *declared : 0;
            return TS_OK;
        }
        at += n;
    }
    return TS_OK;
}

/*
 * A dump whose end is lost has no types. What its beginning says goes into the issue: the strings
 * follow the roots and up to four groups, with or without the references.
 */
static ts_code describe_cut(rawheap *r)
{
    static const uint64_t begins[] = {TEXTS, HEADER};
    uint32_t roots = 0;
    uint32_t strings = 0;
    uint64_t whole = 0;
    for (unsigned i = 0; i < 2 && strings == 0; i++) {
        uint8_t p[8] = {0};
        uint64_t at = begins[i] + sizeof p;
        if (r->size < at) {
            continue;
        }
        TS_TRY(rawheap_read(r, p, begins[i], sizeof p));
        if (rawheap_u32(p + 4) != r->layout.word ||
            rawheap_u32(p) > (r->size - at) / r->layout.word) {
            continue;
        }
        roots = rawheap_u32(p);
        at += (uint64_t)roots * r->layout.word;
        for (unsigned groups = 0; groups <= RAWHEAP_GROUPS + 1 && strings == 0; groups++) {
            uint32_t n = 0;
            const unsigned step = r->layout.word + (groups == RAWHEAP_GROUPS ? 8 : 0);
            TS_TRY(count_strings(&whole, &strings, r, at));
            if (strings > 0 || r->size - at < 4) {
                break;
            }
            TS_TRY(read_u32(&n, r, at));
            at += 4;
            n = n == UINT32_MAX && groups == RAWHEAP_GROUPS ? 0 : n;
            if (n > (r->size - at) / step) {
                break;
            }
            at += (uint64_t)n * step;
        }
    }
    return RAWHEAP_ISSUE(r, rawheap_no_types, r->size,
                         "the end with the types of objects is lost, so no row can be made; before "
                         "it are %" PRIu32 " roots and %" PRIu64 " of %" PRIu32 " strings",
                         roots, whole, strings);
}

/* --- the whole -------------------------------------------------------------------------------- */

ts_code rawheap_read_layout(bool *found, rawheap *r)
{
    rawheap_layout *l = &r->layout;
    uint8_t head[HEADER] = {0};
    uint32_t sections;
    uint64_t list = 0;
    *found = false;
    TS_TRY(rawheap_read(r, head, 0, r->size < HEADER ? (size_t)r->size : HEADER));
    if (r->size < 8 || !rawheap_version_of(&l->version, head)) {
        l->version = 0;
    }
    l->time = rawheap_u64(head + 8);
    l->word = l->version == 2 ? 4 : 8;
    if (l->version == 3) {
        return TS_OK;
    }
    if (l->version == 0) {
        return RAWHEAP_ISSUE(r, rawheap_version, 0, "version %.5s is not known",
                             (const char *)head);
    }
    TS_TRY(read_end(&sections, &list, r));
    if (sections == 0) {
        return describe_cut(r);
    }
    TS_TRY(read_sections(r, sections, list));
    *found = true;
    return TS_OK;
}

/* --- version 3 -------------------------------------------------------------------------------- */

/* Dumps of static ArkTS: u8 tag, u64 time, u32 length, u32 items, then the body. */
ts_code rawheap_read_static(rawheap *r)
{
    enum { STATIC_HEADER = 33, RECORD = 17 };
    uint64_t tags[256] = {0};
    uint64_t all = 0;
    uint64_t at = STATIC_HEADER;
    char detail[8];
    while (at < r->size) {
        const uint8_t *p;
        size_t n;
        uint64_t length;
        TS_TRY(ts_window_get(&p, &n, r->in, at, RECORD));
        length = n < RECORD ? UINT64_MAX : rawheap_u32(p + 9);
        if (n < RECORD || length > r->size - at - RECORD) {
            break;
        }
        tags[p[0]]++;
        all++;
        at += RECORD + length;
    }
    for (unsigned i = 0; i < 256; i++) {
        if (tags[i] > 0) {
            snprintf(detail, sizeof detail, "0x%02X", i);
            TS_TRY(ts_count_add(r->store, r->job->source_id, TS_ITEM_rawheap_records, detail, 0, 0,
                                tags[i]));
        }
    }
    if (at != r->size) {
        TS_TRY(section_bad(r, at < r->size ? at : r->size, "a record does not end in the file"));
    }
    r->losses++;
    return ts_issue(r->store, r->job->source_id, TS_ISSUE_rawheap_static, NULL, 0,
                    "a dump of static ArkTS (version 3), whose %" PRIu64
                    " records are counted and not read",
                    all);
}
