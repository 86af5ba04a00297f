/*
 * mkprofile --form bundle: an upload to Datakit that is made of given files. The metadata comes
 * from the seed, as event.json or as values of a form.
 */
#include "mkprofile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BOUNDARY "------------------------d74496d66958873e"

typedef struct bundle {
    const options *o;
    FILE *out;       /* the form; NULL: a directory */
    const char *dir; /* path of the directory */
} bundle;

static void bundle_die(const char *what, const char *which)
{
    fprintf(stderr, "mkprofile: %s: %s\n", what, which);
    exit(2);
}

static void copy_file(FILE *to, const char *path)
{
    static char block[1 << 16];
    FILE *from = fopen(path, "rb");
    size_t n;
    if (from == NULL) {
        bundle_die("cannot read", path);
    }
    while ((n = fread(block, 1, sizeof block, from)) > 0) {
        fwrite(block, 1, n, to);
    }
    fclose(from);
}

static FILE *begin_file(const bundle *b, const char *field, const char *name, const char *type)
{
    char path[4096];
    FILE *f;
    if (b->out != NULL) {
        fprintf(b->out,
                "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"; "
                "filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
                field, name, type);
        return b->out;
    }
    snprintf(path, sizeof path, "%s/%s", b->dir, name);
    f = fopen(path, "wb");
    if (f == NULL) {
        bundle_die("cannot write", path);
    }
    return f;
}

static void end_file(const bundle *b, FILE *f)
{
    if (b->out != NULL) {
        fputs("\r\n", f);
    } else if (fclose(f) != 0) {
        bundle_die("cannot write a file of", b->dir);
    }
}

static void put_value(const bundle *b, const char *field, const char *value)
{
    fprintf(b->out, "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
            field, value);
}

/* --- metadata --------------------------------------------------------------------------------- */

enum { TAGS = 14 };

static void make_tags(char tags[TAGS][128], const options *o)
{
    static const char *const languages[] = {"go", "java", "python", "php", "node.js", "dotnet"};
    static const char *const archs[] = {"amd64", "arm64"};
    const char *language = languages[o->seed % 6];
    const char *const made[TAGS][2] = {
        {"service", "shop-%llu"},
        {"env", "test%llu"},
        {"version", "1.%llu.0"},
        {"host", "host-%llu"},
        {"runtime-id", "run-%llu"},
        {"language", NULL},
        {"runtime", NULL},
        {"runtime_version", "%llu.2"},
        {"runtime_os", "linux"},
        {"runtime_arch", NULL},
        {"profiler_version", "v1.%llu"},
        {"process_id", "%llu"},
        {"team", "a b:c=d%llu"},
        {"empty", ""},
    };
    for (size_t i = 0; i < TAGS; i++) {
        const char *value = made[i][1] != NULL                        ? made[i][1]
                            : strcmp(made[i][0], "runtime_arch") == 0 ? archs[o->seed % 2]
                                                                      : language;
        const char *percent = strchr(value, '%');
        if (percent == NULL) {
            snprintf(tags[i], 128, "%s:%s", made[i][0], value);
        } else {
            snprintf(tags[i], 128, "%s:%.*s%llu%s", made[i][0], (int)(percent - value), value,
                     (unsigned long long)o->seed, percent + 4);
        }
    }
}

static void time_text(char text[40], uint64_t seed, unsigned minute)
{
    snprintf(text, 40, "2024-%02u-%02uT%02u:%02u:%02u.%09u+08:00", (unsigned)(1 + seed % 12),
             (unsigned)(1 + seed % 28), (unsigned)(seed % 24), minute, (unsigned)(seed % 60),
             (unsigned)(seed * 7919 % 1000000000));
}

static const char *family_of(const options *o)
{
    static const char *const families[] = {"go", "java", "python", "php", "node", "dotnet"};
    return families[o->seed % 6];
}

