/*
 * The command line: one table of options with the verbs that they belong to, and what is made of
 * argv.
 *
 * What a verb refuses, its help, the completion files and the check of the manual page come from
 * the table, so an option is added in one place. Nothing is printed here.
 */
#ifndef TS_CLI_OPTIONS_H
#define TS_CLI_OPTIONS_H

#include "base/context.h"
#include "tables/database.h"

/* The word in first place. */
typedef enum ts_verb {
    TS_VERB_NONE, /* no such word: converts, asks and exports */
    TS_VERB_DIFF,
    TS_VERB_SERVE,
    TS_VERB_SAMPLE,
    TS_VERB_UPGRADE,
    TS_VERB_FLEET,
    TS_VERB_MCP,
    TS_VERB_CUT,
    TS_VERB_MERGE,
    TS_VERB_REDACT,
    TS_VERB_UNREDACT,
    TS_VERB_HELP,
    TS_VERB_VERSION,
    TS_VERB_COUNT
} ts_verb;

typedef struct ts_verb_about {
    const char *name;
    const char *title;
    size_t least, most; /* inputs */
    const char *inputs; /* which these are */
    const char *usage;  /* lines, each after the name of the program */
} ts_verb_about;

extern const ts_verb_about ts_verb_list[TS_VERB_COUNT];

typedef enum ts_option_arg {
    TS_ARG_NONE,
    TS_ARG_VALUE,   /* -x VALUE, --long VALUE, --long=VALUE */
    TS_ARG_OPTIONAL /* --long or --long=VALUE */
} ts_option_arg;

typedef enum ts_option_class {
    TS_OPTION_ACTIVE,
    TS_OPTION_NO_EFFECT, /* of the reference; accepted so that old scripts go on */
    TS_OPTION_REFUSED    /* of the reference; named when refused */
} ts_option_class;

/* Headings of --help, in order. */
typedef enum ts_option_group {
    TS_GROUP_OUTPUT,
    TS_GROUP_QUESTION,
    TS_GROUP_DIFF,
    TS_GROUP_SERVE,
    TS_GROUP_SAMPLE,
    TS_GROUP_FLEET,
    TS_GROUP_EXPORT,
    TS_GROUP_SELECT,
    TS_GROUP_INPUT,
    TS_GROUP_MESSAGE,
    TS_GROUP_ABOUT,
    TS_GROUP_OLD,
    TS_GROUP_COUNT
} ts_option_group;

/* What a shell offers for the value. */
typedef enum ts_option_values {
    TS_VALUES_NONE,
    TS_VALUES_FILE,
    TS_VALUES_DIRECTORY,
    TS_VALUES_WORDS, /* those of the option */
    TS_VALUES_FORMAT,
    TS_VALUES_TABLE,
    TS_VALUES_ANALYSIS,
    TS_VALUES_EXPORT,
    TS_VALUES_DIFF,          /* what can be compared */
    TS_VALUES_QUESTION,      /* names of shipped questions */
    TS_VALUES_QUESTION_FILE, /* those, and files */
    TS_VALUES_ASKED          /* what --complete says: it depends on the other words */
} ts_option_values;

/* Of a folder that --to writes. */
typedef enum ts_layout {
    TS_LAYOUT_ANY, /* not given: that of one recording */
    TS_LAYOUT_ONE,
    TS_LAYOUT_HIVE
} ts_layout;

