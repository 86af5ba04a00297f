/*
 * Functions of files that the recording names only, by the programs and libraries of a folder
 * (--symbols). A file gets a row in perf_files for each of its functions that a frame is in, with
 * numbers in the order of their first frames. Names of C++ and Rust stay as they are in the files;
 * exports and views show them as they are written (--demangle).
 */
#include "parsers/perf/perf_data.h"

#include "base/utf8.h"
#include "symbols/kernel_module.h"

enum { MISC_SIZE = 1 << 15 }; /* the build id says how many bytes it has */

/* --- the folder --------------------------------------------------------------------------------
 */

ts_code perfd_open_folder(perfd *r)
{
    return r->ctx->symbols == NULL || r->shared->folder != NULL
               ? TS_OK
               : ts_symbol_folder_open(&r->shared->folder, r->ctx, r->ctx->symbols);
}

void perfd_close_folder(ts_ctx *ctx, void *bytes)
{
    perfd_shared *shared = (perfd_shared *)bytes;
    (void)ctx;
    ts_symbol_folder_close(shared->folder);
}

/* --- build ids ---------------------------------------------------------------------------------
 */

ts_code perfd_build_id(perfd *r, uint32_t path, const uint8_t *p, size_t n)
{
    ts_build_id id = {.n = (uint8_t)(n < TS_BUILD_ID ? n : TS_BUILD_ID)};
    if (r->shared->folder == NULL || n == 0) {
        return TS_OK;
    }
    memcpy(id.bytes, p, id.n);
    perfd_path *info = (perfd_path *)r->path_info.p + path;
    if (info->build_id != 0) { /* the last one counts */
        ((ts_build_id *)r->build_ids.p)[info->build_id - 1] = id;
        return TS_OK;
    }
    TS_TRY(ts_vec_push(r->ctx, &r->build_ids, &id, sizeof id));
    info->build_id = (uint32_t)r->build_ids.n;
    return TS_OK;
}

ts_code perfd_read_build_ids(bool *good, perfd_cursor *c)
{
    enum { ID = 12, NAME = 36, USUAL = 20 };
    perfd *r = c->r;
    *good = true;
    while (*good && c->at < c->end) {
        const uint64_t at = c->at;
        uint8_t head[NAME];
        const uint8_t *p;
        uint32_t path;
        ts_text name;
        TS_TRY(perfd_take(&p, c, NAME));
        *good = p != NULL && perfd_u16(p + 6) >= NAME && perfd_u16(p + 6) <= c->end - at;
        if (!*good) {
            return TS_OK;
        }
        memcpy(head, p, NAME);
        TS_TRY(perfd_take(&p, c, perfd_u16(head + 6) - (size_t)NAME));
        name = (ts_text){(const char *)p, strnlen((const char *)p, perfd_u16(head + 6) - NAME)};
        TS_TRY(ts_utf8_text(&name, r->ctx, &r->clean, &r->bad_texts));
        TS_TRY(perfd_path_id(&path, r, name));
        const size_t n = (perfd_u16(head + 4) & MISC_SIZE) != 0 ? head[ID + USUAL] : USUAL;
        TS_TRY(perfd_build_id(r, path, head + ID, n < USUAL ? n : USUAL));
    }
    return TS_OK;
}

/* --- files -------------------------------------------------------------------------------------
 */

static ts_build_id build_id_of(const perfd *r, const perfd_path *path)
{
    const ts_build_id none = {0};
    return path->build_id == 0 ? none : ((const ts_build_id *)r->build_ids.p)[path->build_id - 1];
}

static const char kallsyms[] = "[kernel.kallsyms]";

/* The kernel, if a map of it says where it was: "[kernel.kallsyms]_text", and that as its place. */
static bool find_kernel(ts_kernel *out, perfd *r)
{
    const perfd_map *maps = r->kernel.p;
    for (size_t i = 0; i < r->kernel.n; i++) {
        const ts_text name = ts_pool_text(&r->paths, maps[i].name);
        if (ts_text_begins(name, kallsyms) && name.n >= sizeof kallsyms) {
            *out = (ts_kernel){
                .release = ts_text_of(r->release == NULL ? "" : r->release),
                .id = build_id_of(r, (const perfd_path *)r->path_info.p + maps[i].path),
                .mark = ts_text_from(name, sizeof kallsyms - 1),
                .at = maps[i].pgoff,
            };
            return true;
        }
    }
    return false;
}

static ts_code find_kernel_functions(perfd *r, perfd_file *file, const perfd_path *path)
{
    const ts_build_id id = build_id_of(r, path);
    ts_kernel kernel;
    const bool known = find_kernel(&kernel, r);
    file->of_kernel = true;
    if (path->kind != PERFD_KERNEL) {
        return ts_symbol_folder_module(&file->elf, r->shared->folder, known ? &kernel : NULL,
                                       ts_pool_text(&r->paths, file->path), &id);
    }
    return known ? ts_symbol_folder_kernel(&file->elf, &file->moved, r->shared->folder, &kernel)
                 : TS_OK;
}

