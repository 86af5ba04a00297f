#include "htrace/state.h"

#include "base/alloc.h"
#include "base/utf8.h"

/* Names as devices write them. A plugin without events of its own in stat counts as "other"; that
 * of native memory has one for each of its records, and none for a segment (NULL). */
static const ts_plugin_known known_plugins[] = {
    {"arkts-plugin", "arkts-plugin", "trace_js_memory", false},
    {"arkts-plugin_config", "arkts-plugin_config", "trace_js_memory", false},
    {"js-memory", "arkts-plugin", "trace_js_memory", true},
    {"js-memory_config", "arkts-plugin_config", "trace_js_memory", true},
    {"ftrace-plugin", "ftrace-plugin", "other", false},
    {"/data/local/tmp/libftrace_plugin.z.so", "ftrace-plugin", "other", false},
    {"ffrt-profiler", "ffrt-profiler", "trace_ffrt", false},
    {"ffrt-profiler_config", "ffrt-profiler_config", "trace_ffrt", false},
    {"memory-plugin", "memory-plugin", "memory", false},
    {"memory-plugin_config", "memory-plugin_config", "memory", false},
    {"hidump-plugin", "hidump-plugin", "hidump_fps", false},
    {"/data/local/tmp/libhidumpplugin.z.so", "hidump-plugin", "hidump_fps", false},
    {"hilog-plugin", "hilog-plugin", "hilog", false},
    {"/data/local/tmp/libhilogplugin.z.so", "hilog-plugin", "hilog", false},
    {"hisysevent-plugin", "hisysevent-plugin", "trace_hisys_event", false},
    {"hisysevent-plugin_config", "hisysevent-plugin_config", "trace_hisys_event", false},
    {"process-plugin", "process-plugin", "trace_process", false},
    {"process-plugin_config", "process-plugin_config", "trace_process", false},
    {"diskio-plugin", "diskio-plugin", "trace_diskio", false},
    {"diskio-plugin_config", "diskio-plugin_config", "trace_diskio", false},
    {"cpu-plugin", "cpu-plugin", "trace_cpu_usage", false},
    {"cpu-plugin_config", "cpu-plugin_config", "trace_cpu_usage", false},
    {"network-plugin", "network-plugin", "trace_network", false},
    {"network-plugin_config", "network-plugin_config", "trace_network", false},
    {"nativehook", "nativehook", NULL, false},
    {"nativehook_config", "nativehook_config", NULL, false},
    {"hookdaemon", "hookdaemon", NULL, false},
    {"xpower-plugin", "xpower-plugin", "other", false},
    {"xpower-plugin_config", "xpower-plugin_config", "other", false},
    {"stream-plugin", "stream-plugin", "other", false},
};

const ts_plugin_known *ts_plugin_find(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof known_plugins / sizeof known_plugins[0]; i++) {
        const ts_plugin_known *known = &known_plugins[i];
        if (strlen(known->name) == n && memcmp(known->name, name, n) == 0) {
            return known;
        }
    }
    return NULL;
}

/* Stands for all names after the first TS_HTRACE_PLUGINS, so that a damaged file cannot fill
 * memory. */
static const ts_plugin_known other_names = {NULL, "(other names)", "other", false};

/* Equal but for two bits, or for one letter that is another, is missing or is too much. */
static bool is_near(const char *name, size_t n, const char *known, size_t known_n)
{
    size_t head = 0;
    size_t tail = 0;
    size_t most = n > known_n ? n : known_n;
    size_t least = n > known_n ? known_n : n;
    unsigned bits = 0;
    if (most - least > 1) {
        return false;
    }
    while (head < least && name[head] == known[head]) {
        head++;
    }
    while (tail < least - head && name[n - 1 - tail] == known[known_n - 1 - tail]) {
        tail++;
    }
    if (head + tail + 1 >= most) {
        return true;
    }
    for (size_t i = 0; n == known_n && i < n; i++) {
        bits += (unsigned)__builtin_popcount((unsigned char)name[i] ^ (unsigned char)known[i]);
    }
    return n == known_n && bits <= 2;
}

const ts_plugin_known *ts_plugin_guess(const ts_htrace *h, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof known_plugins / sizeof known_plugins[0]; i++) {
        const ts_plugin_known *known = &known_plugins[i];
        const ts_plugin_name *as;
        if (ts_reader_find(&as, h, known->canonical, strlen(known->canonical)) != NULL &&
            as->reads != NULL && is_near(name, n, known->name, strlen(known->name))) {
            return known;
        }
    }
    return NULL;
}

