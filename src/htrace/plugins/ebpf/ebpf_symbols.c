/*
 * What is at an address: the map of the process that holds it, the file that is mapped, and the
 * function of that file or of the kernel.
 *
 * Of symbol tables only their places are kept until a frame lies in their file; then their
 * functions are read (24 bytes each). Names stay where they are until a frame needs one. What was
 * found for an address of a process is kept, because stacks share most of their frames.
 */
#include "htrace/plugins/ebpf/ebpf.h"

#include "base/utf8.h"
#include "symbols/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MOST = 64 << 10, ELF_ENTRY_READ = 24 * 1024, KERNEL_ENTRY = 16 };

typedef struct ebpf_map {
    uint64_t start;
    uint64_t end;
    uint32_t pid;
    uint32_t offset; /* in the file */
    uint32_t file;
    uint32_t number; /* in the order of the section */
} ebpf_map;

typedef struct ebpf_elf {
    uint64_t vaddr; /* of its code, and where that is in the file */
    uint64_t offset;
    ebpf_table table;
} ebpf_elf;

/* --- texts --------------------------------------------------------------------------------------
 */

ts_code ebpf_text(ts_text *out, ebpf *e, ts_buf *b, uint64_t pos, uint64_t n)
{
    uint64_t replaced = 0;
    const uint8_t *p;
    size_t have;
    const size_t want = n < TEXT_MOST ? (size_t)n : TEXT_MOST;
    b->n = 0;
    TS_TRY(ts_window_get(&p, &have, &e->bytes, pos, want < 256 ? want : 256));
    have = have < want ? have : want;
    if (have < want && memchr(p, 0, have) == NULL) {
        TS_TRY(ts_window_get(&p, &have, &e->bytes, pos, want));
        have = have < want ? have : want;
    }
    const char *end = have == 0 ? NULL : (const char *)memchr(p, 0, have);
    TS_TRY(ts_buf_put(e->ctx, b, p == NULL ? (const uint8_t *)"" : p,
                      end == NULL ? have : (size_t)(end - (const char *)p)));
    *out = ts_buf_text(b);
    TS_TRY(ts_utf8_text(out, e->ctx, &e->symbols.clean, &replaced));
    e->replaced += replaced > 0;
    return TS_OK;
}

static ts_code file_number(uint32_t *file, ebpf *e, uint64_t pos, uint64_t n)
{
    ebpf_symbols *s = &e->symbols;
    ts_text name;
    bool added;
    TS_TRY(ebpf_text(&name, e, &s->text, pos, n));
    TS_TRY(ts_pool_intern(e->ctx, file, &added, &s->files, name));
    if (added) {
        TS_NEED(e->ctx, ts_vec_add(e->ctx, &s->elf_of, sizeof(uint32_t)));
    }
    return TS_OK;
}

/* --- what a section says ------------------------------------------------------------------------
 */

/* As many of `want` bytes as the item has after `at`. */
static uint32_t clip(const ebpf_item *item, uint64_t at, uint32_t want)
{
    const uint64_t left = at < item->length ? item->length - at : 0;
    return want < left ? want : (uint32_t)left;
}

ts_code ebpf_add_maps(ebpf *e, const ebpf_item *item)
{
    const uint8_t *p = item->fixed;
    ebpf_map map = {.start = ebpf_u64(p),
                    .end = ebpf_u64(p + 8),
                    .offset = ebpf_u32(p + 16),
                    .pid = ebpf_u32(p + 20),
                    .number = (uint32_t)e->symbols.maps.n};
    TS_TRY(file_number(&map.file, e, item->pos + 28, clip(item, 28, ebpf_u32(p + 24))));
    return ts_vec_push(e->ctx, &e->symbols.maps, &map, sizeof map);
}

