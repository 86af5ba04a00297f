/*
 * The frames of a sample: addresses with the file, the symbol and the name that the maps of that
 * moment give them. What was found lately is kept by address, maps and context.
 */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"

#include <inttypes.h>

/* --- names -------------------------------------------------------------------------------------
 */

static ts_text last_part(ts_text path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/') {
        at--;
    }
    return ts_text_from(path, at);
}

/* The digits that end a text after a colon; it loses both. False: there are none. */
static bool cut_number(int64_t *out, ts_text *text)
{
    size_t at = text->n;
    int64_t v = 0;
    while (at > 0 && ts_is_digit(text->p[at - 1])) {
        at--;
    }
    if (at == text->n || text->n - at > 9 || at == 0 || text->p[at - 1] != ':') {
        return false;
    }
    for (size_t i = at; i < text->n; i++) {
        v = v * 10 + (text->p[i] - '0');
    }
    *out = v;
    text->n = at - 1;
    return true;
}

/* "name:[url:path:line:column]", as functions of ArkTS are called. */
static void split_script(ts_method *m, ts_text name)
{
    static const char mark[] = ":[url:";
    ts_text place = {NULL, 0};
    size_t name_n = 0;
    int64_t line = 0;
    int64_t column = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (ts_text_begins(ts_text_from(name, i), mark)) {
            name_n = i;
            place = ts_text_from(name, i + sizeof mark - 1);
        }
    }
    if (place.p == NULL || !ts_text_ends(place, "]")) {
        return;
    }
    place.n--;
    if (cut_number(&column, &place) && cut_number(&line, &place)) {
        m->name.n = name_n;
        m->file = place;
        m->has_line = true;
        m->line = line;
    }
}

/* library: NULL where the address is in no file. */
static ts_code make_name(perfd_named *out, perfd *r, ts_text name, ts_text library, bool script)
{
    ts_method method = {.name = name, .library = library};
    int64_t id;
    int64_t dict;
    TS_TRY(ts_dict(&dict, r->store, name));
    out->dict = (uint32_t)dict;
    if (script) {
        split_script(&method, name);
    }
    TS_TRY(ts_stack_method(&id, r->store, r->source_id, &method));
    return ts_paths_frame(&out->step, r->ctx, &r->call_paths, id, 0);
}

ts_code perfd_make_name(perfd_named *out, perfd *r, ts_text name, ts_text library)
{
    return make_name(out, r, name, library, false);
}

/* Of a place in a file, which has one name and no other place has it. */
static ts_code make_only_name(perfd_named *out, perfd *r, ts_text name, ts_text library)
{
    const ts_method method = {.name = name, .library = library};
    int64_t id;
    int64_t dict;
    TS_TRY(ts_dict(&dict, r->store, name));
    out->dict = (uint32_t)dict;
    TS_TRY(ts_stack_method_new(&id, r->store, r->source_id, &method));
    return ts_paths_frame_new(&out->step, r->ctx, &r->call_paths, id);
}

static ts_code make_place_name(perfd_named *out, perfd *r, const perfd_nameless *key, ts_text path)
{
    ts_text file = path.p == NULL ? path : last_part(path);
    r->scratch.n = 0;
    TS_TRY(ts_buf_put(r->ctx, &r->scratch, file.p, file.n));
    TS_TRY(
        ts_buf_printf(r->ctx, &r->scratch, file.p == NULL ? "@0x%" PRIx64 : "+0x%" PRIx64, key->v));
    return make_only_name(out, r, ts_buf_text(&r->scratch), path);
}

static bool is_nameless(const void *owner, uint32_t number, const void *key)
{
    const perfd_nameless *have =
        (const perfd_nameless *)((const perfd *)owner)->nameless.p + number;
    const perfd_nameless *wanted = key;
    return have->v == wanted->v && have->file == wanted->file;
}

/*
 * A place without a symbol is looked up when all frames of the sample are there: their slots come
 * from memory at the same time, then their entries.
 */