typedef enum ts_option_id {
    TS_OPT_FLAG,   /* sets the bool at `offset` */
    TS_OPT_TEXT,   /* sets the const char * at `offset` */
    TS_OPT_TEXTS,  /* adds to the ts_texts at `offset` */
    TS_OPT_SIZE,   /* sets the uint64_t at `offset`, from `least` on */
    TS_OPT_NUMBER, /* the same, from `least` to `most` */
    TS_OPT_MODE,   /* asks for the mode `least`; its value is the text at `offset`, unless 0 */
    TS_OPT_RANGE,
    TS_OPT_SYSCALLS,
    TS_OPT_PARAM,
    TS_OPT_OUTPUT,
    TS_OPT_REPORT,
    TS_OPT_LAYOUT,
    TS_OPT_ROWS,
    TS_OPT_REDACT,
    TS_OPT_AGE, /* sets the uint64_t at `offset`: milliseconds */
    TS_OPT_LEVEL,
    TS_OPT_JSON,
    TS_OPT_IGNORED, /* a number from `least` to `most`, unless that is 0 */
    TS_OPT_REFUSED
} ts_option_id;

typedef struct ts_option {
    const char *short_name; /* "-e", or NULL */
    const char *long_name;  /* "--export-db", or NULL */
    ts_option_arg arg;
    const char *value; /* how the value is called, or NULL */
    unsigned verbs;    /* 1 << ts_verb of each that takes it */
    ts_option_group group;
    ts_option_class cls;
    ts_option_values values;
    const char *words; /* that the value can be, divided by blanks, or NULL */
    ts_option_id id;
    size_t offset; /* in ts_options */
    uint64_t least, most;
    const char *help; /* for a refused one: what to do instead */
} ts_option;

/* A name is there once for each verb: rows of one name have no verb in common. */
extern const ts_option ts_option_list[];
extern const size_t ts_option_count;
extern const char *const ts_option_group_titles[TS_GROUP_COUNT];

/* Of options that are given together. */
typedef struct ts_option_rule {
    unsigned verbs;
    const char *names;  /* of options, divided by blanks; NULL: the verb itself */
    bool needs;         /* one of `others`; false: goes with none of them */
    const char *others; /* the same way */
    const char *why;
} ts_option_rule;

extern const ts_option_rule ts_option_rules[];
extern const size_t ts_option_rule_count;

/* How the rows of -q are printed (query_rows.h). */
typedef enum ts_row_format {
    TS_ROWS_AUTO, /* table on a terminal, else tsv */
    TS_ROWS_TABLE,
    TS_ROWS_CSV,
    TS_ROWS_TSV,
    TS_ROWS_JSON,
    TS_ROWS_JSONL,
    TS_ROWS_ARROW,
    TS_ROWS_MARKDOWN, /* these are of diff (diff/diff_private.h) */
    TS_ROWS_JUNIT,
    TS_ROWS_SARIF,
    TS_ROWS_GITHUB
} ts_row_format;

typedef enum ts_report_form { TS_REPORT_NONE, TS_REPORT_TEXT, TS_REPORT_JSON } ts_report_form;

typedef enum ts_mode {
    TS_MODE_RUN,
    TS_MODE_HELP,
    TS_MODE_VERSION,
    TS_MODE_LIST,
    TS_MODE_INFO,
    TS_MODE_TABLES,
    TS_MODE_EXPLAIN,
    TS_MODE_QUESTIONS,
    TS_MODE_FORMATS,
    TS_MODE_ANALYSES,
    TS_MODE_EXPORTS,
    TS_MODE_COMPARISONS,
    TS_MODE_COMPLETE
} ts_mode;

enum { TS_DIFF_ROWS = 20 }; /* --limit without being given */

enum { TS_LEVEL_OFF = -1, TS_LEVEL_UNSET = -2 };

#define TS_NOT_GIVEN UINT64_MAX

typedef struct ts_texts {
    const char **all;
    size_t count;
} ts_texts;

/* Without --max-output. */
#define TS_MAX_OUTPUT (UINT64_C(2) << 30)

/* The one value of --to that is no export (src/export). */
#define TS_TO_CLICKHOUSE "clickhouse"

