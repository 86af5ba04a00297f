#include "cli/summary.h"

#include "base/ckd.h"
#include "cli/exit_codes.h"
#include "session/kinds.h"
#include "base/intvec.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "base/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

enum { PLUGINS_SHOWN = 12, NAME_SHOWN = 120 };

/* Peak resident memory of the process in bytes. */
static uint64_t peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

uint64_t ts_summary_losses(const ts_summary *s)
{
    return s->store == NULL ? 0 : ts_issue_losses(s->store);
}

/* --- plugins that are not decoded ------------------------------------------------------------ */

/* Skipped segments and bytes by plugin name. Names come from the input: many may differ. */
typedef struct plugin_list {
    ts_ctx *ctx;
    ts_code code;
    ts_pool names;
    ts_intvec segments; /* by id of names */
    ts_intvec bytes;
} plugin_list;

static void summary_add_plugin(void *user, int64_t source_id, ts_item item, const char *detail,
                               const ts_tally *tally)
{
    plugin_list *list = user;
    uint32_t id;
    bool added;
    (void)source_id;
    if ((item != TS_ITEM_plugin_segments && item != TS_ITEM_plugin_bytes) || detail == NULL ||
        tally->skipped == 0 || list->code != TS_OK) {
        return;
    }
    list->code = ts_pool_intern(list->ctx, &id, &added, &list->names, ts_text_of(detail));
    if (list->code == TS_OK && added) {
        list->code = ts_intvec_push(list->ctx, &list->segments, 0);
        TS_STEP(list->code, ts_intvec_push(list->ctx, &list->bytes, 0));
    }
    if (list->code == TS_OK) {
        ts_intvec *v = item == TS_ITEM_plugin_segments ? &list->segments : &list->bytes;
        int64_t n = tally->skipped > INT64_MAX ? INT64_MAX : (int64_t)tally->skipped;
        list->code = ts_intvec_set(list->ctx, v, id, ts_sat_add(ts_intvec_get(v, id), n));
    }
}

static ts_code collect_plugins(plugin_list *list, const ts_summary *s)
{
    *list = (plugin_list){.ctx = s->ctx};
    if (s->store != NULL) {
        ts_count_visit(s->store, summary_add_plugin, list);
    }
    return list->code;
}

static void free_plugins(plugin_list *list)
{
    ts_pool_free(list->ctx, &list->names);
    ts_intvec_free(list->ctx, &list->segments);
    ts_intvec_free(list->ctx, &list->bytes);
}

/* --- text ---------------------------------------------------------------------------------- */

static ts_code summary_put_name(ts_ctx *ctx, ts_buf *out, ts_text name)
{
    return name.p == NULL ? ts_buf_putc(ctx, out, '?')
                          : ts_utf8_printable(ctx, out, name.p, name.n, NAME_SHOWN);
}

/* The formats of the inputs, each once, and the number of inputs. */
static ts_code collect_formats(ts_pool *formats, uint64_t *inputs, const ts_summary *s)
{
    uint64_t count = s->store == NULL ? 0 : ts_source_count(s->store);
    ts_code code = TS_OK;
    for (uint64_t i = 1; code == TS_OK && i <= count; i++) {
        const ts_row_source *row = ts_source(s->store, (int64_t)i);
        uint32_t id;
        if (!(row->null & TS_NULL_BIT(source, parent_id))) {
            continue;
        }
        (*inputs)++;
        if (row->format.p != NULL && row->format.n > 0) {
            code = ts_pool_intern(s->ctx, &id, NULL, formats, row->format);
        }
    }
    return code;
}

/* "jfr, htrace" */
static ts_code put_formats(ts_buf *out, uint64_t *inputs, const ts_summary *s)
{
    ts_pool formats = {0};
    *inputs = 0;
    ts_code code = collect_formats(&formats, inputs, s);
    TS_STEP_IF(code, formats.count == 0, ts_buf_put(s->ctx, out, "none", 4));
    for (uint32_t i = 0; code == TS_OK && i < formats.count; i++) {
        code = i == 0 ? TS_OK : ts_buf_put(s->ctx, out, ", ", 2);
        TS_STEP(code, summary_put_name(s->ctx, out, ts_pool_text(&formats, i)));
    }
    ts_pool_free(s->ctx, &formats);
    return code;
}

