/*
 * A data file and its index. The data file alone is complete and is walked record by record; the
 * index gives keys, where to go on after damage, how long a record is whose length does not
 * fit 16 bits, and where to begin when only a part of the time is wanted.
 */
#include "parsers/flare/indexed_file_private.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <inttypes.h>

enum {
    ZEROS_AT_ONCE = 4096, /* whatever the size of blocks */
    OFFSET_SIZE = 4
};

/* --- the index ------------------------------------------------------------------------------ */

unsigned flare_index_entry_size(const flare_index *index)
{
    return (unsigned)index->key_size + OFFSET_SIZE;
}

ts_code flare_index_entry(int64_t *key, uint64_t *offset, flare_pair *pair, uint64_t start,
                          uint64_t i)
{
    flare_index *index = &pair->index;
    unsigned size = flare_index_entry_size(index);
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
        *key = (int64_t)flare_be(p, index->key_size);
        *offset = flare_be(p + index->key_size, OFFSET_SIZE);
    }
    return code;
}

static uint64_t entry_offset(const flare_index *index, uint64_t i)
{
    return index->start + i * flare_index_entry_size(index);
}

/* --- walking -------------------------------------------------------------------------------- */

static ts_code bad_entry(flare_pair *pair, uint64_t i, uint64_t offset, const char *what)
{
    flare_dir *dir = pair->dir;
    dir->index_entries->lost++;
    pair->bad_entries++;
    return ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_index_entry,
                    flare_in_name(&pair->index.in), (int64_t)entry_offset(&pair->index, i),
                    "entry %" PRIu64 " (offset %" PRIu64 ") %s", i, offset, what);
}

/* Offsets of 32 bits wrap every 4 GiB: the one that comes next from `at` on. */
static uint64_t unwrap(const flare_pair *pair, uint64_t offset, uint64_t at)
{
    if (flare_in_size(&pair->data) <= UINT32_MAX || at == UINT64_MAX) {
        return offset;
    }
    return at + ((offset - at) & UINT32_MAX);
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
        TS_TRY(code, flare_index_entry(key, offset, pair, index->start, pair->entry));
        if (pair->entry >= index->count) { /* the file became shorter */
            break;
        }
        if (pair->checked <= pair->entry && pair->entry + 1 < index->count &&
            (code = flare_index_entry(&ignored, &after, pair, index->start, pair->entry + 1)) !=
                TS_OK) {
            return code;
        }
        *offset = unwrap(pair, *offset, at);
        after = after == UINT64_MAX ? after : unwrap(pair, after, at);
        if (*offset < pair->start || *offset >= flare_in_size(&pair->data)) {
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
        TS_TRY(code, bad_entry(pair, pair->entry, *offset, what));
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
    if (code != TS_OK || !pair->usable || pair->at >= flare_in_size(&pair->data)) {
        return code;
    }
    if ((code = flare_in_get(&record->p, &got, &pair->data, pair->at, FLARE_LENGTH_SIZE)) !=
            TS_OK ||
        got == 0) {
        return code;
    }
    *end = false;
    record->has_key = offset == pair->at;
    record->key = key;
    record->cut = got < FLARE_LENGTH_SIZE;
    record->n = record->cut ? 0 : (size_t)flare_be(record->p, FLARE_LENGTH_SIZE);
    code = flare_in_get(&record->p, &got, &pair->data, pair->at + FLARE_LENGTH_SIZE, record->n);
    record->cut = record->cut || got < record->n;
    record->n = got;
    return code;
}

void flare_pair_accept(flare_pair *pair, const flare_record *record)
{
    pair->at = record->at + FLARE_LENGTH_SIZE + record->n;
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
    ts_code code = flare_in_get(&p, &got, &pair->data, at, FLARE_LENGTH_SIZE + 1);
    *right = code == TS_OK && got == FLARE_LENGTH_SIZE + 1 &&
             pair->starts_well(p[FLARE_LENGTH_SIZE]) &&
             flare_in_size(&pair->data) - at - FLARE_LENGTH_SIZE >= flare_be(p, FLARE_LENGTH_SIZE);
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
        if (code != TS_OK || got < FLARE_LENGTH_SIZE) {
            return code;
        }
        for (i = 0; i + FLARE_LENGTH_SIZE <= got && p[i] == 0 && p[i + 1] == 0;) {
            i += FLARE_LENGTH_SIZE;
        }
        *end += i;
    } while (i > 0 && i + FLARE_LENGTH_SIZE > got);
    return TS_OK;
}