typedef struct ts_options {
    ts_verb verb;
    ts_mode mode;
    ts_verb about;      /* of the mode TS_MODE_HELP */
    const char **paths; /* borrowed texts of argv */
    size_t path_count;
    const char *export_db;
    const char *query; /* a file, SQL text or the name of a question */
    ts_param *params;
    size_t param_count;
    ts_row_format output;
    ts_report_form report;
    bool raw;       /* of it: numbers as they are */
    const char *by; /* these are of diff */
    const char *before, *after, *baseline, *flame_diff;
    ts_texts fail_if;
    uint64_t limit;  /* rows; 0: all */
    const char *out; /* the directory of -s, or the file of --to; "-": standard output */
    const char *to;  /* name of an export */
    const char *source, *thread, *event, *label, *weight, *from,
        *until;            /* what of it --to writes, or diff compares */
    const char *dimension; /* of --to */
    uint64_t port;         /* these are of serve; TS_NOT_GIVEN */
    uint64_t query_timeout, max_rows, threads;
    uint64_t jobs;              /* of --each; 0: as many as there are processors */
    uint64_t seconds, interval; /* of sample; TS_NOT_GIVEN */
    const char *listen, *flare_ui, *web, *samples, *cache;
    ts_texts allow_origins, allow_hosts;
    bool open_page, no_token, any;
    bool demangle; /* of --to, -q and diff */
    const char *directory;
    const char *format;
    const char *jfr_events;
    const char *analyze;
    bool analyze_if_any; /* one that has nothing to do is not worth a word; of serve */
    const char *viewer;
    const char *log_file;
    const char *json_file;
    const char *table;    /* of --tables=NAME; with --at: the tables to load */
    const char *explain;  /* of --explain=NAME */
    const char *question; /* of --questions=NAME */
    const char *complete; /* of --complete=OPTION=TEXT */
    bool json;
    bool no_meta;
    bool extract;
    bool each;
    bool index;
    bool force;
    bool sync;
    bool with_times;
    bool strict;
    bool compat;
    bool lp_derived, lp_extended; /* of --to=line-protocol */
    ts_layout layout;             /* of --to=parquet */
    const char *at;               /* these are of fleet and --to=clickhouse */
    const char *cluster;
    const char *rows; /* "facts" or "all"; NULL: not given */
    const char *labels_from;
    const char *redact; /* strings, names or all; NULL: not given */
    const char *redact_key;
    ts_texts redact_keep;
    ts_texts labels;                 /* of --label, also before it becomes `label` */
    uint64_t retries, timeout, keep; /* TS_NOT_GIVEN */
    uint64_t older_than;             /* milliseconds; TS_NOT_GIVEN */
    bool dry_run;
    bool keep_going;
    bool quiet;
    bool verbose;
    bool no_progress;
    int level;            /* a ts_log_level, TS_LEVEL_OFF or TS_LEVEL_UNSET */
    uint64_t max_inflate; /* 0 = not given */
    uint64_t max_memory;  /* 0 = none */
    uint64_t max_output;  /* bytes of an export; 0 = none */
    ts_time_range time_range;
    const char *syscalls; /* "all", "none" or a list; NULL: not given */
    const char *symbols;  /* a folder */
} ts_options;

/* The option of that name, n bytes, that one of the verbs takes, or NULL. */
const ts_option *ts_option_find(unsigned verbs, const char *name, size_t n);

/*
 * Reads argv, whose first argument may be a verb. -h and -v end it where they are; everything
 * else is read to the end and then checked for what the verb does not take and for combinations
 * that make no sense. TS_ERR_USAGE with a sentence that names the argument. Caller frees with
 * ts_options_free, also after an error. Texts are borrowed from argv.
 */
ts_code ts_options_parse(ts_options *options, ts_ctx *ctx, int argc, char **argv);
void ts_options_free(ts_options *options, ts_ctx *ctx);

/* "64M", "2G", "512k", "1048576": *out bytes. False: not a size, or above 2^63 - 1. */
bool ts_parse_size(uint64_t *out, const char *text);

/* The option of one of the verbs whose name is nearest to a mistyped one, as it should be written,
 * or NULL. */
const char *ts_option_nearest(unsigned verbs, const char *typed, size_t n);

#endif