static ts_code text_sources(ts_buf *out, const ts_summary *s)
{
    ts_ctx *ctx = s->ctx;
    uint64_t inputs = 0;
    ts_code code = ts_buf_printf(ctx, out, "  format    ");
    TS_STEP(code, put_formats(out, &inputs, s));
    TS_STEP(code, ts_buf_printf(ctx, out, "\n  sources   %" PRIu64 " input%s", inputs,
                                inputs == 1 ? "" : "s"));
    uint64_t inner = ts_source_count(s->store) - inputs;
    TS_STEP_IF(code, inner > 0,
               ts_buf_printf(ctx, out, ", %" PRIu64 " recording%s in %s", inner,
                             inner == 1 ? "" : "s", inputs == 1 ? "it" : "them"));
    TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    return code;
}

/* Tables that serve others, or hold what is rarely asked for. New ones are shown. */
static const enum ts_table_id internal_tables[] = {
    TS_T_clock_snapshot,     TS_T_data_dict,
    TS_T_data_type,          TS_T_datasource_clockid,
    TS_T_device_info,        TS_T_meta,
    TS_T_schema_doc,         TS_T_stat,
    TS_T_trace_range,        TS_T_process_detail,
    TS_T_thread_detail,      TS_T_source,
    TS_T_source_property,    TS_T_import_count,
    TS_T_js_config,          TS_T_js_heap_class,
    TS_T_js_heap_edge_block, TS_T_js_heap_file_detail,
    TS_T_js_heap_info,       TS_T_js_heap_location,
    TS_T_js_heap_sample,     TS_T_js_heap_trace_function_info,
    TS_T_js_cpu_profile,     TS_T_flare_stack,
    TS_T_stack_value_type,   TS_T_cloud_block,
    TS_T_cloud_dictionary,   TS_T_cloud_param,
    TS_T_cloud_root,         TS_T_cloud_text,
};

static bool is_internal(int table)
{
    for (size_t i = 0; i < sizeof internal_tables / sizeof internal_tables[0]; i++) {
        if ((int)internal_tables[i] == table) {
            return true;
        }
    }
    return false;
}

static ts_code text_rows(ts_buf *out, const ts_summary *s)
{
    const ts_sink *sink = ts_store_sink(s->store);
    uint64_t total = 0;
    uint64_t internal = 0;
    for (int t = 0; t < TS_TABLE_COUNT; t++) {
        total += sink->rows[t];
    }
    ts_code code = ts_buf_printf(s->ctx, out, "  rows      %" PRIu64 "\n", total);
    for (int t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        if (is_internal(t) && !s->options->verbose) {
            internal += sink->rows[t];
        } else if (sink->rows[t] > 0) {
            code = ts_buf_printf(s->ctx, out, "    %-28s %12" PRIu64 "\n", ts_schema[t].name,
                                 sink->rows[t]);
        }
    }
    TS_STEP_IF(
        code, internal > 0,
        ts_buf_printf(s->ctx, out, "    %-28s %12" PRIu64 "\n", "internal (--verbose)", internal));
    return code;
}

/* --- what to ask next ---------------------------------------------------------------------- */

/* The width of the lines that name questions, and the commands before them. */
enum { LINE_COLUMNS = 84, COMMANDS_SHOWN = 2 };

/* A path as a word of a shell. */
static ts_code put_word(ts_ctx *ctx, ts_buf *out, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+=@%^-";
    const char *dot = path[0] == '-' ? "./" : "";
    if (path[strspn(path, plain)] == '\0') {
        return ts_buf_printf(ctx, out, "%s%s", dot, path);
    }
    ts_code code = ts_buf_printf(ctx, out, "'%s", dot);
    for (const char *p = path; code == TS_OK && *p != '\0';) {
        size_t n = strcspn(p, "'");
        code = ts_utf8_printable(ctx, out, p, n, SIZE_MAX);
        if (code == TS_OK && p[n] == '\'') {
            code = ts_buf_put(ctx, out, "'\\''", 4);
            n++;
        }
        p += n;
    }
    return code != TS_OK ? code : ts_buf_putc(ctx, out, '\'');
}

static ts_code put_next(ts_buf *out, const ts_summary *s, const char *words, const char *question)
{
    ts_code code = ts_buf_printf(s->ctx, out, "%s", words);
    TS_STEP(code, put_word(s->ctx, out, s->target));
    return code != TS_OK ? code : ts_buf_printf(s->ctx, out, " %s\n", question);
}

/* " # or one, two": a line of names that is a comment to a shell. */
static ts_code put_name(ts_buf *out, const ts_summary *s, size_t *column, const char *name)
{
    size_t n = strlen(name) + 2;
    bool first = *column == 0;
    bool line = !first && *column + n > LINE_COLUMNS;
    *column = first || line ? n : *column + n;
    return ts_buf_printf(s->ctx, out, "%s%s",
                         first  ? "            # or "
                         : line ? ",\n            # "
                                : ", ",
                         name);
}

