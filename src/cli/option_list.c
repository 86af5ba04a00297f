/* What can be given on the command line: options and the verbs they belong to. */
#include "cli/options.h"

#include <stddef.h>

const ts_verb_about ts_verb_list[TS_VERB_COUNT] = {
    [TS_VERB_NONE] = {"", "turn recordings into a database, ask it, export it", 0, SIZE_MAX,
                      "", /* said by options_check */
                      "INPUT... -e DB [options]\n"
                      "INPUT... -q QUESTION [--param NAME=VALUE]...\n"
                      "INPUT... --report[=json]\n"
                      "INPUT... --to=FORMAT -o FILE\n"
                      "INPUT... --to=clickhouse --at=URL [options]\n"
                      "INPUT... -s -o DIR\n"
                      "-D DIR -e DB [options]\n"
                      "DB --analyze=NAMES [-e DB]\n"},
    [TS_VERB_DIFF] = {"diff", "compare two recordings or databases", 1, 2,
                      "two inputs, the one before and the one after, or one with several sources",
                      "diff BEFORE AFTER [--by=WHAT] [--fail-if=CONDITION]...\n"
                      "diff BEFORE AFTER --to=FORMAT -o FILE\n"
                      "diff INPUT --before=SOURCE --after=SOURCE\n"
                      "diff INPUT --baseline=DIR [--by=WHAT] [--fail-if=CONDITION]...\n"
                      "diff KEY=VALUE KEY=VALUE --at=URL [--by=WHAT] [--fail-if=CONDITION]...\n"},
    [TS_VERB_SERVE] = {"serve", "show databases and recordings in the browser", 1, 16,
                       "1 to 16 databases or recordings", "serve DB... [--open] [options]\n"},
    [TS_VERB_SAMPLE] = {"sample", "sample a running Java VM into a database", 0, 1,
                        "one process id",
                        "sample PID -e DB [--seconds=N] [options]\n"
                        "sample\n"},
    [TS_VERB_UPGRADE] = {"upgrade", "give an older database the present schema", 1, 1,
                         "one database", "upgrade OLD -e NEW\n"},
    [TS_VERB_FLEET] = {"fleet", "many recordings in a database of ClickHouse", 1, SIZE_MAX,
                       "what to do: init, list, ask, report, forget, sweep or check",
                       "fleet init|list|sweep|check --at=URL\n"
                       "fleet ask [QUESTION] --at=URL [--by=KEY] [--label=KEY=VALUE]...\n"
                       "fleet report --at=URL [--by=KEY] [--label=KEY=VALUE]...\n"
                       "fleet forget ID... --at=URL\n"
                       "fleet forget --older-than=AGE --at=URL\n"},
    [TS_VERB_MCP] = {"mcp",
                     "let a language model's program ask recordings (Model Context Protocol)", 0,
                     16, "16 recordings or databases at most", "mcp [INPUT...]\n"},
    [TS_VERB_CUT] = {"cut", "write the part of a recording that shows a problem", 1, 1,
                     "one database or recording",
                     "cut INPUT --from=TIME --until=TIME [--thread=THREAD] -e OUT\n"},
    [TS_VERB_MERGE] = {"merge", "write one database with the rows of several", 2, SIZE_MAX,
                       "two databases or more", "merge DB DB... -e OUT [--index]\n"},
    [TS_VERB_REDACT] =
        {"redact", "make a database whose texts are tokens, to be shared", 1, 1,
         "one database or recording",
         "redact INPUT -e OUT [--redact=strings|names|all] [--redact-keep=REGEX]...\n"
         "redact INPUT -e OUT --redact-key=FILE\n"},
    [TS_VERB_UNREDACT] = {"unredact", "say what tokens of a redacted database were", 1, SIZE_MAX,
                          "the original database, and tokens",
                          "unredact DB --redact-key=FILE TOKEN...\n"
                          "unredact DB --redact-key=FILE <REPORT >TRANSLATED\n"},
    [TS_VERB_HELP] = {"help", "show the options of the program, or of a verb", 0, 1,
                      "one verb at most", "help [VERB]\n"},
    [TS_VERB_VERSION] = {"version", "show the version", 0, 0, "no input", "version\n"},
};

