#include "cli/options.h"

#include <stddef.h>

#define AT(field) offsetof(ts_options, field)

const char *const ts_option_group_titles[TS_GROUP_COUNT] = {
    "Output", "Questions", "Input", "Messages", "Information", "Options of the reference converter",
};

/* clang-format off */
const ts_option ts_option_list[] = {
    {"-e", "--export-db", TS_ARG_VALUE, "DB", TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_FILE,
     TS_OPT_TEXT, AT(export_db), "write the SQLite database DB"},
    {NULL, "--viewer", TS_ARG_VALUE, "WHAT", TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_TEXT, AT(viewer), "edge-names: js_heap_edges is a view with names of edges as text, which the web viewer shows instead of numbers"},
    {"-nm", "--nometa", TS_ARG_NONE, NULL, TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(no_meta), "leave the table meta empty"},
    {NULL, "--index", TS_ARG_NONE, NULL, TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(index), "add indexes for frequent questions and run ANALYZE"},
    {NULL, "--force", TS_ARG_NONE, NULL, TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(force), "replace existing files that are not databases of this program"},
    {NULL, "--sync", TS_ARG_NONE, NULL, TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(sync), "flush the database to the disk before it is published"},
    {NULL, "--with-times", TS_ARG_NONE, NULL, TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(with_times), "note output name and time of the run in meta (output then differs from run to run)"},
    {"-s", "--s", TS_ARG_NONE, NULL, TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(extract), "write the contained .heapsnapshot, .heaptimeline and .cpuprofile files to the directory given by -o"},
    {"-o", "--out", TS_ARG_VALUE, "DIR", TS_GROUP_OUTPUT, TS_OPTION_ACTIVE, TS_VALUES_DIRECTORY,
     TS_OPT_TEXT, AT(out_dir), "existing directory for the files of -s"},

    {"-q", "--query-file", TS_ARG_VALUE, "QUESTION", TS_GROUP_QUESTION, TS_OPTION_ACTIVE, TS_VALUES_QUESTION_FILE,
     TS_OPT_TEXT, AT(query), "run SQL statements and print their rows: SQL text, a file of it (- is standard input) or the name of a shipped question; INPUT may be a finished database"},
    {NULL, "--param", TS_ARG_VALUE, "NAME=VALUE", TS_GROUP_QUESTION, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_PARAM, 0, "value of the parameter :NAME in the statements; may be repeated"},
    {NULL, "--output", TS_ARG_VALUE, "FORMAT", TS_GROUP_QUESTION, TS_OPTION_ACTIVE, TS_VALUES_OUTPUT,
     TS_OPT_OUTPUT, 0, "print the rows of -q as table, csv, tsv, json (an array) or jsonl (an object a line); default: table on a terminal, else tsv"},
    {NULL, "--report", TS_ARG_OPTIONAL, "FORM", TS_GROUP_QUESTION, TS_OPTION_ACTIVE, TS_VALUES_REPORT,
     TS_OPT_REPORT, 0, "print what is in the recording and its five largest findings of each kind, as text or json; INPUT may be a finished database"},
    {NULL, "--questions", TS_ARG_OPTIONAL, "NAME", TS_GROUP_QUESTION, TS_OPTION_ACTIVE, TS_VALUES_QUESTION,
     TS_OPT_QUESTIONS, 0, "list the shipped questions with their parameters, or describe one"},

    {"-D", "--directory", TS_ARG_VALUE, "DIR", TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_DIRECTORY,
     TS_OPT_TEXT, AT(directory), "read the files hiprofiler_data_<date>_<time>_<n>.htrace of DIR as one recording, in order of n"},
    {NULL, "--format", TS_ARG_VALUE, "NAME", TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_FORMAT,
     TS_OPT_TEXT, AT(format), "take the input for NAME instead of looking at its content; --format=list lists them"},
    {NULL, "--analyze", TS_ARG_VALUE, "NAMES", TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_ANALYSIS,
     TS_OPT_TEXT, AT(analyze), "do these analyses: names divided by commas, default or none; --analyze=list lists them; INPUT may be a finished database, which gets their rows"},
    {NULL, "--keep-going", TS_ARG_NONE, NULL, TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(keep_going), "import the other inputs when one cannot be opened (without it: exit code 1, and nothing is written)"},
    {NULL, "--time-range", TS_ARG_VALUE, "FROM,TO", TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_RANGE, AT(time_range), "import only what starts at FROM or later and before TO: milliseconds since 1970, ISO 8601 times, or +SECONDS from the beginning of each recording"},
    {NULL, "--max-inflate", TS_ARG_VALUE, "SIZE", TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_SIZE, AT(max_inflate), "most bytes that one compressed input may unpack to (default 64G; suffixes K, M, G, T)"},
    {NULL, "--max-memory", TS_ARG_VALUE, "SIZE", TS_GROUP_INPUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_SIZE, AT(max_memory), "stop with exit code 6 when more memory would be needed (default: no limit)"},

    {NULL, "--json", TS_ARG_OPTIONAL, "FILE", TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_FILE,
     TS_OPT_JSON, 0, "print the summary as one JSON object to standard output, or write it to FILE"},
    {NULL, "--strict", TS_ARG_NONE, NULL, TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(strict), "exit with 3 when data was lost"},
    {NULL, "--quiet", TS_ARG_NONE, NULL, TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(quiet), "print errors only: no progress, no summary"},
    {NULL, "--verbose", TS_ARG_NONE, NULL, TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(verbose), "list internal tables in the summary too"},
    {NULL, "--no-progress", TS_ARG_NONE, NULL, TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_FLAG, AT(no_progress), "show no progress on a terminal"},
    {"-l", "--level", TS_ARG_VALUE, "LEVEL", TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_LEVEL,
     TS_OPT_LEVEL, 0, "log to standard error: D, I, W, E, F or O (DEBUG, INFO, WARN, ERROR, FATAL, OFF; default OFF)"},
    {NULL, "--log-file", TS_ARG_VALUE, "FILE", TS_GROUP_MESSAGE, TS_OPTION_ACTIVE, TS_VALUES_FILE,
     TS_OPT_TEXT, AT(log_file), "append the log to FILE instead (level INFO unless -l says otherwise)"},

    {"-i", "--info", TS_ARG_NONE, NULL, TS_GROUP_ABOUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_INFO, 0, "list what can be read and where it goes"},
    {NULL, "--list", TS_ARG_NONE, NULL, TS_GROUP_ABOUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_LIST, 0, "list the supported formats and features"},
    {NULL, "--tables", TS_ARG_OPTIONAL, "NAME", TS_GROUP_ABOUT, TS_OPTION_ACTIVE, TS_VALUES_TABLE,
     TS_OPT_TABLES, 0, "list the tables of the database, or the columns of one"},
    {"-h", "--help", TS_ARG_NONE, NULL, TS_GROUP_ABOUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_HELP, 0, "show this text"},
    {"-v", "--version", TS_ARG_NONE, NULL, TS_GROUP_ABOUT, TS_OPTION_ACTIVE, TS_VALUES_NONE,
     TS_OPT_VERSION, 0, "show the version"},

    {"-tn", "--threadnum", TS_ARG_VALUE, "N", TS_GROUP_OLD, TS_OPTION_NO_EFFECT, TS_VALUES_NONE,
     TS_OPT_THREADS, 0, "accepted, has no effect: one thread does the work"},
    {"-nt", "--nothreads", TS_ARG_NONE, NULL, TS_GROUP_OLD, TS_OPTION_NO_EFFECT, TS_VALUES_NONE,
     TS_OPT_IGNORED, 0, "accepted, has no effect: one thread does the work"},
    {"-lnc", NULL, TS_ARG_NONE, NULL, TS_GROUP_OLD, TS_OPTION_NO_EFFECT, TS_VALUES_NONE,
     TS_OPT_IGNORED, 0, "accepted, has no effect: rows are written as they come"},
    {NULL, "--So_dir", TS_ARG_VALUE, "DIR", TS_GROUP_OLD, TS_OPTION_NO_EFFECT, TS_VALUES_DIRECTORY,
     TS_OPT_IGNORED, 0, "accepted, has no effect: no decoded data needs symbols"},
    {"-c", "--command", TS_ARG_NONE, NULL, TS_GROUP_OLD, TS_OPTION_REFUSED, TS_VALUES_NONE,
     TS_OPT_REFUSED, 0, "open the database with sqlite3, or use -q"},
    {"-m", "--run-metrics", TS_ARG_VALUE, "NAMES", TS_GROUP_OLD, TS_OPTION_REFUSED, TS_VALUES_NONE,
     TS_OPT_REFUSED, 0, "use the views of the database (--tables lists them), or -q"},
    {"-d", "--dump", TS_ARG_VALUE, "KIND", TS_GROUP_OLD, TS_OPTION_REFUSED, TS_VALUES_NONE,
     TS_OPT_REFUSED, 0, "use -q to print rows"},
    {NULL, "--ext", TS_ARG_NONE, NULL, TS_GROUP_OLD, TS_OPTION_REFUSED, TS_VALUES_NONE,
     TS_OPT_REFUSED, 0, "all fields that are decoded are always in the database"},
};
/* clang-format on */

const size_t ts_option_count = sizeof ts_option_list / sizeof ts_option_list[0];