/* The questions of a report that the database can answer: some commands, then names. */
static ts_code put_questions(ts_buf *out, const ts_summary *s, const ts_questions *all)
{
    const uint64_t *rows = ts_store_sink(s->store)->rows;
    size_t shown = 0;
    size_t column = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < all->count; i++) {
        const char *name = all->all[i].name;
        char words[NAME_SHOWN];
        ts_text title;
        if (ts_report_order(&title, &all->all[i]) == 0 || !ts_kinds_fit(&all->all[i], rows)) {
            continue;
        }
        snprintf(words, sizeof words, "-q %s", name);
        code = shown++ < COMMANDS_SHOWN ? put_next(out, s, "            trace_streamer ", words)
                                        : put_name(out, s, &column, name);
    }
    TS_STEP_IF(code, column > 0, ts_buf_putc(s->ctx, out, '\n'));
    return code;
}

static ts_code text_next(ts_buf *out, const ts_summary *s)
{
    ts_questions all = {0};
    ts_code code = put_next(out, s, "  ask       trace_streamer ", "--report");
    TS_STEP(code, ts_questions_load(&all, s->ctx));
    if (code == TS_OK) { /* shipped questions are files, which need not be there */
        ts_report_sort(&all);
        code = put_questions(out, s, &all);
    }
    ts_questions_free(&all, s->ctx);
    TS_STEP(code, ts_buf_printf(s->ctx, out, "            trace_streamer --questions\n"));
#if TS_SERVE_BUILT
    TS_STEP(code, put_next(out, s, "  look      trace_streamer serve ", "--open"));
#endif
    return code;
}

/* "1 error, 2 info" */
static ts_code put_issues(ts_buf *out, const ts_summary *s)
{
    ts_code code = TS_OK;
    bool any = false;
    for (int v = TS_ERROR; code == TS_OK && v >= TS_INFO; v--) {
        uint64_t n = ts_issue_total(s->store, (ts_severity)v);
        if (n > 0) {
            code = ts_buf_printf(s->ctx, out, "%s%" PRIu64 " %s", any ? ", " : "", n,
                                 ts_severity_name((ts_severity)v));
            any = true;
        }
    }
    return code != TS_OK || any ? code : ts_buf_put(s->ctx, out, "none", 4);
}

static ts_code text_issues(ts_buf *out, const ts_summary *s)
{
    ts_code code = ts_buf_printf(s->ctx, out, "  issues    ");
    TS_STEP(code, put_issues(out, s));
    return code != TS_OK ? code : ts_buf_putc(s->ctx, out, '\n');
}

static ts_code text_plugins(ts_buf *out, const ts_summary *s)
{
    plugin_list list;
    ts_code code = collect_plugins(&list, s);
    TS_STEP_IF(code, list.names.count > 0, ts_buf_printf(s->ctx, out, "  not decoded\n"));
    for (uint32_t i = 0; code == TS_OK && i < list.names.count && i < PLUGINS_SHOWN; i++) {
        code = ts_buf_put(s->ctx, out, "    ", 4);
        TS_STEP(code, summary_put_name(s->ctx, out, ts_pool_text(&list.names, i)));
        TS_STEP(code,
                ts_buf_printf(s->ctx, out, "  %" PRId64 " segments, %" PRId64 " bytes\n",
                              ts_intvec_get(&list.segments, i), ts_intvec_get(&list.bytes, i)));
    }
    TS_STEP_IF(code, list.names.count > PLUGINS_SHOWN,
               ts_buf_printf(s->ctx, out, "    and %u more (table import_count)\n",
                             list.names.count - PLUGINS_SHOWN));
    free_plugins(&list);
    return code;
}

static ts_code text_extracted(ts_buf *out, const ts_summary *s)
{
    const ts_extractor *x = s->extractor;
    ts_code code = ts_buf_printf(s->ctx, out, "  files     %" PRIu64 " written to ", x->files);
    TS_STEP(code, summary_put_name(s->ctx, out, ts_text_of(s->options->out)));
    TS_STEP_IF(code, x->incomplete > 0,
               ts_buf_printf(s->ctx, out, ", %" PRIu64 " of them incomplete", x->incomplete));
    return code != TS_OK ? code : ts_buf_putc(s->ctx, out, '\n');
}