/* Whether the sizes of a symbol table can be; an issue says that they cannot. */
static ts_code check_table(ebpf *e, const ebpf_item *item, bool known, uint64_t needed)
{
    if (!known) {
        e->lost = true;
        return ebpf_issue(e, ebpf_symbols, item->pos - EBPF_ITEM,
                          "entries have a size that is not known");
    }
    if (needed != item->length) {
        e->lost = true;
        return ebpf_issue(e, ebpf_symbols, item->pos - EBPF_ITEM,
                          "the parts of an item of %" PRIu32 " bytes have %" PRIu64, item->length,
                          needed);
    }
    return TS_OK;
}

ts_code ebpf_add_elf(ebpf *e, const ebpf_item *item)
{
    const uint8_t *p = item->fixed;
    ebpf_elf elf = {.vaddr = ebpf_u64(p),
                    .offset = ebpf_u32(p + 8),
                    .table = {.strings = item->pos + 28, .entry_size = ebpf_u32(p + 24)}};
    const uint64_t needed =
        28 + (uint64_t)ebpf_u32(p + 12) + ebpf_u32(p + 16) + (uint64_t)ebpf_u32(p + 20);
    const bool known = ts_symbols_elf_size(elf.table.entry_size) || ebpf_u32(p + 16) == 0;
    uint32_t file;
    TS_TRY(check_table(e, item, known, needed));
    if (needed != item->length) {
        return TS_OK; /* its name is its last part */
    }
    elf.table.strings_n = ebpf_u32(p + 12);
    elf.table.entries = elf.table.strings + elf.table.strings_n;
    elf.table.entries_n = known ? ebpf_u32(p + 16) : 0;
    TS_TRY(file_number(&file, e, elf.table.entries + ebpf_u32(p + 16), ebpf_u32(p + 20)));
    uint32_t *place = (uint32_t *)e->symbols.elf_of.p + file;
    if (*place != 0) {
        return TS_OK; /* the first of a name counts */
    }
    TS_TRY(ts_vec_push(e->ctx, &e->symbols.elves, &elf, sizeof elf));
    *place = (uint32_t)e->symbols.elves.n;
    return TS_OK;
}

ts_code ebpf_add_kernel(ebpf *e, const ebpf_item *item)
{
    const uint8_t *p = item->fixed;
    ebpf_symbols *s = &e->symbols;
    TS_TRY(check_table(e, item, true, 24 + (uint64_t)ebpf_u32(p + 16) + ebpf_u32(p + 20)));
    ts_symbols_free(e->ctx, &s->kernel.symbols);
    s->has_kernel = true;
    s->kernel_first = ebpf_u64(p);
    s->kernel_last = ebpf_u64(p + 8);
    s->kernel = (ebpf_table){
        .entries = item->pos + 24,
        .entries_n = clip(item, 24, ebpf_u32(p + 16)),
        .entry_size = KERNEL_ENTRY,
    };
    s->kernel.strings = s->kernel.entries + s->kernel.entries_n;
    s->kernel.strings_n = clip(item, 24 + (uint64_t)s->kernel.entries_n, ebpf_u32(p + 20));
    return TS_OK;
}

static int by_start(const void *a, const void *b)
{
    const ebpf_map *x = (const ebpf_map *)a;
    const ebpf_map *y = (const ebpf_map *)b;
    if (x->pid != y->pid) {
        return x->pid < y->pid ? -1 : 1;
    }
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->number < y->number ? -1 : 1;
}

void ebpf_symbols_ready(ebpf *e)
{
    if (e->symbols.maps.n > 1) {
        qsort(e->symbols.maps.p, e->symbols.maps.n, sizeof(ebpf_map), by_start);
    }
}

/* --- tables -------------------------------------------------------------------------------------
 */

static ts_code add_kernel_entries(ebpf *e, ebpf_table *t, const uint8_t *p, size_t n)
{
    for (size_t at = 0; at + KERNEL_ENTRY <= n; at += KERNEL_ENTRY) {
        const uint32_t name = ebpf_u32(p + at + 12);
        const ts_symbol symbol = {
            .address = ebpf_u64(p + at),
            .size = ebpf_u32(p + at + 8),
            .name = name < t->strings_n ? name : TS_SYMBOL_NAMELESS,
        };
        TS_TRY(ts_symbols_add(e->ctx, &t->symbols, symbol));
    }
    return TS_OK;
}

