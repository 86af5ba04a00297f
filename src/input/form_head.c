#include "input/form.h"
#include "base/ckd.h"
#include "input/archive_private.h"

#include <strings.h>

bool form_line(ts_text *line, size_t *at, const char *p, size_t n)
{
    const char *end = *at < n ? memchr(p + *at, '\n', n - *at) : NULL;
    if (end == NULL) {
        return false;
    }
    *line = (ts_text){p + *at, (size_t)(end - p) - *at};
    *at = (size_t)(end - p) + 1;
    line->n -= line->n > 0 && line->p[line->n - 1] == '\r' ? 1 : 0;
    return true;
}

static ts_text form_trim(ts_text t)
{
    while (t.n > 0 && (t.p[0] == ' ' || t.p[0] == '\t')) {
        t.p++;
        t.n--;
    }
    while (t.n > 0 && (t.p[t.n - 1] == ' ' || t.p[t.n - 1] == '\t')) {
        t.n--;
    }
    return t;
}

static bool form_is(ts_text t, const char *word)
{
    return t.n == strlen(word) && strncasecmp(t.p, word, t.n) == 0;
}

static bool form_begins_with(ts_text t, const char *word)
{
    return t.n >= strlen(word) && strncasecmp(t.p, word, strlen(word)) == 0;
}

/* "Name: value"; false when the line is none. */
static bool form_header(ts_text *name, ts_text *value, ts_text line)
{
    const char *colon = line.n == 0 ? NULL : memchr(line.p, ':', line.n);
    if (colon == NULL || colon == line.p) {
        return false;
    }
    *name = (ts_text){line.p, (size_t)(colon - line.p)};
    for (size_t i = 0; i < name->n; i++) {
        unsigned char c = (unsigned char)name->p[i];
        if (c <= ' ' || c >= 0x7F || strchr("()<>@,;\\\"/[]?={}", c) != NULL) {
            return false;
        }
    }
    *value = form_trim((ts_text){colon + 1, line.n - name->n - 1});
    return true;
}

/*
 * The next parameter of a value, "; name=text" or "; name=\"text\"": rest is shortened. Backslashes
 * in quoted texts stay: programs write file names with them.
 */
static bool form_parameter(ts_text *name, ts_text *text, ts_text *rest)
{
    const char *p = rest->n == 0 ? NULL : memchr(rest->p, ';', rest->n);
    const char *end = rest->p + rest->n;
    const char *equals;
    if (p == NULL) {
        return false;
    }
    p++;
    equals = memchr(p, '=', (size_t)(end - p));
    if (equals == NULL) {
        return false;
    }
    *name = form_trim((ts_text){p, (size_t)(equals - p)});
    p = equals + 1;
    if (p < end && *p == '"') {
        const char *quote = p + 1;
        while (quote < end && *quote != '"') {
            quote += *quote == '\\' && quote + 1 < end && quote[1] == '"' ? 2 : 1;
        }
        quote = quote < end ? quote : end;
        *text = (ts_text){p + 1, (size_t)(quote - p) - 1};
        p = quote;
    } else {
        const char *stop = p < end ? memchr(p, ';', (size_t)(end - p)) : NULL;
        stop = stop == NULL ? end : stop;
        *text = form_trim((ts_text){p, (size_t)(stop - p)});
        p = stop;
    }
    *rest = (ts_text){p, (size_t)(end - p)};
    return true;
}

/* --- the head of a request -------------------------------------------------------------------- */

/* The path of "POST http://host/path?query HTTP/1.1"; false when the line is no such. */
static bool form_request(ts_text *target, ts_text line)
{
    static const char *const methods[] = {"POST ", "PUT "};
    size_t skip = 0;
    size_t n;
    const char *blank;
    for (size_t i = 0; i < 2; i++) {
        skip = line.n > strlen(methods[i]) && memcmp(line.p, methods[i], strlen(methods[i])) == 0
                   ? strlen(methods[i])
                   : skip;
    }
    blank = skip == 0 ? NULL : memchr(line.p + skip, ' ', line.n - skip);
    if (blank == NULL ||
        !form_begins_with((ts_text){blank + 1, line.n - (size_t)(blank - line.p) - 1}, "HTTP/1.")) {
        return false;
    }
    *target = (ts_text){line.p + skip, (size_t)(blank - line.p) - skip};
    if (form_begins_with(*target, "http://") || form_begins_with(*target, "https://")) {
        const char *host = (const char *)memchr(target->p, ':', target->n) + 3;
        const char *path = memchr(host, '/', target->n - (size_t)(host - target->p));
        *target = path == NULL ? TS_TEXT_LIT("/")
                               : (ts_text){path, target->n - (size_t)(path - target->p)};
    }
    for (n = 0; n < target->n && target->p[n] != '?' && target->p[n] != '#';) {
        n++;
    }
    target->n = n;
    return true;
}

