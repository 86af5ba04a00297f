#include "symbols/symbol_folder.h"

#include "base/alloc.h"
#include "base/pool.h"
#include "symbols/kernel_module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A file of ELF. */
typedef struct folder_file {
    ts_build_id id;
    char *path; /* below the folder */
} folder_file;

/* A directory that is still to be looked through. */
typedef struct folder_part {
    char *path; /* below the folder; "" is itself */
    unsigned depth;
} folder_part;

/* What was asked for, with its answer. */
typedef struct folder_answer {
    bool found;
    ts_elf elf;
} folder_answer;

struct ts_symbol_folder {
    ts_ctx *ctx;
    char *path;
    ts_vec files;          /* by path */
    ts_vec parts;          /* while it is looked through */
    bool more;             /* files were left out */
    ts_pool asked;         /* path, NUL and build id */
    ts_vec answers;        /* folder_answer *, by the numbers of `asked` */
    char *kallsyms;        /* below the folder; NULL: there is none */
    folder_answer *listed; /* what it says; NULL: not read yet */
};

/* --- looking through it ------------------------------------------------------------------------
 */

/* a/b, or b. NULL: memory. */
static char *joined(ts_ctx *ctx, const char *a, const char *b)
{
    ts_buf text = {0};
    ts_code code = *a == '\0' ? TS_OK : ts_buf_printf(ctx, &text, "%s/", a);
    TS_STEP(code, ts_buf_printf(ctx, &text, "%s", b));
    TS_STEP(code, ts_buf_putc(ctx, &text, '\0'));
    if (code != TS_OK) {
        ts_buf_free(ctx, &text);
    }
    return code == TS_OK ? text.p : NULL;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The build id in .build-id/ab/cdef.debug, or without the ending. */
static void id_of_path(ts_build_id *id, const char *path)
{
    static const char mark[] = ".build-id/";
    const char *p = strstr(path, mark);
    ts_build_id found = {0};
    if (p == NULL) {
        return;
    }
    p += sizeof mark - 1;
    while (found.n < TS_BUILD_ID && digit(p[0]) >= 0 && digit(p[1]) >= 0) {
        found.bytes[found.n++] = (uint8_t)(digit(p[0]) << 4 | digit(p[1]));
        p += 2;
        p += found.n == 1 && *p == '/' ? 1 : 0;
    }
    if (found.n > 1 && (*p == '\0' || strcmp(p, ".debug") == 0)) {
        *id = found;
    }
}

/* A regular file is kept when it is ELF. */
static ts_code look_at(ts_symbol_folder *f, const char *path)
{
    ts_ctx *ctx = f->ctx;
    folder_file file = {0};
    bool good = false;
    char *whole;
    TS_NEED(ctx, whole = joined(ctx, f->path, path));
    const int fd = ts_sys_open(ctx, whole, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    ts_code code = fd < 0 ? TS_OK : ts_elf_identify(&good, &file.id, ctx, fd);
    if (fd >= 0) {
        ctx->sys.close(ctx->sys.user, fd);
    }
    ts_free(ctx, whole);
    if (code != TS_OK || !good) {
        return code;
    }
    if (file.id.n == 0) {
        id_of_path(&file.id, path);
    }
    TS_NEED(ctx, file.path = ts_strndup(ctx, path, strlen(path)));
    code = ts_vec_push(ctx, &f->files, &file, sizeof file);
    if (code != TS_OK) {
        ts_free(ctx, file.path);
    }
    return code;
}

static ts_code add_part(ts_symbol_folder *f, char *path, unsigned depth)
{
    const folder_part part = {path, depth};
    const ts_code code = ts_vec_push(f->ctx, &f->parts, &part, sizeof part);
    if (code != TS_OK) {
        ts_free(f->ctx, path);
    }
    return code;
}

/* The first one, by path. */
static ts_code keep_kallsyms(ts_symbol_folder *f, char *path)
{
    if (f->kallsyms == NULL || strcmp(path, f->kallsyms) < 0) {
        char *other = f->kallsyms;
        f->kallsyms = path;
        path = other;
    }
    ts_free(f->ctx, path);
    return TS_OK;
}

/* Something in a directory. */
static ts_code take_entry(ts_symbol_folder *f, const folder_part *in, const struct dirent *entry,
                          int dir)
{
    struct stat st;
    char *path;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
        fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return TS_OK;
    }
    if (S_ISDIR(st.st_mode) && in->depth < TS_FOLDER_DEPTH) {
        TS_NEED(f->ctx, path = joined(f->ctx, in->path, entry->d_name));
        return add_part(f, path, in->depth + 1);
    }
    if (!S_ISREG(st.st_mode)) {
        return TS_OK;
    }
    if (f->files.n == TS_FOLDER_FILES) {
        f->more = true;
        return TS_OK;
    }
    TS_NEED(f->ctx, path = joined(f->ctx, in->path, entry->d_name));
    if (strcmp(entry->d_name, "kallsyms") == 0) {
        return keep_kallsyms(f, path);
    }
    const ts_code code = look_at(f, path);
    ts_free(f->ctx, path);
    return code;
}

static ts_code look_through(ts_symbol_folder *f, const folder_part *part)
{
    char *whole;
    TS_NEED(f->ctx, whole = joined(f->ctx, f->path, part->path));
    DIR *dir = opendir(whole);
    ts_code code = TS_OK;
    if (dir == NULL && *part->path == '\0') {
        code = ts_fail(f->ctx, TS_ERR_INPUT, "cannot read %s: %s", f->path, strerror(errno));
    }
    for (const struct dirent *entry = NULL;
         dir != NULL && code == TS_OK && (entry = readdir(dir)) != NULL;) {
        code = ts_check_cancel(f->ctx);
        TS_STEP(code, take_entry(f, part, entry, dirfd(dir)));
    }
    if (dir != NULL) {
        closedir(dir);
    }
    ts_free(f->ctx, whole);
    return code;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const folder_file *)a)->path, ((const folder_file *)b)->path);
}