static ts_code read_table(ebpf *e, ebpf_table *t, bool kernel)
{
    const uint32_t entries_n =
        t->entry_size == 0 ? 0 : t->entries_n / t->entry_size * t->entry_size;
    const size_t most = kernel ? KERNEL_ENTRY * 1024 : t->entry_size * 1024;
    if (t->read) {
        return TS_OK;
    }
    t->read = true;
    for (uint32_t at = 0; at < entries_n;) {
        const size_t want = entries_n - at < most ? entries_n - at : most;
        const uint8_t *p;
        size_t n;
        TS_TRY(ts_window_get(&p, &n, &e->bytes, t->entries + at, want));
        n = n < want ? n : want;
        if (kernel) {
            TS_TRY(add_kernel_entries(e, t, p, n));
        } else {
            const ts_text entries = {(const char *)p, n};
            TS_TRY(ts_symbols_add_elf(e->ctx, &t->symbols, entries, t->entry_size, t->strings_n));
        }
        at += (uint32_t)want;
    }
    return ts_symbols_sort(e->ctx, &t->symbols, kernel ? TS_SYMBOL_FIRST : TS_SYMBOL_LAST);
}

/* The name of the function at v; NULL without one. */
static ts_code find_name(ts_text *out, ebpf *e, ebpf_table *t, uint64_t v, bool kernel)
{
    ebpf_symbols *s = &e->symbols;
    *out = TS_TEXT_NULL;
    TS_TRY(read_table(e, t, kernel));
    const ts_symbol *found = ts_symbols_find(&t->symbols, v);
    if (found == NULL || (kernel && found->size == 0)) {
        return TS_OK;
    }
    TS_TRY(ebpf_text(out, e, &s->text, t->strings + found->name, t->strings_n - found->name));
    if (out->n == 0) {
        *out = TS_TEXT_NULL;
    }
    return out->p == NULL ? TS_OK : ts_demangle(out, e->ctx, &s->name, *out);
}

/* --- frames -------------------------------------------------------------------------------------
 */

/* The process's map with the greatest start that is not above ip, if it holds ip. */
static const ebpf_map *find_map(const ebpf_symbols *s, uint32_t pid, uint64_t ip)
{
    const ebpf_map *maps = (const ebpf_map *)s->maps.p;
    size_t below = 0;
    size_t above = s->maps.n;
    while (below < above) {
        const size_t middle = below + (above - below) / 2;
        if (maps[middle].pid < pid || (maps[middle].pid == pid && maps[middle].start <= ip)) {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    const ebpf_map *map = below == 0 ? NULL : &maps[below - 1];
    return map != NULL && map->pid == pid && ip < map->end ? map : NULL;
}

static ts_code put_method(ebpf_frame *f, ebpf *e, ts_text name, ts_text file)
{
    const ts_method method = {.name = name, .library = file};
    return ts_stack_method(&f->method, e->store, e->source_id, &method);
}

/* The frame of an address that lies in no file, or in no function of the kernel. */
static ts_code bare_frame(ebpf_frame *f, ebpf *e)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "0x%" PRIx64, f->ip);
    return put_method(f, e, (ts_text){text, (size_t)n}, TS_TEXT_NULL);
}

static ts_code kernel_frame(ebpf_frame *f, ebpf *e)
{
    const ts_text file = TS_TEXT_LIT("/proc/kallsyms");
    ts_text name;
    TS_TRY(find_name(&name, e, &e->symbols.kernel, f->ip, true));
    if (name.p == NULL) {
        return bare_frame(f, e);
    }
    TS_TRY(ts_dict(&f->symbol, e->store, name));
    TS_TRY(ts_dict(&f->file, e->store, file));
    return put_method(f, e, name, file);
}

