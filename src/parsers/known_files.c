#include "parsers/known_files.h"

#include "parsers/format.h"
#include "parsers/import_impl.h"
#include "tables/schema.h"

#include <strings.h>

/* --- what a mark does not say ----------------------------------------------------------------- */

static uint32_t known_u32(ts_text t, size_t at)
{
    const uint8_t *p = (const uint8_t *)t.p + at;
    return at + 4 > t.n ? 0
                        : p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_zeros(ts_text head)
{
    size_t i = 0;
    while (i < head.n && head.p[i] == '\0') {
        i++;
    }
    return i == head.n && head.n >= 16;
}

/* A byte order mark, or ASCII of which every other byte is 0. */
static bool is_utf16(ts_text head)
{
    enum { ENOUGH = 16 };
    size_t zero = head.n > 0 && head.p[0] == '\0' ? 0 : 1;
    if (head.n >= 2 && (memcmp(head.p, "\xFF\xFE", 2) == 0 || memcmp(head.p, "\xFE\xFF", 2) == 0)) {
        return true;
    }
    for (size_t i = 0; i < ENOUGH; i++) {
        if (head.n < ENOUGH || (head.p[i] == '\0') != (i % 2 == zero)) {
            return false;
        }
    }
    return true;
}

/* The head of a file of events: a buffer of whole KiB, and the record of its properties. */
static bool is_etl(ts_text head)
{
    uint32_t size = known_u32(head, 0);
    return head.n >= 76 && size >= 4096 && size <= 16 << 20 && size % 1024 == 0 &&
           (known_u32(head, 72) & 0xFF00FFFF) == 0xC0000002;
}

static bool is_art(ts_text head)
{
    uint32_t version = known_u32(head, 4) & 0xFFFF;
    return head.n >= 8 && ((version >= 1 && version <= 5) || (version >= 0xF1 && version <= 0xF5));
}

/* Three bytes of a version. */
static bool is_short_version(ts_text head)
{
    return head.n >= 8 && (unsigned char)head.p[5] < ' ';
}

/* A dictionary of Python's marshal whose first key is a tuple. */
static bool is_cprofile(ts_text head)
{
    return head.n >= 2 && (head.p[0] == '{' || (uint8_t)head.p[0] == ('{' | 0x80)) &&
           head.p[1] != '\0' && strchr("\x28\xA8\x29\xA9\xDA", head.p[1]) != NULL;
}

static bool is_ruby(ts_text head)
{
    return head.n >= 3 && memcmp(head.p, "\x04\x08", 2) == 0 &&
           (head.p[2] == '{' || head.p[2] == '}');
}

/* "P12;T34;..." in the first line. */
static bool is_austin(ts_text head)
{
    size_t i = 1;
    if (head.n < 4 || head.p[0] != 'P') {
        return false;
    }
    while (i < head.n && head.p[i] >= '0' && head.p[i] <= '9') {
        i++;
    }
    return i > 1 && i + 2 < head.n && head.p[i] == ';' && head.p[i + 1] == 'T' &&
           head.p[i + 2] >= '0' && head.p[i + 2] <= '9';
}

static bool is_own_database(ts_text head)
{
    return head.n >= 72 && memcmp(head.p, "SQLite format 3", 16) == 0 &&
           __builtin_bswap32(known_u32(head, 68)) == (uint32_t)TS_APPLICATION_ID;
}

/* ELF of either order of bytes, and Mach-O. */
static bool is_core(ts_text head)
{
    uint32_t type = known_u32(head, 16) & 0xFFFF;
    return head.n >= 20 &&
           ((memcmp(head.p,
                    "\x7F"
                    "ELF",
                    4) == 0 &&
             type == (head.p[5] == 2 ? 0x0400 : 4)) ||
            (memcmp(head.p, "\xCF\xFA\xED\xFE", 4) == 0 && known_u32(head, 12) == 4) ||
            (memcmp(head.p, "\xFE\xED\xFA\xCF", 4) == 0 && known_u32(head, 12) == UINT32_C(4)
                                                                                      << 24));
}

static size_t skip_space(ts_text head, size_t i)
{
    while (i < head.n && head.p[i] != '\0' && strchr(" \t\r\n", head.p[i]) != NULL) {
        i++;
    }
    return i;
}

/* What is between the elements of something that began before: ", {" or ", \"", or a key and what
 * follows it. */
static bool is_json_rest(ts_text head)
{
    size_t i = import_text_begins(head);
    if (i < head.n && head.p[i] == ',') {
        i = skip_space(head, i + 1);
        return i < head.n && (head.p[i] == '{' || head.p[i] == '"');
    }
    if (i >= head.n || head.p[i] != '"') {
        return false;
    }
    for (i++; i < head.n && head.p[i] != '"'; i++) {
        i += head.p[i] == '\\' ? 1 : 0;
    }
    i = i < head.n ? skip_space(head, i + 1) : i;
    return i < head.n && head.p[i] == ':';
}

/* --- the table -------------------------------------------------------------------------------- */

enum { MAX_MARKS = 3, MARK_NONE = 0, MARK_AT, MARK_TEXT, MARK_LINE, MARK_HAS, MARK_KEY, MARK_IS };

typedef struct known_mark {
    int kind;
    size_t at;
    const char *p;
    size_t n;
    bool (*is)(ts_text head);
} known_mark;

typedef struct known_line {
    ts_known_file file; /* what is NULL: that of the line above */
    known_mark marks[MAX_MARKS];
} known_line;

/* clang-format off */
#define AT(offset, bytes) {MARK_AT, (offset), (bytes), sizeof(bytes) - 1, NULL}
#define TEXT(bytes) {MARK_TEXT, 0, (bytes), sizeof(bytes) - 1, NULL}
#define LINE(bytes) {MARK_LINE, 0, (bytes), sizeof(bytes) - 1, NULL}
#define HAS(bytes) {MARK_HAS, 0, (bytes), sizeof(bytes) - 1, NULL}
#define KEY(bytes) {MARK_KEY, 0, (bytes), sizeof(bytes) - 1, NULL}
#define IS(function) {MARK_IS, 0, NULL, 0, (function)}
/* clang-format on */
#define KNOWN(what, maker, how, ...) {{(what), (maker), (how)}, {__VA_ARGS__}},
#define ALSO(...) {{NULL, NULL, NULL}, {__VA_ARGS__}},

static const known_line lines[] = {
#include "parsers/known_files.def"
};

enum { LINES = sizeof lines / sizeof lines[0] };

static bool has_line(ts_text t, const known_mark *mark)
{
    size_t i = 0;
    while (i + mark->n <= t.n && memcmp(t.p + i, mark->p, mark->n) != 0) {
        const char *lf = memchr(t.p + i, '\n', t.n - i);
        i = lf == NULL ? t.n : (size_t)(lf - t.p) + 1;
    }
    return i + mark->n <= t.n;
}

static bool holds(const known_mark *mark, ts_text head, const char *key)
{
    size_t begin;
    switch (mark->kind) {
    case MARK_AT:
        return mark->at + mark->n <= head.n && memcmp(head.p + mark->at, mark->p, mark->n) == 0;
    case MARK_TEXT:
        begin = import_text_begins(head);
        return begin + mark->n <= head.n && strncasecmp(head.p + begin, mark->p, mark->n) == 0;
    case MARK_LINE:
        return has_line(head, mark);
    case MARK_HAS:
        return memmem(head.p, head.n, mark->p, mark->n) != NULL;
    case MARK_KEY:
        return key != NULL && strcmp(key, mark->p) == 0;
    case MARK_IS:
        return mark->is(head);
    default:
        return true;
    }
}

const ts_known_file *ts_known_file_of(ts_text head)
{
    char word[IMPORT_MAX_KEY];
    const char *key = import_first_key(word, head);
    const ts_known_file *file = NULL;
    for (size_t i = 0; i < LINES && head.n > 0; i++) {
        bool all = true;
        file = lines[i].file.what != NULL ? &lines[i].file : file;
        for (size_t k = 0; k < MAX_MARKS && all; k++) {
            all = holds(&lines[i].marks[k], head, key);
        }
        if (all) {
            return file;
        }
    }
    return NULL;
}

const ts_known_file *ts_known_file_at(size_t n)
{
    for (size_t i = 0; i < LINES; i++) {
        if (lines[i].file.what != NULL && n-- == 0) {
            return &lines[i].file;
        }
    }
    return NULL;
}