static ts_code name_later(perfd *r, perfd_frame *f)
{
    ts_hash h;
    TS_TRY(ts_index_reserve(r->ctx, &r->nameless_index));
    h = ts_hash_begin(&r->nameless_index.key);
    ts_hash_word(&h, f->offset);
    ts_hash_word(&h, f->file);
    f->name = (perfd_named){(uint32_t)ts_hash_end(&h), 0};
    __builtin_prefetch(&r->nameless_index.slots[f->name.dict & (r->nameless_index.slot_count - 1)]);
    return TS_OK;
}

static void fetch_name(const perfd *r, const perfd_frame *f)
{
    const ts_index *index = &r->nameless_index;
    uint32_t number = (uint32_t)index->slots[f->name.dict & (index->slot_count - 1)];
    if (number != 0) {
        __builtin_prefetch((const perfd_nameless *)r->nameless.p + (number - 1));
    }
}

static ts_code name_place(perfd *r, perfd_frame *f)
{
    perfd_nameless key = {.v = f->offset, .file = f->file};
    ts_index_place place;
    uint32_t number;
    TS_TRY(ts_index_reserve(r->ctx, &r->nameless_index));
    number = ts_index_search(&place, &r->nameless_index, f->name.dict, is_nameless, r, &key);
    if (number == TS_INDEX_NONE) {
        const perfd_file *files = r->files.p;
        ts_text path =
            f->file == TS_INDEX_NONE ? TS_TEXT_NULL : ts_pool_text(&r->paths, files[f->file].path);
        number = (uint32_t)r->nameless.n;
        TS_TRY(make_place_name(&key.named, r, &key, path));
        TS_TRY(ts_vec_push(r->ctx, &r->nameless, &key, sizeof key));
        ts_index_add(&r->nameless_index, place, number);
    }
    f->name = ((const perfd_nameless *)r->nameless.p)[number].named;
    return TS_OK;
}

static ts_code name_frames(perfd *r)
{
    perfd_frame *f = r->frames.p;
    const uint32_t *places = r->places.p;
    for (size_t i = 0; i < r->frames.n; i++) {
        if (f[i].name.step == 0) {
            fetch_name(r, &f[i]);
        }
    }
    for (size_t i = 0; i < r->frames.n; i++) {
        if (f[i].name.step == 0) {
            perfd_cached *c = &r->cache[places[i]];
            TS_TRY(name_place(r, &f[i]));
            if (c->frame.ip == f[i].ip && c->frame.file == f[i].file &&
                c->frame.offset == f[i].offset) {
                c->frame.name = f[i].name;
            }
        }
    }
    return TS_OK;
}

static ts_code name_symbol(perfd *r, perfd_frame *f, const perfd_file *file, perfd_symbol *symbol)
{
    const perfd_path *path = (const perfd_path *)r->path_info.p + file->path;
    perfd_named named;
    ts_text name;
    if (symbol->named != 0) {
        f->name = ((const perfd_named *)r->named.p)[symbol->named - 1];
        return TS_OK;
    }
    TS_TRY(perfd_symbol_name(&name, r, file, symbol));
    TS_TRY(
        make_name(&named, r, name, ts_pool_text(&r->paths, file->path), path->kind == PERFD_ARK));
    TS_TRY(ts_vec_push(r->ctx, &r->named, &named, sizeof named));
    symbol->named = (uint32_t)r->named.n;
    f->name = named;
    return TS_OK;
}

/* --- places ------------------------------------------------------------------------------------
 */

static ts_code in_no_file(perfd *r, perfd_frame *f)
{
    f->file = TS_INDEX_NONE;
    f->symbol = TS_INDEX_NONE;
    f->offset = f->ip;
    return name_later(r, f);
}

/* The address in the file, as its symbols count. */
static uint64_t address_in(const perfd_path *path, const perfd_file *file, const perfd_map *map,
                           uint64_t ip)
{
    if (file->place == PERFD_BY_IP) {
        return ip;
    }
    if (file->place == PERFD_BY_START) {
        return ip - map->start - file->text_offset + file->text_vaddr;
    }
    switch (file->place == PERFD_BY_PART ? PERFD_ELF : (perfd_kind)path->kind) {
    case PERFD_KERNEL:
    case PERFD_SERVICE:
        return ip;
    case PERFD_MODULE:
        return ip - map->start;
    default:
        if (!path->known && path->anonymous) {
            return ip;
        }
        return ip - map->start + map->pgoff - file->text_offset + file->text_vaddr;
    }
}

