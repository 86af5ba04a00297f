/* Opening a data file and its index: headers, and where the entries begin. */
#include "parsers/flare/indexed_file_private.h"

#include <string.h>

enum {
    HEAD_FIXED = 6, /* magic and length */
    MAGIC = 4,
    SEARCHED = 1024,
    COMPARED = 64 /* records and entries that are compared to find where an index begins */
};

static ts_code pair_note(flare_pair *pair, const flare_in *in, ts_issue_code issue, uint64_t offset,
                         const char *text)
{
    return ts_issue(pair->dir->store, pair->dir->source_id, issue, flare_in_name(in),
                    (int64_t)offset, "%s", text);
}

/* --- headers -------------------------------------------------------------------------------- */

/* The value of a property in a header's body, as a small number; -1: none. */
static int header_property(const uint8_t *p, size_t n, const char *name)
{
    size_t at = 1;
    unsigned count = n == 0 ? 0 : p[0];
    for (; count > 0 && at < n; count--) {
        const uint8_t *value = memchr(p + at, 0, n - at);
        const uint8_t *end =
            value == NULL ? NULL : memchr(value + 1, 0, n - (size_t)(value + 1 - p));
        if (end == NULL) {
            return -1;
        }
        if (strcmp((const char *)p + at, name) == 0) {
            return end - value == 2 && value[1] >= '0' && value[1] <= '9' ? value[1] - '0' : -1;
        }
        at = (size_t)(end + 1 - p);
    }
    return -1;
}

/* *start: of what follows the header, 0 when it is none. *key_type changes when the header contains
 * it. */
static ts_code read_pair_header(uint64_t *start, int *key_type, flare_in *in, const char *magic,
                                const char *data_magic)
{
    const uint8_t *p;
    size_t got;
    size_t need;
    int type;
    ts_code code = flare_in_get(&p, &got, in, 0, HEAD_FIXED);
    *start = 0;
    if (code != TS_OK || got < HEAD_FIXED || memcmp(p, magic, MAGIC) != 0) {
        return code;
    }
    need = HEAD_FIXED + (size_t)flare_be(p + MAGIC, 2) + MAGIC;
    if ((code = flare_in_get(&p, &got, in, 0, need)) != TS_OK || got < need ||
        memcmp(p + need - MAGIC, data_magic, MAGIC) != 0) {
        return code;
    }
    *start = need;
    type = header_property(p + HEAD_FIXED, need - HEAD_FIXED - MAGIC, "first_el_type");
    if (type >= 0) {
        *key_type = type;
    }
    return TS_OK;
}

static ts_code open_data(flare_pair *pair, uint32_t member, const char *what)
{
    flare_in *in = &pair->data;
    const uint8_t *p;
    const uint8_t *found;
    size_t got;
    bool there;
    int type = 0;
    ts_code code = flare_in_open(&there, in, pair->dir, member);
    if (member == FLARE_NO_MEMBER) {
        return ts_issue(pair->dir->store, pair->dir->source_id, TS_ISSUE_flare_data_bad, what,
                        TS_NO_OFFSET, "there is an index and no data");
    }
    if (code != TS_OK || !there ||
        (code = read_pair_header(&pair->start, &type, in, "TEHS", "TEDS")) != TS_OK) {
        return code;
    }
    pair->usable = pair->start != 0;
    if (pair->usable || (code = flare_in_get(&p, &got, in, 0, SEARCHED)) != TS_OK) {
        return code;
    }
    found = got == 0 ? NULL : memmem(p, got, "TEDS", MAGIC);
    if (found != NULL) {
        pair->usable = true;
        pair->start = (uint64_t)(found - p) + MAGIC;
        return pair_note(pair, in, TS_ISSUE_flare_data_header, 0,
                         "the header is damaged; records were read from the end of TEDS on");
    }
    pair->dir->bytes_lost += flare_in_size(in);
    return pair_note(pair, in, TS_ISSUE_flare_data_bad, 0,
                     "the file has no header; nothing was read");
}

/* --- the index ------------------------------------------------------------------------------ */

static ts_code open_index(flare_pair *pair, uint32_t member, unsigned key_type)
{
    flare_index *index = &pair->index;
    int type = (int)key_type;
    bool there;
    ts_code code;
    TS_TRY(code, flare_in_open(&there, &index->in, pair->dir, member));
    if (!there) {
        return member != FLARE_NO_MEMBER
                   ? TS_OK
                   : ts_issue(pair->dir->store, pair->dir->source_id, TS_ISSUE_flare_index_missing,
                              flare_in_name(&pair->data), TS_NO_OFFSET, "the file has no index");
    }
    TS_TRY(code, read_pair_header(&index->start, &type, &index->in, "TIHS", "TIDS"));
    if (index->start == 0 || (type != FLARE_KEY_U32 && type != FLARE_KEY_I64)) {
        pair->dir->bytes_lost += flare_in_size(&index->in);
        return pair_note(pair, &index->in, TS_ISSUE_flare_index_bad, 0,
                         index->start == 0
                             ? "the header is damaged; the data was read without index"
                             : "the type of the keys is unknown");
    }
    index->usable = true;
    index->key_size = type == FLARE_KEY_U32 ? 4 : 8;
    if (key_type == FLARE_KEY_U32 && type == FLARE_KEY_I64) {
        index->no_keys = true;
        return pair_note(pair, &index->in, TS_ISSUE_flare_index_times, 0,
                         "the keys are no steps; times were taken from the records");
    }
    return TS_OK;
}

