/*
 * What is mapped where, and what threads are called. Maps are of processes and in the order of
 * their addresses; a new one replaces what it overlaps, and what is left of the old one keeps its
 * place in the file. A forked process shares the list of its parent until one of them changes.
 */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"

/* --- paths -------------------------------------------------------------------------------------
 */

static bool begins_any(ts_text path, const char *const *with, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        any = any || ts_text_begins(path, with[i]);
    }
    return any;
}

static bool ends_any(ts_text path, const char *const *with, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        any = any || ts_text_ends(path, with[i]);
    }
    return any;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static perfd_kind kind_of(ts_text path)
{
    static const char *const ark[] = {".hap", ".hsp", ".abc", ".hqf"};
    static const char *const v8[] = {"[anon:JSVM_JIT", "[anon:ARKWEB_JIT", "[anon:v8"};
    if (ts_text_is(path, "[kernel.kallsyms]")) {
        return PERFD_KERNEL;
    }
    if (ts_text_is(path, "sysmgr.elf") || ts_text_is(path, "/lib/libdh-linux.so") ||
        ts_text_begins(path, "/liblinux/")) {
        return PERFD_SERVICE;
    }
    if (ts_text_ends(path, ".ko")) {
        return PERFD_MODULE;
    }
    if (ends_any(path, ark, COUNT(ark)) || ts_text_begins(path, "[anon:ArkTS Code")) {
        return PERFD_ARK;
    }
    return begins_any(path, v8, COUNT(v8)) ? PERFD_V8 : PERFD_ELF;
}

/* Is a map of this name one that code is in? Recordings of Linux name files only where code is. */
static bool is_kept(const perfd *r, ts_text path, perfd_kind kind)
{
    static const char *const ends[] = {"]", ".ttf", ".ai"};
    if (path.n == 0) {
        return false;
    }
    if (!r->hiperf || kind == PERFD_ARK || kind == PERFD_V8 || ts_text_ends(path, "[vdso]") ||
        ts_text_ends(path, "[shmm]")) {
        return true;
    }
    return path.p[0] != '[' && memchr(path.p, ':', path.n) == NULL &&
           !ends_any(path, ends, COUNT(ends));
}

ts_code perfd_path_id(uint32_t *id, perfd *r, ts_text path)
{
    static const char *const anonymous[] = {"//anon", "/dev/zero", "/anon_hugepage",
                                            "/SYSV",  "[heap]",    "[stack"};
    perfd_path info = {.file = TS_INDEX_NONE};
    bool added;
    TS_TRY(ts_pool_intern(r->ctx, id, &added, &r->paths, path));
    if (!added) {
        return TS_OK;
    }
    info.kind = (uint8_t)kind_of(path);
    info.kept = is_kept(r, path, info.kind);
    info.anonymous = begins_any(path, anonymous, COUNT(anonymous));
    return ts_vec_push(r->ctx, &r->path_info, &info, sizeof info);
}

/* --- processes ---------------------------------------------------------------------------------
 */

static ts_code process_at(uint32_t *number, perfd *r, int64_t pid)
{
    uint64_t found;
    perfd_process *process;
    if (ts_idmap_find(&found, &r->process_of, pid)) {
        *number = (uint32_t)found;
        return TS_OK;
    }
    *number = (uint32_t)r->processes.n;
    TS_NEED(r->ctx, process = ts_vec_add(r->ctx, &r->processes, sizeof *process));
    process->pid = pid;
    return ts_idmap_put(r->ctx, &r->process_of, pid, *number);
}

const perfd_maps *perfd_maps_of(perfd *r, int64_t pid)
{
    uint64_t found;
    const perfd_process *process = r->processes.p;
    if (!ts_idmap_find(&found, &r->process_of, pid) || process[found].maps == 0) {
        return NULL;
    }
    return (const perfd_maps *)r->maps.p + (process[found].maps - 1);
}

bool perfd_is_service(const perfd *r, int64_t pid)
{
    return r->hongmeng && (pid == 2 || (r->devhost >= 0 && pid == r->devhost));
}

static ts_code new_list(uint32_t *number, perfd *r)
{
    perfd_maps *maps;
    if (r->free_maps.n > 0) {
        *number = ((const uint32_t *)r->free_maps.p)[--r->free_maps.n];
    } else {
        *number = (uint32_t)r->maps.n;
        TS_NEED(r->ctx, ts_vec_add(r->ctx, &r->maps, sizeof *maps));
    }
    maps = (perfd_maps *)r->maps.p + *number;
    *maps = (perfd_maps){.users = 1, .version = ++r->version};
    return TS_OK;
}

