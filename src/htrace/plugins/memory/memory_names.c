#include "htrace/plugins/memory/memory.h"

/* Names of counters by their numbers, with the misspellings that viewers know. */
static const char *const system_names[] = {
    [0] = "sys.mem.unspecified",
    [1] = "sys.mem.total",
    [2] = "sys.mem.free",
    [3] = "sys.mem.avaiable",
    [4] = "sys.mem.buffers",
    [5] = "sys.mem.cached",
    [6] = "sys.mem.swap.chard",
    [7] = "sys.mem.active",
    [8] = "sys.mem.inactive",
    [9] = "sys.mem.active.anon",
    [10] = "sys.mem.inactive.anon",
    [11] = "sys.mem.active_file",
    [12] = "sys.mem.inactive_file",
    [13] = "sys.mem.unevictable",
    [14] = "sys.mem.mlocked",
    [15] = "sys.mem.swap.total",
    [16] = "sys.mem.swap.free",
    [17] = "sys.mem.dirty",
    [18] = "sys.mem.writeback",
    [19] = "sys.mem.anon.pages",
    [20] = "sys.mem.mapped",
    [21] = "sys.mem.shmem",
    [22] = "sys.mem.slab",
    [23] = "sys.mem.slab.reclaimable",
    [24] = "sys.mem.slab.unreclaimable",
    [25] = "sys.mem.kernel.stack",
    [26] = "sys.mem.page.tables",
    [27] = "sys.mem.commit.limit",
    [28] = "sys.mem.commited.as",
    [29] = "sys.mem.vmalloc.total",
    [30] = "sys.mem.vmalloc.used",
    [31] = "sys.mem.vmalloc.chunk",
    [32] = "sys.mem.cma.total",
    [33] = "sys.mem.cma.free",
    [34] = "sys.mem.kernel.reclaimable",
    [35] = "sys.mem.active.purg",
    [36] = "sys.mem.inactive.purg",
    [37] = "sys.mem.pined.purg",
};

