#include "cli/verbs.h"

#include "analysis/analysis.h"
#include "cli/exit_codes.h"
#include "session/questions.h"
#include "export/export.h"
#include "parsers/format.h"
#include "parsers/htrace/plugin_list.h"
#include "parsers/known_files.h"
#include "tables/schema_text.h"
#include "tables/store.h"

#include <ctype.h>
#include <stdio.h>

enum { HELP_COLUMN = 28, EXIT_COLUMN = 17, HELP_WIDTH = 79 };

/* --- --help -------------------------------------------------------------------------------- */

/* Appends text wrapped at HELP_WIDTH, lines after the first indented to `indent`. */
static ts_code put_wrapped(ts_ctx *ctx, ts_buf *out, size_t indent, const char *text)
{
    size_t column = indent;
    ts_code code = TS_OK;
    for (const char *p = text; code == TS_OK && *p != '\0';) {
        size_t n = strcspn(p, " ");
        if (column > indent && column + n + 1 > HELP_WIDTH) {
            code = ts_buf_printf(ctx, out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            code = ts_buf_putc(ctx, out, ' ');
            column++;
        }
        TS_STEP(code, ts_buf_put(ctx, out, p, n));
        column += n;
        p += n + strspn(p + n, " ");
    }
    return code != TS_OK ? code : ts_buf_putc(ctx, out, '\n');
}

/* "  -e, --export-db DB" */
static ts_code about_put_names(ts_ctx *ctx, ts_buf *out, const ts_option *o)
{
    ts_code code = ts_buf_printf(ctx, out, "  %s%s%s", o->short_name == NULL ? "" : o->short_name,
                                 o->short_name != NULL && o->long_name != NULL ? ", " : "",
                                 o->long_name == NULL ? "" : o->long_name);
    if (code != TS_OK || o->arg == TS_ARG_NONE || o->cls == TS_OPTION_REFUSED) {
        return code;
    }
    return o->arg == TS_ARG_OPTIONAL ? ts_buf_printf(ctx, out, "[=%s]", o->value)
                                     : ts_buf_printf(ctx, out, " %s", o->value);
}

static ts_code put_option(ts_ctx *ctx, ts_buf *out, const ts_option *o)
{
    size_t begin = out->n;
    ts_code code = about_put_names(ctx, out, o);
    if (code == TS_OK && out->n - begin + 2 > HELP_COLUMN) {
        code = ts_buf_printf(ctx, out, "\n%*s", HELP_COLUMN, "");
    } else if (code == TS_OK) {
        code = ts_buf_printf(ctx, out, "%*s", (int)(HELP_COLUMN - (out->n - begin)), "");
    }
    if (code != TS_OK || o->cls != TS_OPTION_REFUSED) {
        if (code != TS_OK) {
            return code;
        }
        return put_wrapped(ctx, out, HELP_COLUMN, o->help);
    }
    char text[200];
    snprintf(text, sizeof text, "refused: %s", o->help);
    return put_wrapped(ctx, out, HELP_COLUMN, text);
}

/* The usage lines of a verb, or of all. */
static ts_code put_usage(ts_ctx *ctx, ts_buf *out, ts_verb verb)
{
    const char *before = "Usage:";
    ts_code code = TS_OK;
    ts_verb last = verb == TS_VERB_NONE ? TS_VERB_COUNT - 1 : verb;
    for (ts_verb v = verb; code == TS_OK && v <= last; v++) {
        const char *line = ts_verb_list[v].usage;
        for (; code == TS_OK && *line != '\0'; line += strcspn(line, "\n") + 1) {
            code = ts_buf_printf(ctx, out, "%-6s trace_streamer %.*s\n", before,
                                 (int)strcspn(line, "\n"), line);
            before = "";
        }
    }
    return code;
}

static ts_code put_options(ts_ctx *ctx, ts_buf *out, ts_verb verb)
{
    ts_code code = TS_OK;
    int titled = -1;
    for (int group = 0; code == TS_OK && group < TS_GROUP_COUNT; group++) {
        for (size_t i = 0; code == TS_OK && i < ts_option_count; i++) {
            const ts_option *o = &ts_option_list[i];
            if ((int)o->group != group || (o->verbs & 1U << verb) == 0) {
                continue;
            }
            if (titled != group) {
                titled = group;
                code = ts_buf_printf(ctx, out, "\n%s:\n", ts_option_group_titles[group]);
            }
            TS_STEP(code, put_option(ctx, out, o));
        }
    }
    return code;
}

static ts_code put_exit_codes(ts_ctx *ctx, ts_buf *out)
{
    ts_code code = ts_buf_printf(ctx, out, "\nExit codes:\n");
    for (size_t i = 0; code == TS_OK && i < ts_exit_count; i++) {
        code = ts_buf_printf(ctx, out, "  %-*s", EXIT_COLUMN - 2, ts_exit_list[i].codes);
        TS_STEP(code, put_wrapped(ctx, out, EXIT_COLUMN, ts_exit_list[i].sentence));
    }
    return code;
}

/* The text of --help: that of a verb has its own options only. */
static ts_code help(ts_buf *out, ts_ctx *ctx, ts_verb verb)
{
    static const char about[] =
        "\n"
        "Turns profiler recordings into one SQLite database. INPUT is a file, a directory,\n"
        "an archive or - (standard input); gzip, zlib, bzip2, xz, zstd, lz4, zip and tar are\n"
        "unpacked. The first word may be a verb, which has options of its own: help VERB shows\n"
        "them. A file that has the name of a verb is ./VERB.\n"
        "-- ends the options. Long options may be shortened as long as they are unique.\n";
    const char *title = ts_verb_list[verb].title;
    ts_code code = put_usage(ctx, out, verb);
    if (code == TS_OK && verb == TS_VERB_NONE) {
        code = ts_buf_put(ctx, out, about, sizeof about - 1);
    } else if (code == TS_OK) {
        code = ts_buf_printf(ctx, out, "\n%c%s.\n", toupper((unsigned char)title[0]), title + 1);
    }
    TS_STEP(code, put_options(ctx, out, verb));
    TS_STEP_IF(code, verb == TS_VERB_NONE, put_exit_codes(ctx, out));
    return code != TS_OK ? code : ts_buf_printf(ctx, out, "\nMore: man trace_streamer\n");
}

/* --- formats, features, tables ------------------------------------------------------------- */

static ts_code put_formats(ts_ctx *ctx, ts_buf *out, const char *indent)
{
    ts_code code = TS_OK;
    for (const ts_format *const *f = ts_formats; code == TS_OK && *f != NULL; f++) {
        code = ts_buf_printf(ctx, out, "%s%-16s %s\n", indent, (*f)->name, (*f)->title);
    }
    return code;
}

/* --format=list: formats, and files that are named only. */
static ts_code put_known(ts_ctx *ctx, ts_buf *out)
{
    const ts_known_file *known;
    ts_code code = put_formats(ctx, out, "");
    TS_STEP(code, ts_buf_printf(ctx, out, "\n  known, not read:\n"));
    for (size_t i = 0; code == TS_OK && (known = ts_known_file_at(i)) != NULL; i++) {
        code = known->maker == NULL
                   ? ts_buf_printf(ctx, out, "    %s; %s\n", known->what, known->how)
                   : ts_buf_printf(ctx, out, "    %s (%s); %s\n", known->what, known->maker,
                                   known->how);
    }
    return code;
}

static ts_code put_analyses(ts_ctx *ctx, ts_buf *out, const char *indent)
{
    static const char *const costs[] = {"always", "by default", "asked for"};
    ts_code code = TS_OK;
    for (const ts_analysis *const *a = ts_analyses; code == TS_OK && *a != NULL; a++) {
        code = ts_buf_printf(ctx, out, "%s%-16s %s (%s)\n", indent, (*a)->name, (*a)->title,
                             costs[(*a)->cost]);
    }
    return code;
}

static ts_code put_exports(ts_ctx *ctx, ts_buf *out, const char *indent)
{
    ts_code code = TS_OK;
    for (const ts_export *const *e = ts_exports; code == TS_OK && *e != NULL; e++) {
        code = ts_buf_printf(ctx, out, "%s%-16s %s\n", indent, (*e)->name, (*e)->title);
    }
    TS_STEP(code, ts_buf_printf(ctx, out, "%s%-16s %s\n", indent, TS_TO_CLICKHOUSE,
                                "rows of many recordings in a database of ClickHouse (--at)"));
    return code;
}

static ts_code put_list(ts_ctx *ctx, ts_buf *out)
{
    static const char features[] =
        "features:\n"
        "  wrappers         gzip, zlib, bzip2, xz, zstd, lz4, zip, tar, nested up to 4 deep\n"
        "  inputs           files, directories, pipes, several at once\n"
        "  output           SQLite database, recordings (-s), rows (-q)\n"
        "  summary          text, JSON (--json)\n";
    ts_code code = ts_buf_printf(ctx, out, "formats:\n");
    TS_STEP(code, put_formats(ctx, out, "  "));
    TS_STEP(code, ts_buf_printf(ctx, out, "analyses:\n"));
    TS_STEP(code, put_analyses(ctx, out, "  "));
    TS_STEP(code, ts_buf_printf(ctx, out, "exports:\n"));
    TS_STEP(code, put_exports(ctx, out, "  "));
    return code != TS_OK ? code : ts_buf_put(ctx, out, features, sizeof features - 1);
}

/* Names of segments, then of sections of their own. */
static ts_code put_plugin(ts_ctx *ctx, ts_buf *out, const ts_htrace_plugin *plugin)
{
    const ts_plugin_name *name = plugin->names;
    const ts_plugin_section *section = plugin->sections;
    const char *before = "  ";
    ts_code code = TS_OK;
    for (; code == TS_OK && name != NULL && name->name != NULL; name++) {
        code = ts_buf_printf(ctx, out, "%s%s", before, name->name);
        before = ", ";
    }
    for (; code == TS_OK && section != NULL && section->name != NULL; section++) {
        code = ts_buf_printf(ctx, out, "%s%s", before, section->name);
        before = ", ";
    }
    TS_STEP(code, ts_buf_putc(ctx, out, '\n'));
    return code;
}

static ts_code put_plugins(ts_ctx *ctx, ts_buf *out)
{
    ts_code code = ts_buf_printf(ctx, out, "plugins of .htrace recordings that are decoded:\n");
    for (size_t i = 0; code == TS_OK && ts_htrace_plugins[i] != NULL; i++) {
        code = put_plugin(ctx, out, ts_htrace_plugins[i]);
    }
    return code != TS_OK ? code
                         : ts_buf_printf(ctx, out,
                                         "  (segments of others are counted by name in "
                                         "import_count and skipped)\n");
}

/* What an .htrace may carry, as the reference's -i lists it, and where it goes. */
static ts_code put_info(ts_ctx *ctx, ts_buf *out)
{
    bool found;
    ts_code code = ts_buf_printf(ctx, out, "formats:\n");
    TS_STEP(code, put_formats(ctx, out, "  "));
    TS_STEP(code, put_plugins(ctx, out));
    TS_STEP(code, ts_buf_printf(ctx, out, "items that are counted (import_count):\n"));
    for (int i = 0; code == TS_OK && i < TS_ITEM_COUNT; i++) {
        code = ts_buf_printf(ctx, out, "  %-16s %s\n", ts_item_list[i].name, ts_item_list[i].doc);
    }
    TS_STEP(code, ts_buf_printf(ctx, out, "tables:\n"));
    return code != TS_OK ? code : ts_schema_listing(&found, ctx, out, NULL);
}

static ts_code put_tables(ts_ctx *ctx, ts_buf *out, const char *name)
{
    bool found;
    ts_code code = ts_schema_listing(&found, ctx, out, name);
    if (code == TS_OK && !found) {
        return ts_fail(ctx, TS_ERR_USAGE, "unknown table \"%s\" (--tables lists tables)", name);
    }
    return code;
}

ts_code ts_about(ts_buf *out, ts_ctx *ctx, const ts_options *options)
{
    switch (options->mode) {
    case TS_MODE_HELP:
        return help(out, ctx, options->about);
    case TS_MODE_VERSION:
        return ts_buf_printf(ctx, out, "trace_streamer %s\n", ctx->version);
    case TS_MODE_LIST:
        return put_list(ctx, out);
    case TS_MODE_INFO:
        return put_info(ctx, out);
    case TS_MODE_TABLES:
        return put_tables(ctx, out, options->table);
    case TS_MODE_EXPLAIN:
        return ts_schema_explain(out, ctx, options->explain);
    case TS_MODE_QUESTIONS:
        return ts_questions_about(out, ctx, options->question);
    case TS_MODE_FORMATS:
        return put_known(ctx, out);
    case TS_MODE_ANALYSES:
        return put_analyses(ctx, out, "");
    case TS_MODE_EXPORTS:
        return put_exports(ctx, out, "");
    case TS_MODE_COMPARISONS:
        return ts_diff_list(out, ctx, options);
    case TS_MODE_COMPLETE:
        return ts_complete(out, ctx, options);
    case TS_MODE_RUN:
        break;
    }
    return ts_fail(ctx, TS_ERR_INTERNAL, "no text for this mode");
}
