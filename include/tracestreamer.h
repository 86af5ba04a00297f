/*
 * libtracestreamer: recordings of profilers become one SQLite database, and are asked.
 *
 *     tst_session *s;
 *     tst_rows *rows;
 *     if (tst_open(&s, NULL) == TST_OK && tst_add_path(s, "app.htrace") == TST_OK &&
 *         tst_finish(s) == TST_OK && tst_query(&rows, s, "SELECT id, name FROM source", NULL, 0) ==
 * TST_OK) { while (tst_rows_next(rows) == TST_ROW) { puts(tst_rows_text(rows, 1, NULL));
 *         }
 *         tst_rows_free(rows);
 *     }
 *     tst_close(s);
 *
 * A session is used by one thread at a time (only tst_cancel may be called from another one);
 * sessions share nothing, so each thread may have its own. The library has no state outside its
 * sessions, installs no signal handlers, prints nothing and ends no process. Texts are UTF-8.
 *
 * Damage inside a recording is no error: it is in the tables import_issue and import_count, as with
 * the program. Functions return a code; tst_message says what failed and why.
 *
 * Compiles as C99 and as C++.
 */
#ifndef TRACESTREAMER_H
#define TRACESTREAMER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define TST_API __attribute__((visibility("default")))
#else
#define TST_API
#endif

/* The version of this interface: a library of another one has another file name. */
#define TST_INTERFACE 0

/* The codes are the exit codes of the program (docs/trace_streamer.1). */
typedef enum tst_code {
    TST_OK = 0,
    TST_INPUT = 1, /* an input cannot be opened or read, or none could be imported */
    TST_USAGE =
        2, /* wrong arguments or order of calls, SQL that is wrong, a question that does not fit */
    TST_OUTPUT = 4, /* an output cannot be written */
    TST_FORMAT = 5, /* no input has a known format */
    TST_LIMIT = 6,  /* a limit was reached */
    TST_MEMORY = 7,
    TST_DEFECT = 70,    /* a defect of the library; please report it */
    TST_ROW = 100,      /* tst_rows_next: there is a row */
    TST_CANCELLED = 130 /* tst_cancel was called */
} tst_code;

typedef struct tst_session tst_session;
typedef struct tst_rows tst_rows;

/* --- options ------------------------------------------------------------------------------- */

enum {
    TST_INDEX = 1 << 0,      /* --index: the database gets its indexes */
    TST_WITH_TIMES = 1 << 1, /* --with-times */
    TST_NO_META = 1 << 2,    /* -nm */
    TST_COMPAT = 1 << 3,     /* --compat */
    TST_STRICT = 1 << 4,     /* a stream ends at a record that makes no sense */
    TST_KEEP_GOING = 1 << 5, /* a path that cannot be opened is a failed input, not the end */
    TST_ONE_THREAD = 1 << 6  /* no threads beside the caller's; the rows are the same */
};

/*
 * What the options of the same names do for the program. All zero is the default; `size` is
 * sizeof(tst_options), so that later versions can have more at the end. Texts are copied.
 */
typedef struct tst_options {
    size_t size;
    uint32_t flags;
    uint64_t max_memory;    /* bytes; 0: no limit */
    uint64_t max_inflate;   /* bytes; 0: the default */
    const char *format;     /* NAME or NAME:OPTIONS; NULL: by content */
    const char *analyze;    /* NULL: the default */
    const char *time_range; /* FROM,UNTIL */
    const char *symbols;    /* a folder */
    const char *syscalls;
    const char *jfr_events;
    const char *viewer;
    const char
        *temp_dir; /* where the database is until it is exported; NULL: $TMPDIR or /var/tmp */
    const char *share_dir; /* the folder with sql/, the questions; NULL: that of the installation */
} tst_options;

/* --- sessions ------------------------------------------------------------------------------ */

/* Version of the library, as the program's --version says it. Static. */
TST_API const char *tst_version(void);

/*
 * A session that takes recordings. options: NULL is the default. *out is set also when the code is
 * not TST_OK, so that tst_message can say why, unless there is no memory (NULL). The caller ends it
 * with tst_close.
 */
TST_API int tst_open(tst_session **out, const tst_options *options);

/* A session on a finished database, which is only read: it is asked at once. */
TST_API int tst_open_database(tst_session **out, const char *path, const tst_options *options);

/* Releases everything of the session; rows and Arrow streams of it must have been released. NULL is
 * allowed. */
TST_API void tst_close(tst_session *session);

/* What failed last and why, one cause a line, outermost first; "" after a success. Valid until the
 * next call for the session. */
TST_API const char *tst_message(const tst_session *session);

/* The running call, or else the next one, ends with TST_CANCELLED. May be called from any thread.
 */
TST_API void tst_cancel(tst_session *session);

/* Called now and then while tst_feed, tst_add_path, tst_finish work: bytes read of an input, and of
 * how many (-1: unknown). `what` is the name of the input or of the analysis. */
typedef void tst_progress(void *user, const char *what, uint64_t done, int64_t total);
TST_API void tst_on_progress(tst_session *session, tst_progress *progress, void *user);

/* --- recordings ---------------------------------------------------------------------------- */