ts_code perfd_find_elf(perfd *r, uint32_t number, const perfd_map *map)
{
    perfd_file *file = (perfd_file *)r->files.p + number;
    const perfd_path *path = (const perfd_path *)r->path_info.p + file->path;
    const perfd_map *kernel = r->kernel.p;
    if (r->shared->folder != NULL && r->kernel.n > 0 && map >= kernel &&
        map < kernel + r->kernel.n) {
        TS_TRY(find_kernel_functions(r, file, path));
    } else if (r->shared->folder != NULL && path->kind == PERFD_ELF && !path->anonymous) {
        const ts_build_id id = build_id_of(r, path);
        TS_TRY(ts_symbol_folder_find(&file->elf, r->shared->folder,
                                     ts_pool_text(&r->paths, file->path), &id));
    }
    return file->elf != NULL ? TS_OK : perfd_put_file(r, number, -1, TS_TEXT_NULL);
}

/* A function that is met for the first time. */
static ts_code add_function(uint64_t *value, perfd *r, uint32_t number, ts_text raw,
                            uint64_t address)
{
    perfd_file *file = (perfd_file *)r->files.p + number;
    const uint32_t serial = file->functions.count;
    uint64_t replaced = 0;
    perfd_named named;
    ts_text name = raw;
    TS_TRY(ts_utf8_text(&name, r->ctx, &r->clean, &replaced));
    TS_TRY(perfd_put_file(r, number, serial, name));
    TS_TRY(perfd_make_name(&named, r, name, ts_pool_text(&r->paths, file->path)));
    TS_TRY(ts_vec_push(r->ctx, &r->named, &named, sizeof named));
    *value = (uint64_t)serial << 32 | (r->named.n - 1);
    return ts_idmap_put(r->ctx, &file->functions, (int64_t)address, *value);
}

/* Where debug information alone is known, by a map that is as long as the code. */
static const ts_symbol *find_in_debug(ts_text *name, uint64_t *v, perfd_file *file,
                                      const perfd_map *map, uint64_t place)
{
    uint64_t vaddr;
    if (file->code_size == 0 && ts_elf_code(&vaddr, file->elf, map->end - map->start)) {
        file->code_at = map->pgoff;
        file->code_size = map->end - map->start;
        file->code_vaddr = vaddr;
    }
    if (place < file->code_at || place - file->code_at >= file->code_size) {
        return NULL;
    }
    *v = place - file->code_at + file->code_vaddr;
    return ts_elf_at(name, file->elf, *v);
}

/* The same in the kernel or in a module, which has no name of another one. */
static const ts_symbol *find_in_kernel(ts_text *name, uint64_t *v, const perfd *r,
                                       const perfd_file *file, uint64_t ip, const perfd_map *map)
{
    const perfd_path *path = (const perfd_path *)r->path_info.p + file->path;
    const ts_text module = path->kind == PERFD_KERNEL
                               ? TS_TEXT_NULL
                               : ts_module_name(ts_pool_text(&r->paths, file->path));
    *v = ip - (file->elf->module ? map->start : file->moved);
    return ts_elf_kernel_at(name, file->elf, *v, module);
}

/* Its name, and the address *v, as the file counts. */
static const ts_symbol *find_symbol(ts_text *name, uint64_t *v, const perfd *r, perfd_file *file,
                                    uint64_t ip, const perfd_map *map, uint64_t place)
{
    const ts_symbol *found;
    if (file->of_kernel) {
        return find_in_kernel(name, v, r, file, ip, map);
    }
    found = ts_elf_find(name, v, file->elf, place);
    return found != NULL || ts_elf_has(file->elf, place) ? found
                                                         : find_in_debug(name, v, file, map, place);
}

ts_code perfd_find_function(bool *found, perfd *r, perfd_frame *f, uint32_t number,
                            const perfd_map *map, uint64_t place)
{
    perfd_file *file = (perfd_file *)r->files.p + number;
    const ts_symbol *symbol;
    uint64_t value;
    uint64_t v;
    ts_text name;
    *found =
        file->elf != NULL && (symbol = find_symbol(&name, &v, r, file, f->ip, map, place)) != NULL;
    if (!*found) {
        return TS_OK;
    }
    const uint64_t moved = file->moved;
    if (!ts_idmap_find(&value, &file->functions, (int64_t)symbol->address)) {
        TS_TRY(add_function(&value, r, number, name, symbol->address));
    }
    f->symbol = (uint32_t)(value >> 32);
    f->vaddr = symbol->address + moved;
    f->offset = v - symbol->address;
    f->name = ((const perfd_named *)r->named.p)[(uint32_t)value];
    return TS_OK;
}

ts_code perfd_end_files(perfd *r)
{
    const perfd_file *files = (const perfd_file *)r->files.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < r->files.n; i++) {
        if (files[i].elf != NULL && files[i].functions.count == 0) {
            code = perfd_put_file(r, (uint32_t)i, -1, TS_TEXT_NULL);
        }
    }
    return code;
}