const char *const ts_option_group_titles[TS_GROUP_COUNT] = {
    [TS_GROUP_OUTPUT] = "Output",
    [TS_GROUP_QUESTION] = "Questions",
    [TS_GROUP_DIFF] = "Comparing",
    [TS_GROUP_SERVE] = "Serving",
    [TS_GROUP_SAMPLE] = "Sampling",
    [TS_GROUP_FLEET] = "Many recordings",
    [TS_GROUP_EXPORT] = "Export",
    [TS_GROUP_SELECT] = "Selection of what is exported or compared",
    [TS_GROUP_INPUT] = "Input",
    [TS_GROUP_MESSAGE] = "Messages",
    [TS_GROUP_ABOUT] = "Information",
    [TS_GROUP_OLD] = "Options of the reference converter",
};

/* The verbs of an option. */
enum {
    C = 1 << TS_VERB_NONE,
    D = 1 << TS_VERB_DIFF,
    S = 1 << TS_VERB_SERVE,
    J = 1 << TS_VERB_SAMPLE,
    U = 1 << TS_VERB_UPGRADE,
    F = 1 << TS_VERB_FLEET,
    M = 1 << TS_VERB_MCP,
    K = 1 << TS_VERB_CUT,
    G = 1 << TS_VERB_MERGE,
    R = 1 << TS_VERB_REDACT,
    X = 1 << TS_VERB_UNREDACT,
    ALL = (1 << TS_VERB_COUNT) - 1
};

#define AT(field) offsetof(ts_options, field)

/* Rows of the table, by what an option sets. */
/* clang-format off */
#define FLAG(s, l, verbs, group, field, help) \
    {s, l, TS_ARG_NONE, NULL, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_NONE, NULL, TS_OPT_FLAG, AT(field), 0, 0, help}
