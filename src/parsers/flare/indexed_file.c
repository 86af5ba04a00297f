/*
 * A data file and its index. The data file alone is complete and is walked record by record; the
 * index gives keys, where to go on after damage, how long a record is whose length does not
 * fit 16 bits, and where to begin when only a part of the time is wanted.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <inttypes.h>

enum {
    LENGTH_SIZE = 2,      /* of the length of a record */
    ZEROS_AT_ONCE = 4096, /* whatever the size of blocks */
    OFFSET_SIZE = 4,
    HEAD_FIXED = 6, /* magic and length */
    MAGIC = 4,
    SEARCHED = 1024,
    COMPARED = 64 /* records and entries that are compared to find where an index begins */
};

/* n big-endian bytes, n <= 8. */
static uint64_t big_endian(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v = v << 8 | p[i];
    }
    return v;
}

/* --- the index ------------------------------------------------------------------------------ */

/* Bytes of an entry of the index. */
static unsigned entry_size(const flare_index *index)
{
    return (unsigned)index->key_size + OFFSET_SIZE;
}

/* The entry i of an index that begins at `start`. When the file has become shorter than that, the
 * index has fewer entries from then on. */
static ts_code index_entry(int64_t *key, uint64_t *offset, flare_pair *pair, uint64_t start,
                           uint64_t i)
{
    flare_index *index = &pair->index;
    unsigned size = entry_size(index);
    const uint8_t *p;
    size_t got;
    ts_code code = flare_in_get(&p, &got, &index->in, start + i * size, size);
    if (code == TS_OK && got < size) { /* it became shorter: no such entry */
        *key = 0;
        *offset = 0;
        if (index->count > i) {
            pair->dir->index_entries->lost += index->count - i;
            index->count = i;
        }
    } else if (code == TS_OK) {
        *key = (int64_t)big_endian(p, index->key_size);
        *offset = big_endian(p + index->key_size, OFFSET_SIZE);
    }
    return code;
}

/* --- opening: headers, and where the entries begin ------------------------------------------ */

static ts_code pair_note(flare_pair *pair, const flare_in *in, ts_issue_code issue, uint64_t offset,
                         const char *text)
{
    return flare_issue(pair->dir, issue, in->name, (int64_t)offset, "%s", text);
}

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
    ts_code code = flare_in_get(&p, &got, in, 0, HEAD_FIXED);
    *start = 0;
    if (code != TS_OK || got < HEAD_FIXED || memcmp(p, magic, MAGIC) != 0) {
        return code;
    }
    size_t need = HEAD_FIXED + (size_t)big_endian(p + MAGIC, 2) + MAGIC;
    if ((code = flare_in_get(&p, &got, in, 0, need)) != TS_OK || got < need ||
        memcmp(p + need - MAGIC, data_magic, MAGIC) != 0) {
        return code;
    }
    *start = need;
    int type = header_property(p + HEAD_FIXED, need - HEAD_FIXED - MAGIC, "first_el_type");
    if (type >= 0) {
        *key_type = type;
    }
    return TS_OK;
}

static ts_code open_data(flare_pair *pair, uint32_t member, const char *what)
{
    flare_in *in = &pair->data;
    const uint8_t *p;
    size_t got;
    bool there;
    int type = 0;
    ts_code code = flare_in_open(&there, in, pair->dir, member);
    if (member == FLARE_NO_MEMBER) {
        return flare_issue(pair->dir, TS_ISSUE_flare_data_bad, what, TS_NO_OFFSET,
                           "there is an index and no data");
    }
    if (code != TS_OK || !there ||
        (code = read_pair_header(&pair->start, &type, in, "TEHS", "TEDS")) != TS_OK) {
        return code;
    }
    pair->usable = pair->start != 0;
    if (pair->usable || (code = flare_in_get(&p, &got, in, 0, SEARCHED)) != TS_OK) {
        return code;
    }
    const uint8_t *found = got == 0 ? NULL : memmem(p, got, "TEDS", MAGIC);
    if (found != NULL) {
        pair->usable = true;
        pair->start = (uint64_t)(found - p) + MAGIC;
        return pair_note(pair, in, TS_ISSUE_flare_data_header, 0,
                         "the header is damaged; records were read from the end of TEDS on");
    }
    pair->dir->bytes_lost += in->size;
    return pair_note(pair, in, TS_ISSUE_flare_data_bad, 0,
                     "the file has no header; nothing was read");
}