/* Where to go on after a record that is wrong; `index_says` is the next entry's, or UINT64_MAX. */
static ts_code choose_next(uint64_t *next, flare_pair *pair, const flare_record *record,
                           uint64_t index_says)
{
    bool right;
    ts_code code;
    uint64_t end = record->at + FLARE_LENGTH_SIZE + record->n;
    *next = index_says;
    if (record->cut) {
        *next = index_says == UINT64_MAX ? flare_in_size(&pair->data) : index_says;
        return TS_OK;
    }
    if (end >= index_says) {
        return TS_OK;
    }
    code = looks_right(&right, pair, end);
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
    return record->cut && next == flare_in_size(&pair->data)
               ? ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_record_cut,
                          flare_in_name(&pair->data), (int64_t)record->at,
                          "the file ends inside this record")
               : ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_record_bad,
                          flare_in_name(&pair->data), (int64_t)record->at,
                          "%s; reading went on at byte %" PRIu64,
                          record->cut ? "its length is beyond the end" : why, next);
}

ts_code flare_pair_reject(bool *again, flare_pair *pair, flare_record *record, const char *why)
{
    uint64_t offset;
    uint64_t next;
    uint64_t gap;
    int64_t key;
    size_t got;
    ts_code code;
    *again = false;
    pair->entry += record->has_key && !record->used;
    record->used = true;
    TS_TRY(code, sync_index(&offset, &key, pair, record->at + 1));
    gap = (offset == UINT64_MAX ? flare_in_size(&pair->data) : offset) - record->at;
    gap = gap < FLARE_LENGTH_SIZE ? 0 : gap - FLARE_LENGTH_SIZE;
    if (!record->longer && !record->cut && gap > UINT16_MAX && gap <= FLARE_MAX_LONG &&
        (gap & UINT16_MAX) == record->n) {
        record->longer = true;
        *again = true;
        code = flare_in_get(&record->p, &got, &pair->data, record->at + FLARE_LENGTH_SIZE,
                            (size_t)gap);
        record->n = got;
        return code;
    }
    if (record->longer) { /* its own length is used */
        record->n &= UINT16_MAX;
    }
    TS_TRY(code, choose_next(&next, pair, record, offset));
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
    ts_code code = flare_index_entry(&key, offset, pair, index->start, i - 1);
    *chosen = i - 1;
    if (code != TS_OK || i >= index->count ||
        (code = flare_index_entry(&key, &wanted, pair, index->start, i)) != TS_OK ||
        (code = flare_in_get(&p, &got, &pair->data, *offset, FLARE_LENGTH_SIZE)) != TS_OK) {
        return code;
    }
    if (got == FLARE_LENGTH_SIZE &&
        *offset + FLARE_LENGTH_SIZE + flare_be(p, FLARE_LENGTH_SIZE) == wanted) {
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
    ts_code code;
    *passed = 0;
    if (!index->usable || index->no_keys || !pair->usable ||
        flare_in_size(&pair->data) > UINT32_MAX) {
        return TS_OK; /* offsets that wrap need all records before them */
    }
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        TS_TRY(code, flare_index_entry(&found, &offset, pair, index->start, mid));
        if (found < key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low <= pair->entry) {
        return TS_OK;
    }
    TS_TRY(code, choose_entry(&low, &offset, pair, low));
    if (offset <= pair->start || offset >= flare_in_size(&pair->data)) {
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
    if (flare_in_size(&pair->data) > pair->at) {
        pair->dir->bytes_skipped += flare_in_size(&pair->data) - pair->at;
        pair->at = flare_in_size(&pair->data);
    }
    pair->unmatched_tail = 0;
    return rest;
}

ts_code flare_pair_finish(flare_pair *pair)
{
    flare_dir *dir = pair->dir;
    uint64_t offset;
    int64_t key;
    ts_code code;
    if (!pair->usable && pair->index.usable) { /* entries of data that is not there */
        dir->index_entries->lost += pair->index.count - pair->entry;
        return TS_OK;
    }
    code = sync_index(&offset, &key, pair, UINT64_MAX);
    /* A sparse index has records without entries everywhere; one of a crash only at the end. */
    if (code != TS_OK || !pair->index.usable || pair->unmatched_tail == 0 ||
        pair->unmatched_inside > pair->bad_entries + 1) {
        return code;
    }
    return ts_issue_n(dir->store, dir->source_id, TS_ISSUE_flare_index_short,
                      flare_in_name(&pair->data), (int64_t)pair->at, pair->unmatched_tail,
                      "records at the end have no entry in the index");
}