static ts_code look_through_all(ts_symbol_folder *f)
{
    char *root;
    TS_NEED(f->ctx, root = ts_strndup(f->ctx, "", 0));
    ts_code code = add_part(f, root, 0);
    while (code == TS_OK && f->parts.n > 0) {
        const folder_part part = ((const folder_part *)f->parts.p)[--f->parts.n];
        code = look_through(f, &part);
        ts_free(f->ctx, part.path);
    }
    if (f->files.n > 1) {
        qsort(f->files.p, f->files.n, sizeof(folder_file), by_path);
    }
    return code;
}

ts_code ts_symbol_folder_open(ts_symbol_folder **out, ts_ctx *ctx, const char *path)
{
    ts_symbol_folder *f;
    *out = NULL;
    TS_NEED(ctx, f = (ts_symbol_folder *)ts_zalloc(ctx, 1, sizeof *f));
    f->ctx = ctx;
    f->path = ts_strndup(ctx, path, strlen(path));
    ts_code code = f->path == NULL ? ctx->error.code : look_through_all(f);
    if (code != TS_OK) {
        ts_symbol_folder_close(f);
        return code;
    }
    *out = f;
    return TS_OK;
}

/* --- finding -----------------------------------------------------------------------------------
 */

static ts_text last_part(ts_text path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/') {
        at--;
    }
    return ts_text_from(path, at);
}

static ts_code add_file(folder_answer *a, ts_symbol_folder *f, const folder_file *file)
{
    ts_ctx *ctx = f->ctx;
    bool good = false;
    char *whole;
    TS_NEED(ctx, whole = joined(ctx, f->path, file->path));
    const int fd = ts_sys_open(ctx, whole, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    const ts_code code = fd < 0 ? TS_OK : ts_elf_add(&good, &a->elf, ctx, fd);
    if (fd >= 0) {
        ctx->sys.close(ctx->sys.user, fd);
    }
    ts_free(ctx, whole);
    a->found = a->found || good;
    return code;
}

/* All files with the build id: the program itself, its debug information. */
static ts_code add_by_id(folder_answer *a, ts_symbol_folder *f, const ts_build_id *id)
{
    const folder_file *files = (const folder_file *)f->files.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && id->n > 0 && i < f->files.n; i++) {
        if (ts_build_id_equal(&files[i].id, id)) {
            code = add_file(a, f, &files[i]);
        }
    }
    return code;
}

/* May the file be the one that was mapped? */
static bool may_be(const folder_file *file, const ts_build_id *id)
{
    return id->n == 0 || file->id.n == 0;
}