/* The last part of the file's path, and the place in it. */
static ts_code place_in_file(ts_text *out, ebpf *e, ts_text file, uint64_t v)
{
    ts_buf *b = &e->symbols.name;
    const char *slash = file.n == 0 ? NULL : (const char *)memrchr(file.p, '/', file.n);
    const ts_text last = slash == NULL ? file : ts_text_from(file, (size_t)(slash - file.p) + 1);
    b->n = 0;
    TS_TRY(ts_buf_put(e->ctx, b, last.p, last.n));
    TS_TRY(ts_buf_printf(e->ctx, b, "+0x%" PRIx64, v));
    *out = ts_buf_text(b);
    return TS_OK;
}

static ts_code user_frame(ebpf_frame *f, ebpf *e, const ebpf_map *map)
{
    ebpf_symbols *s = &e->symbols;
    const ts_text file = ts_pool_text(&s->files, map->file);
    const uint32_t place = ((const uint32_t *)s->elf_of.p)[map->file];
    uint64_t v = f->ip - map->start + map->offset;
    ts_text name = TS_TEXT_NULL;
    if (place != 0) {
        ebpf_elf *elf = (ebpf_elf *)s->elves.p + place - 1;
        v += elf->vaddr - elf->offset;
        TS_TRY(find_name(&name, e, &elf->table, v, false));
    }
    TS_TRY(ts_dict(&f->file, e->store, file));
    if (name.p != NULL) {
        TS_TRY(ts_dict(&f->symbol, e->store, name));
    } else {
        TS_TRY(place_in_file(&name, e, file, v));
    }
    return put_method(f, e, name, file);
}

static bool is_frame(const void *owner, uint32_t number, const void *key)
{
    const ebpf_frame *f = (const ebpf_frame *)((const ebpf_symbols *)owner)->frames.p + number;
    const ebpf_frame *wanted = (const ebpf_frame *)key;
    return f->ip == wanted->ip && f->pid == wanted->pid;
}

ts_code ebpf_resolve(const ebpf_frame **out, ebpf *e, int64_t pid, uint64_t ip)
{
    ebpf_symbols *s = &e->symbols;
    const bool kernel = s->has_kernel && ip >= s->kernel_first && ip < s->kernel_last;
    ebpf_frame f = {.ip = ip, .pid = kernel ? -1 : pid, .symbol = -1, .file = -1};
    ts_index_place place;
    TS_TRY(ts_index_reserve(e->ctx, &s->frame_index));
    ts_hash h = ts_hash_begin(&s->frame_index.key);
    ts_hash_word(&h, (uint64_t)f.pid);
    ts_hash_word(&h, ip);
    uint32_t number = ts_index_search(&place, &s->frame_index, ts_hash_end(&h), is_frame, s, &f);
    if (number == TS_INDEX_NONE) {
        const ebpf_map *map = kernel ? NULL : find_map(s, (uint32_t)pid, ip);
        TS_TRY(kernel        ? kernel_frame(&f, e)
               : map != NULL ? user_frame(&f, e, map)
                             : bare_frame(&f, e));
        TS_TRY(ts_vec_push(e->ctx, &s->frames, &f, sizeof f));
        number = (uint32_t)s->frames.n - 1;
        ts_index_add(&s->frame_index, place, number);
    }
    *out = (const ebpf_frame *)s->frames.p + number;
    return TS_OK;
}

void ebpf_symbols_free(ebpf *e)
{
    ebpf_symbols *s = &e->symbols;
    ts_ctx *ctx = e->host->ctx;
    for (size_t i = 0; i < s->elves.n; i++) {
        ts_symbols_free(ctx, &((ebpf_elf *)s->elves.p)[i].table.symbols);
    }
    ts_symbols_free(ctx, &s->kernel.symbols);
    ts_vec_free(ctx, &s->maps);
    ts_vec_free(ctx, &s->elves);
    ts_vec_free(ctx, &s->elf_of);
    ts_vec_free(ctx, &s->frames);
    ts_index_free(ctx, &s->frame_index);
    ts_pool_free(ctx, &s->files);
    ts_buf_free(ctx, &s->text);
    ts_buf_free(ctx, &s->clean);
    ts_buf_free(ctx, &s->name);
    *s = (ebpf_symbols){0};
}
