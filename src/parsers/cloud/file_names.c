/* Names of stream files. */
#include "parsers/cloud/pod.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    cloud_kind kind;
} streams[] = {
    {"dictionary", CLOUD_DICTIONARY},
    {"posDictionary", CLOUD_POS_DICTIONARY},
    {"params", CLOUD_PARAMS},
    {"suspend", CLOUD_SUSPEND},
    {"sql", CLOUD_SQL},
    {"xml", CLOUD_XML},
    {"trace", CLOUD_TRACE},
    {"traces", CLOUD_TRACE},
    {"calls", CLOUD_CALLS},
    {"gc", CLOUD_OTHER},
    {"td", CLOUD_OTHER},
    {"top", CLOUD_OTHER},
    {"heap", CLOUD_OTHER},
    {"callsDictionary", CLOUD_OTHER}, /* copies of words of dictionary */
};

enum { STREAMS = sizeof streams / sizeof streams[0] };

/* The number in the table, or STREAMS. */
static size_t stream_number(const char *p, size_t n)
{
    size_t i = 0;
    while (i < STREAMS && (strlen(streams[i].name) != n || memcmp(streams[i].name, p, n) != 0)) {
        i++;
    }
    return i;
}

cloud_kind cloud_kind_of(const char *stream, size_t n)
{
    size_t i = stream_number(stream, n);
    return i == STREAMS ? CLOUD_OTHER : streams[i].kind;
}

static bool set_stream(cloud_file *f, const char *p, size_t n)
{
    size_t i = stream_number(p, n);
    if ((i == STREAMS && !(n > 7 && memcmp(p, "calls[", 6) == 0 && p[n - 1] == ']')) ||
        n >= sizeof f->stream) {
        return false;
    }
    f->kind = i == STREAMS ? CLOUD_OTHER : streams[i].kind;
    snprintf(f->stream, sizeof f->stream, "%.*s", (int)n, p);
    return true;
}

/* Up to nine digits: file indexes are 32 bit, and no recording has a billion files. */
static bool take_index(int64_t *out, const char *p, size_t n)
{
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return false;
        }
        *out = *out * 10 + (p[i] - '0');
    }
    return n > 0 && n <= 9;
}

static bool has_end(const char *p, size_t n, const char *end)
{
    size_t k = strlen(end);
    return n > k && memcmp(p + n - k, end, k) == 0;
}

/* .../<stream>/<index>.gz, or without .gz; the pod is the directory around the stream. */
static bool parse_agent(cloud_file *f, const char *name)
{
    size_t n = strlen(name);
    const char *slash = strrchr(name, '/');
    if (slash == NULL) {
        return false;
    }
    size_t dir = (size_t)(slash - name);
    const char *stream = memrchr(name, '/', dir);
    stream = stream == NULL ? name : stream + 1;
    n -= dir + 1;
    if (has_end(slash + 1, n, ".gz")) {
        n -= 3;
    }
    f->pod_n = stream == name ? 0 : (size_t)(stream - name) - 1;
    return n >= 6 && take_index(&f->index, slash + 1, n) &&
           set_stream(f, stream, (size_t)(slash - stream));
}

/* <pod>.<stream>.protocol, <pod>.<stream>.<seq>.protocol, the same with .bin; index = seq + 1. */
static bool parse_flat(cloud_file *f, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    size_t n = strlen(base);
    if (has_end(base, n, ".gz")) {
        n -= 3;
    }
    if (has_end(base, n, ".protocol")) {
        n -= 9;
    } else if (has_end(base, n, ".bin")) {
        n -= 4;
    } else {
        return false;
    }
    const char *dot = memrchr(base, '.', n);
    if (dot != NULL && take_index(&f->index, dot + 1, n - (size_t)(dot - base) - 1)) {
        n = (size_t)(dot - base);
        dot = memrchr(base, '.', n);
    } else {
        f->index = 0;
    }
    f->index++;
    if (dot == NULL || dot == base) {
        return false;
    }
    f->pod_n = (size_t)(dot - name);
    return set_stream(f, dot + 1, n - (size_t)(dot - base) - 1);
}

bool cloud_file_parse(cloud_file *f, const char *name)
{
    *f = (cloud_file){.kind = CLOUD_OTHER, .name = name};
    return parse_agent(f, name) || parse_flat(f, name);
}

size_t cloud_file_pod_base(const cloud_file *f)
{
    size_t begin = f->pod_n;
    while (begin > 0 && f->name[begin - 1] != '/') {
        begin--;
    }
    return begin;
}