/* Offsets of the first records, by their lengths alone. */
static ts_code first_records(uint64_t starts[COMPARED], unsigned *n, flare_pair *pair)
{
    uint64_t at = pair->start;
    const uint8_t *p;
    size_t got;
    *n = 0;
    while (*n < COMPARED) {
        ts_code code = flare_in_get(&p, &got, &pair->data, at, FLARE_LENGTH_SIZE);
        if (code != TS_OK || got < FLARE_LENGTH_SIZE) {
            return code;
        }
        starts[(*n)++] = at;
        at += FLARE_LENGTH_SIZE + flare_be(p, FLARE_LENGTH_SIZE);
    }
    return TS_OK;
}

/* How many of the entries from the second on point to records when the index begins at `start`. */
static ts_code count_hits(unsigned *hits, flare_pair *pair, uint64_t start,
                          const uint64_t starts[COMPARED], unsigned n)
{
    flare_index *index = &pair->index;
    uint64_t count = (flare_in_size(&index->in) - start) / flare_index_entry_size(index);
    unsigned k = 0;
    *hits = 0;
    for (uint64_t i = 1; i < count && i < COMPARED; i++) {
        int64_t key;
        uint64_t offset;
        ts_code code;
        TS_TRY(code, flare_index_entry(&key, &offset, pair, start, i));
        while (k < n && starts[k] < offset) {
            k++;
        }
        *hits += k < n && starts[k] == offset;
    }
    return TS_OK;
}

/*
 * Collectors before November 2019 wrote the header of an index again when they closed it. The
 * number in it had become longer, so that the data magic moved over the first entry: what follows
 * is before the place where the header says it begins.
 */
static ts_code realign(flare_pair *pair)
{
    flare_index *index = &pair->index;
    uint64_t starts[COMPARED];
    uint64_t offset;
    uint64_t best_start = index->start;
    unsigned best = 0;
    unsigned n;
    int64_t key;
    ts_code code;
    if (flare_in_size(&index->in) - index->start < flare_index_entry_size(index) ||
        (code = flare_index_entry(&key, &offset, pair, index->start, 0)) != TS_OK) {
        return TS_OK;
    }
    if (offset == pair->start || (code = first_records(starts, &n, pair)) != TS_OK) {
        return code;
    }
    for (unsigned back = 0; back < flare_index_entry_size(index); back++) {
        unsigned hits;
        TS_TRY(code, count_hits(&hits, pair, index->start - back, starts, n));
        if (hits > best) {
            best = hits;
            best_start = index->start - back;
        }
    }
    if (best_start == index->start) {
        return TS_OK;
    }
    index->start = best_start;
    pair->entry = 1; /* the first one was written over */
    pair->checked = 1;
    return pair_note(pair, &index->in, TS_ISSUE_flare_index_grown, best_start,
                     "the header was written over the first entry, whose key is lost");
}

ts_code flare_pair_open(flare_pair *pair, flare_dir *dir, uint32_t index, uint32_t data,
                        unsigned key_type, bool (*starts_well)(uint8_t first))
{
    ts_code code;
    *pair = (flare_pair){.dir = dir, .starts_well = starts_well};
    if ((code = open_data(
             pair, data, index == FLARE_NO_MEMBER ? NULL : ts_member_name(dir->job->set, index))) !=
            TS_OK ||
        (code = open_index(pair, index, key_type)) != TS_OK) {
        return code;
    }
    pair->at = pair->start;
    if (pair->index.usable && pair->usable && (code = realign(pair)) != TS_OK) {
        return code;
    }
    if (pair->index.usable) {
        flare_index *x = &pair->index;
        uint64_t rest = (flare_in_size(&x->in) - x->start) % flare_index_entry_size(x);
        x->count = (flare_in_size(&x->in) - x->start) / flare_index_entry_size(x);
        dir->index_entries->seen += x->count;
        dir->index_entries->lost += pair->entry;
        if (rest != 0) {
            dir->bytes_lost += rest;
            code = pair_note(pair, &x->in, TS_ISSUE_flare_index_partial,
                             flare_in_size(&x->in) - rest, "the last entry is incomplete");
        }
    }
    return code;
}

void flare_pair_close(flare_pair *pair)
{
    flare_in_close(&pair->data);
    flare_in_close(&pair->index.in);
}
