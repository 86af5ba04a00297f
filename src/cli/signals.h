/*
 * Signals, and what must be in order before anything is opened. The first SIGINT, SIGTERM or SIGHUP
 * asks the conversion to stop; the second ends the program at once, after removing the temporary.
 * From the first on, blocked system calls are interrupted again and again until they have seen it.
 * SIGPIPE and SIGXFSZ are ignored: the failed write is reported. The same removal runs when the
 * program ends by exit() from inside a library.
 */
#ifndef TS_CLI_SIGNALS_H
#define TS_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Opens /dev/null on those of the descriptors 0, 1, 2 that are closed, so that no database gets
 * their number. Reading such a 0 and writing such a 1 fail.
 */
void ts_standard_descriptors(void);

/* Installs the handlers. Returns the flag for ts_ctx.cancel: 0, or the number of the signal. */
const volatile sig_atomic_t *ts_signals_install(void);

/*
 * While this is on, nothing is at stake but the temporary (SQLite reads or indexes an unpublished
 * or finished database): if the program still runs 0.6 s after the first signal, it ends like after
 * a second one. SQLite looks at the flag between its steps only, and one step may be a function
 * that works for long.
 */
void ts_signals_hurry(bool on);

enum { TS_GUARD_DATABASE, TS_GUARD_JSON, TS_GUARD_EXPORT, TS_GUARD_FOLDER, TS_GUARDS };

/* Files of the folder TS_GUARD_FOLDER, which are removed with it: "0.db" and so on, and this one.
 */
enum { TS_GUARD_FILES = 16 };
#define TS_GUARD_OPEN_FILE "open.html"

/* The temporary to remove on a sudden end, one of each kind; NULL: none (any more). */
void ts_signals_guard(int kind, const char *path);

/*
 * While the outputs get their names: signals wait between hold and release. ts_signals_done says
 * that they have them: from then on a signal that ends the program gives this exit code.
 */
void ts_signals_hold(void);
void ts_signals_done(int exit_code);
void ts_signals_release(void);

/* From now on a second signal is no sudden end: of a process that the kernel tells that the server
 * has died, which it may say once for each of the server's threads. */
void ts_signals_patient(void);

/* What the signal asked for was done, and the run goes on: the flag is 0 again, and the next signal
 * is a first one. */
void ts_signals_taken(void);

/* Asks the program to stop after so many seconds, as SIGTERM does: of a task that must not keep a
 * shell waiting. */
void ts_signals_after(unsigned seconds);

#endif
