/*
 * mkweb OUT NAME HTML CSS JS...: writes OUT, the C source of a page that is one file: NAME_head and
 * NAME_tail, the bytes before and after ${DATA} in HTML. ${CSS} and ${JS} stand for the files, the
 * scripts after each other in the given order, ${CSS_HASH} and ${JS_HASH} for their hashes in the
 * Content-Security-Policy, so that nothing else is run or used as a style. It is built and run
 * before the library that its output is part of.
 */
#include "base/sha256.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_TEXT = 7 + 44 + 1, LINE = 90 };

typedef struct text {
    char *p;
    size_t n;
} text;

static void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("mkweb: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputs("\n", stderr);
    va_end(ap);
    exit(1);
}

/* Puts a file after what is there. */
static void append_file(text *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t got = 1;
    if (f == NULL) {
        fail("cannot read %s", path);
    }
    while (got > 0) {
        char block[4096];
        got = fread(block, 1, sizeof block, f);
        char *p = realloc(t->p, t->n + got + 1);
        if (p == NULL) {
            fail("cannot read %s", path);
        }
        memcpy(p + t->n, block, got);
        t->p = p;
        t->n += got;
    }
    if (ferror(f) || fclose(f) != 0) {
        fail("cannot read %s", path);
    }
}

static text read_file(const char *path)
{
    text t = {NULL, 0};
    append_file(&t, path);
    return t;
}

static bool begins(text t, size_t at, const char *s)
{
    return t.n - at >= strlen(s) && memcmp(t.p + at, s, strlen(s)) == 0;
}

static void refuse(text t, const char *path, const char *what)
{
    for (size_t i = 0; i < t.n; i++) {
        if (begins(t, i, what)) {
            fail("%s holds %s, which would end it in the page", path, what);
        }
    }
}

/* sha256-BASE64 */
static void hash(char out[HASH_TEXT], text t)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t sum[33] = {0};
    ts_sha256 state;
    size_t n = 7;
    ts_sha256_init(&state);
    ts_sha256_add(&state, t.p, t.n);
    ts_sha256_end(&state, sum);
    memcpy(out, "sha256-", 7);
    for (size_t i = 0; i < 33; i += 3) {
        unsigned v = (unsigned)sum[i] << 16 | (unsigned)sum[i + 1] << 8 | sum[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) {
            out[n++] = digits[v >> shift & 63];
        }
    }
    out[n - 1] = '='; /* 32 bytes: the last digit stands for none */
    out[n] = '\0';
}

/* --- writing ------------------------------------------------------------------------------- */

static size_t column;

static void put_char(FILE *out, unsigned char c)
{
    if (column == 0) {
        fputs("    \"", out);
    }
    if (c == '\n') {
        column += (size_t)fprintf(out, "\\n");
    } else if (c == '"' || c == '\\') {
        column += (size_t)fprintf(out, "\\%c", c);
    } else if (c < ' ' || c > '~' || c == '?') {
        column += (size_t)fprintf(out, "\\%03o", c);
    } else {
        fputc(c, out);
        column++;
    }
    if (c == '\n' || column >= LINE) {
        fputs("\"\n", out);
        column = 0;
    }
}

static void put_text(FILE *out, text t)
{
    for (size_t i = 0; i < t.n; i++) {
        put_char(out, (unsigned char)t.p[i]);
    }
}

static void begin_array(FILE *out, const char *name, const char *part)
{
    fprintf(out, "const char %s_%s[] =\n", name, part);
}

static void end_array(FILE *out, const char *name, const char *part)
{
    fprintf(out, "%s;\nconst size_t %s_%s_size = sizeof %s_%s - 1;\n",
            column > 0 ? "\"" : "    \"\"", name, part, name, part);
    column = 0;
}

int main(int argc, char **argv)
{
    char css_hash[HASH_TEXT];
    char js_hash[HASH_TEXT];
    bool data = false;
    if (argc < 6) {
        fail("usage: mkweb OUT NAME HTML CSS JS...");
    }
    const char *name = argv[2];
    text html = read_file(argv[3]);
    text css = read_file(argv[4]);
    text js = read_file(argv[5]);
    refuse(css, argv[4], "</style");
    for (int i = 6; i < argc; i++) {
        append_file(&js, argv[i]);
    }
    refuse(js, argv[5], "</script");
    refuse(js, argv[5], "<!--");
    hash(css_hash, css);
    hash(js_hash, js);
    FILE *out = fopen(argv[1], "wb");
    if (out == NULL) {
        fail("cannot write %s", argv[1]);
    }
    fprintf(out, "/* Made by tools/mkweb.c. */\n#include \"export/export_page.h\"\n\n");
    begin_array(out, name, "head");
    for (size_t i = 0; i < html.n;) {
        static const char *const names[] = {"${CSS_HASH}", "${JS_HASH}", "${CSS}", "${JS}",
                                            "${DATA}"};
        const text values[] = {{css_hash, strlen(css_hash)}, {js_hash, strlen(js_hash)}, css, js};
        size_t k = 0;
        while (k < 5 && !begins(html, i, names[k])) {
            k++;
        }
        if (k == 4) {
            end_array(out, name, "head");
            begin_array(out, name, "tail");
            data = true;
        } else if (k < 4) {
            put_text(out, values[k]);
        } else {
            put_char(out, (unsigned char)html.p[i]);
        }
        i += k < 5 ? strlen(names[k]) : 1;
    }
    end_array(out, name, "tail");
    if (!data) {
        fail("%s has no ${DATA}", argv[3]);
    }
    if (fclose(out) != 0) {
        fail("cannot write %s", argv[1]);
    }
    free(html.p);
    free(css.p);
    free(js.p);
    return 0;
}