static void leave_piece(perfd *r, perfd_piece *piece)
{
    if (--piece->users == 0) {
        ts_free(r->ctx, piece);
    }
}

void perfd_free_maps(perfd *r, perfd_maps *maps)
{
    perfd_piece **pieces = maps->pieces.p;
    for (size_t i = 0; i < maps->pieces.n; i++) {
        leave_piece(r, pieces[i]);
    }
    ts_vec_free(r->ctx, &maps->pieces);
}

/* The process has no maps any more. */
static ts_code leave_list(perfd *r, perfd_process *process)
{
    uint32_t number = process->maps - 1;
    perfd_maps *maps = (perfd_maps *)r->maps.p + number;
    if (process->maps == 0) {
        return TS_OK;
    }
    process->maps = 0;
    if (--maps->users > 0) {
        return TS_OK;
    }
    perfd_free_maps(r, maps);
    return ts_vec_push(r->ctx, &r->free_maps, &number, sizeof number);
}

/* Another list with the same pieces. */
static ts_code copy_list(uint32_t *number, perfd *r, uint32_t old)
{
    perfd_maps *from;
    perfd_maps *to;
    TS_TRY(new_list(number, r));
    from = (perfd_maps *)r->maps.p + old;
    to = (perfd_maps *)r->maps.p + *number;
    TS_TRY(ts_vec_reserve(r->ctx, &to->pieces, from->pieces.n + 1, sizeof(perfd_piece *)));
    for (size_t i = 0; i < from->pieces.n; i++) {
        perfd_piece *piece = ((perfd_piece **)from->pieces.p)[i];
        piece->users++;
        ((perfd_piece **)to->pieces.p)[i] = piece;
    }
    to->pieces.n = from->pieces.n;
    from->users--;
    return TS_OK;
}

/* The list of a process, which is going to change: its own. */
static ts_code own_list(perfd_maps **out, perfd *r, int64_t pid)
{
    uint32_t at;
    uint32_t number;
    perfd_process *process;
    TS_TRY(process_at(&at, r, pid));
    process = (perfd_process *)r->processes.p + at;
    number = process->maps - 1;
    if (process->maps == 0) {
        TS_TRY(new_list(&number, r));
    } else if (((perfd_maps *)r->maps.p)[number].users > 1) {
        TS_TRY(copy_list(&number, r, number));
    }
    process->maps = number + 1;
    *out = (perfd_maps *)r->maps.p + number;
    (*out)->version = ++r->version;
    return TS_OK;
}

/* --- maps --------------------------------------------------------------------------------------
 */

/* A place among the maps of a list. */
typedef struct map_place {
    size_t piece;
    size_t map;
} map_place;