/* The name, maybe with the ending of debug information. */
static bool is_named(ts_text one, ts_text name)
{
    static const char ending[] = ".debug";
    const bool debug = one.n == name.n + sizeof ending - 1 && ts_text_ends(one, ending);
    return name.n > 0 && (one.n == name.n || debug) && memcmp(one.p, name.p, name.n) == 0;
}

static bool is_of_module(ts_text one, ts_text module)
{
    return module.n > 0 && ts_module_equal(ts_module_name(one), module);
}

/* The file at the path, else the first of its name, or of that of the module. */
static const folder_file *find_by_path(const ts_symbol_folder *f, ts_text path,
                                       const ts_build_id *id)
{
    const folder_file *files = (const folder_file *)f->files.p;
    const folder_file *named = NULL;
    const ts_text name = last_part(path);
    const ts_text module = ts_module_name(path);
    while (path.n > 0 && path.p[0] == '/') {
        path = ts_text_from(path, 1);
    }
    for (size_t i = 0; i < f->files.n; i++) {
        const ts_text one = ts_text_of(files[i].path);
        if (!may_be(&files[i], id)) {
            continue;
        }
        if (ts_text_equal(one, path)) {
            return &files[i];
        }
        if (named == NULL && (is_named(last_part(one), name) || is_of_module(one, module))) {
            named = &files[i];
        }
    }
    return named;
}

static ts_code find(folder_answer *a, ts_symbol_folder *f, ts_text path, const ts_build_id *id)
{
    TS_TRY(add_by_id(a, f, id));
    const folder_file *file = a->found ? NULL : find_by_path(f, path, id);
    if (file != NULL) {
        const ts_build_id own = file->id;
        TS_TRY(add_file(a, f, file));
        if (a->found && own.n > 0) { /* debug information of that file */
            ts_elf_free(f->ctx, &a->elf);
            TS_TRY(add_by_id(a, f, &own));
        }
    }
    return ts_elf_finish(&a->elf, f->ctx);
}

ts_code ts_symbol_folder_find(const ts_elf **out, ts_symbol_folder *f, ts_text path,
                              const ts_build_id *id)
{
    ts_ctx *ctx = f->ctx;
    ts_buf key = {0};
    folder_answer *answer = NULL;
    uint32_t number = 0;
    bool added = false;
    *out = NULL;
    ts_code code = ts_buf_put(ctx, &key, path.p, path.n);
    TS_STEP(code, ts_buf_putc(ctx, &key, '\0'));
    TS_STEP(code, ts_buf_put(ctx, &key, id->bytes, id->n));
    TS_STEP(code, ts_vec_reserve(ctx, &f->answers, 1, sizeof answer));
    TS_STEP(code, ts_pool_intern(ctx, &number, &added, &f->asked, ts_buf_text(&key)));
    ts_buf_free(ctx, &key);
    if (code != TS_OK) {
        return code;
    }
    folder_answer **answers = (folder_answer **)f->answers.p;
    if (added) {
        TS_NEED(ctx, answer = (folder_answer *)ts_zalloc(ctx, 1, sizeof *answer));
        answers[f->answers.n++] = answer;
        TS_TRY(find(answer, f, path, id));
    }
    answer = answers[number];
    *out = answer->found ? &answer->elf : NULL;
    return TS_OK;
}

/* --- the kernel --------------------------------------------------------------------------------
 */

/* Where the mark of the recording is in what the folder has; 0: nowhere. */
static uint64_t mark_in(const ts_elf *elf, const ts_kernel *kernel)
{
    return ts_text_is(kernel->mark, "_text")    ? elf->text
           : ts_text_is(kernel->mark, "_stext") ? elf->stext
                                                : 0;
}

