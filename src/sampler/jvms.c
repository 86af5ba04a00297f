#include "sampler/jvms.h"

#include "sampler/hotspot.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The next argument; false at the end. */
static bool next_argument(ts_text *out, ts_text *rest)
{
    if (rest->n == 0) {
        return false;
    }
    size_t n = strnlen(rest->p, rest->n);
    *out = (ts_text){rest->p, n};
    n += n < rest->n ? 1 : 0;
    *rest = (ts_text){rest->p + n, rest->n - n};
    return true;
}

/* Options whose value is the next argument. */
static bool takes_value(ts_text option)
{
    static const char *const names[] = {"-cp",
                                        "-classpath",
                                        "--class-path",
                                        "-p",
                                        "--module-path",
                                        "--upgrade-module-path",
                                        "--add-modules",
                                        "--add-exports",
                                        "--add-opens",
                                        "--add-reads",
                                        "--enable-native-access",
                                        "--limit-modules",
                                        "--source"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ts_text_is(option, names[i])) {
            return true;
        }
    }
    return false;
}

static bool names_main(ts_text option)
{
    return ts_text_is(option, "-jar") || ts_text_is(option, "-m") || ts_text_is(option, "--module");
}

void ts_jvm_name(char name[TS_JVM_NAME], ts_text command)
{
    ts_text found = TS_TEXT_LIT("java");
    ts_text one;
    size_t n = 0;
    bool more = next_argument(&one, &command); /* the program */
    while (more && next_argument(&one, &command)) {
        if (one.n > 0 && one.p[0] != '-') {
            found = one;
            more = false;
        } else if (names_main(one)) {
            (void)next_argument(&found, &command);
            more = false;
        } else if (takes_value(one)) {
            more = next_argument(&one, &command);
        }
    }
    const char *slash = memrchr(found.p, '/', found.n);
    const char *begin = slash == NULL ? found.p : slash + 1;
    for (const char *p = begin; p < found.p + found.n && n + 1 < TS_JVM_NAME; p++) {
        if (isalnum((unsigned char)*p) || strchr(".$-_", *p) != NULL) {
            name[n++] = *p;
        }
    }
    name[n] = '\0';
    if (n == 0 || name[0] == '.') {
        memcpy(name, "java", sizeof "java");
    }
}

static int by_pid(const void *a, const void *b)
{
    const ts_jvm_found *x = a;
    const ts_jvm_found *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static ts_code add_one(ts_vec *out, ts_ctx *ctx, const char *proc, int pid)
{
    ts_jvm jvm;
    ts_buf text = {0};
    ts_code code = ts_jvm_check(&jvm, ctx, proc, pid);
    TS_STEP(code, ts_jvm_read(&text, &jvm, ctx, "cmdline"));
    if (code == TS_OK) {
        ts_jvm_found *one = ts_vec_add(ctx, out, sizeof *one);
        code = one == NULL ? ctx->error.code : TS_OK;
        if (one != NULL) {
            one->pid = pid;
            ts_jvm_name(one->name,
                        (ts_text){text.p, text.n - 1}); /* without the end that is added */
        }
    }
    ts_buf_free(ctx, &text);
    return code == TS_ERR_USAGE || code == TS_ERR_INPUT ? TS_OK
                                                        : code; /* none that can be sampled */
}

ts_code ts_jvms_find(ts_vec *out, ts_ctx *ctx, const char *proc)
{
    DIR *dir = opendir(proc);
    struct dirent *entry;
    ts_code code = TS_OK;
    out->n = 0;
    while (code == TS_OK && dir != NULL && (entry = readdir(dir)) != NULL) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end == '\0' && pid > 0 && pid <= INT32_MAX && pid != getpid()) {
            code = add_one(out, ctx, proc, (int)pid);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    if (code == TS_OK && out->n > 1) {
        qsort(out->p, out->n, sizeof(ts_jvm_found), by_pid);
    }
    return code;
}