#define TEXT(s, l, value, verbs, group, values, field, help) \
    {s, l, TS_ARG_VALUE, value, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_##values, NULL, TS_OPT_TEXT, AT(field), 0, 0, help}
#define TEXTS(l, value, verbs, group, values, field, help) \
    {NULL, l, TS_ARG_VALUE, value, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_##values, NULL, TS_OPT_TEXTS, AT(field), 0, 0, help}
#define SIZE(l, verbs, group, field, least, help) \
    {NULL, l, TS_ARG_VALUE, "SIZE", verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_NONE, NULL, TS_OPT_SIZE, AT(field), least, 0, help}
#define NUMBER(l, value, verbs, group, field, least, most, help) \
    {NULL, l, TS_ARG_VALUE, value, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_NONE, NULL, TS_OPT_NUMBER, AT(field), least, most, help}
#define WORD(id, s, l, arg, value, verbs, group, words, help) \
    {s, l, TS_ARG_##arg, value, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_WORDS, words, TS_OPT_##id, 0, 0, 0, help}
#define MODE(mode, s, l, arg, value, verbs, group, values, at, help) \
    {s, l, TS_ARG_##arg, value, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_##values, NULL, TS_OPT_MODE, at, TS_MODE_##mode, 0, help}
#define OTHER(id, s, l, arg, value, verbs, group, values, field, help) \
    {s, l, TS_ARG_##arg, value, verbs, TS_GROUP_##group, TS_OPTION_ACTIVE, TS_VALUES_##values, NULL, TS_OPT_##id, AT(field), 0, 0, help}
#define NO_EFFECT(s, l, arg, value, values, most, help) \
    {s, l, TS_ARG_##arg, value, C, TS_GROUP_OLD, TS_OPTION_NO_EFFECT, TS_VALUES_##values, NULL, TS_OPT_IGNORED, 0, 1, most, help}
#define REFUSED(s, l, arg, value, help) \
    {s, l, TS_ARG_##arg, value, C, TS_GROUP_OLD, TS_OPTION_REFUSED, TS_VALUES_NONE, NULL, TS_OPT_REFUSED, 0, 0, 0, help}

const ts_option ts_option_list[] = {
    TEXT("-e", "--export-db", "DB", C | J | U | K | G | R, OUTPUT, FILE, export_db,
     "write the SQLite database DB"),
    TEXT(NULL, "--viewer", "WHAT", C, OUTPUT, NONE, viewer,
     "for the web viewer: edge-names (js_heap_edges is a view with names of edges as text instead of numbers), stacks (frames of sampled stacks as a table, which is read faster than the view), an input (trace_range covers its times only), or several with commas, the input last"),
    FLAG("-nm", "--nometa", C, OUTPUT, no_meta,
     "leave the table meta empty"),
    FLAG(NULL, "--index", C | G, OUTPUT, index,
     "add indexes for frequent questions and run ANALYZE"),
    FLAG(NULL, "--force", C | J | U | K | G | R, OUTPUT, force,
     "replace existing files that are not databases of this program"),
    FLAG(NULL, "--sync", C | J | U | K | G | R, OUTPUT, sync,
     "flush the database to the disk before it is published"),
    FLAG(NULL, "--with-times", C, OUTPUT, with_times,
     "note output name and time of the run in meta (output then differs from run to run)"),
    WORD(REDACT, NULL, "--redact", VALUE, "WHAT", C | R, OUTPUT, "strings names all",
     "write tokens in the place of texts: strings (values, log texts, SQL, addresses, command lines), names (and names of classes, methods, files, threads and processes) or all (and hosts, users and the recording's name; default of the verb)"),
    TEXTS("--redact-keep", "REGEX", C | R, OUTPUT, NONE, redact_keep,
     "keep texts in which the regular expression is found, such as ^java\\.; may be repeated"),
    TEXT(NULL, "--redact-key", "FILE", C | R | X, OUTPUT, FILE, redact_key,
     "the key of the tokens: taken from FILE, or written there when there is none; equal keys give equal tokens (default: a new key that is forgotten)"),
    FLAG("-s", "--s", C, OUTPUT, extract,
     "write the contained .heapsnapshot, .heaptimeline and .cpuprofile files to the directory given by -o"),
    TEXT("-o", "--out", "PATH", C, OUTPUT, FILE, out,
     "existing directory for the files of -s or the databases of --each, the file of --to (- is standard output; of several databases also a directory), or the directory of --to=parquet"),
    TEXT("-o", "--out", "FILE", D, OUTPUT, FILE, out,
     "write what --to makes to FILE (- is standard output)"),
    FLAG(NULL, "--each", C, OUTPUT, each,
     "write a database for each INPUT, and for each recording in a directory, to the directory of -o; databases that are there and newer are left alone"),
    NUMBER("--jobs", "N", C, OUTPUT, jobs, 1, 256,
     "with --each: convert N recordings at once (default: the number of processors)"),
    WORD(OUTPUT, NULL, "--output", VALUE, "FORMAT", C | F, OUTPUT, "table csv tsv json jsonl arrow",
     "print rows as table, csv, tsv, json (an array), jsonl (an object a line) or arrow (a stream for pandas, Polars and DuckDB); default: table on a terminal, else tsv"),
    WORD(OUTPUT, NULL, "--output", VALUE, "FORMAT", D, OUTPUT, "table csv tsv json jsonl arrow markdown junit sarif github",
     "print rows as table, csv, tsv, json, jsonl or arrow, or conditions and rows for a pull request (markdown), for what collects tests (junit) or findings (sarif), or as workflow commands (github); default: table on a terminal, else tsv"),

    TEXT("-q", "--query-file", "QUESTION", C, QUESTION, QUESTION_FILE, query,
     "run SQL statements and print their rows: SQL text, a file with it (- is standard input) or the name of a shipped question; INPUT may be a finished database"),
    OTHER(PARAM, NULL, "--param", VALUE, "NAME=VALUE", C | F, QUESTION, ASKED, params,
     "give the parameter :NAME of the statements a value; may be repeated"),
    WORD(REPORT, NULL, "--report", OPTIONAL, "FORM", C, QUESTION, "text json",
     "print what is in the recording and its five largest findings of each kind, as text or json; INPUT may be a finished database"),
    FLAG(NULL, "--raw", C, QUESTION, raw,
     "with --report: times in ns and sizes in bytes, as -q and JSON have them"),
    MODE(QUESTIONS, NULL, "--questions", OPTIONAL, "NAME", C, QUESTION, QUESTION, AT(question),
     "list the shipped questions with their parameters, or describe one"),

    TEXT(NULL, "--by", "WHAT", D, DIFF, DIFF, by,
     "compare by class, method, call, statement, series, pause or node; with --at by class, method, pause, wait, frame, metric or issue; --by=list lists them (default: the first that both sides have)"),
    TEXT(NULL, "--before", "SOURCE", D, DIFF, ASKED, before,
     "compare only this source of the first input: its id, name or path"),
    TEXT(NULL, "--after", "SOURCE", D, DIFF, ASKED, after,
     "compare only this source of the second input, or of the only one"),
    TEXT(NULL, "--baseline", "DIR", D, DIFF, DIRECTORY, baseline,
     "compare with the median of all databases in DIR, which are runs before; a change within their spread makes no condition true"),
    TEXT(NULL, "--flame-diff", "FILE", D, DIFF, FILE, flame_diff,
     "also write the flame graph of the difference to FILE"),
    TEXTS("--fail-if", "CONDITION", D, DIFF, NONE, fail_if,
     "exit with 9 when it holds, such as self_size>+5% (the total), self_size[NAME]>+1MB (a row) or count[*]>=100 (any row); may be repeated"),
    NUMBER("--limit", "N", D, DIFF, limit, 0, UINT32_MAX,
     "print the N rows with the largest changes (default 20; 0: all)"),

    NUMBER("--port", "N", S, SERVE, port, 0, UINT16_MAX,
     "listen on port N (default 3891; 0: a free one)"),
    TEXT(NULL, "--listen", "ADDR", S, SERVE, NONE, listen,
     "listen on the address ADDR (default 127.0.0.1: this machine only)"),
    FLAG(NULL, "--open", S, SERVE, open_page,
     "open the page in the browser"),
    FLAG(NULL, "--no-token", S, SERVE, no_token,
     "answer every user of this machine: requests need no token"),
    TEXTS("--allow-origin", "URL", S, SERVE, NONE, allow_origins,
     "let pages of this origin ask, such as http://127.0.0.1:8000 or http://127.0.0.1:*; may be repeated"),
    TEXTS("--allow-host", "NAME", S, SERVE, NONE, allow_hosts,
     "answer requests that call the server by this name; may be repeated"),
    TEXT(NULL, "--flare-ui", "DIR", S, SERVE, DIRECTORY, flare_ui,
     "serve the pages of Flare in DIR below /flare/"),
    TEXT(NULL, "--samples", "DIR", S, SERVE, DIRECTORY, samples,
     "offer the sample directories of Flare in DIR"),
    TEXT(NULL, "--cache", "DIR", S, SERVE, DIRECTORY, cache,
     "keep copies of databases with the analyses that they lack in DIR (default: trace_streamer/serve in $XDG_CACHE_HOME or ~/.cache); --analyze=none makes none"),
    TEXT(NULL, "--web", "DIR", S, SERVE, DIRECTORY, web,
     "take the page from DIR instead of the installed one"),
    NUMBER("--query-timeout", "S", S, SERVE, query_timeout, 1, 86400,
     "end queries after S seconds (default 30)"),
    NUMBER("--max-rows", "N", S, SERVE, max_rows, 1, UINT32_MAX,
     "send at most N rows in a reply (default 1000000)"),
    FLAG(NULL, "--any", S, SERVE, any,
     "serve SQLite databases of other programs too"),

    NUMBER("--seconds", "N", J, SAMPLE, seconds, 1, 86400,
     "sample for N seconds (default 30); SIGINT ends it before, with what was sampled"),
    NUMBER("--interval", "MS", J, SAMPLE, interval, 1, 60000,
     "milliseconds from one sample to the next (default 20)"),

    TEXT(NULL, "--at", "URL", C | D | F, FLEET, NONE, at,
     "the database of ClickHouse, http://HOST:8123/DATABASE; user and password are not part of it (docs/fleet.md)"),
    TEXT(NULL, "--by", "KEY", F, FLEET, NONE, by,
     "of ask and report: group recordings by a label, or by recording (default of ask), host, day, program or all (default of report); several with commas"),
    TEXTS("--label", "KEY=VALUE", F, FLEET, ASKED, labels,
     "of ask and report: only recordings with this label, also recording=, host=, day= or program=; VALUE may be a glob; may be repeated, and all must hold"),
    WORD(ROWS, NULL, "--rows", VALUE, "AMOUNT", C, FLEET, "facts all",
     "rows that --to=clickhouse loads: facts (default): tables that are asked across recordings; all. --tables=A,B chooses tables instead"),
    TEXT(NULL, "--labels-from", "FILE", C, FLEET, FILE, labels_from,
     "take labels from a JSON object in FILE"),
    FLAG(NULL, "--dry-run", C, FLEET, dry_run,
     "print the statements that make the tables, and what would be loaded, and open no connection"),
    TEXT(NULL, "--cluster", "NAME", F, FLEET, NONE, cluster,
     "of init: make the fleet on all shards of this cluster, which the engine's configuration names; all listen on the same HTTP port"),
    NUMBER("--keep", "DAYS", F, FLEET, keep, 1, 36500,
     "of init: the engine deletes rows after so many days"),
    OTHER(AGE, NULL, "--older-than", VALUE, "AGE", F, FLEET, NONE, older_than,
     "of forget: recordings that were loaded longer ago, such as 90d or 12h; of sweep: rows of failed attempts that began longer ago (default 1d)"),
    NUMBER("--retries", "N", C | D | F, FLEET, retries, 0, 1000,
     "try again N times after failures that may pass, after 1, 2, 4 ... 60 seconds (default 6)"),
    NUMBER("--timeout", "S", C | D | F, FLEET, timeout, 1, 86400,
     "give a request up after S seconds (default 300)"),
    NUMBER("--timeout", "S", M, SERVE, timeout, 1, 86400,
     "stop an answer that takes longer than S seconds (default 120)"),

    TEXT(NULL, "--to", "FORMAT", C | D, EXPORT, EXPORT, to,
     "write the stacks, or the tables, as FORMAT to the file or directory of -o; --to=list lists formats; INPUT may be a finished database"),
    SIZE("--max-output", C | D, EXPORT, max_output, 0,
     "stop with exit code 6 when what --to writes would be longer (default: 2G; 0: no limit)"),
    WORD(LAYOUT, NULL, "--layout", VALUE, "LAYOUT", C, EXPORT, "one hive",
     "files of --to=parquet: one (default): DIR/TABLE.parquet of one recording; hive: of many, DIR/TABLE/day=DAY/recording=ID/part.parquet"),
    TEXT(NULL, "--dimension", "NAME", C, EXPORT, NONE, dimension,
     "what a frame of datakit-flamegraph is: method (default), package, line or thread"),
    FLAG(NULL, "--lp-derived", C, EXPORT, lp_derived,
     "line-protocol: write also metrics that Datakit itself would write as 0"),
    FLAG(NULL, "--lp-extended", C, EXPORT, lp_extended,
     "line-protocol: write also the fields language_ver, oss_path, metrics and samples"),

    TEXT(NULL, "--source", "SOURCE", C | D | K, SELECT, ASKED, source,
     "take only what is in this source: its id, path, name, or a glob"),
    TEXT(NULL, "--thread", "THREAD", C | D | K, SELECT, ASKED, thread,
     "take only these threads: name or glob, tid=N, pid=N, id=N, process=NAME; several with commas"),
    TEXT(NULL, "--from", "TIME", C | D, SELECT, NONE, from,
     "take only samples and calls that begin at TIME or later: ns, 2019-09-05T07:44:26Z, or +2.5s from the beginning"),
    TEXT(NULL, "--until", "TIME", C | D, SELECT, NONE, until,
     "take only samples and calls that begin before TIME"),
    TEXT(NULL, "--from", "TIME", K, SELECT, NONE, from,
     "take only what is at TIME or later, or goes on then: ns, 2019-09-05T07:44:26Z, +2.5s from the beginning, or -1s before the end"),
    TEXT(NULL, "--until", "TIME", K, SELECT, NONE, until,
     "take only what begins before TIME"),
    TEXT(NULL, "--weight", "NAME", C | D, SELECT, ASKED, weight,
     "what stacks are weighed by, or what rows of diff are ordered by: cpu, wall, waiting, allocation, live, samples, or a value of samples, such as alloc_space (default: cpu, or what there is)"),
    TEXT(NULL, "--event", "NAME", C | D, SELECT, ASKED, event,
     "take only samples that were caused by this, such as wall or alloc; call: traced calls"),
    TEXT(NULL, "--label", "LABEL", D, SELECT, ASKED, label,
     "take only samples with this label: KEY=VALUE or a glob of that, such as worker=w*; KEY: with any value"),
    TEXTS("--label", "LABEL", C, SELECT, ASKED, labels,
     "take only samples with this label: KEY=VALUE or a glob of that, such as worker=w*; KEY: with any value; of --to=clickhouse: a label that the recordings get, such as build=4711, may be repeated"),
    FLAG(NULL, "--demangle", C | D | F, SELECT, demangle,
     "print names of C++ and Rust functions as they are in the source; the database keeps them as recorded"),

    TEXT("-D", "--directory", "DIR", C, INPUT, DIRECTORY, directory,
     "read the files hiprofiler_data_<date>_<time>_<n>.htrace of DIR as one recording, in order of n"),
    TEXT(NULL, "--format", "NAME", C | D | S | K | R, INPUT, FORMAT, format,
     "read the input as NAME instead of looking at its content; --format=list lists them"),
    TEXT(NULL, "--analyze", "NAMES", C | D | S, INPUT, ANALYSIS, analyze,
     "do these analyses: names divided by commas, default or none; --analyze=list lists them; INPUT may be a finished database, which gets their rows"),
    TEXT(NULL, "--jfr-events", "NAMES", C | D | S, INPUT, NONE, jfr_events,
     "keep these events of JFR recordings in jfr_event: names of types divided by commas, or all"),
    FLAG(NULL, "--keep-going", C, INPUT, keep_going,
     "import the other inputs when one cannot be opened (without it: exit code 1, and nothing is written)"),
    OTHER(RANGE, NULL, "--time-range", VALUE, "FROM,TO", C | D | S, INPUT, NONE, time_range,
     "import only what starts at FROM or later and before TO: milliseconds since 1970, ISO 8601 times, or +SECONDS from the beginning of each recording"),
    OTHER(SYSCALLS, NULL, "--syscalls", VALUE, "LIST", C | D | S, INPUT, NONE, syscalls,
     "keep system calls of these numbers in syscall: numbers divided by commas, all (default) or none"),
    FLAG(NULL, "--compat", C | D | S, INPUT, compat,
     "write the values of OpenHarmony's TraceStreamer where scripts compare them; docs/differences.md lists them"),
    TEXT(NULL, "--symbols", "DIR", C | D, INPUT, DIRECTORY, symbols,
     "name functions of perf recordings by the programs, libraries and debug files below DIR"),
    SIZE("--max-inflate", C | D | S, INPUT, max_inflate, 1,
     "let one compressed input unpack to at most SIZE (default 64G; suffixes K, M, G, T)"),
    SIZE("--max-memory", C | D | K | G | R | X, INPUT, max_memory, 1,
     "stop with exit code 6 when more memory would be needed (default: no limit)"),
    SIZE("--max-memory", S, SERVE, max_memory, 1,
     "use at most SIZE of memory for queries and views (default 1G)"),
    NUMBER("--threads", "N", C | D, INPUT, threads, 0, UINT32_MAX,
     "use at most N threads: one that writes rows, and one that decompresses (default: the number of processors)"),
    NUMBER("--threads", "N", S, SERVE, threads, 1, 64,
     "run at most N queries at once (default: the number of processors, at most 8)"),

    OTHER(JSON, NULL, "--json", OPTIONAL, "FILE", C, MESSAGE, FILE, json_file,
     "print the summary as one JSON object to standard output, or write it to FILE"),
    FLAG(NULL, "--json", S, MESSAGE, json,
     "print the address as one JSON object to standard output"),
    FLAG(NULL, "--strict", C, MESSAGE, strict,
     "exit with 3 when data was lost, with 1 when an input could not be imported"),
    FLAG(NULL, "--quiet", C | D | S | J | U | F | K | G | R, MESSAGE, quiet,
     "print errors only: no progress, no summary"),
    FLAG(NULL, "--verbose", C | S, MESSAGE, verbose,
     "list internal tables in the summary too"),
    FLAG(NULL, "--no-progress", C | D | S | J | K | G | R, MESSAGE, no_progress,
     "show no progress on a terminal"),
    WORD(LEVEL, "-l", "--level", VALUE, "LEVEL", C | S, MESSAGE, "DEBUG INFO WARN ERROR FATAL OFF",
     "log to standard error: D, I, W, E, F or O (DEBUG, INFO, WARN, ERROR, FATAL, OFF; default OFF); of several with commas, the one with most messages"),
    TEXT(NULL, "--log-file", "FILE", C | S, MESSAGE, FILE, log_file,
     "append the log to FILE instead (level INFO unless -l says otherwise)"),

    MODE(INFO, "-i", "--info", NONE, NULL, C, ABOUT, NONE, 0,
     "list what can be read and where it goes"),
    MODE(LIST, NULL, "--list", NONE, NULL, C, ABOUT, NONE, 0,
     "list the supported formats and features"),
    MODE(TABLES, NULL, "--tables", OPTIONAL, "NAME", C, ABOUT, TABLE, AT(table),
     "list the tables of the database, or the columns of one"),
    MODE(EXPLAIN, NULL, "--explain", VALUE, "NAME", C, ABOUT, TABLE, AT(explain),
     "say what a table, TABLE.COLUMN, a column, a code of import_issue or an item of import_count is"),
    MODE(COMPLETE, NULL, "--complete", VALUE, "OPTION=TEXT", C | D, ABOUT, NONE, AT(complete),
     "for completion in shells: print what may follow TEXT as the value of --param (names of the question's parameters, then values), --source, --thread, --event, --label, --weight, --before or --after, of the finished database INPUT"),
    MODE(HELP, "-h", "--help", NONE, NULL, ALL, ABOUT, NONE, 0,
     "show this text"),
    MODE(VERSION, "-v", "--version", NONE, NULL, ALL, ABOUT, NONE, 0,
     "show the version"),

    MODE(VERSION, "-V", NULL, NONE, NULL, ALL, ABOUT, NONE, 0,
     "the same as -v"),

    NO_EFFECT("-tn", "--threadnum", VALUE, "N", NONE, 1024,
     "accepted, has no effect; see --threads"),
    NO_EFFECT("-nt", "--nothreads", NONE, NULL, NONE, 0,
     "accepted, has no effect; see --threads"),
    NO_EFFECT("-lnc", NULL, NONE, NULL, NONE, 0,
     "accepted, has no effect: rows are written as they come"),
    TEXT(NULL, "--So_dir", "DIR", C, OLD, DIRECTORY, symbols,
     "the same as --symbols"),
    NO_EFFECT(NULL, "--ext", NONE, NULL, NONE, 0,
     "accepted, has no effect: all fields that are decoded are always in the database"),
    REFUSED("-c", "--command", NONE, NULL,
     "open the database with sqlite3, or use -q"),
    REFUSED("-m", "--run-metrics", VALUE, "NAMES",
     "use the views of the database (--tables lists them), or -q"),
    REFUSED("-d", "--dump", VALUE, "KIND",
     "use -q to print rows"),
};

/* What cannot be seen in the place of a word: values and files are looked at elsewhere. */
const ts_option_rule ts_option_rules[] = {
    {C, "--param", true, "-q", "requires -q"},
    {C, "--output", true, "-q", "is the form of the rows of -q; the database is named with -e"},
    {C, "--source --thread --event --label --weight --from --until", true, "--to", "requires --to or the verb diff"},
    {C, "--demangle", true, "--to -q", "requires --to, -q or the verb diff"},
    {C, "--dimension", true, "--to", "requires --to=datakit-flamegraph"},
    {C, "--lp-derived --lp-extended", true, "--to", "requires --to=line-protocol"},
    {C, "--layout", true, "--to", "requires --to=parquet"},
    {C, "--max-output", true, "--to", "requires --to"},
    {D, "--max-output", true, "--to --flame-diff", "requires --to"},
    {D, "--event", true, "--to --flame-diff", "requires --to"},
    {C, "--to", false, "-s", "both need -o: run them one after the other"},
    {C, "--each", true, "-o", "needs -o DIR, the directory for the databases"},
    {C, "--each", false, "-e -q --report --to -s --json -D --at --log-file", "databases are written and nothing else is made: run them one after the other"},
    {C, "--jobs", true, "--each", "requires --each"},
    {C, "-s", true, "-o", "needs -o DIR, the directory for the files"},
    {C, "--to", true, "-o --at", "needs -o FILE, the file to write (- is standard output)"},
    {D, "--to", true, "-o", "needs -o FILE, the file to write (- is standard output)"},
    {D, "--at", false, "--to -o --baseline --flame-diff --before --after --source --thread --event --label --from --until --demangle --format --analyze --jfr-events --time-range --syscalls --compat --symbols",
     "what is compared are recordings that were loaded: name their labels, such as build=1 build=2"},
    {D, "--retries --timeout", true, "--at", "requires --at=URL"},
    {C, "--rows --labels-from --dry-run --retries --timeout", true, "--at", "requires --to=clickhouse --at=URL"},
    {C, "--at", false, "-o -e -q --report -s --json -D --index --layout", "rows are loaded and nothing else is made: run them one after the other"},
    {F, NULL, true, "--at", "needs --at=URL"},
    {C, "-o", true, "-s --to --each", "is the directory for the files of -s or the databases of --each, or the file of --to=FORMAT; the database is named with -e"},
    {D, "-o", true, "--to", "is the file for --to=FORMAT, without which rows are printed"},
    {D, "--by --fail-if --limit --output --baseline --flame-diff", false, "--to", "that writes a picture and no rows"},
    {C, "--report", false, "-q", "both print to standard output"},
    {C, "--raw", true, "--report", "requires --report"},
    {C, "--viewer", true, "-e --each", "needs -e DB"},
    {C, "--index --sync --with-times", true, "-e -q --report --analyze --to --each", "needs -e DB"},
    {U, NULL, true, "-e", "needs -e NEW"},
    {K, NULL, true, "-e", "needs -e OUT"},
    {K, NULL, true, "--from --until --thread --source", "needs --from, --until, --thread or --source: what the part is"},
    {G, NULL, true, "-e", "needs -e OUT"},
    {R, NULL, true, "-e", "needs -e OUT"},
    {X, NULL, true, "--redact-key", "needs --redact-key=FILE, the key of the redacted database"},
    {C, "--redact-keep --redact-key", true, "--redact", "requires --redact"},
    {C, "--redact", true, "-e", "needs -e DB"},
    {C, "--redact", false, "-q --report --to -s -o --json -D -nm --with-times --log-file -l --strict --verbose --keep-going", "writes a redacted database and nothing else: ask and export that one"},
    {J, "--seconds --interval --force --sync", true, "-e", "needs PID -e DB"},
};
/* clang-format on */

const size_t ts_option_count = sizeof ts_option_list / sizeof ts_option_list[0];
const size_t ts_option_rule_count = sizeof ts_option_rules / sizeof ts_option_rules[0];
