/*
 * The directory of a zip, which is at its end and says where everything is. Bytes may be
 * before a zip (a program that unpacks it, or another zip: then that one is listed too) and after
 * it; those that belong to nothing are counted.
 */
#include "input/archive_private.h"

#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum {
    END_LEN = 22,
    END64_LEN = 56,
    LOCATOR_LEN = 20,
    ENTRY_LEN = 46,
    COMMENT_MAX = 0xffff,
    END_TRIES = 16, /* places that look like an end and are none */
    UNIX = 3,
    EXTRA_ZIP64 = 0x0001,
    EXTRA_NAME = 0x7075,
    METHOD_AES = 99,
};

/* One directory. */
typedef struct zip_end {
    uint64_t at;    /* of the end record */
    uint64_t after; /* of what follows its comment */
    uint64_t directory;
    uint64_t directory_end;
    uint64_t count;
    uint64_t shift; /* bytes before the zip that its offsets do not count */
    uint64_t first; /* the first place that it speaks of */
} zip_end;

static uint32_t u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
    return u16(p) | u16(p + 2) << 16;
}

static uint64_t u64(const uint8_t *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* Reads exactly n bytes that begin with a signature; *is is false when they are not there. */
static ts_code read_record(bool *is, uint8_t *out, ts_archive *ar, uint64_t at, size_t n,
                           const char *signature)
{
    size_t got;
    ts_code code = ts_blob_read(&got, ar->blob, at, out, n);
    *is = code == TS_OK && got == n && memcmp(out, signature, 4) == 0;
    return code;
}

/* --- the end -------------------------------------------------------------------------------- */

/* The numbers that do not fit the end record are in another one before it. */
static ts_code read_end64(bool *is, zip_end *e, ts_archive *ar, uint64_t *size, uint64_t *offset)
{
    uint8_t p[END64_LEN];
    ts_code code;
    *is = false;
    if (e->at < LOCATOR_LEN + END64_LEN) {
        return TS_OK;
    }
    code = read_record(is, p, ar, e->at - LOCATOR_LEN, LOCATOR_LEN, "PK\6\7");
    if (code != TS_OK || !*is) {
        return code;
    }
    uint64_t at = u64(p + 8);
    code = read_record(is, p, ar, at, END64_LEN, "PK\6\6");
    if (code == TS_OK && !*is) { /* bytes were put before the zip */
        at = e->at - LOCATOR_LEN - END64_LEN;
        code = read_record(is, p, ar, at, END64_LEN, "PK\6\6");
    }
    e->count = u64(p + 32);
    *size = u64(p + 40);
    *offset = u64(p + 48);
    e->directory_end = at;
    return code;
}

/* Is there a directory where this end record says? Before it, or at the very place. */
static ts_code zip_directory_check_end(bool *is, zip_end *e, ts_archive *ar, const uint8_t *p)
{
    uint64_t size = u32(p + 12);
    uint64_t offset = u32(p + 16);
    uint8_t signature[4];
    bool split = u16(p + 4) != 0 && u16(p + 4) != 0xffff;
    ts_code code = TS_OK;
    *is = !split;
    e->count = u16(p + 10);
    e->directory_end = e->at;
    if (*is && (e->count == 0xffff || size == UINT32_MAX || offset == UINT32_MAX)) {
        bool large;
        zip_end small = *e;
        uint64_t size64 = 0;
        uint64_t offset64 = 0;
        code = read_end64(&large, e, ar, &size64, &offset64);
        if (large) {
            size = size64;
            offset = offset64;
        } else {
            *e = small;
        }
    }
    if (code != TS_OK || !*is || (e->count == 0 && size == 0)) {
        e->directory = e->directory_end;
        return code;
    }
    *is = false;
    if (size <= e->directory_end) {
        e->directory = e->directory_end - size;
        code = read_record(is, signature, ar, e->directory, 4, "PK\1\2");
    }
    if (code == TS_OK && !*is && offset < e->directory_end) {
        e->directory = offset;
        code = read_record(is, signature, ar, e->directory, 4, "PK\1\2");
    }
    e->shift = e->directory > offset ? e->directory - offset : 0;
    return code;
}

/* The last end record before `end`. */
static ts_code find_end(bool *found, zip_end *e, ts_archive *ar, uint64_t end)
{
    uint64_t from = end > END_LEN + COMMENT_MAX ? end - END_LEN - COMMENT_MAX : 0;
    size_t n = (size_t)(end - from);
    unsigned tries = 0;
    *found = false;
    /* The usual one has no comment. */
    for (size_t back = END_LEN; back <= n && !*found && tries < END_TRIES; back++) {
        const uint8_t *p;
        uint8_t record[END_LEN];
        size_t have;
        size_t ahead = back == END_LEN ? END_LEN : n;
        uint64_t at = end - back;
        ts_code code = ts_archive_window(&p, &have, ar, end - ahead, ahead);
        if (code != TS_OK || have < ahead) {
            return code;
        }
        p += ahead - back;
        if (memcmp(p, "PK\5\6", 4) != 0 || u16(p + 20) > back - END_LEN) {
            continue;
        }
        tries++;
        memcpy(record, p, END_LEN);
        *e = (zip_end){.at = at, .after = at + END_LEN + u16(p + 20)};
        TS_TRY_INTO(code, zip_directory_check_end(found, e, ar, record));
    }
    return TS_OK;
}

/* --- entries -------------------------------------------------------------------------------- */

/* Sizes and offset that did not fit, in the order of those that say so. */
static void take_zip64(ts_member *m, uint64_t *offset, const uint8_t *p, size_t n)
{
    uint64_t size = (uint64_t)m->size;
    uint64_t *const wide[] = {&size, &m->packed, offset};
    for (size_t i = 0; i < 3; i++) {
        if (*wide[i] == UINT32_MAX && n >= 8) {
            *wide[i] = u64(p);
            p += 8;
            n -= 8;
        }
    }
    m->size = size > INT64_MAX ? INT64_MAX : (int64_t)size;
}

/* The fields after a name; *name becomes the one in UTF-8 when there is one that is for it. */
static void take_extra(ts_member *m, uint64_t *offset, ts_text *name, const uint8_t *p, size_t n)
{
    while (n >= 4) {
        uint32_t id = u16(p);
        size_t length = u16(p + 2);
        p += 4;
        n -= 4;
        if (length > n) {
            return;
        }
        if (id == EXTRA_ZIP64) {
            take_zip64(m, offset, p, length);
        } else if (id == EXTRA_NAME && length > 5 && p[0] == 1 &&
                   u32(p + 1) == crc32(0, (const Bytef *)name->p, (uInt)name->n)) {
            *name = (ts_text){(const char *)p + 5, length - 5};
        }
        p += length;
        n -= length;
    }
}

static bool zip_directory_is_directory(const uint8_t *p, ts_text name, uint32_t mode)
{
    bool unix_made = p[5] == UNIX && (mode & S_IFMT) != 0;
    bool slash = name.n > 0 && name.p[name.n - 1] == '/';
    return unix_made ? S_ISDIR(mode) : slash || (p[5] == 0 && (p[38] & 0x10) != 0);
}

/* One entry, its name and fields in one run. */
static ts_code take_entry(ts_archive *ar, zip_end *e, const uint8_t *p)
{
    char text[COMMENT_MAX + 1];
    uint32_t mode = u16(p + 40);
    uint64_t offset = u32(p + 42);
    ts_text name = {(const char *)p + ENTRY_LEN, u16(p + 28)};
    ts_entry_kind kind = TS_ENTRY_FILE;
    ts_member m = {
        .ordinal = ar->entries,
        .size = u32(p + 24),
        .packed = u32(p + 20),
        .crc = u32(p + 16),
        .method = (uint16_t)u16(p + 10),
        .encrypted = (u16(p + 8) & 1) != 0 || u16(p + 10) == METHOD_AES,
        .room = e->directory,
    };
    take_extra(&m, &offset, &name, p + ENTRY_LEN + u16(p + 28), u16(p + 30));
    m.at = offset > UINT64_MAX - e->shift ? UINT64_MAX : offset + e->shift;
    e->first = m.at < e->first ? m.at : e->first;
    ts_code code = ts_fileset_entry(&ar->entries, ar->set);
    if (code != TS_OK || (zip_directory_is_directory(p, name, mode) && m.size == 0)) {
        return code;
    }
    if (p[5] == UNIX && (mode & S_IFMT) != 0 && !S_ISREG(mode) && !S_ISDIR(mode)) {
        kind = S_ISLNK(mode) ? TS_ENTRY_LINK : TS_ENTRY_OTHER;
    }
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    return ts_archive_add(ar, &m, kind, text, NULL);
}

static ts_code list_directory(ts_archive *ar, zip_end *e)
{
    uint64_t at = e->directory;
    uint64_t listed = 0;
    ts_code code = TS_OK;
    e->first = e->directory;
    while (code == TS_OK && at < e->directory_end) {
        const uint8_t *p;
        size_t n;
        TS_TRY_INTO(code, ts_check_cancel(ar->ctx));
        TS_TRY_INTO(code, ts_archive_window(&p, &n, ar, at, ENTRY_LEN));
        if (n < ENTRY_LEN || memcmp(p, "PK\1\2", 4) != 0) {
            break;
        }
        size_t length = ENTRY_LEN + u16(p + 28) + u16(p + 30) + u16(p + 32);
        if (length > e->directory_end - at) {
            break;
        }
        if ((code = ts_archive_window(&p, &n, ar, at, length)) == TS_OK && n >= length) {
            code = take_entry(ar, e, p);
        }
        listed++;
        at += length;
    }
    /* Old programs write the number of entries with 16 bits, whatever it is. */
    if (code == TS_OK && (listed & 0xffff) != (e->count & 0xffff)) {
        ts_fileset_damage_set(ar->set, at,
                              "the directory of a zip archive declares %llu members and has %llu "
                              "that can be read",
                              (unsigned long long)e->count, (unsigned long long)listed);
    }
    return code;
}

/* --- all ------------------------------------------------------------------------------------ */

/* Bytes [from, to) belong to nothing. Padding may be anywhere. */
static ts_code zip_directory_note_gap(ts_archive *ar, uint64_t from, uint64_t to)
{
    static const char zero[512];
    for (uint64_t at = from; at < to;) {
        const uint8_t *p;
        size_t n;
        ts_code code = ts_check_cancel(ar->ctx);
        if (code != TS_OK || (code = ts_archive_window(&p, &n, ar, at, 1)) != TS_OK || n == 0) {
            return code;
        }
        n = n < to - at ? n : (size_t)(to - at);
        n = n < sizeof zero ? n : sizeof zero;
        if (memcmp(p, zero, n) != 0) {
            ts_fileset_note_stray(ar->set, from, to - from);
            return TS_OK;
        }
        at += n;
    }
    return TS_OK;
}

/* The mark at the begin of a zip that was split, or could have been. */
static ts_code is_split_mark(bool *is, ts_archive *ar, uint64_t n)
{
    uint8_t p[4];
    ts_code code = TS_OK;
    *is = false;
    if (n == sizeof p && (code = read_record(is, p, ar, 0, sizeof p, "PK\7\10")) == TS_OK && !*is) {
        code = read_record(is, p, ar, 0, sizeof p, "PK00");
    }
    return code;
}

ts_code ts_zip_list(bool *found, ts_archive *ar)
{
    uint64_t end = ts_blob_size(ar->blob);
    bool more = true;
    bool mark = false;
    ts_code code = TS_OK;
    *found = false;
    while (end > 0) {
        zip_end e;
        if ((code = find_end(&more, &e, ar, end)) != TS_OK || !more) {
            break;
        }
        *found = true;
        TS_TRY_INTO(code, zip_directory_note_gap(ar, e.after, end));
        TS_TRY_INTO(code, list_directory(ar, &e));
        end = e.first < e.at ? e.first : e.at;
    }
    TS_STEP_IF(code, *found && end > 0 && (code = is_split_mark(&mark, ar, end)) == TS_OK && !mark,
               zip_directory_note_gap(ar, 0, end));
    return code;
}