/* The path of a map, whose file is one of the recording's from now on. */
static ts_code path_of(const perfd_path **out, perfd *r, const perfd_map *map)
{
    *out = (const perfd_path *)r->path_info.p + map->path;
    if ((*out)->file == TS_INDEX_NONE) {
        uint32_t added;
        TS_TRY(perfd_add_file(&added, r, map->path));
        TS_TRY(perfd_find_elf(r, added, map));
    }
    return TS_OK;
}

static ts_code in_map(perfd *r, perfd_frame *f, const perfd_map *map)
{
    const perfd_path *path;
    const perfd_file *file;
    uint64_t v;
    bool exact;
    bool found;
    TS_TRY(path_of(&path, r, map));
    file = (const perfd_file *)r->files.p + path->file;
    v = address_in(path, file, map, f->ip);
    exact = file->place == PERFD_BY_KIND &&
            (path->kind == PERFD_V8 || (path->kind == PERFD_ARK && (file->type == PERFD_TYPE_ARK ||
                                                                    file->type == PERFD_TYPE_V8)));
    f->file = path->file;
    f->symbol = perfd_find_symbol(r, file, exact ? f->ip : v, exact);
    f->offset = v;
    if (f->symbol != TS_INDEX_NONE) {
        perfd_symbol *symbol = (perfd_symbol *)r->symbols.p + file->first + f->symbol;
        f->vaddr = symbol->vaddr;
        f->offset = exact ? 0 : v - symbol->vaddr;
        return name_symbol(r, f, file, symbol);
    }
    TS_TRY(perfd_find_function(&found, r, f, path->file, map, v));
    return found ? TS_OK : name_later(r, f);
}

/* Of recordings of hiperf the first map of the kernel whose path is a file, else the first that has
 * the address; of others the one that begins nearest to it. That of simpleperf for the kernel has
 * all addresses, and those of modules follow. */
static const perfd_map *find_kernel_map(const perfd *r, uint64_t ip)
{
    const perfd_map *maps = r->kernel.p;
    const perfd_map *found = NULL;
    const bool usual = !r->hiperf && !r->simpleperf;
    for (size_t i = 0; i < r->kernel.n; i++) {
        const bool after = maps[i].start < ip || (usual && maps[i].start == ip);
        if (!after || ip >= maps[i].end) {
            continue;
        }
        if (r->hiperf && ((const perfd_path *)r->path_info.p)[maps[i].path].known) {
            return &maps[i];
        }
        if (found == NULL || r->simpleperf || (usual && maps[i].start > found->start)) {
            found = &maps[i];
        }
    }
    return found;
}

static bool is_known(const perfd *r, const perfd_map *map)
{
    return map != NULL && ((const perfd_path *)r->path_info.p)[map->path].known;
}

/* --- frames ------------------------------------------------------------------------------------
 */

/* Where addresses are looked up. */
typedef struct space {
    const perfd_maps *maps; /* of the process, or NULL */
    bool service;
} space;

/*
 * An address of the kernel in none of its maps: after the end of the kernel's own, up to the next
 * map, may be functions that are gone once it has started, such as start_kernel.
 */
static ts_code after_kernel(perfd *r, perfd_frame *f)
{
    const perfd_map *maps = r->kernel.p;
    const perfd_map *before = NULL;
    bool found = false;
    for (size_t i = 0; r->shared->folder != NULL && i < r->kernel.n; i++) {
        if (maps[i].start <= f->ip && (before == NULL || maps[i].start > before->start)) {
            before = &maps[i];
        }
    }
    if (before != NULL && ((const perfd_path *)r->path_info.p)[before->path].kind == PERFD_KERNEL) {
        const perfd_path *path;
        TS_TRY(path_of(&path, r, before));
        f->file = path->file;
        TS_TRY(perfd_find_function(&found, r, f, path->file, before, f->ip));
    }
    return found ? TS_OK : in_no_file(r, f);
}