/* The first map that ends after the address. */
static map_place find_place(const perfd_maps *maps, uint64_t ip)
{
    perfd_piece *const *pieces = maps->pieces.p;
    map_place at = {0, 0};
    size_t n = maps->pieces.n;
    while (n > 0) {
        size_t half = n / 2;
        const perfd_piece *piece = pieces[at.piece + half];
        if (piece->maps[piece->n - 1].end <= ip) {
            at.piece += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    while (at.piece < maps->pieces.n && pieces[at.piece]->maps[at.map].end <= ip) {
        at.map++;
    }
    return at;
}

const perfd_map *perfd_find_map(const perfd_maps *maps, uint64_t ip)
{
    const perfd_map *m;
    map_place at;
    if (maps == NULL) {
        return NULL;
    }
    at = find_place(maps, ip);
    if (at.piece == maps->pieces.n) {
        return NULL;
    }
    m = &((perfd_piece *const *)maps->pieces.p)[at.piece]->maps[at.map];
    return m->start <= ip ? m : NULL;
}

/* The piece, which is going to change: of this list only. */
static ts_code own_piece(perfd_piece **out, perfd *r, perfd_maps *maps, size_t number)
{
    perfd_piece **pieces = maps->pieces.p;
    perfd_piece *piece = pieces[number];
    if (piece->users > 1) {
        perfd_piece *copy = ts_alloc(r->ctx, 1, sizeof *copy);
        TS_NEED(r->ctx, copy);
        *copy = *piece;
        copy->users = 1;
        piece->users--;
        pieces[number] = copy;
    }
    *out = pieces[number];
    return TS_OK;
}

/* Makes room for a new piece at this place. */
static ts_code add_piece(perfd_piece **out, perfd *r, perfd_maps *maps, size_t at)
{
    perfd_piece **pieces;
    perfd_piece *piece = NULL;
    TS_TRY(ts_vec_reserve(r->ctx, &maps->pieces, 1, sizeof piece));
    TS_NEED(r->ctx, piece = ts_zalloc(r->ctx, 1, sizeof *piece));
    pieces = maps->pieces.p;
    piece->users = 1;
    memmove(pieces + at + 1, pieces + at, (maps->pieces.n - at) * sizeof(perfd_piece *));
    pieces[at] = piece;
    maps->pieces.n++;
    *out = piece;
    return TS_OK;
}

/* Puts a map before the place, where no other overlaps it. */
static ts_code put_map(perfd *r, perfd_maps *maps, map_place at, const perfd_map *map)
{
    perfd_piece *piece = NULL;
    if (at.piece == maps->pieces.n && at.piece > 0) { /* after the last one */
        at.piece--;
        at.map = ((perfd_piece *const *)maps->pieces.p)[at.piece]->n;
    } else if (at.piece == maps->pieces.n) {
        TS_TRY(add_piece(&piece, r, maps, 0));
        at.map = 0;
    }
    TS_TRY(own_piece(&piece, r, maps, at.piece));
    if (piece->n == PERFD_PIECE) {
        perfd_piece *right = NULL;
        size_t left_n = at.map == PERFD_PIECE ? PERFD_PIECE - 1 : PERFD_PIECE / 2;
        TS_TRY(add_piece(&right, r, maps, at.piece + 1));
        right->n = (uint32_t)(PERFD_PIECE - left_n);
        memcpy(right->maps, piece->maps + left_n, right->n * sizeof *map);
        piece->n = (uint32_t)left_n;
        if (at.map > left_n) {
            piece = right;
            at.map -= left_n;
        }
    }
    memmove(piece->maps + at.map + 1, piece->maps + at.map, (piece->n - at.map) * sizeof *map);
    piece->maps[at.map] = *map;
    piece->n++;
    return TS_OK;
}

static ts_code remove_map(perfd *r, perfd_maps *maps, map_place at)
{
    perfd_piece *piece = NULL;
    TS_TRY(own_piece(&piece, r, maps, at.piece));
    piece->n--;
    memmove(piece->maps + at.map, piece->maps + at.map + 1,
            (piece->n - at.map) * sizeof piece->maps[0]);
    if (piece->n == 0) {
        perfd_piece **pieces = maps->pieces.p;
        leave_piece(r, piece);
        maps->pieces.n--;
        memmove(pieces + at.piece, pieces + at.piece + 1,
                (maps->pieces.n - at.piece) * sizeof(perfd_piece *));
    }
    return TS_OK;
}

/* What it overlaps goes, but for what is before and after it. */
static ts_code insert_map(perfd *r, perfd_maps *maps, const perfd_map *map)
{
    for (;;) {
        map_place at = find_place(maps, map->start);
        perfd_piece *const *pieces = maps->pieces.p;
        perfd_map old;
        if (at.piece == maps->pieces.n || pieces[at.piece]->maps[at.map].start >= map->end) {
            return put_map(r, maps, at, map);
        }
        old = pieces[at.piece]->maps[at.map];
        TS_TRY(remove_map(r, maps, at));
        if (old.start < map->start) {
            perfd_map before = old;
            before.end = map->start;
            TS_TRY(put_map(r, maps, find_place(maps, old.start), &before));
        }
        if (old.end > map->end) {
            perfd_map after = old;
            after.start = map->end;
            after.pgoff += map->end - old.start;
            TS_TRY(put_map(r, maps, find_place(maps, map->end), &after));
        }
    }
}

/* Maps of the kernel stay in their order; one of the same name is replaced. */
static ts_code add_kernel_map(perfd *r, const perfd_map *map, ts_text path)
{
    static const char kallsyms[] = "[kernel.kallsyms]";
    perfd_map added = *map;
    perfd_path *info;
    TS_TRY(perfd_path_id(&added.name, r, path));
    added.path = added.name;
    if (ts_text_begins(path, kallsyms)) {
        TS_TRY(perfd_path_id(&added.path, r, (ts_text){kallsyms, sizeof kallsyms - 1}));
    }
    r->kernel_version++;
    info = (perfd_path *)r->path_info.p + added.name;
    if (info->kernel != 0) {
        ((perfd_map *)r->kernel.p)[info->kernel - 1] = added;
        return TS_OK;
    }
    if (r->kernel.n == PERFD_KERNEL_MAPS) {
        r->records_lost++;
        return PERFD_ISSUE(r, perf_record_bad, UINT64_MAX,
                           "the kernel has more than %d maps; one was left out", PERFD_KERNEL_MAPS);
    }
    info->kernel = (uint32_t)r->kernel.n + 1;
    return ts_vec_push(r->ctx, &r->kernel, &added, sizeof added);
}

ts_code perfd_add_map(perfd *r, int64_t pid, bool kernel, const perfd_map *map, ts_text path)
{
    perfd_map added = *map;
    perfd_maps *maps;
    if (map->start >= map->end) {
        return TS_OK;
    }
    if (kernel && !perfd_is_service(r, pid)) {
        return add_kernel_map(r, map, path);
    }
    TS_TRY(perfd_path_id(&added.path, r, path));
    if (!((const perfd_path *)r->path_info.p)[added.path].kept && !perfd_is_service(r, pid)) {
        return TS_OK;
    }
    TS_TRY(own_list(&maps, r, pid));
    return insert_map(r, maps, &added);
}

/* --- threads -----------------------------------------------------------------------------------
 */

typedef struct thread_key {
    int64_t pid, tid;
} thread_key;

static bool is_thread(const void *owner, uint32_t number, const void *key)
{
    const perfd_thread *t = (const perfd_thread *)((const perfd *)owner)->threads.p + number;
    const thread_key *k = key;
    return t->pid == k->pid && t->tid == k->tid;
}

ts_code perfd_thread_at(uint32_t *number, perfd *r, int64_t pid, int64_t tid)
{
    const thread_key key = {pid, tid};
    ts_index_place place;
    perfd_thread *t;
    ts_hash h;
    if (r->last_thread < r->threads.n && is_thread(r, r->last_thread, &key)) {
        *number = r->last_thread;
        return TS_OK;
    }
    TS_TRY(ts_index_reserve(r->ctx, &r->thread_index));
    h = ts_hash_begin(&r->thread_index.key);
    ts_hash_word(&h, (uint64_t)pid);
    ts_hash_word(&h, (uint64_t)tid);
    *number = ts_index_search(&place, &r->thread_index, ts_hash_end(&h), is_thread, r, &key);
    if (*number == TS_INDEX_NONE) {
        *number = (uint32_t)r->threads.n;
        TS_NEED(r->ctx, t = ts_vec_add(r->ctx, &r->threads, sizeof *t));
        *t = (perfd_thread){pid, tid, -2, TS_INDEX_NONE, false, false};
        ts_index_add(&r->thread_index, place, *number);
        if (tid == 0) {
            uint32_t swapper;
            TS_TRY(perfd_intern(&swapper, r, TS_TEXT_LIT("swapper")));
            ((perfd_thread *)r->threads.p)[*number].name = swapper;
        }
    }
    r->last_thread = *number;
    return TS_OK;
}

ts_code perfd_comm(perfd *r, int64_t pid, int64_t tid, ts_text name)
{
    uint32_t number;
    uint32_t id;
    ts_text old;
    perfd_thread *t;
    TS_TRY(perfd_thread_at(&number, r, pid, tid));
    t = (perfd_thread *)r->threads.p + number;
    if (!t->commed) {
        t->commed = true;
        TS_TRY(ts_vec_push(r->ctx, &r->commed, &number, sizeof number));
    }
    old = t->name == TS_INDEX_NONE ? TS_TEXT_LIT("") : ts_pool_text(&r->texts, t->name);
    if (name.n == 0 ||
        (old.n >= name.n && ts_text_equal(ts_text_from(old, old.n - name.n), name))) {
        return TS_OK;
    }
    TS_TRY(perfd_intern(&id, r, name));
    ((perfd_thread *)r->threads.p)[number].name = id;
    return TS_OK;
}

ts_code perfd_fork(perfd *r, int64_t pid, int64_t ppid, int64_t tid, int64_t ptid)
{
    uint32_t child;
    uint32_t parent;
    uint32_t name;
    perfd_process *processes;
    TS_TRY(perfd_thread_at(&parent, r, ppid, ptid));
    name = ((const perfd_thread *)r->threads.p)[parent].name;
    TS_TRY(perfd_thread_at(&child, r, pid, tid));
    if (name != TS_INDEX_NONE && tid != 0) {
        ((perfd_thread *)r->threads.p)[child].name = name;
    }
    if (pid == ppid) {
        return TS_OK;
    }
    TS_TRY(process_at(&parent, r, ppid));
    TS_TRY(process_at(&child, r, pid));
    processes = r->processes.p;
    TS_TRY(leave_list(r, &processes[child]));
    processes[child].maps = processes[parent].maps;
    if (processes[child].maps != 0) {
        ((perfd_maps *)r->maps.p)[processes[child].maps - 1].users++;
    }
    return TS_OK;
}