static ts_code text_end(ts_buf *out, const ts_summary *s)
{
    double mb = (double)s->result.bytes / 1e6;
    ts_code code = ts_buf_printf(s->ctx, out, "  time      %.2f s", s->seconds);
    TS_STEP_IF(code, s->seconds > 0.001,
               ts_buf_printf(s->ctx, out, ", %.1f MB/s", mb / s->seconds));
    TS_STEP_IF(code, s->index_seconds > 0,
               ts_buf_printf(s->ctx, out, ", %.2f s of it for indexes", s->index_seconds));
    TS_STEP_IF(code, s->analyses > 0,
               ts_buf_printf(s->ctx, out, ", %.2f s of it for analyses", s->analysis_seconds));
    TS_STEP(code, ts_buf_printf(s->ctx, out, "\n  memory    %.1f MiB at most\n",
                                (double)peak_memory() / 1048576.0));
    return code;
}

ts_code ts_summary_text(ts_buf *out, const ts_summary *s)
{
    const char *target = s->target;
    ts_code code = TS_OK;
    if (target != NULL) {
        code = summary_put_name(s->ctx, out, ts_text_of(target));
        TS_STEP(code, ts_buf_putc(s->ctx, out, '\n'));
    }
    if (code == TS_OK && s->store != NULL) {
        code = text_sources(out, s);
        TS_STEP(code, text_rows(out, s));
        TS_STEP(code, text_issues(out, s));
        TS_STEP(code, text_plugins(out, s));
    }
    TS_STEP_IF(code, s->extractor != NULL, text_extracted(out, s));
    TS_STEP(code, text_end(out, s));
    TS_STEP_IF(code, target != NULL && s->store != NULL, text_next(out, s));
    return code;
}

