/*
 * Copies of databases with the rows of the analyses that the page needs (serve/api/derived.h), made
 * by a process that is forked before the server has threads.
 *
 * It looks at the databases twice a second. One that has heaps and no analysis of them is copied
 * into the cache with its rows, as `--analyze=heap -e COPY` does; the database itself is only read.
 * The name of a copy holds a hash of the database's path and one of what the file was, so another
 * server finds it, and one of an earlier file is known and removed. At most CACHE_MOST copies stay,
 * those that were used last. The folder belongs to this user alone, else it is not used.
 *
 * The process ends with the server, also when that is killed (PR_SET_PDEATHSIG); a copy that is not
 * whole has another name until it is (tables/publish.h).
 */
#include "cli/serve/serve_private.h"

#if TS_SERVE_BUILT

#include "analysis/analysis.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "cli/verbs.h"
#include "serve/http/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 500000000, CACHE_MOST = 32, HASH_DIGITS = 16 };

/* Of names in the cache: equal in every run, unlike that of the context. */
static const ts_hash_key name_key = {{UINT64_C(0x7472616365), UINT64_C(0x73747265616d)}};

typedef struct maker {
    ts_ctx *ctx;
    const ts_serve_files *files;
    const ts_options *options;
    ts_derived *derived;
    ts_buf cache;                       /* the folder; empty: none can be used */
    ts_identity seen[TS_DERIVED_FILES]; /* what was looked at last */
    size_t at;                          /* the database that is worked on */
} maker;

/* --- the folder ------------------------------------------------------------------------------- */

static ts_code cache_path(ts_buf *out, ts_ctx *ctx, const char *given, const char *otherwise)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (given != NULL) {
        return ts_buf_printf(ctx, out, "%s%c", given, 0);
    }
    if (cache != NULL && cache[0] == '/') {
        return ts_buf_printf(ctx, out, "%s/trace_streamer/serve%c", cache, 0);
    }
    if (home != NULL && home[0] == '/') {
        return ts_buf_printf(ctx, out, "%s/.cache/trace_streamer/serve%c", home, 0);
    }
    return ts_buf_printf(ctx, out, "%s%c", otherwise, 0);
}

/* Makes the folder and those above it. TS_ERR_OUTPUT. */
static ts_code cache_make(ts_ctx *ctx, char *path)
{
    struct stat st;
    for (char *p = path + 1; *p != '\0'; p++) {
        if (*p == '/') {
            *p = '\0';
            (void)mkdir(path, 0700);
            *p = '/';
        }
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot make the cache %s: %s", path, strerror(errno));
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & 022) != 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "the cache %s is not a folder of this user alone", path);
    }
    return TS_OK;
}

/* Both hashes as hexadecimal digits, with '-' between and an end. */
static void copy_name(char out[2 * HASH_DIGITS + 8], const maker *m, const ts_identity *of)
{
    char real[PATH_MAX];
    const char *given = m->files->paths[m->at];
    const char *path = realpath(given, real) == NULL ? given : real;
    ts_hash a = ts_hash_begin(&name_key);
    ts_hash b = ts_hash_begin(&name_key);
    ts_hash_bytes(&a, path, strlen(path));
    ts_hash_bytes(&b, m->ctx->version, strlen(m->ctx->version));
    ts_hash_word(&b, (uint64_t)of->dev);
    ts_hash_word(&b, (uint64_t)of->ino);
    ts_hash_word(&b, (uint64_t)of->size);
    ts_hash_word(&b, (uint64_t)of->changed.tv_sec);
    ts_hash_word(&b, (uint64_t)of->changed.tv_nsec);
    (void)snprintf(out, 2 * HASH_DIGITS + 8, "%016" PRIx64 "-%016" PRIx64 ".db", ts_hash_end(&a),
                   ts_hash_end(&b));
}

/* "<16 digits>-<16 digits>.db". */
static bool is_copy(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    if (strspn(name, digits) != HASH_DIGITS || name[HASH_DIGITS] != '-') {
        return false;
    }
    const char *second = name + HASH_DIGITS + 1;
    return strspn(second, digits) == HASH_DIGITS && strcmp(second + HASH_DIGITS, ".db") == 0;
}

/* Removes the copies of what the database was before, or else, when there are many, the one that
 * was used longest ago. */