static ts_code find_frame(perfd *r, perfd_frame *f, const space *in, perfd_context context)
{
    const perfd_map *map = NULL;
    f->vaddr = 0;
    if (in->service) {
        map = perfd_find_map(in->maps, f->ip);
        map = is_known(r, map) ? map : NULL;
    }
    if (map == NULL && (context == PERFD_IN_USER || context == PERFD_IN_UNKNOWN)) {
        map = perfd_find_map(in->maps, f->ip);
    }
    if (map == NULL && (context == PERFD_IN_KERNEL || context == PERFD_IN_UNKNOWN)) {
        map = find_kernel_map(r, f->ip);
        if (map == NULL) {
            return after_kernel(r, f);
        }
    }
    return map == NULL ? in_no_file(r, f) : in_map(r, f, map);
}

/* Asks for the frame of an address; there is room for it. What may be known of it begins to come
 * from memory. */
static void ask_frame(perfd *r, const space *in, perfd_context context, uint64_t ip)
{
    bool kernel = context == PERFD_IN_KERNEL && !in->service;
    uint32_t maps = kernel || in->maps == NULL ? 0 : in->maps->version;
    uint32_t key = (uint32_t)context + 1 + (in->service ? 8 : 0);
    uint64_t h = (ip ^ (uint64_t)maps << 40 ^ (uint64_t)key << 20) * (r->ctx->hash_key.k[0] | 1);
    uint32_t place = (uint32_t)(h >> (64 - r->cache_bits));
    ((uint32_t *)r->places.p)[r->places.n++] = place;
    ((perfd_asked *)r->asked.p)[r->asked.n++] = (perfd_asked){ip, in->maps, maps, key};
    __builtin_prefetch(&r->cache[place]);
}

static ts_code answer(perfd *r, const perfd_asked *asked, uint32_t place)
{
    perfd_cached *c = &r->cache[place];
    if (c->frame.ip != asked->ip || c->context != asked->context || c->maps != asked->version ||
        c->kernel != r->kernel_version) {
        const space in = {asked->maps, asked->context > 8};
        c->context = 0; /* until it is known */
        c->frame.ip = asked->ip;
        TS_TRY(find_frame(r, &c->frame, &in, (perfd_context)((asked->context - 1) & 7)));
        c->context = asked->context;
        c->maps = asked->version;
        c->kernel = r->kernel_version;
    }
    ((perfd_frame *)r->frames.p)[r->frames.n++] = c->frame;
    return TS_OK;
}

/* Addresses from here on are marks: what follows is of the kernel, of a process ... */
#define FIRST_MARK (UINT64_MAX - 4094)

static perfd_context context_of(uint64_t mark)
{
    switch ((int64_t)mark) {
    case -128:
        return PERFD_IN_KERNEL;
    case -512:
        return PERFD_IN_USER;
    case -32:
    case -2048:
    case -2176:
    case -2560:
        return PERFD_IN_NONE;
    default:
        return PERFD_IN_UNKNOWN;
    }
}

/* Of the bits that say where the CPU was. */
static perfd_context first_context(uint16_t misc)
{
    static const perfd_context contexts[8] = {PERFD_IN_UNKNOWN, PERFD_IN_KERNEL, PERFD_IN_USER,
                                              PERFD_IN_NONE,    PERFD_IN_NONE,   PERFD_IN_NONE};
    return contexts[misc & 7];
}

static space space_of(perfd *r, int64_t pid)
{
    return (space){perfd_maps_of(r, pid), perfd_is_service(r, pid)};
}

/* The process whose addresses are in this part of a stack. */
static space space_of_part(perfd *r, const perfd_sample *s, uint64_t part)
{
    bool served = part < s->server_n;
    return space_of(r, served ? (int32_t)(uint32_t)perfd_u64(s->servers + 8 * part) : s->pid);
}

