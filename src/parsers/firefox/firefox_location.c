/*
 * Texts of Gecko that say what a frame is:
 *
 *     0x7f12ab                                an address
 *     name (in lib) (file:12)                 code with symbols; or + 12, or nothing after the
 * library fn (https://host/a.js:3:14)[2]          JavaScript; the last number is a source
 *     https://host/a.js:3                     JavaScript outside of functions
 *     chrome://a.js -> resource://b.js        in the place of a URL: b is the script
 *     (root)                                  any other: a label
 */
#include "parsers/firefox/firefox.h"

enum { ADDRESS_DIGITS = 16 };

static bool read_address(uint64_t *v, ts_text t)
{
    *v = 0;
    if (!ts_text_begins(t, "0x") || t.n < 3 || t.n > 2 + ADDRESS_DIGITS) {
        return false;
    }
    for (size_t i = 2; i < t.n; i++) {
        const char c = t.p[i];
        const int digit = ts_is_digit(c)         ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return false;
        }
        *v = *v << 4 | (unsigned)digit;
    }
    return true;
}

/* ":12" at the end goes off. */
static bool take_number(int64_t *v, ts_text *t)
{
    size_t at = t->n;
    int64_t number = 0;
    while (at > 0 && ts_is_digit(t->p[at - 1])) {
        at--;
    }
    if (at == t->n || at == 0 || t->p[at - 1] != ':') {
        return false;
    }
    for (size_t i = at; i < t->n; i++) {
        number = ts_sat_add(ts_sat_mul(number, 10), t->p[i] - '0');
    }
    *v = number <= INT32_MAX ? number : 0;
    t->n = at - 1;
    return true;
}

/* The last place of a text. */
static bool find_last(size_t *at, ts_text t, const char *what)
{
    const size_t n = strlen(what);
    for (size_t i = t.n < n ? 0 : t.n - n + 1; i > 0; i--) {
        if (memcmp(t.p + i - 1, what, n) == 0) {
            *at = i - 1;
            return true;
        }
    }
    return false;
}

/* name (in lib), and what comes after it. */
static bool read_native(fox_location *out, ts_text t)
{
    size_t at, close;
    ts_text rest;
    if (!find_last(&at, t, " (in ")) {
        return false;
    }
    rest = ts_text_from(t, at + strlen(" (in "));
    for (close = 0; close < rest.n && rest.p[close] != ')'; close++) {
    }
    if (close == rest.n || close == 0) {
        return false;
    }
    out->library = (ts_text){rest.p, close};
    rest = ts_text_from(rest, close + 1);
    if (ts_text_begins(rest, " (") && ts_text_ends(rest, ")")) {
        rest = (ts_text){rest.p + 2, rest.n - 3};
        if (take_number(&out->frame_line, &rest)) {
            out->file = rest;
        }
    } else if (rest.n > 0 && !ts_text_begins(rest, " + ")) {
        return false;
    }
    out->name = (ts_text){t.p, at};
    return true;
}

static void drop_source(ts_text *t)
{
    size_t at = t->n;
    if (at == 0 || t->p[at - 1] != ']') {
        return;
    }
    at--;
    while (at > 0 && ts_is_digit(t->p[at - 1])) {
        at--;
    }
    if (at > 0 && t->p[at - 1] == '[' && at + 1 < t->n) {
        t->n = at - 1;
    }
}

/* url:line or url:line:column. */
static bool read_place(fox_location *out, ts_text url)
{
    int64_t line, column;
    size_t at;
    if (!take_number(&line, &url)) {
        return false;
    }
    column = line;
    if (!take_number(&line, &url)) {
        line = column; /* there is only one number */
    }
    if (find_last(&at, url, " -> ")) {
        url = ts_text_from(url, at + strlen(" -> "));
    }
    if (url.n == 0) {
        return false;
    }
    out->file = url;
    out->line = line;
    out->is_js = true;
    return true;
}

static bool read_script(fox_location *out, ts_text t)
{
    size_t at = 0;
    drop_source(&t);
    if (t.n > 0 && t.p[t.n - 1] == ')') {
        while (at < t.n && !ts_text_begins(ts_text_from(t, at), " (")) {
            at++;
        }
        if (at == t.n || !read_place(out, (ts_text){t.p + at + 2, t.n - at - 3})) {
            return false;
        }
        out->name = (ts_text){t.p, at};
        return true;
    }
    out->name = TS_TEXT_LIT("(top level)");
    return read_place(out, t);
}

void fox_locate(fox_location *out, ts_text text)
{
    *out = (fox_location){.name = text};
    out->has_address = read_address(&out->address, text);
    if (out->has_address || read_native(out, text)) {
        return;
    }
    *out = (fox_location){.name = text};
    if (!read_script(out, text)) {
        *out = (fox_location){.name = text};
    }
}