/* Fills the next free entry; its name is taken over from *name. */
static ts_code add_plugin(ts_plugin **out, ts_htrace *h, char **name, const char *event)
{
    static const char config[] = "_config";
    const size_t suffix = sizeof config - 1;
    ts_plugin *plugin = &h->names.plugins[h->names.count];
    size_t n = strlen(*name);
    ts_code code = TS_OK;
    if (h->names.count == TS_HTRACE_PLUGINS_MAX) {
        return ts_fail(h->ctx, TS_ERR_INTERNAL, "more than %d plugins", TS_HTRACE_PLUGINS_MAX);
    }
    *plugin = (ts_plugin){.name = *name, .event = event};
    plugin->first_offset = (int64_t)h->segments.now.start;
    plugin->is_ftrace = strcmp(*name, "ftrace-plugin") == 0;
    plugin->is_config = n > suffix && memcmp(*name + n - suffix, config, suffix) == 0;
    if (h->store != NULL) {
        const ts_plugin_name *measures;
        plugin->reader = ts_reader_find(&plugin->as, h, *name, n);
        plugin->is_settings = plugin->is_config && plugin->reader == NULL &&
                              ts_reader_find(&measures, h, *name, n - suffix) != NULL;
        TS_TRY_INTO(code, ts_count(&plugin->segments, h->store, h->config.source_id,
                                   TS_ITEM_plugin_segments, *name));
        TS_TRY_INTO(code, ts_count(&plugin->bytes, h->store, h->config.source_id,
                                   TS_ITEM_plugin_bytes, *name));
    }
    *name = NULL;
    h->names.count++;
    *out = plugin;
    return TS_OK;
}

/* The name as it is shown and counted: canonical, without what a terminal cannot show. */
static ts_code shown_name(char **out, ts_htrace *h, const ts_plugin_known *known, const char *name,
                          size_t n, bool over)
{
    ts_buf buf = {0};
    ts_code code = TS_OK;
    const ts_plugin_name *as;
    if (h->names.count >= TS_HTRACE_PLUGINS && known == NULL &&
        ts_reader_find(&as, h, name, n) == NULL) {
        known = &other_names;
    }
    if (known != NULL) {
        code = ts_buf_put(h->ctx, &buf, known->canonical, strlen(known->canonical));
    } else {
        code = ts_utf8_printable(h->ctx, &buf, name, n, TS_HTRACE_SHOWN);
        TS_STEP_IF(code, over, ts_buf_put(h->ctx, &buf, "...", 3));
    }
    if (code == TS_OK) {
        *out = ts_strndup(h->ctx, buf.p, buf.n);
        code = *out == NULL ? h->ctx->error.code : TS_OK;
    }
    ts_buf_free(h->ctx, &buf);
    return code;
}

static ts_plugin *find_plugin(ts_htrace *h, const char *name)
{
    for (size_t i = 0; i < h->names.count; i++) {
        if (strcmp(h->names.plugins[i].name, name) == 0) {
            return &h->names.plugins[i];
        }
    }
    return NULL;
}

static ts_code note_alias(ts_htrace *h, ts_plugin *plugin, const ts_plugin_known *known)
{
    if (plugin->alias_noted) {
        return TS_OK;
    }
    plugin->alias_noted = true;
    return ts_htrace_issue(h, plugin_name_alias, plugin->name, h->segments.now.start,
                           "segments named %s were read as %s", known->name, plugin->name);
}

ts_code ts_plugin_get(ts_plugin **out, ts_htrace *h, const char *name, size_t n, bool over)
{
    const ts_plugin_known *known = over ? NULL : ts_plugin_find(name, n);
    char *shown = NULL;
    ts_code code;
    if (h->names.last_plugin != NULL && !over && h->names.last_len == n &&
        memcmp(h->names.last, name, n) == 0) {
        *out = h->names.last_plugin;
        return TS_OK;
    }
    code = shown_name(&shown, h, known, name, n, over);
    if (code != TS_OK) {
        goto out;
    }
    *out = find_plugin(h, shown);
    if (*out == NULL) {
        code = add_plugin(out, h, &shown, known == NULL ? "other" : known->event);
    }
    TS_STEP_IF(code, known != NULL && known->alias, note_alias(h, *out, known));
    if (code == TS_OK && !over) {
        memcpy(h->names.last, name, n);
        h->names.last_len = n;
        h->names.last_plugin = *out;
    }
out:
    ts_free(h->ctx, shown);
    return code;
}

ts_code ts_names_open(ts_htrace *h)
{
    h->names.plugins = ts_zalloc(h->ctx, TS_HTRACE_PLUGINS_MAX, sizeof *h->names.plugins);
    return h->names.plugins == NULL ? h->ctx->error.code : TS_OK;
}

void ts_names_free(ts_htrace *h)
{
    for (size_t i = 0; i < h->names.count; i++) {
        ts_free(h->ctx, h->names.plugins[i].name);
    }
    ts_free(h->ctx, h->names.plugins);
}
