/*
 * Result codes and the error chain.
 *
 * A function that can fail returns a ts_code. TS_OK is 0; everything else is an *error*: the
 * operation stops. Damage inside an input is not an error but a defect (see tables/store.h).
 * The first cause is set where it is detected (ts_fail); callers that know more add to it
 * (ts_cause). Only cli/ prints the chain, once, outermost first.
 */
#ifndef TS_BASE_RESULT_H
#define TS_BASE_RESULT_H

#include <stdarg.h>
#include <stddef.h>

typedef enum ts_code {
    TS_OK = 0,
    TS_ERR_INPUT,       /* an input cannot be opened or read, or nothing of it could be imported */
    TS_ERR_USAGE,       /* the caller asked for something impossible */
    TS_ERR_OUTPUT,      /* the output cannot be created, written or published */
    TS_ERR_FORMAT,      /* the input is of no known, supported format */
    TS_ERR_LIMIT,       /* a documented limit was hit */
    TS_ERR_NOMEM,       /* out of memory */
    TS_ERR_INTERRUPTED, /* a signal asked us to stop */
    TS_ERR_INTERNAL,    /* a defect of this program */
    TS_CODE_COUNT
} ts_code;

/*
 * Steps that may fail, a line each.
 *
 * TS_TRY, TS_NEED: of functions that own nothing: they return at once when the step fails.
 * TS_TRY_INTO: the same where the function keeps a code that it looks at later.
 * TS_STEP, TS_STEP_IF: of functions that release something at their end: a step is done unless one
 * before it failed; that of TS_STEP_IF only when its condition holds, which is not asked otherwise.
 */
#define TS_TRY(...)                                                                                \
    do {                                                                                           \
        const ts_code code_of_step = (__VA_ARGS__);                                                \
        if (code_of_step != TS_OK) {                                                               \
            return code_of_step;                                                                   \
        }                                                                                          \
    } while (0)

#define TS_TRY_INTO(code, ...)                                                                     \
    do {                                                                                           \
        if (((code) = (__VA_ARGS__)) != TS_OK) {                                                   \
            return (code);                                                                         \
        }                                                                                          \
    } while (0)

/* The pointer that a call gave; NULL means that it failed, as the context's error says. */
#define TS_NEED(ctx, ...)                                                                          \
    do {                                                                                           \
        if ((__VA_ARGS__) == NULL) {                                                               \
            return (ctx)->error.code;                                                              \
        }                                                                                          \
    } while (0)

#define TS_STEP(code, ...)                                                                         \
    do {                                                                                           \
        if ((code) == TS_OK) {                                                                     \
            (code) = (__VA_ARGS__);                                                                \
        }                                                                                          \
    } while (0)

#define TS_STEP_IF(code, condition, ...)                                                           \
    do {                                                                                           \
        if ((code) == TS_OK && (condition)) {                                                      \
            (code) = (__VA_ARGS__);                                                                \
        }                                                                                          \
    } while (0)

/* Name of a code in lower case ("out of memory"), for messages. Static text. */
const char *ts_code_name(ts_code code);

enum { TS_ERROR_CAUSES = 6, TS_ERROR_TEXT = 512 };

/* A chain of causes: causes[0] is the root, causes[count - 1] the outermost. */
typedef struct ts_error {
    ts_code code;
    unsigned count;
    char causes[TS_ERROR_CAUSES][TS_ERROR_TEXT];
} ts_error;

/* Starts a new chain with one cause; returns `code`. Text beyond TS_ERROR_TEXT is cut. */
ts_code ts_error_vset(ts_error *err, ts_code code, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* Adds an outer cause; returns the chain's code. A full chain drops the cause before the newest. */
ts_code ts_error_vadd(ts_error *err, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

#endif
