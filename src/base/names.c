#include "base/names.h"

#include "base/utf8.h"

#include <inttypes.h>

enum { NAMES_LONGEST = 32, NAMES_SHOWN = 60, DIGITS_MAX = 10 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t ts_edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[3][NAMES_LONGEST + 1];
    if (na > NAMES_LONGEST || nb > NAMES_LONGEST) {
        return NAMES_LONGEST;
    }
    for (size_t j = 0; j <= nb; j++) {
        row[0][j] = j;
        row[1][j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        size_t *now = row[i % 3];
        const size_t *last = row[(i + 2) % 3];
        const size_t *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j]) {
                now[j] = before[j - 2] + 1;
            }
        }
    }
    return row[na % 3][nb];
}

bool ts_name_number(int64_t *out, ts_text text)
{
    *out = 0;
    if (text.n == 0 || text.n > 18) {
        return false;
    }
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') {
            return false;
        }
        *out = *out * 10 + (text.p[i] - '0');
    }
    return true;
}

bool ts_number_list_valid(const char *list)
{
    const char *p = list;
    for (;;) {
        const char *begin = p;
        while (*p >= '0' && *p <= '9') {
            p++;
        }
        if (p == begin || p - begin > DIGITS_MAX) {
            return false;
        }
        if (*p == '\0') {
            return true;
        }
        if (*p++ != ',') {
            return false;
        }
    }
}

bool ts_number_list_has(const char *list, int64_t number)
{
    for (const char *p = list; *p != '\0';) {
        int64_t n = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            n = n * 10 + (*p - '0');
        }
        if (n == number) {
            return true;
        }
        p += *p == ',';
    }
    return false;
}

/* --- globs ----------------------------------------------------------------------------------- */

bool ts_glob_is(ts_text pattern)
{
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.p[i] == '*' || pattern.p[i] == '?' || pattern.p[i] == '[') {
            return true;
        }
    }
    return false;
}

/* One byte against what begins at *at, which is moved past it. A [ that does not end is a [. */
static bool glob_byte(size_t *at, ts_text pattern, unsigned char c)
{
    size_t i = *at + 1;
    bool is = false;
    *at += 1;
    if (pattern.p[*at - 1] == '?') {
        return true;
    }
    if (pattern.p[*at - 1] != '[') {
        return (unsigned char)pattern.p[*at - 1] == c;
    }
    bool no = i < pattern.n && (pattern.p[i] == '^' || pattern.p[i] == '!');
    size_t first = i += no ? 1 : 0;
    for (; i < pattern.n && (pattern.p[i] != ']' || i == first); i++) {
        unsigned char from = (unsigned char)pattern.p[i];
        unsigned char to = from;
        if (i + 2 < pattern.n && pattern.p[i + 1] == '-' && pattern.p[i + 2] != ']') {
            to = (unsigned char)pattern.p[i + 2];
            i += 2;
        }
        is = is || (c >= from && c <= to);
    }
    if (i >= pattern.n) {
        return c == '[';
    }
    *at = i + 1;
    return is != no;
}

bool ts_glob_fits(ts_text pattern, ts_text text)
{
    size_t at = 0;
    size_t star = SIZE_MAX; /* after the last * */
    size_t from = 0;        /* where what that * covers ends */
    size_t i = 0;
    while (i < text.n) {
        size_t next = at;
        if (at < pattern.n && pattern.p[at] == '*') {
            star = ++at;
            from = i;
        } else if (at < pattern.n && glob_byte(&next, pattern, (unsigned char)text.p[i])) {
            at = next;
            i++;
        } else if (star != SIZE_MAX) {
            at = star;
            i = ++from;
        } else {
            return false;
        }
    }
    while (at < pattern.n && pattern.p[at] == '*') {
        at++;
    }
    return at == pattern.n;
}

/* --- what is near ---------------------------------------------------------------------------- */

static bool contains(ts_text text, ts_text part)
{
    for (size_t i = 0; part.n > 0 && i + part.n <= text.n; i++) {
        size_t k = 0;
        while (k < part.n && lower(text.p[i + k]) == lower(part.p[k])) {
            k++;
        }
        if (k == part.n) {
            return true;
        }
    }
    return false;
}

/* Typing errors first, then what contains the text, then what begins alike. */
static size_t distance_of(ts_text typed, ts_text name)
{
    size_t d = ts_edit_distance(typed.p, typed.n, name.p == NULL ? "" : name.p, name.n);
    ts_text begin = {typed.p, typed.n < 3 ? typed.n : 3};
    return name.n == 0             ? 1000
           : d <= typed.n / 3      ? d
           : contains(name, typed) ? 100
           : contains(name, begin) ? 200
                                   : 900;
}

void ts_nearest_add(ts_nearest *n, int64_t id, ts_text name, ts_text part)
{
    size_t whole = distance_of(n->typed, name);
    size_t of_part = distance_of(n->typed, part);
    size_t d = of_part < whole ? of_part : whole;
    unsigned at = n->count;
    n->seen++;
    while (at > 0 && n->best[at - 1].distance > d) {
        at--;
    }
    if (at == TS_NEAREST) {
        return;
    }
    n->count += n->count < TS_NEAREST ? 1 : 0;
    memmove(&n->best[at + 1], &n->best[at], (n->count - at - 1) * sizeof n->best[0]);
    n->best[at] = (struct ts_near){id, name, d};
}

ts_code ts_nearest_put(ts_buf *out, ts_ctx *ctx, const ts_nearest *n)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < n->count && code == TS_OK; i++) {
        ts_text name = n->best[i].name;
        name.n = name.n > NAMES_SHOWN ? ts_utf8_cut(name.p, NAMES_SHOWN) : name.n;
        code = ts_buf_printf(ctx, out, "%s", i == 0 ? "" : ", ");
        TS_STEP_IF(code, !n->no_ids, ts_buf_printf(ctx, out, "%" PRId64, n->best[i].id));
        TS_STEP_IF(code, name.n > 0,
                   ts_buf_printf(ctx, out, n->no_ids ? "%.*s" : " (%.*s)", (int)name.n, name.p));
    }
    if (code != TS_OK || n->seen == n->count) {
        return code;
    }
    return ts_buf_printf(ctx, out, " and %" PRIu64 " other%s", n->seen - n->count,
                         n->seen - n->count == 1 ? "" : "s");
}

ts_code ts_nearest_fail(ts_ctx *ctx, const char *what, const char *those, const ts_nearest *near)
{
    ts_buf names = {0};
    ts_code code = ts_nearest_put(&names, ctx, near);
    TS_STEP(code, ts_fail(ctx, TS_ERR_USAGE, "there is no %s \"%.*s\"; %s%.*s", what,
                          (int)(near->typed.n > 100 ? 100 : near->typed.n), near->typed.p,
                          names.n == 0 ? "none was recorded" : those, (int)names.n,
                          names.n == 0 ? "" : names.p));
    ts_buf_free(ctx, &names);
    return code;
}
