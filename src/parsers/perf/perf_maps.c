/*
 * What is mapped where, and what threads are called. Maps are of processes and in the order of
 * their addresses; a new one replaces what it overlaps, and what is left of the old one keeps its
 * place in the file. A forked process shares the list of its parent until one of them changes.
 */
#include "parsers/perf/perf_data.h"

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

ts_code perfd_process_at(uint32_t *number, perfd *r, int64_t pid)
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
    ts_vec_free(r->ctx, &maps->list);
    return ts_vec_push(r->ctx, &r->free_maps, &number, sizeof number);
}

/* The list of a process, which is going to change: its own. */
static ts_code own_list(perfd_maps **out, perfd *r, int64_t pid)
{
    uint32_t at;
    uint32_t number;
    perfd_process *process;
    TS_TRY(perfd_process_at(&at, r, pid));
    process = (perfd_process *)r->processes.p + at;
    number = process->maps - 1;
    if (process->maps == 0) {
        TS_TRY(new_list(&number, r));
        process->maps = number + 1;
    } else if (((perfd_maps *)r->maps.p)[number].users > 1) {
        uint32_t old = number;
        perfd_maps *from;
        perfd_maps *to;
        TS_TRY(new_list(&number, r));
        from = (perfd_maps *)r->maps.p + old;
        to = (perfd_maps *)r->maps.p + number;
        from->users--;
        process->maps = number + 1;
        TS_TRY(ts_vec_reserve(r->ctx, &to->list, from->list.n + 1, sizeof(perfd_map)));
        if (from->list.n > 0) {
            memcpy(to->list.p, from->list.p, from->list.n * sizeof(perfd_map));
        }
        to->list.n = from->list.n;
    }
    *out = (perfd_maps *)r->maps.p + number;
    (*out)->version = ++r->version;
    return TS_OK;
}

/* --- maps --------------------------------------------------------------------------------------
 */

/* The number of maps that end at or before the address. */
static size_t count_before(const perfd_maps *maps, uint64_t ip)
{
    const perfd_map *m = maps->list.p;
    size_t from = 0;
    size_t n = maps->list.n;
    while (n > 0) {
        size_t half = n / 2;
        if (m[from + half].end <= ip) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

const perfd_map *perfd_find_map(const perfd *r, const perfd_maps *maps, uint64_t ip)
{
    const perfd_map *m;
    size_t at;
    (void)r;
    if (maps == NULL || maps->list.n == 0) {
        return NULL;
    }
    at = count_before(maps, ip);
    m = (const perfd_map *)maps->list.p + at;
    return at < maps->list.n && m->start <= ip ? m : NULL;
}

static ts_code insert_map(perfd *r, perfd_maps *maps, const perfd_map *map)
{
    perfd_map *m;
    perfd_map parts[3];
    size_t part_n = 0;
    size_t first;
    size_t last;
    TS_TRY(ts_vec_reserve(r->ctx, &maps->list, 2, sizeof *m));
    m = maps->list.p;
    first = count_before(maps, map->start);
    last = first;
    while (last < maps->list.n && m[last].start < map->end) {
        last++;
    }
    if (first < last && m[first].start < map->start) {
        parts[part_n] = m[first];
        parts[part_n++].end = map->start;
    }
    parts[part_n++] = *map;
    if (first < last && m[last - 1].end > map->end) {
        parts[part_n] = m[last - 1];
        parts[part_n].pgoff += map->end - m[last - 1].start;
        parts[part_n++].start = map->end;
    }
    memmove(m + first + part_n, m + last, (maps->list.n - last) * sizeof *m);
    memcpy(m + first, parts, part_n * sizeof *m);
    maps->list.n = maps->list.n - (last - first) + part_n;
    return TS_OK;
}

/* Maps of the kernel stay in their order; one of the same name is replaced. */
static ts_code add_kernel_map(perfd *r, const perfd_map *map, ts_text path)
{
    static const char kallsyms[] = "[kernel.kallsyms]";
    perfd_map *all = r->kernel.p;
    perfd_map added = *map;
    TS_TRY(perfd_path_id(&added.name, r, path));
    added.path = added.name;
    if (ts_text_begins(path, kallsyms)) {
        TS_TRY(perfd_path_id(&added.path, r, (ts_text){kallsyms, sizeof kallsyms - 1}));
    }
    r->kernel_version++;
    for (size_t i = 0; i < r->kernel.n; i++) {
        if (all[i].name == added.name) {
            all[i] = added;
            return TS_OK;
        }
    }
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
    TS_TRY(perfd_process_at(&parent, r, ppid));
    TS_TRY(perfd_process_at(&child, r, pid));
    processes = r->processes.p;
    TS_TRY(leave_list(r, &processes[child]));
    processes[child].maps = processes[parent].maps;
    if (processes[child].maps != 0) {
        ((perfd_maps *)r->maps.p)[processes[child].maps - 1].users++;
    }
    return TS_OK;
}