/* The name of the input that tst_feed begins next (its base name: rows say it, and some formats are
 * known by it). Without this call it is "-". */
TST_API int tst_name(tst_session *session, const char *name);

/*
 * Bytes of one input, in pieces of any size: the rows do not depend on them. last: it ends with
 * these (n may be 0); another input may follow. Plain recordings are imported as they come; what
 * is compressed, or an archive, is kept in temp_dir until it is whole. An input of no known format
 * is TST_FORMAT with `last`; the session goes on and can take others.
 */
TST_API int tst_feed(tst_session *session, const void *bytes, size_t n, int last);

/* A file, directory or archive, read by tst_finish (with those before it, as the program reads
 * its arguments). */
TST_API int tst_add_path(tst_session *session, const char *path);

/*
 * The end of the input: reads the paths, runs the analyses, and completes the database. When no
 * input could be imported its code is that of the first failure; there is no database then.
 */
TST_API int tst_finish(tst_session *session);

/* Inputs that could not be imported, and why; NULL after the last one (i from 0). */
TST_API const char *tst_failure(const tst_session *session, size_t i);

/* Issues that lost data (table import_issue), of a session that was finished. */
TST_API uint64_t tst_losses(const tst_session *session);

/* --- the database -------------------------------------------------------------------------- */

/* Gets the bytes of a file in order. Not 0: it stops, and the call returns TST_OUTPUT. */
typedef int tst_put(void *user, const void *bytes, size_t n);

/* The whole database, the bytes of the program's -e. */
TST_API int tst_export(tst_session *session, tst_put *put, void *user);

/* The same as a file, which is complete or not there, and replaces only a database of this program
 * (force: any file). */
TST_API int tst_save(tst_session *session, const char *path, int force);

/* The path of the database while the session is open, for other programs that only read it; NULL:
 * there is none yet. */
TST_API const char *tst_path(const tst_session *session);

/* --- rows ---------------------------------------------------------------------------------- */

/* A parameter by name, without ':'. The text of a number is bound as the number. */
typedef struct tst_param {
    const char *name;
    const char *value;
} tst_param;

typedef enum tst_type { TST_NULL, TST_INT64, TST_DOUBLE, TST_TEXT, TST_BLOB } tst_type;

/*
 * The rows of SQL statements, read-only; those before the last one are run at once. Rows come as
 * they are asked for. The caller releases them with tst_rows_free, before the session. *out is NULL
 * unless the code is TST_OK.
 */
TST_API int tst_query(tst_rows **out, tst_session *session, const char *sql,
                      const tst_param *params, size_t param_count);

/* The rows of a shipped question (-q NAME), with its parameters: names of sources and threads,
 * times as people type them. */
TST_API int tst_ask(tst_rows **out, tst_session *session, const char *question,
                    const tst_param *params, size_t param_count);

/*
 * What differs between two sessions (the program's diff): rows with a change, the largest first,
 * with the columns of its csv: the key, then of each value NAME_before, NAME_after, NAME_change and
 * NAME_percent. by: "class", "method" and so on; NULL: the first that fits both. params: options of
 * diff by name: source, before, after, thread, event, label, weight, from, until, limit (without
 * it: all rows). Both may be one session, with sources of it as before and after, or with several
 * heap snapshots; before NULL: nothing. The rows are held, belong to `after`, and stay valid
 * without `before`; tst_message and tst_cancel of `after` are about the call. `before` must not be
 * used by another thread meanwhile.
 */
TST_API int tst_diff(tst_rows **out, tst_session *before, tst_session *after, const char *by,
                     const tst_param *params, size_t param_count);

/* TST_ROW, TST_OK after the last row, or why it failed. */
TST_API int tst_rows_next(tst_rows *rows);

/* Columns, also before the first row. Names and values are valid until the next tst_rows_next or
 * tst_rows_free. */
TST_API int tst_rows_columns(const tst_rows *rows);
TST_API const char *tst_rows_name(const tst_rows *rows, int column);

/* Of the present row. Numbers are converted as SQLite does; a text has a zero byte after its *n
 * bytes (n may be NULL). NULL and columns that are not there are 0 and NULL. */
TST_API tst_type tst_rows_type(const tst_rows *rows, int column);
TST_API int64_t tst_rows_int64(const tst_rows *rows, int column);
TST_API double tst_rows_double(const tst_rows *rows, int column);
TST_API const char *tst_rows_text(const tst_rows *rows, int column, size_t *n);
TST_API const void *tst_rows_blob(const tst_rows *rows, int column, size_t *n);
TST_API void tst_rows_free(tst_rows *rows);

/*
 * The rows as a stream of the Arrow C data interface (https://arrow.apache.org/docs/format/
 * CStreamInterface.html), which owns them from now on, also when this fails. Columns are int64,
 * float64, utf8 or binary: as the table's column is declared, else as the first rows have it; a
 * value that does not fit is an error of get_next. `out` is released by its consumer, before the
 * session.
 */
struct ArrowArrayStream;
TST_API int tst_rows_arrow(struct ArrowArrayStream *out, tst_rows *rows);

#ifdef __cplusplus
}
#endif

#endif