static ts_code open_index(flare_pair *pair, uint32_t member, unsigned key_type)
{
    flare_index *index = &pair->index;
    int type = (int)key_type;
    bool there;
    TS_TRY(flare_in_open(&there, &index->in, pair->dir, member));
    if (!there) {
        return member != FLARE_NO_MEMBER
                   ? TS_OK
                   : flare_issue(pair->dir, TS_ISSUE_flare_index_missing, pair->data.name,
                                 TS_NO_OFFSET, "the file has no index");
    }
    TS_TRY(read_pair_header(&index->start, &type, &index->in, "TIHS", "TIDS"));
    if (index->start == 0 || (type != FLARE_KEY_U32 && type != FLARE_KEY_I64)) {
        pair->dir->bytes_lost += index->in.size;
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
                         "the keys are not steps; times were taken from the records");
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
        ts_code code = flare_in_get(&p, &got, &pair->data, at, LENGTH_SIZE);
        if (code != TS_OK || got < LENGTH_SIZE) {
            return code;
        }
        starts[(*n)++] = at;
        at += LENGTH_SIZE + big_endian(p, LENGTH_SIZE);
    }
    return TS_OK;
}

/* How many of the entries from the second on point to records when the index begins at `start`. */
static ts_code count_hits(unsigned *hits, flare_pair *pair, uint64_t start,
                          const uint64_t starts[COMPARED], unsigned n)
{
    flare_index *index = &pair->index;
    uint64_t count = (index->in.size - start) / entry_size(index);
    unsigned k = 0;
    *hits = 0;
    for (uint64_t i = 1; i < count && i < COMPARED; i++) {
        int64_t key;
        uint64_t offset;
        TS_TRY(index_entry(&key, &offset, pair, start, i));
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
    if (index->in.size - index->start < entry_size(index) ||
        (code = index_entry(&key, &offset, pair, index->start, 0)) != TS_OK) {
        return TS_OK;
    }
    if (offset == pair->start || (code = first_records(starts, &n, pair)) != TS_OK) {
        return code;
    }
    for (unsigned back = 0; back < entry_size(index); back++) {
        unsigned hits;
        TS_TRY_INTO(code, count_hits(&hits, pair, index->start - back, starts, n));
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
    TS_TRY_INTO(code,
                open_data(pair, data,
                          index == FLARE_NO_MEMBER ? NULL : ts_member_name(dir->job->set, index)));
    TS_TRY_INTO(code, open_index(pair, index, key_type));
    pair->at = pair->start;
    if (pair->index.usable && pair->usable && (code = realign(pair)) != TS_OK) {
        return code;
    }
    if (pair->index.usable) {
        flare_index *x = &pair->index;
        uint64_t rest = (x->in.size - x->start) % entry_size(x);
        x->count = (x->in.size - x->start) / entry_size(x);
        dir->index_entries->seen += x->count;
        dir->index_entries->lost += pair->entry;
        if (rest != 0) {
            dir->bytes_lost += rest;
            code = pair_note(pair, &x->in, TS_ISSUE_flare_index_partial, x->in.size - rest,
                             "the last entry is incomplete");
        }
    }
    return code;
}

void flare_pair_close(flare_pair *pair)
{
    flare_in_close(&pair->data);
    flare_in_close(&pair->index.in);
}

/* --- walking -------------------------------------------------------------------------------- */

static ts_code bad_entry(flare_pair *pair, uint64_t i, uint64_t offset, const char *what)
{
    flare_dir *dir = pair->dir;
    dir->index_entries->lost++;
    pair->bad_entries++;
    return flare_issue(dir, TS_ISSUE_flare_index_entry, pair->index.in.name,
                       (int64_t)(pair->index.start + i * entry_size(&pair->index)),
                       "entry %" PRIu64 " (offset %" PRIu64 ") %s", i, offset, what);
}

/* Offsets of 32 bits wrap every 4 GiB: the one that comes next from `at` on. */
static uint64_t unwrap(const flare_pair *pair, uint64_t offset, uint64_t at)
{
    return pair->data.size <= UINT32_MAX || at == UINT64_MAX ? offset
                                                             : at + ((offset - at) & UINT32_MAX);
}

/*
 * Passes over entries that point before `at` or out of the file, or that the one after them
 * contradicts. *offset: of the entry that comes next, UINT64_MAX for none.
 */
static ts_code sync_index(uint64_t *offset, int64_t *key, flare_pair *pair, uint64_t at)
{
    flare_index *index = &pair->index;
    ts_code code;
    *offset = UINT64_MAX;
    while (index->usable && pair->entry < index->count) {
        uint64_t after = UINT64_MAX;
        int64_t ignored;
        const char *what = NULL;
        TS_TRY_INTO(code, index_entry(key, offset, pair, index->start, pair->entry));
        if (pair->entry >= index->count) { /* the file became shorter */
            break;
        }
        if (pair->checked <= pair->entry && pair->entry + 1 < index->count &&
            (code = index_entry(&ignored, &after, pair, index->start, pair->entry + 1)) != TS_OK) {
            return code;
        }
        *offset = unwrap(pair, *offset, at);
        after = after == UINT64_MAX ? after : unwrap(pair, after, at);
        if (*offset < pair->start || *offset >= pair->data.size) {
            what = "points out of the data";
        } else if (*offset < at) {
            what = "points to no record";
        } else if (after < *offset && after >= at) {
            what = "is not in order";
        }
        if (what == NULL) {
            pair->checked = pair->entry + 1;
            return TS_OK;
        }
        TS_TRY_INTO(code, bad_entry(pair, pair->entry, *offset, what));
        pair->entry++;
    }
    *offset = UINT64_MAX;
    return TS_OK;
}

ts_code flare_pair_next(bool *end, flare_pair *pair, flare_record *record)
{
    uint64_t offset;
    int64_t key = 0;
    size_t got;
    ts_code code = sync_index(&offset, &key, pair, pair->at);
    *end = true;
    *record = (flare_record){.at = pair->at};
    if (code != TS_OK || !pair->usable || pair->at >= pair->data.size) {
        return code;
    }
    if ((code = flare_in_get(&record->p, &got, &pair->data, pair->at, LENGTH_SIZE)) != TS_OK ||
        got == 0) {
        return code;
    }
    *end = false;
    record->has_key = offset == pair->at;
    record->key = key;
    record->cut = got < LENGTH_SIZE;
    record->n = record->cut ? 0 : (size_t)big_endian(record->p, LENGTH_SIZE);
    code = flare_in_get(&record->p, &got, &pair->data, pair->at + LENGTH_SIZE, record->n);
    record->cut = record->cut || got < record->n;
    record->n = got;
    return code;
}

void flare_pair_accept(flare_pair *pair, const flare_record *record)
{
    pair->at = record->at + LENGTH_SIZE + record->n;
    if (record->has_key) {
        pair->entry += !record->used;
        pair->matched++;
        pair->dir->index_entries->imported++;
        pair->unmatched_inside += pair->unmatched_tail;
        pair->unmatched_tail = 0;
    } else {
        pair->unmatched_tail++;
    }
}

/* May a record begin here? One byte is enough to choose between two places. */
static ts_code looks_right(bool *right, flare_pair *pair, uint64_t at)
{
    const uint8_t *p;
    size_t got;
    ts_code code = flare_in_get(&p, &got, &pair->data, at, LENGTH_SIZE + 1);
    *right = code == TS_OK && got == LENGTH_SIZE + 1 && pair->starts_well(p[LENGTH_SIZE]) &&
             pair->data.size - at - LENGTH_SIZE >= big_endian(p, LENGTH_SIZE);
    return code;
}

/* Zeros are no records of length 0, one after the other: *end moves to the first invalid length. */
static ts_code skip_zeros(uint64_t *end, flare_pair *pair)
{
    const uint8_t *p;
    size_t got;
    size_t i;
    do {
        ts_code code = flare_in_get(&p, &got, &pair->data, *end, ZEROS_AT_ONCE);
        if (code != TS_OK || got < LENGTH_SIZE) {
            return code;
        }
        for (i = 0; i + LENGTH_SIZE <= got && p[i] == 0 && p[i + 1] == 0;) {
            i += LENGTH_SIZE;
        }
        *end += i;
    } while (i > 0 && i + LENGTH_SIZE > got);
    return TS_OK;
}

/* Where to go on after a record that is wrong; `index_says` is the next entry's, or UINT64_MAX. */
static ts_code choose_next(uint64_t *next, flare_pair *pair, const flare_record *record,
                           uint64_t index_says)
{
    bool right;
    uint64_t end = record->at + LENGTH_SIZE + record->n;
    *next = index_says;
    if (record->cut) {
        *next = index_says == UINT64_MAX ? pair->data.size : index_says;
        return TS_OK;
    }
    if (end >= index_says) {
        return TS_OK;
    }
    ts_code code = looks_right(&right, pair, end);
    TS_STEP_IF(code, index_says == UINT64_MAX && record->n == 0, skip_zeros(&end, pair));
    if (right || index_says == UINT64_MAX) {
        *next = end;
    }
    return code;
}

static ts_code note_rejected(flare_pair *pair, const flare_record *record, uint64_t next,
                             const char *why)
{
    flare_dir *dir = pair->dir;
    dir->bytes_lost += next - record->at;
    return record->cut && next == pair->data.size
               ? flare_issue(dir, TS_ISSUE_flare_record_cut, pair->data.name, (int64_t)record->at,
                             "the file ends inside this record")
               : flare_issue(dir, TS_ISSUE_flare_record_bad, pair->data.name, (int64_t)record->at,
                             "%s; reading went on at byte %" PRIu64,
                             record->cut ? "its length is beyond the end" : why, next);
}

ts_code flare_pair_reject(bool *again, flare_pair *pair, flare_record *record, const char *why)
{
    uint64_t offset;
    uint64_t next;
    int64_t key;
    size_t got;
    ts_code code;
    *again = false;
    pair->entry += record->has_key && !record->used;
    record->used = true;
    TS_TRY_INTO(code, sync_index(&offset, &key, pair, record->at + 1));
    uint64_t gap = (offset == UINT64_MAX ? pair->data.size : offset) - record->at;
    gap = gap < LENGTH_SIZE ? 0 : gap - LENGTH_SIZE;
    if (!record->longer && !record->cut && gap > UINT16_MAX && gap <= FLARE_MAX_LONG &&
        (gap & UINT16_MAX) == record->n) {
        record->longer = true;
        *again = true;
        code = flare_in_get(&record->p, &got, &pair->data, record->at + LENGTH_SIZE, (size_t)gap);
        record->n = got;
        return code;
    }
    if (record->longer) { /* its own length is used */
        record->n &= UINT16_MAX;
    }
    TS_TRY_INTO(code, choose_next(&next, pair, record, offset));
    if (record->has_key) {
        pair->dir->index_entries->imported++;
    }
    pair->at = next;
    return note_rejected(pair, record, next, why);
}

/* --- a part of the time --------------------------------------------------------------------- */

/*
 * The entry to begin at when `i` is the first one that is wanted: the one before it, because an
 * index may have an entry for some records only; or i itself when nothing is between them.
 */
static ts_code choose_entry(uint64_t *chosen, uint64_t *offset, flare_pair *pair, uint64_t i)
{
    flare_index *index = &pair->index;
    const uint8_t *p;
    uint64_t wanted;
    int64_t key;
    size_t got;
    ts_code code = index_entry(&key, offset, pair, index->start, i - 1);
    *chosen = i - 1;
    if (code != TS_OK || i >= index->count ||
        (code = index_entry(&key, &wanted, pair, index->start, i)) != TS_OK ||
        (code = flare_in_get(&p, &got, &pair->data, *offset, LENGTH_SIZE)) != TS_OK) {
        return code;
    }
    if (got == LENGTH_SIZE && *offset + LENGTH_SIZE + big_endian(p, LENGTH_SIZE) == wanted) {
        *chosen = i;
        *offset = wanted;
    }
    return TS_OK;
}

ts_code flare_pair_seek(flare_pair *pair, int64_t key, uint64_t *passed)
{
    flare_index *index = &pair->index;
    uint64_t low = pair->entry;
    uint64_t high = index->count;
    uint64_t offset;
    int64_t found;
    *passed = 0;
    if (!index->usable || index->no_keys || !pair->usable || pair->data.size > UINT32_MAX) {
        return TS_OK; /* offsets that wrap need all records before them */
    }
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        TS_TRY(index_entry(&found, &offset, pair, index->start, mid));
        if (found < key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low <= pair->entry) {
        return TS_OK;
    }
    TS_TRY(choose_entry(&low, &offset, pair, low));
    if (offset <= pair->start || offset >= pair->data.size) {
        return TS_OK; /* an invalid offset: everything is read */
    }
    *passed = low - pair->entry;
    pair->dir->index_entries->skipped += *passed;
    pair->dir->bytes_skipped += offset - pair->start;
    pair->entry = low;
    pair->checked = low;
    pair->at = offset;
    return TS_OK;
}

uint64_t flare_pair_stop(flare_pair *pair)
{
    uint64_t rest = 0;
    if (pair->index.usable && pair->entry < pair->index.count) {
        rest = pair->index.count - pair->entry;
        pair->dir->index_entries->skipped += rest;
        pair->entry = pair->index.count;
    }
    if (pair->data.size > pair->at) {
        pair->dir->bytes_skipped += pair->data.size - pair->at;
        pair->at = pair->data.size;
    }
    pair->unmatched_tail = 0;
    return rest;
}

ts_code flare_pair_finish(flare_pair *pair)
{
    flare_dir *dir = pair->dir;
    uint64_t offset;
    int64_t key;
    if (!pair->usable && pair->index.usable) { /* entries of data that is not there */
        dir->index_entries->lost += pair->index.count - pair->entry;
        return TS_OK;
    }
    ts_code code = sync_index(&offset, &key, pair, UINT64_MAX);
    /* A sparse index has records without entries everywhere; one of a crash only at the end. */
    if (code != TS_OK || !pair->index.usable || pair->unmatched_tail == 0 ||
        pair->unmatched_inside > pair->bad_entries + 1) {
        return code;
    }
    return flare_issue_n(dir, TS_ISSUE_flare_index_short, pair->data.name, (int64_t)pair->at,
                         pair->unmatched_tail, "records at the end have no entry in the index");
}
