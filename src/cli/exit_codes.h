/* What the program ends with: one list for the code, --help, the manual page and README.md. */
#ifndef TS_CLI_EXIT_CODES_H
#define TS_CLI_EXIT_CODES_H

#include "base/context.h"

typedef enum ts_exit {
    TS_EXIT_DONE = 0,
    TS_EXIT_INPUT = 1,
    TS_EXIT_USAGE = 2,
    TS_EXIT_STRICT = 3,
    TS_EXIT_OUTPUT = 4,
    TS_EXIT_FORMAT = 5,
    TS_EXIT_LIMIT = 6,
    TS_EXIT_MEMORY = 7,
    TS_EXIT_ADDRESS = 8,
    TS_EXIT_DIFFERS = 9,
    TS_EXIT_DEFECT = 70,
    TS_EXIT_SIGNAL = 128 /* and the number of the signal */
} ts_exit;

typedef struct ts_exit_about {
    const char *codes;    /* one, or several of one kind */
    const char *sentence; /* without a full stop */
} ts_exit_about;

/* In the order of their codes. */
extern const ts_exit_about ts_exit_list[];
extern const size_t ts_exit_count;

/* The exit code for a result. */
int ts_exit_code(const ts_ctx *ctx, ts_code code);

#endif