static int64_t form_number(ts_text text)
{
    int64_t v = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9' || ts_ckd_mul(&v, v, INT64_C(10)) ||
            ts_ckd_add(&v, v, (int64_t)(text.p[i] - '0'))) {
            return -1;
        }
    }
    return text.n == 0 ? -1 : v;
}

static void form_take_header(form_head *out, ts_text name, ts_text value)
{
    ts_text key, text;
    if (form_is(name, "content-type") && form_begins_with(value, "multipart/")) {
        out->multipart = true;
        while (form_parameter(&key, &text, &value)) {
            out->boundary = form_is(key, "boundary") && text.n > 0 ? text : out->boundary;
        }
    } else if (form_is(name, "content-length")) {
        out->length = form_number(value);
    } else if (form_is(name, "transfer-encoding")) {
        out->chunked = form_is(value, "chunked");
        out->encoded = !out->chunked && !form_is(value, "identity");
    }
}

bool form_head_read(form_head *out, const char *p, size_t n)
{
    ts_text line, name, value;
    size_t at = 0;
    bool any = false;
    *out = (form_head){.length = -1};
    while (form_line(&line, &at, p, n)) {
        if (line.n == 0) {
            out->body = any ? at : 0;
            return any;
        }
        if (form_header(&name, &value, line)) {
            form_take_header(out, name, value);
        } else if (any || !form_request(&out->target, line)) {
            return false;
        }
        any = true;
    }
    return any;
}

/* --- parts ----------------------------------------------------------------------------------- */

static ts_text form_base_name(ts_text path)
{
    for (size_t i = path.n; i > 0; i--) {
        if (path.p[i - 1] == '/' || path.p[i - 1] == '\\') {
            return (ts_text){path.p + i, path.n - i};
        }
    }
    return path;
}

void form_part_line(form_part *part, ts_text line)
{
    ts_text name, value, key, text;
    if (!form_header(&name, &value, line)) {
        return;
    }
    if (form_is(name, "content-disposition")) {
        while (form_parameter(&key, &text, &value)) {
            if (form_is(key, "name")) {
                part->name = text;
            } else if (form_is(key, "filename")) {
                part->filename = form_base_name(text);
                part->value = false;
            }
        }
    } else if (form_is(name, "content-type") && !form_begins_with(value, "text/plain")) {
        part->value = false;
    }
}

ts_text form_first_boundary(const char *p, size_t n)
{
    ts_text line;
    size_t at = 0;
    if (n < 3 || p[0] != '-' || p[1] != '-' || !form_line(&line, &at, p, n)) {
        return TS_TEXT_NULL;
    }
    line = form_trim(line);
    for (size_t i = 0; i < line.n; i++) {
        unsigned char c = (unsigned char)line.p[i];
        if (c < ' ' || c >= 0x7F) {
            return TS_TEXT_NULL;
        }
    }
    return line.n > 2 && line.n < TS_FORM_BOUNDARY ? line : TS_TEXT_NULL;
}

bool ts_form_begins(const char *p, size_t n)
{
    ts_text boundary = form_first_boundary(p, n);
    form_head head;
    ts_text line, name, value;
    size_t at = 0;
    if (boundary.p != NULL) {
        return form_line(&line, &at, p, n) &&
               form_begins_with((ts_text){p + at, n - at}, "content-") &&
               (!form_line(&line, &at, p, n) || form_header(&name, &value, line));
    }
    return form_head_read(&head, p, n) && head.multipart;
}