static const char *const virtual_names[] = {
    [0] = "sys.virtual.mem.unspecified",
    [1] = "sys.virtual.mem.nr.free.pages",
    [2] = "sys.virtual.mem.nr.alloc.batch",
    [3] = "sys.virtual.mem.nr.inactive.anon",
    [4] = "sys.virtual.mem.nr.active_anon",
    [5] = "sys.virtual.mem.nr.inactive.file",
    [6] = "sys.virtual.mem.nr.active_file",
    [7] = "sys.virtual.mem.nr.unevictable",
    [8] = "sys.virtual.mem.nr.mlock",
    [9] = "sys.virtual.mem.anon.pages",
    [10] = "sys.virtual.mem.nr.mapped",
    [11] = "sys.virtual.mem.nr.file.pages",
    [12] = "sys.virtual.mem.nr.dirty",
    [13] = "sys.virtual.mem.nr.writeback",
    [14] = "sys.virtual.mem.nr.slab.reclaimable",
    [15] = "sys.virtual.mem.nr.slab.unreclaimable",
    [16] = "sys.virtual.mem.nr.page_table.pages",
    [17] = "sys.virtual.mem.nr_kernel.stack",
    [18] = "sys.virtual.mem.nr.overhead",
    [19] = "sys.virtual.mem.nr.unstable",
    [20] = "sys.virtual.mem.nr.bounce",
    [21] = "sys.virtual.mem.nr.vmscan.write",
    [22] = "sys.virtual.mem.nr.vmscan.immediate.reclaim",
    [23] = "sys.virtual.mem.nr.writeback_temp",
    [24] = "sys.virtual.mem.nr.isolated_anon",
    [25] = "sys.virtual.mem.nr.isolated_file",
    [26] = "sys.virtual.mem.nr.shmem",
    [27] = "sys.virtual.mem.nr.dirtied",
    [28] = "sys.virtual.mem.nr.written",
    [29] = "sys.virtual.mem.nr.pages.scanned",
    [30] = "sys.virtual.mem.workingset.refault",
    [31] = "sys.virtual.mem.workingset.activate",
    [32] = "sys.virtual.mem.workingset_nodereclaim",
    [33] = "sys.virtual.mem.nr_anon.transparent.hugepages",
    [34] = "sys.virtual.mem.nr.free_cma",
    [35] = "sys.virtual.mem.nr.swapcache",
    [36] = "sys.virtual.mem.nr.dirty.threshold",
    [37] = "sys.virtual.mem.nr.dirty.background.threshold",
    [38] = "sys.virtual.mem.vmeminfo.pgpgin",
    [39] = "sys.virtual.mem.pgpgout",
    [40] = "sys.virtual.mem.pgpgoutclean",
    [41] = "sys.virtual.mem.pswpin",
    [42] = "sys.virtual.mem.pswpout",
    [43] = "sys.virtual.mem.pgalloc.dma",
    [44] = "sys.virtual.mem.pgalloc.normal",
    [45] = "sys.virtual.mem.pgalloc.movable",
    [46] = "sys.virtual.mem.pgfree",
    [47] = "sys.virtual.mem.pgactivate",
    [48] = "sys.virtual.mem.pgdeactivate",
    [49] = "sys.virtual.mem.pgfault",
    [50] = "sys.virtual.mem.pgmajfault",
    [51] = "sys.virtual.mem.pgrefill.dma",
    [52] = "sys.virtual.mem.pgrefill.normal",
    [53] = "sys.virtual.mem.pgrefill.movable",
    [54] = "sys.virtual.mem.pgsteal.kswapd.dma",
    [55] = "sys.virtual.mem.pgsteal.kswapd.normal",
    [56] = "sys.virtual.mem.pgsteal.kswapd.movable",
    [57] = "sys.virtual.mem.pgsteal.direct.dma",
    [58] = "sys.virtual.mem.pgsteal.direct.normal",
    [59] = "sys.virtual.mem.pgsteal_direct.movable",
    [60] = "sys.virtual.mem.pgscan.kswapd.dma",
    [61] = "sys.virtual.mem.pgscan_kswapd.normal",
    [62] = "sys.virtual.mem.pgscan.kswapd.movable",
    [63] = "sys.virtual.mem.pgscan.direct.dma",
    [64] = "sys.virtual.mem.pgscan.direct.normal",
    [65] = "sys.virtual.mem.pgscan.direct.movable",
    [66] = "sys.virtual.mem.pgscan.direct.throttle",
    [67] = "sys.virtual.mem.pginodesteal",
    [68] = "sys.virtual.mem.slabs_scanned",
    [69] = "sys.virtual.mem.kswapd.inodesteal",
    [70] = "sys.virtual.mem.kswapd.low.wmark.hit.quickly",
    [71] = "sys.virtual.mem.high.wmark.hit.quickly",
    [72] = "sys.virtual.mem.pageoutrun",
    [73] = "sys.virtual.mem.allocstall",
    [74] = "sys.virtual.mem.pgrotated",
    [75] = "sys.virtual.mem.drop.pagecache",
    [76] = "sys.virtual.mem.drop.slab",
    [77] = "sys.virtual.mem.pgmigrate.success",
    [78] = "sys.virtual.mem.pgmigrate.fail",
    [79] = "sys.virtual.mem.compact.migrate.scanned",
    [80] = "sys.virtual.mem.compact.free.scanned",
    [81] = "sys.virtual.mem.compact.isolated",
    [82] = "sys.virtual.mem.compact.stall",
    [83] = "sys.virtual.mem.compact.fail",
    [84] = "sys.virtual.mem.compact.success",
    [85] = "sys.virtual.mem.compact.daemon.wake",
    [86] = "sys.virtual.mem.unevictable.pgs.culled",
    [87] = "sys.virtual.mem.unevictable.pgs.scanned",
    [88] = "sys.virtual.mem.unevictable.pgs.rescued",
    [89] = "sys.virtual.mem.unevictable.pgs.mlocked",
    [90] = "sys.virtual.mem.unevictable.pgs.munlocked",
    [91] = "sys.virtual.mem.unevictable.pgs.cleared",
    [92] = "sys.virtual.mem.unevictable.pgs.stranded",
    [93] = "sys.virtual.mem.nr.zspages",
    [94] = "sys.virtual.mem.nr.ion.heap",
    [95] = "sys.virtual.mem.nr.gpu.heap",
    [96] = "sys.virtual.mem.allocstall.dma",
    [97] = "sys.virtual.mem.allocstall.movable",
    [98] = "sys.virtual.mem.allocstall.normal",
    [99] = "sys.virtual.mem.compact_daemon.free.scanned",
    [100] = "sys.virtual.mem.compact.daemon.migrate.scanned",
    [101] = "sys.virtual.mem.nr.fastrpc",
    [102] = "sys.virtual.mem.nr.indirectly.reclaimable",
    [103] = "sys.virtual.mem.nr_ion_heap_pool",
    [104] = "sys.virtual.mem.nr.kernel_misc.reclaimable",
    [105] = "sys.virtual.mem.nr.shadow_call.stack_bytes",
    [106] = "sys.virtual.mem.nr.shmem.hugepages",
    [107] = "sys.virtual.mem.nr.shmem.pmdmapped",
    [108] = "sys.virtual.mem.nr.unreclaimable.pages",
    [109] = "sys.virtual.mem.nr.zone.active.anon",
    [110] = "sys.virtual.mem.nr.zone.active.file",
    [111] = "sys.virtual.mem.nr.zone.inactive_anon",
    [112] = "sys.virtual.mem.nr.zone.inactive_file",
    [113] = "sys.virtual.mem.nr.zone.unevictable",
    [114] = "sys.virtual.mem.nr.zone.write_pending",
    [115] = "sys.virtual.mem.oom.kill",
    [116] = "sys.virtual.mem.pglazyfree",
    [117] = "sys.virtual.mem.pglazyfreed",
    [118] = "sys.virtual.mem.pgrefill",
    [119] = "sys.virtual.mem.pgscan.direct",
    [120] = "sys.virtual.mem.pgscan.kswapd",
    [121] = "sys.virtual.mem.pgskip.dma",
    [122] = "sys.virtual.mem.pgskip.movable",
    [123] = "sys.virtual.mem.pgskip.normal",
    [124] = "sys.virtual.mem.pgsteal.direct",
    [125] = "sys.virtual.mem.pgsteal.kswapd",
    [126] = "sys.virtual.mem.swap.ra",
    [127] = "sys.virtual.mem.swap.ra.hit",
    [128] = "sys.virtual.mem.workingset.restore",
};