/*
 * The part of a process by its calls that are open, as the hardware kept them (LBR): the address of
 * the recorded stack that it was at, then where each call is. place: after the mark.
 */
static void ask_calls(perfd *r, const perfd_sample *s, const space *in, uint64_t place)
{
    const uint64_t leaf = place < s->ip_n ? perfd_u64(s->ips + 8 * place) : FIRST_MARK;
    const uint64_t first = leaf < FIRST_MARK ? leaf : perfd_u64(s->calls + PERFD_BRANCH_TO);
    if (first > 1) {
        ask_frame(r, in, PERFD_IN_USER, first);
    }
    for (uint64_t i = 0; i < s->call_n; i++) {
        const uint64_t ip = perfd_u64(s->calls + PERFD_BRANCH_ENTRY * i);
        if (ip > 1 && ip < FIRST_MARK) {
            ask_frame(r, in, PERFD_IN_USER, ip);
        }
    }
}

static ts_code reserve_frames(perfd *r, size_t n)
{
    TS_TRY(ts_vec_reserve(r->ctx, &r->places, n, sizeof(uint32_t)));
    TS_TRY(ts_vec_reserve(r->ctx, &r->asked, n, sizeof(perfd_asked)));
    return ts_vec_reserve(r->ctx, &r->frames, n, sizeof(perfd_frame));
}

static ts_code add_frames(perfd *r, const perfd_sample *s, const uint8_t *ips, uint64_t n)
{
    perfd_context context = first_context(s->misc);
    uint64_t part = 0;
    space in = space_of_part(r, s, part);
    bool called = false;
    TS_TRY(reserve_frames(r, (size_t)(n + s->call_n + 2)));
    for (uint64_t i = 0; i < n && !called; i++) {
        uint64_t ip = perfd_u64(ips + 8 * i);
        if (ip >= FIRST_MARK) {
            context = context_of(ip);
            called = context == PERFD_IN_USER && s->call_n > 0;
            if (i > 0 && s->server_n > 0) {
                in = space_of_part(r, s, ++part);
            }
        } else if (ip > 1) {
            ask_frame(r, &in, context, ip);
        }
        if (called) {
            ask_calls(r, s, &in, i + 1);
        }
    }
    /* Where the recorder took the stack as bytes, its registers say what called the kernel. */
    if (s->user_ip > 1 && perfd_flag(s->attr, PERFD_FLAG_NO_USER_CHAIN) &&
        first_context(s->misc) == PERFD_IN_KERNEL) {
        in = space_of(r, s->pid);
        ask_frame(r, &in, PERFD_IN_USER, s->user_ip);
    }
    for (size_t i = 0; i < r->asked.n; i++) {
        TS_TRY(answer(r, (const perfd_asked *)r->asked.p + i, ((uint32_t *)r->places.p)[i]));
    }
    return TS_OK;
}

static ts_code find_frames(perfd *r, const perfd_sample *s)
{
    bool known = false;
    r->frames.n = 0;
    r->places.n = 0;
    r->asked.n = 0;
    r->stack_known = true;
    if (s->has_stack_id) {
        TS_TRY(perfd_expand(&known, r, s->pid, s->stack_id));
        r->stack_known = known;
        if (!known) {
            TS_TRY(PERFD_ISSUE(r, perf_stack_unknown, s->at,
                               "the stack 0x%" PRIx64 " of process %" PRId64 " is not there",
                               s->stack_id, s->pid));
        }
    }
    if (known) {
        return add_frames(r, s, r->expanded.p, r->expanded.n);
    }
    if (s->ip_n > 0) {
        return add_frames(r, s, s->ips, s->ip_n);
    }
    if (s->has_ip) {
        uint8_t ip[8];
        for (unsigned i = 0; i < 8; i++) {
            ip[i] = (uint8_t)(s->ip >> (8 * i));
        }
        return add_frames(r, s, ip, 1);
    }
    return TS_OK;
}

ts_code perfd_resolve(perfd *r, const perfd_sample *s)
{
    TS_TRY(find_frames(r, s));
    return name_frames(r);
}
