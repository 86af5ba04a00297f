#include "cli/export_folder.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "base/vec.h"
#include "export/columns/day.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char success[] = "_SUCCESS";

typedef struct folder_file {
    char *name; /* below the folder */
    ts_nameless file;
} folder_file;

static bool is_hive(const ts_export_folder *f)
{
    return f->options->layout == TS_LAYOUT_HIVE;
}

/* --- the folder ------------------------------------------------------------------------------- */

void ts_export_folder_close(ts_export_folder *f)
{
    folder_file *files = f->files.p;
    if (f->ctx == NULL) {
        return;
    }
    for (size_t i = 0; i < f->files.n; i++) {
        ts_nameless_free(&files[i].file);
        ts_free(f->ctx, files[i].name);
    }
    ts_vec_free(f->ctx, &f->files);
    if (f->folder.dir >= 0) {
        (void)f->ctx->sys.close(f->ctx->sys.user, f->folder.dir);
    }
    if (f->made) {
        (void)rmdir(f->folder.path); /* unless it has files */
    }
    *f = (ts_export_folder){0};
}

/* --- names ------------------------------------------------------------------------------------ */

static ts_code find_day(ts_export_folder *f, ts_reader *reader)
{
    int64_t day;
    bool known;
    struct tm tm;
    TS_TRY(ts_recording_day(&day, &known, reader));
    const time_t when = known ? (time_t)(day * 86400) : time(NULL);
    if (gmtime_r(&when, &tm) == NULL || strftime(f->day, sizeof f->day, "%Y-%m-%d", &tm) == 0) {
        return ts_fail(f->ctx, TS_ERR_INPUT, "the recording's day has no name: %" PRId64, day);
    }
    return TS_OK;
}

/* The beginning of the database's SHA-256. */
static ts_code find_recording(ts_export_folder *f, int fd)
{
    enum { BLOCK = 256 * 1024 };
    ts_sha256 sum;
    uint8_t digest[32];
    ssize_t got = 1;
    ts_code code = TS_OK;
    uint8_t *block = ts_alloc(f->ctx, BLOCK, 1);
    TS_NEED(f->ctx, block);
    ts_sha256_init(&sum);
    for (off_t at = 0; code == TS_OK && got > 0; at += got) {
        got = ts_sys_pread_all(f->ctx, fd, block, BLOCK, at);
        if (got < 0) {
            code = ts_fail(f->ctx, TS_ERR_INPUT, "cannot read the database: %s", strerror(errno));
        } else {
            ts_sha256_add(&sum, block, (size_t)got);
            code = ts_check_cancel(f->ctx);
        }
    }
    ts_sha256_end(&sum, digest);
    for (size_t i = 0; i < (sizeof f->recording - 1) / 2; i++) {
        (void)snprintf(f->recording + 2 * i, 3, "%02x", digest[i]);
    }
    ts_free(f->ctx, block);
    return code;
}

/* The path of the file of this name, or of what is beside it. */
static ts_code path_of(char **out, const ts_export_folder *f, const char *name, const char *beside)
{
    ts_buf path = {0};
    const char *ending = strrchr(name, '.');
    const size_t n = ending == NULL ? strlen(name) : (size_t)(ending - name);
    ts_code code = is_hive(f) ? ts_buf_printf(f->ctx, &path, "%.*s/day=%s/recording=%s/", (int)n,
                                              name, f->day, f->recording)
                              : TS_OK;
    TS_STEP(code, beside != NULL ? ts_buf_printf(f->ctx, &path, "%s", beside)
                  : is_hive(f)   ? ts_buf_printf(f->ctx, &path, "part%s", name + n)
                                 : ts_buf_printf(f->ctx, &path, "%s", name));
    TS_STEP(code, ts_copy_text(out, f->ctx, path.p, path.n));
    ts_buf_free(f->ctx, &path);
    return code;
}