static void cache_remove_one(const maker *m, const char *keep, bool *again)
{
    DIR *dir = opendir(m->cache.p);
    struct dirent *entry;
    struct timespec least = {0};
    char oldest[2 * HASH_DIGITS + 8] = "";
    size_t count = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        struct stat st;
        if (!is_copy(entry->d_name) || strcmp(entry->d_name, keep) == 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        count++;
        if (strncmp(entry->d_name, keep, HASH_DIGITS) == 0) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
            count--;
        } else if (oldest[0] == '\0' || st.st_atim.tv_sec < least.tv_sec) {
            least = st.st_atim;
            memcpy(oldest, entry->d_name, sizeof oldest);
        }
    }
    *again = count >= CACHE_MOST && unlinkat(dirfd(dir), oldest, 0) == 0;
    if (dir != NULL) {
        (void)closedir(dir);
    }
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Whether it has heaps, and no rows of their analysis. */
static ts_code lacks_analysis(bool *lacks, bool *has, ts_ctx *ctx, const char *path)
{
    ts_reader *reader = NULL;
    ts_db_kind kind = TS_DB_NONE;
    static const enum ts_table_id kinds[][2] = {{TS_T_js_heap_file_detail, TS_T_js_heap_analysis},
                                                {TS_T_java_heap_file, TS_T_java_heap_analysis}};
    *lacks = *has = false;
    ts_code code = ts_db_kind_of(&kind, ctx, path);
    if (code != TS_OK || kind != TS_DB_OURS) {
        return code;
    }
    TS_STEP(code, ts_reader_open(&reader, ctx, path));
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bool heaps = false;
        bool done = false;
        TS_STEP(code, ts_reader_has_rows(&heaps, reader, kinds[i][0]));
        TS_STEP(code, ts_reader_has_rows(&done, reader, kinds[i][1]));
        *lacks = *lacks || (heaps && !done);
        *has = *has || done;
    }
    ts_reader_free(reader);
    *has = code == TS_OK && *has && !*lacks;
    *lacks = code == TS_OK && *lacks;
    return code;
}

static void note_read(void *user, const char *name, uint64_t done, int64_t total)
{
    const maker *m = user;
    (void)name;
    (void)total;
    atomic_store(&m->derived->all[m->at].read, done);
}

/* Makes the copy with the rows of the analysis. */
static ts_code copy_make(const maker *m, const char *path)
{
    ts_options one = {.export_db = path,
                      .analyze = ts_analysis_heap.name,
                      .paths = (const char **)m->files->paths + m->at,
                      .path_count = 1,
                      .force = true,
                      .quiet = true,
                      .level = TS_LEVEL_OFF,
                      .port = TS_NOT_GIVEN,
                      .threads = TS_NOT_GIVEN,
                      .max_memory =
                          m->options->max_memory == 0 ? TS_SERVE_MEMORY : m->options->max_memory};
    ts_error error = {0};
    const ts_convert_watch watch = {{(void *)(uintptr_t)m, note_read}, &error, NULL};
    bool lacks;
    bool has;
    int exit_code = ts_convert_watched(m->ctx, &one, &watch);
    if (exit_code != TS_EXIT_DONE) {
        return ts_fail(m->ctx, TS_ERR_OUTPUT, "%s",
                       error.count > 0 ? error.causes[0] : "the analysis failed");
    }
    TS_TRY(lacks_analysis(&lacks, &has, m->ctx, path));
    return has ? TS_OK
               : ts_fail(m->ctx, TS_ERR_LIMIT,
                         "the analysis of heaps needs more than --max-memory");
}