static ts_code read_list(ts_symbol_folder *f)
{
    ts_ctx *ctx = f->ctx;
    char *whole;
    TS_NEED(ctx, f->listed = (folder_answer *)ts_zalloc(ctx, 1, sizeof *f->listed));
    TS_NEED(ctx, whole = joined(ctx, f->path, f->kallsyms));
    const int fd = ts_sys_open(ctx, whole, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    ts_code code = fd < 0 ? TS_OK : ts_elf_add_kallsyms(&f->listed->elf, ctx, fd);
    TS_STEP(code, ts_elf_finish(&f->listed->elf, ctx));
    if (fd >= 0) {
        ctx->sys.close(ctx->sys.user, fd);
    }
    ts_free(ctx, whole);
    return code;
}

static ts_code find_vmlinux(const ts_elf **out, ts_symbol_folder *f, const ts_kernel *kernel)
{
    ts_buf path = {0};
    ts_code code = ts_buf_printf(f->ctx, &path, "/boot/vmlinux-%.*s", (int)kernel->release.n,
                                 kernel->release.n == 0 ? "" : kernel->release.p);
    TS_STEP(code, ts_symbol_folder_find(out, f, ts_buf_text(&path), &kernel->id));
    TS_STEP_IF(code, *out == NULL,
               ts_symbol_folder_find(out, f, TS_TEXT_LIT("/vmlinux"), &kernel->id));
    ts_buf_free(f->ctx, &path);
    return code;
}

/* The list, if it is of the same start of the machine. */
static ts_code find_list(const ts_elf **out, ts_symbol_folder *f, const ts_kernel *kernel)
{
    *out = NULL;
    if (f->kallsyms != NULL && f->listed == NULL) {
        TS_TRY(read_list(f));
    }
    if (f->listed != NULL && kernel->at != 0 && mark_in(&f->listed->elf, kernel) == kernel->at) {
        *out = &f->listed->elf;
    }
    return TS_OK;
}

ts_code ts_symbol_folder_kernel(const ts_elf **out, uint64_t *moved, ts_symbol_folder *f,
                                const ts_kernel *kernel)
{
    *moved = 0;
    TS_TRY(find_vmlinux(out, f, kernel));
    if (*out != NULL && mark_in(*out, kernel) != 0) {
        *moved = kernel->at - mark_in(*out, kernel);
        return TS_OK;
    }
    return find_list(out, f, kernel);
}

static bool has_id(const ts_symbol_folder *f, const ts_build_id *id)
{
    const folder_file *files = (const folder_file *)f->files.p;
    bool has = false;
    for (size_t i = 0; !has && id->n > 0 && i < f->files.n; i++) {
        has = ts_build_id_equal(&files[i].id, id);
    }
    return has;
}

ts_code ts_symbol_folder_module(const ts_elf **out, ts_symbol_folder *f, const ts_kernel *kernel,
                                ts_text path, const ts_build_id *id)
{
    const ts_text module = ts_module_name(path);
    *out = NULL;
    if (kernel != NULL && !has_id(f, id)) {
        TS_TRY(find_list(out, f, kernel));
    }
    if (module.n == 0 || (*out != NULL && ts_elf_lists(*out, module))) {
        *out = module.n == 0 ? NULL : *out;
        return TS_OK;
    }
    TS_TRY(ts_symbol_folder_find(out, f, path, id));
    *out = *out != NULL && (*out)->module ? *out : NULL;
    return TS_OK;
}

uint64_t ts_symbol_folder_count(bool *more, const ts_symbol_folder *f)
{
    *more = f->more;
    return f->files.n;
}

void ts_symbol_folder_close(ts_symbol_folder *f)
{
    if (f == NULL) {
        return;
    }
    ts_ctx *ctx = f->ctx;
    for (size_t i = 0; i < f->files.n; i++) {
        ts_free(ctx, ((folder_file *)f->files.p)[i].path);
    }
    for (size_t i = 0; i < f->parts.n; i++) {
        ts_free(ctx, ((folder_part *)f->parts.p)[i].path);
    }
    for (size_t i = 0; i < f->answers.n; i++) {
        ts_elf_free(ctx, &((folder_answer **)f->answers.p)[i]->elf);
        ts_free(ctx, ((folder_answer **)f->answers.p)[i]);
    }
    ts_vec_free(ctx, &f->files);
    ts_vec_free(ctx, &f->parts);
    ts_vec_free(ctx, &f->answers);
    ts_pool_free(ctx, &f->asked);
    if (f->listed != NULL) {
        ts_elf_free(ctx, &f->listed->elf);
    }
    ts_free(ctx, f->listed);
    ts_free(ctx, f->kallsyms);
    ts_free(ctx, f->path);
    ts_free(ctx, f);
}