/* Refuses a name that is taken. */
static ts_code check_free(const ts_export_folder *f, const char *name)
{
    struct stat st;
    bool exists = fstatat(f->folder.dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists) {
        return errno == ENOENT ? TS_OK : ts_nameless_cannot(&f->folder, "write", name, errno);
    }
    if (!f->options->force) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT,
                       "a file of this name exists (--force replaces it): path=\"%s/%s\"",
                       f->folder.path, name);
    }
    return S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)
               ? TS_OK
               : ts_nameless_cannot(&f->folder, "replace", name,
                                    S_ISDIR(st.st_mode) ? EISDIR : EEXIST);
}

/* The file of a table that this export may write, of one recording; caller frees it. */
static ts_code table_path(char **out, const ts_export_folder *f, enum ts_table_id table)
{
    ts_buf name = {0};
    ts_code code = ts_buf_printf(f->ctx, &name, "%s%s", ts_schema[table].name, f->what->extension);
    TS_STEP(code, ts_copy_text(out, f->ctx, name.p, name.n));
    ts_buf_free(f->ctx, &name);
    return code;
}

/* Early, before the work is done: a folder with a file of any table is that of a recording. */
static ts_code check_tables(const ts_export_folder *f)
{
    ts_code code = TS_OK;
    for (unsigned id = 0; !is_hive(f) && code == TS_OK && id < TS_TABLE_COUNT; id++) {
        char *name = NULL;
        code = table_path(&name, f, id);
        TS_STEP(code, check_free(f, name));
        ts_free(f->ctx, name);
    }
    return code;
}

static bool is_written(const ts_export_folder *f, const char *name)
{
    const folder_file *files = f->files.p;
    size_t i = 0;
    while (i < f->files.n && strcmp(files[i].name, name) != 0) {
        i++;
    }
    return i < f->files.n;
}

/* Removes files that an earlier export wrote, of tables without rows in this one. */
static ts_code remove_others(const ts_export_folder *f)
{
    const ts_sys *sys = &f->ctx->sys;
    ts_code code = TS_OK;
    for (unsigned id = 0; code == TS_OK && id < TS_TABLE_COUNT; id++) {
        char *name = NULL;
        code = table_path(&name, f, id);
        if (code == TS_OK && !is_written(f, name) &&
            sys->unlinkat(sys->user, f->folder.dir, name) != 0 && errno != ENOENT) {
            code = ts_nameless_cannot(&f->folder, "remove", name, errno);
        }
        ts_free(f->ctx, name);
    }
    return code;
}

/* The folders of a path. */
static ts_code make_folders(const ts_export_folder *f, const char *name)
{
    char part[NAME_MAX * 3];
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        if (mkdirat(f->folder.dir, part, 0777) != 0 && errno != EEXIST) {
            return ts_nameless_cannot(&f->folder, "make the folder of", name, errno);
        }
    }
    return TS_OK;
}

ts_code ts_export_folder_open(ts_export_folder *f, ts_ctx *ctx, const ts_export *what,
                              const ts_options *options)
{
    const char *path = options->out;
    *f = (ts_export_folder){.ctx = ctx, .options = options, .what = what};
    f->folder = (ts_nameless_folder){ctx, -1, path, "the file of --to", 0};
    if (strcmp(path, "-") == 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s writes a folder: give -o DIR, not -",
                       what->name);
    }
    f->made = mkdir(path, 0777) == 0;
    if (!f->made && errno != EEXIST) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot make the folder of -o: path=\"%s\": %s", path,
                       strerror(errno));
    }
    f->folder.dir = ts_sys_open(ctx, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (f->folder.dir < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot open the folder of -o: path=\"%s\": %s", path,
                       strerror(errno));
    }
    return check_tables(f);
}

/* --- files ------------------------------------------------------------------------------------ */

static folder_file *last_file(const ts_export_folder *f)
{
    return f->files.n == 0 ? NULL : (folder_file *)f->files.p + f->files.n - 1;
}