/* The copy of what the file is: found in the cache, or made. */
static ts_code copy_of(ts_buf *path, maker *m, const ts_identity *now)
{
    static const struct timespec used[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    char name[2 * HASH_DIGITS + 8];
    bool lacks;
    bool has = false;
    bool again = true;
    TS_TRY(cache_make(m->ctx, m->cache.p));
    copy_name(name, m, now);
    TS_TRY(ts_buf_printf(m->ctx, path, "%s/%s%c", m->cache.p, name, 0));
    if (access(path->p, F_OK) == 0 && lacks_analysis(&lacks, &has, m->ctx, path->p) == TS_OK &&
        has) {
        (void)utimensat(AT_FDCWD, path->p, used, 0);
        return TS_OK;
    }
    while (again) {
        cache_remove_one(m, name, &again);
    }
    return copy_make(m, path->p);
}

static ts_code look_at(maker *m, const ts_identity *now)
{
    ts_derived_file *one = &m->derived->all[m->at];
    ts_buf path = {0};
    bool lacks;
    bool has;
    ts_code code = lacks_analysis(&lacks, &has, m->ctx, m->files->paths[m->at]);
    if (code != TS_OK || !lacks) {
        atomic_store(&one->state, has ? TS_DERIVED_DONE : TS_DERIVED_NONE);
        return TS_OK; /* what cannot be read is said by the server */
    }
    atomic_store(&one->read, 0);
    atomic_store(&one->state, TS_DERIVED_RUNS);
    code = copy_of(&path, m, now);
    TS_STEP_IF(code, !ts_derived_add(m->derived, m->at, now, path.p),
               ts_fail(m->ctx, TS_ERR_LIMIT, "too many databases were replaced"));
    ts_buf_free(m->ctx, &path);
    return code;
}

static void look_at_all(maker *m)
{
    for (m->at = 0; m->at < m->files->count && *m->ctx->cancel == 0; m->at++) {
        ts_ctx quiet = *m->ctx;
        ts_identity now;
        if (ts_identity_of(&now, &quiet, m->files->paths[m->at]) != TS_OK ||
            ts_identity_same(&now, &m->seen[m->at])) {
            continue;
        }
        m->seen[m->at] = now;
        if (look_at(m, &now) != TS_OK && *m->ctx->cancel == 0) {
            const char *why = m->ctx->error.count > 0 ? m->ctx->error.causes[0] : "";
            ts_derived_failed(m->derived, m->at, why);
            ts_message(m->ctx, "no analysis of heaps: %s: path=\"%s\"", why,
                       m->files->paths[m->at]);
        }
    }
}

static void make_until_the_end(maker *m)
{
    const struct timespec pause = {0, LOOK_NS};
    while (*m->ctx->cancel == 0) {
        look_at_all(m);
        (void)nanosleep(&pause, NULL);
    }
}

/* --- beginning and end ------------------------------------------------------------------------ */

/* Databases that are known to need one are said to be worked on, so that no page begins without. */
static void mark_all(maker *m)
{
    for (m->at = 0; m->at < m->files->count; m->at++) {
        ts_ctx quiet = *m->ctx;
        bool lacks;
        bool has;
        ts_code code = lacks_analysis(&lacks, &has, &quiet, m->files->paths[m->at]);
        atomic_store(&m->derived->all[m->at].state, code == TS_OK && lacks ? TS_DERIVED_RUNS
                                                    : has                  ? TS_DERIVED_DONE
                                                                           : TS_DERIVED_NONE);
    }
}

static bool is_wanted(ts_ctx *ctx, const ts_options *options)
{
    ts_analysis_set set = 0;
    if (options->analyze == NULL) {
        return true;
    }
    ts_ctx quiet = *ctx;
    for (unsigned i = 0; ts_analysis_choose(&set, &quiet, options->analyze, false) == TS_OK &&
                         ts_analyses[i] != NULL;
         i++) {
        if (ts_analyses[i] == &ts_analysis_heap) {
            return (set >> i & 1) != 0;
        }
    }
    return false;
}

ts_code ts_serve_maker_start(ts_serve_maker *out, ts_serve_files *files, const ts_options *options,
                             int listener)
{
    ts_ctx *ctx = files->ctx;
    maker m = {.ctx = ctx, .files = files, .options = options};
    const pid_t server = getpid();
    *out = (ts_serve_maker){0};
    if (!is_wanted(ctx, options) || (out->derived = ts_derived_open()) == NULL) {
        return TS_OK;
    }
    m.derived = out->derived;
    mark_all(&m);
    TS_TRY(cache_path(&m.cache, ctx, options->cache, ctx->tmpdir));
    out->pid = fork();
    if (out->pid == 0) {
        ts_signals_guard(TS_GUARD_FOLDER, NULL); /* the server's */
        ts_signals_patient();
        (void)close(listener);
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == server) {
            make_until_the_end(&m);
        }
        _exit(0);
    }
    ts_buf_free(ctx, &m.cache);
    return out->pid > 0
               ? TS_OK
               : ts_fail(ctx, TS_ERR_INTERNAL, "cannot start a process: %s", strerror(errno));
}

void ts_serve_maker_stop(ts_serve_maker *one)
{
    ts_serve_process_end(one->pid);
    ts_derived_close(one->derived);
}

#endif