ts_code ts_summary_line(ts_buf *out, const ts_summary *s)
{
    const ts_sink *sink = ts_store_sink(s->store);
    uint64_t total = 0;
    uint64_t inputs;
    for (int t = 0; t < TS_TABLE_COUNT; t++) {
        total += is_internal(t) ? 0 : sink->rows[t];
    }
    ts_code code = ts_buf_put(s->ctx, out, "read ", 5);
    TS_STEP(code, put_formats(out, &inputs, s));
    TS_STEP(code, ts_buf_printf(s->ctx, out,
                                " of %" PRIu64 " input%s: %" PRIu64 " rows in %.2f s; issues: ",
                                inputs, inputs == 1 ? "" : "s", total, s->seconds));
    TS_STEP(code, put_issues(out, s));
    return code != TS_OK ? code : ts_buf_printf(s->ctx, out, " (--verbose shows all)");
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void json_inputs(ts_jout *j, const ts_summary *s)
{
    ts_jout_open(j, "inputs", '[');
    for (size_t i = 0; i < s->options->path_count; i++) {
        ts_jout_str(j, NULL, s->options->paths[i]);
    }
    ts_jout_close(j, ']');
    ts_jout_str(j, "directory", s->options->directory);
}

static void json_formats(ts_jout *j, const ts_summary *s)
{
    ts_pool formats = {0};
    uint64_t inputs = 0;
    ts_code code = collect_formats(&formats, &inputs, s);
    ts_jout_open(j, "formats", '[');
    for (uint32_t i = 0; code == TS_OK && i < formats.count; i++) {
        ts_jout_text(j, NULL, ts_pool_text(&formats, i));
    }
    ts_jout_close(j, ']');
    ts_jout_fail(j, code);
    ts_pool_free(s->ctx, &formats);
}

static void json_sources(ts_jout *j, const ts_summary *s)
{
    ts_jout_open(j, "sources", '[');
    uint64_t count = s->store == NULL ? 0 : ts_source_count(s->store);
    for (uint64_t i = 1; i <= count; i++) {
        const ts_row_source *row = ts_source(s->store, (int64_t)i);
        ts_jout_open(j, NULL, '{');
        ts_jout_uint(j, "id", i);
        if (row->null & TS_NULL_BIT(source, parent_id)) {
            ts_jout_null(j, "parent_id");
        } else {
            ts_jout_int(j, "parent_id", row->parent_id);
        }
        ts_jout_text(j, "kind", row->kind);
        ts_jout_text(j, "path", row->path);
        ts_jout_text(j, "name", row->name);
        ts_jout_text(j, "format", row->format);
        ts_jout_int(j, "bytes", row->bytes);
        ts_jout_bool(j, "complete", row->complete != 0);
        ts_jout_close(j, '}');
    }
    ts_jout_close(j, ']');
}

static void json_rows(ts_jout *j, const ts_summary *s)
{
    uint64_t total = 0;
    ts_jout_open(j, "rows", '{');
    for (int t = 0; s->store != NULL && t < TS_TABLE_COUNT; t++) {
        uint64_t n = ts_store_sink(s->store)->rows[t];
        if (n > 0) {
            ts_jout_uint(j, ts_schema[t].name, n);
        }
        total += n;
    }
    ts_jout_close(j, '}');
    ts_jout_uint(j, "row_total", total);
}

static void json_issues(ts_jout *j, const ts_summary *s)
{
    ts_jout_open(j, "issues", '{');
    for (int v = TS_INFO; v <= TS_ERROR; v++) {
        ts_jout_uint(j, ts_severity_name((ts_severity)v),
                     s->store == NULL ? 0 : ts_issue_total(s->store, (ts_severity)v));
    }
    ts_jout_close(j, '}');
}

static void json_count(void *user, int64_t source_id, ts_item item, const char *detail,
                       const ts_tally *tally)
{
    ts_jout *j = user;
    ts_jout_open(j, NULL, '{');
    ts_jout_int(j, "source_id", source_id);
    ts_jout_str(j, "item", ts_item_list[item].name);
    ts_jout_str(j, "detail", detail);
    if (tally->has_declared) {
        ts_jout_uint(j, "declared", tally->declared);
    } else {
        ts_jout_null(j, "declared");
    }
    ts_jout_uint(j, "seen", tally->seen);
    ts_jout_uint(j, "imported", tally->imported);
    ts_jout_uint(j, "lost", tally->lost);
    ts_jout_uint(j, "skipped", tally->skipped);
    ts_jout_close(j, '}');
}

static void json_plugins(ts_jout *j, const ts_summary *s)
{
    plugin_list list;
    ts_code code = collect_plugins(&list, s);
    ts_jout_open(j, "not_decoded", '[');
    for (uint32_t i = 0; code == TS_OK && i < list.names.count; i++) {
        ts_jout_open(j, NULL, '{');
        ts_jout_text(j, "plugin", ts_pool_text(&list.names, i));
        ts_jout_int(j, "segments", ts_intvec_get(&list.segments, i));
        ts_jout_int(j, "bytes", ts_intvec_get(&list.bytes, i));
        ts_jout_close(j, '}');
    }
    ts_jout_close(j, ']');
    ts_jout_fail(j, code);
    free_plugins(&list);
}

static void json_extracted(ts_jout *j, const ts_summary *s)
{
    if (s->extractor == NULL) {
        return;
    }
    ts_jout_open(j, "extracted", '{');
    ts_jout_str(j, "directory", s->options->out);
    ts_jout_uint(j, "files", s->extractor->files);
    ts_jout_uint(j, "incomplete", s->extractor->incomplete);
    ts_jout_uint(j, "bytes", s->extractor->bytes);
    ts_jout_close(j, '}');
}

static void json_errors(ts_jout *j, const ts_summary *s)
{
    ts_jout_open(j, "errors", '[');
    for (unsigned i = s->error == NULL ? 0 : s->error->count; i-- > 0;) {
        ts_jout_str(j, NULL, s->error->causes[i]);
    }
    ts_jout_close(j, ']');
}

ts_code ts_summary_json(ts_buf *out, const ts_summary *s)
{
    ts_jout j = ts_jout_spaced(s->ctx, out, 0);
    bool published = s->options->export_db != NULL &&
                     (s->exit_code == TS_EXIT_DONE || s->exit_code == TS_EXIT_STRICT);
    ts_jout_open(&j, NULL, '{');
    ts_jout_str(&j, "tool", "trace_streamer");
    ts_jout_str(&j, "version", s->ctx->version);
    ts_jout_int(&j, "schema_version", TS_SCHEMA_VERSION);
    ts_jout_int(&j, "exit_code", s->exit_code);
    ts_jout_text(&j, "output", published ? ts_text_of(s->options->export_db) : TS_TEXT_NULL);
    json_inputs(&j, s);
    ts_jout_uint(&j, "imported_inputs", s->result.imported);
    ts_jout_uint(&j, "failed_inputs", s->result.failed);
    ts_jout_uint(&j, "bytes", s->result.bytes);
    json_formats(&j, s);
    json_sources(&j, s);
    json_rows(&j, s);
    json_issues(&j, s);
    ts_jout_open(&j, "counts", '[');
    if (s->store != NULL) {
        ts_count_visit(s->store, json_count, &j);
    }
    ts_jout_close(&j, ']');
    json_plugins(&j, s);
    json_extracted(&j, s);
    ts_jout_seconds(&j, "duration_seconds", s->seconds);
    ts_jout_seconds(&j, "index_seconds", s->index_seconds);
    ts_jout_uint(&j, "peak_memory_bytes", peak_memory());
    json_errors(&j, s);
    ts_jout_close(&j, '}');
    TS_STEP(j.code, ts_buf_putc(s->ctx, out, '\n'));
    return j.code;
}