const char *memory_system_name(int64_t key)
{
    const int64_t n = sizeof system_names / sizeof system_names[0];
    return key >= 0 && key < n ? system_names[key] : NULL;
}

const char *memory_virtual_name(int64_t key)
{
    const int64_t n = sizeof virtual_names / sizeof virtual_names[0];
    return key >= 0 && key < n ? virtual_names[key] : NULL;
}

/* --- mappings --------------------------------------------------------------------------------- */

static bool has(ts_text t, const char *part)
{
    return t.n > 0 && memmem(t.p, t.n, part, strlen(part)) != NULL;
}

/* The kind of the first part that the path has by `test`; -1: none. */
typedef struct mapping_rule {
    const char *part;
    int kind;
} mapping_rule;

static int first_rule(bool (*test)(ts_text, const char *), ts_text path, const mapping_rule *rules,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (test(path, rules[i].part)) {
            return rules[i].kind;
        }
    }
    return -1;
}

static int by_place(ts_text path)
{
    static const mapping_rule at_begin[] = {
        {"[stack", 5},
        {"[anon:stack_and_tls:", 5},
        {"[anon:stack:", 5},
        {"[anon:signal_stack:", 5},
        {"[anon:maple_alloc_ros]", 6},
        {"[anon:dalvik-", 7},
        {"/dev/ashmem/jit-zygote-cache", 7},
        {"/memfd:jit-cache", 7},
        {"/memfd:jit-zygote-cache", 7},
        {"[heap]", 8},
        {"[anon:libc_malloc", 8},
        {"[anon:scudo", 8},
        {"[anon:GWP-Asan", 8},
    };
    static const mapping_rule at_end[] = {{".art", 6}, {".art]", 6}, {".tty", 12}};
    static const mapping_rule anywhere[] = {
        {"/dev/ashmem/", 9},
        {"[anon:ArkJS Heap]", 6},
        {"[anon:native_heap:jemalloc]", 8},
        {"[anon:native_heap:musl]", 8},
        {"[heap]", 8},
    };
    int kind = first_rule(ts_text_begins, path, at_begin, sizeof at_begin / sizeof at_begin[0]);
    if (kind < 0) {
        kind = first_rule(ts_text_ends, path, at_end, sizeof at_end / sizeof at_end[0]);
    }
    return kind >= 0 ? kind : first_rule(has, path, anywhere, sizeof anywhere / sizeof anywhere[0]);
}

/* Of files with code. */
static int by_file(ts_text path, bool x, bool app)
{
    static const char *const archives[] = {".jar", ".apk", ".vdex", ".odex", ".oat"};
    bool archive = has(path, "dex");
    bool data = ts_text_begins(path, "/data/app/") || app;
    if (ts_text_ends(path, ".so")) {
        return x ? (data ? 1 : 0) : data || ts_text_begins(path, "[anon:.bss]/data/app/") ? 3 : 2;
    }
    for (size_t i = 0; i < sizeof archives / sizeof archives[0]; i++) {
        archive = archive || ts_text_ends(path, archives[i]);
    }
    if (archive) {
        return (x ? 0 : 2) + (app ? 1 : 0);
    }
    if (has(path, "/bin/")) {
        return x ? 0 : 2;
    }
    if (!x && has(path, "[anon:.bss]")) {
        return 2;
    }
    return has(path, "[bss]") ? (app ? 3 : 2) : -1;
}

static bool is_system_anon(ts_text path)
{
    static const char *const names[] = {
        "[anon]",
        "[anon:libwebview reservation]",
        "[anon:atexit handlers]",
        "[anon:cfi shadow]",
        "[anon:thread signal stack]",
        "[anon:bionic_alloc_small_objects]",
        "[anon:bionic_alloc_lob]",
        "[anon:linker_alloc]",
        "[anon:System property context nodes]",
        "[anon:arc4random data]",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ts_text_is(path, names[i])) {
            return true;
        }
    }
    return false;
}

int64_t memory_mapping_type(ts_text path, ts_text permissions)
{
    bool x = has(permissions, "x");
    bool app;
    int kind;
    while (path.n > 0 && path.p[0] == ' ') {
        path = (ts_text){path.p + 1, path.n - 1};
    }
    while (path.n > 0 && path.p[path.n - 1] == ' ') {
        path.n--;
    }
    path = path.n == 0 ? TS_TEXT_LIT("[anon]") : path;
    app = has(path, "com.huawei.wx");
    kind = by_place(path);
    kind = kind >= 0 ? kind : by_file(path, x, app);
    if (kind >= 0) {
        return kind;
    }
    if (has(path, "[anon]") || has(path, "[anon:")) {
        return is_system_anon(path) ? 4 : 8;
    }
    return app ? 11 : 10;
}
