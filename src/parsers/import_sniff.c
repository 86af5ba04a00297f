/* Which format a stream or a set of files has. */
#include "parsers/import_impl.h"
#include "parsers/registry.h"

const ts_format *const ts_formats[] = {
#define TS_FORMAT(name) &ts_format_##name,
#include "parsers/format_list.def"
#undef TS_FORMAT
    NULL,
};

const ts_format *ts_format_find(const char *name)
{
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        if (strcmp((*f)->name, name) == 0) {
            return *f;
        }
    }
    return NULL;
}

static size_t skip_blank(ts_text t, size_t i)
{
    while (i < t.n && (t.p[i] == ' ' || t.p[i] == '\n' || t.p[i] == '\r' || t.p[i] == '\t')) {
        i++;
    }
    return i;
}

size_t import_text_begins(ts_text head)
{
    return skip_blank(head, head.n >= 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

const char *import_first_key(char key[IMPORT_MAX_KEY], ts_text head)
{
    size_t i = import_text_begins(head);
    size_t n = 0;
    if (i >= head.n || head.p[i] != '{') {
        return NULL;
    }
    i = skip_blank(head, i + 1);
    if (i >= head.n || head.p[i] != '"') {
        return NULL;
    }
    for (i++; i < head.n && n + 1 < IMPORT_MAX_KEY && head.p[i] != '"'; i++) {
        key[n++] = head.p[i];
    }
    key[n] = '\0';
    return i < head.n && head.p[i] == '"' ? key : NULL;
}

/* The format that is surest of it: among those of streams, or of sets. */
static const ts_format *surest(int *confidence, const ts_sniff *s, bool sets)
{
    const ts_format *best = NULL;
    *confidence = TS_SNIFF_NO;
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        int c = ((*f)->import_set != NULL) == sets ? (*f)->sniff(s) : TS_SNIFF_NO;
        if (c > *confidence) {
            *confidence = c;
            best = *f;
        }
    }
    return best;
}

static const ts_format *sniff_stream(int *confidence, const char *name, ts_text head, bool whole)
{
    char key[IMPORT_MAX_KEY];
    const ts_sniff s = {
        .name = name,
        .head = (const uint8_t *)head.p,
        .n = head.n,
        .whole = whole,
        .json_key = import_first_key(key, head),
    };
    return surest(confidence, &s, false);
}

const ts_format *import_sniff(const char *name, ts_text head, bool whole)
{
    int confidence;
    return sniff_stream(&confidence, name, head, whole);
}

const ts_format *import_sniff_beside(const char *name, ts_text head)
{
    int confidence;
    const ts_format *format = sniff_stream(&confidence, name, head, head.n < TS_PEEK);
    for (const ts_format *const *f = ts_formats; format != NULL && *f != NULL; f++) {
        if ((*f)->import_set != NULL && confidence < TS_SNIFF_SURE && format->source_type != NULL &&
            strcmp((*f)->source_type, format->source_type) == 0) {
            return NULL;
        }
    }
    return format;
}

const ts_format *import_sniff_set(const char *name, const char *const *names, uint32_t n, bool form)
{
    const ts_sniff s = {.name = name, .names = names, .name_count = n, .form = form};
    int confidence;
    return surest(&confidence, &s, true);
}

int ts_import_sniff_files(const char *name, const char *const *names, uint32_t n)
{
    const ts_sniff s = {.name = name, .names = names, .name_count = n};
    int confidence;
    (void)surest(&confidence, &s, true);
    return confidence;
}