/* What was put into the last file is in it. */
static ts_code end_file(ts_export_folder *f)
{
    folder_file *file = last_file(f);
    if (file == NULL || file->file.fd < 0) {
        return TS_OK;
    }
    ts_code code = ts_output_end(&f->out, TS_OK);
    if (code == TS_OK && f->options->sync && ts_sys_fsync(f->ctx, file->file.fd) != 0) {
        code = ts_nameless_cannot(&f->folder, "write", file->name, errno);
    }
    TS_STEP(code, ts_nameless_end(&file->file, file->name));
    return code;
}

static ts_code begin_file(ts_export_folder *f, const char *name, const char *beside)
{
    TS_TRY(end_file(f));
    folder_file *file = ts_vec_add(f->ctx, &f->files, sizeof *file);
    TS_NEED(f->ctx, file);
    file->file.fd = -1;
    TS_TRY(path_of(&file->name, f, name, beside));
    TS_TRY(check_free(f, file->name));
    TS_TRY(ts_nameless_open(&file->file, &f->folder, file->name));
    ts_output_init(&f->out, f->ctx, file->file.fd, file->name);
    return TS_OK;
}

/* The last file is not wanted. */
static void drop_file(ts_export_folder *f)
{
    folder_file *file = last_file(f);
    ts_output_free(&f->out);
    ts_nameless_free(&file->file);
    ts_free(f->ctx, file->name);
    f->files.n--;
}

static ts_code folder_begin(void *user, const char *name)
{
    ts_export_folder *f = user;
    char *path = NULL;
    TS_TRY(path_of(&path, f, name, NULL));
    const folder_file *file = last_file(f);
    const bool again = file != NULL && strcmp(file->name, path) == 0;
    ts_free(f->ctx, path);
    if (again) {
        drop_file(f);
    }
    return begin_file(f, name, NULL);
}

static ts_code folder_put(void *user, const char *p, size_t n)
{
    ts_export_folder *f = user;
    f->written += n;
    if (f->options->max_output > 0 && f->written > f->options->max_output) {
        return ts_fail(f->ctx, TS_ERR_LIMIT,
                       "the files would be longer than %" PRIu64 " bytes: give --max-output=SIZE",
                       f->options->max_output);
    }
    return ts_output_put(&f->out, p, n);
}

/* Marks of the folders of a hive, after all that they mark. */
static ts_code add_marks(ts_export_folder *f)
{
    const size_t tables = f->files.n;
    ts_code code = TS_OK;
    for (size_t i = 0; is_hive(f) && code == TS_OK && i < tables; i++) {
        const char *name = ((folder_file *)f->files.p)[i].name;
        char table[NAME_MAX];
        (void)snprintf(table, sizeof table, "%.*s.", (int)strcspn(name, "/"), name);
        code = begin_file(f, table, success);
    }
    return code;
}

ts_code ts_export_folder_write(ts_export_folder *f, ts_db *db, ts_reader *reader, int fd)
{
    const ts_export_output output = {f, folder_put, folder_begin};
    const ts_export_input input = {.side = {.reader = reader, .title = ""}};
    ts_code code = ts_export_fits(db, f->ctx, f->what);
    TS_STEP_IF(code, is_hive(f), find_day(f, reader));
    TS_STEP_IF(code, is_hive(f), find_recording(f, fd));
    TS_STEP(code, ts_export_run(f->ctx, f->what, &input, &output));
    TS_STEP(code, add_marks(f));
    TS_STEP(code, end_file(f));
    ts_output_free(&f->out);
    return code;
}

ts_code ts_export_folder_publish(ts_export_folder *f)
{
    folder_file *files = f->files.p;
    for (size_t i = 0; i < f->files.n; i++) {
        TS_TRY(make_folders(f, files[i].name));
        TS_TRY(ts_nameless_name(&files[i].file, files[i].name, f->options->force));
        f->made = false;
    }
    if (f->ctx != NULL && f->options->force && !is_hive(f)) {
        TS_TRY(remove_others(f));
    }
    return f->ctx != NULL && f->options->sync && ts_sys_fsync(f->ctx, f->folder.dir) != 0
               ? ts_nameless_cannot(&f->folder, "write", ".", errno)
               : TS_OK;
}