static void put_event(const bundle *b)
{
    char tags[TAGS][128];
    char start[40], end[40];
    FILE *f = begin_file(b, "event", "event.json", "application/json");
    make_tags(tags, b->o);
    time_text(start, b->o->seed, 10);
    time_text(end, b->o->seed, 11);
    fputs("{\"attachments\":[", f);
    for (size_t i = 0; i < b->o->file_n; i++) {
        fprintf(f, "%s\"%s\"", i == 0 ? "" : ",", b->o->files[i].name);
    }
    fputs("],\"tags_profiler\":\"", f);
    for (size_t i = 0; i < TAGS; i++) {
        fprintf(f, "%s%s", i == 0 ? "" : ",", tags[i]);
    }
    fprintf(f,
            "\",\"start\":\"%s\",\"end\":\"%s\",\"family\":\"%s\",\"version\":\"4\","
            "\"format\":\"%s\",\"profiler\":\"ddtrace\",\"sub_custom_tags\":\"zone:z%llu\","
            "\"info\":{\"platform\":{\"cores\":8},\"flags\":[\"a\",\"b\"]}}",
            start, end, family_of(b->o), b->o->format, (unsigned long long)b->o->seed);
    end_file(b, f);
}

static void put_values(const bundle *b)
{
    char tags[TAGS][128];
    char start[40], end[40];
    make_tags(tags, b->o);
    time_text(start, b->o->seed, 10);
    time_text(end, b->o->seed, 11);
    put_value(b, "version", "3");
    put_value(b, "family", family_of(b->o));
    put_value(b, "format", b->o->format);
    put_value(b, "recording-start", start);
    put_value(b, "recording-end", end);
    for (size_t i = 0; i < TAGS; i++) {
        put_value(b, "tags[]", tags[i]);
    }
    put_value(b, "note", "one");
    put_value(b, "note", "two");
}

/* --- all ----------------------------------------------------------------------------------------
 */

static uint64_t length_of(FILE *f)
{
    long n = ftell(f);
    return n < 0 ? 0 : (uint64_t)n;
}

static void put_files(const bundle *b)
{
    for (size_t i = 0; i < b->o->file_n; i++) {
        const bundle_file *file = &b->o->files[i];
        FILE *f = begin_file(b, file->name, file->name, "application/octet-stream");
        copy_file(f, file->path);
        end_file(b, f);
    }
}

static void put_request(FILE *out, FILE *body)
{
    static char block[1 << 16];
    size_t n;
    fprintf(out,
            "POST /profiling/v1/input?trace=1 HTTP/1.1\r\nHost: localhost:9529\r\n"
            "User-Agent: mkprofile\r\nContent-Type: multipart/form-data; boundary=\"%s\"\r\n"
            "Content-Length: %llu\r\n\r\n",
            BOUNDARY, (unsigned long long)length_of(body));
    rewind(body);
    while ((n = fread(block, 1, sizeof block, body)) > 0) {
        fwrite(block, 1, n, out);
    }
}

void write_bundle(const options *o)
{
    bundle b = {.o = o, .dir = o->output};
    bool request = strcmp(o->shape, "request") == 0;
    bool event = strcmp(o->style, "event") == 0;
    FILE *out = NULL;
    if (strcmp(o->shape, "directory") == 0) {
        if (!event && strcmp(o->style, "none") != 0) {
            bundle_die("a directory has no form values", o->style);
        }
        (void)mkdir(o->output, 0777);
    } else {
        out = fopen(o->output, "w+b");
        b.out = request ? tmpfile() : out;
        if (b.out == NULL) {
            bundle_die("cannot write", o->output);
        }
    }
    if (event) {
        put_event(&b);
    } else if (strcmp(o->style, "tags") == 0) {
        put_values(&b);
    }
    put_files(&b);
    if (b.out != NULL) {
        fputs("--" BOUNDARY "--\r\n", b.out);
    }
    if (request) {
        put_request(out, b.out);
        fclose(b.out);
    }
    if (out != NULL && fclose(out) != 0) {
        bundle_die("cannot write", o->output);
    }
}
