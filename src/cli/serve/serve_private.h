/* What the parts of serve share. */
#ifndef TS_CLI_SERVE_PRIVATE_H
#define TS_CLI_SERVE_PRIVATE_H

#include "base/buf.h"
#include "cli/options.h"
#include "cli/work_folder.h"
#if TS_SERVE_BUILT
#include "serve/api/derived.h"
#include "serve/api/vm_sampling.h"
#include "serve/api/sandbox.h"

#include <sys/types.h>
#endif

/* What is served: databases as they are, recordings converted into temporary ones. */
typedef struct ts_serve_files {
    ts_ctx *ctx;
    const char **paths; /* of databases, one an input */
    char **temporary;   /* those of them that are removed at the end; NULL: none */
    size_t count;
    ts_work_folder folder; /* of the temporary ones */
} ts_serve_files;

/*
 * Looks at all inputs, and converts those that are recordings. TS_ERR_FORMAT for databases of other
 * programs, unless --any. *exit_code is what a conversion ended with. The caller ends it with
 * ts_serve_files_free, also after an error.
 */
ts_code ts_serve_files_open(ts_serve_files *f, int *exit_code, ts_ctx *ctx,
                            const ts_options *options);
void ts_serve_files_free(ts_serve_files *f);

/* A folder for databases that go with the process: "0.db" and so on. */
ts_code ts_serve_folder_make(ts_work_folder *f, ts_ctx *ctx);

/* Writes a file that only this user can read and that leads a browser to `url`; *path: its name. */
ts_code ts_serve_files_page(ts_buf *path, ts_serve_files *f, ts_text url);

#if TS_SERVE_BUILT
/*
 * Converts the directory into a database without a name in ctx->tmpdir and opens that. Nothing is
 * printed; called by several threads, each with its context. TS_ERR_FORMAT when nothing of a
 * sample is in it. The caller closes with ts_sandbox_close, also after a failure.
 */
ts_code ts_serve_open_directory(ts_sandbox *out, ts_ctx *ctx, const char *path);

/* The process that makes copies of databases with the rows that they lack (serve_maker.c). */
typedef struct ts_serve_maker {
    ts_derived *derived; /* NULL: none are made */
    pid_t pid;           /* 0: none */
} ts_serve_maker;

/*
 * Starts it; to be called without threads. files and options are borrowed until it is stopped,
 * listener is a descriptor that it closes. The caller ends it with ts_serve_maker_stop, also after
 * an error.
 */
ts_code ts_serve_maker_start(ts_serve_maker *out, ts_serve_files *files, const ts_options *options,
                             int listener);
void ts_serve_maker_stop(ts_serve_maker *maker);

/* The process that samples Java VMs (serve_sampler.c). */
typedef struct ts_serve_sampler {
    ts_samplings *all; /* NULL: none are sampled */
    pid_t pid;         /* 0: none */
} ts_serve_sampler;

/* Starts it, as above. room: how many databases there can be; 0: none. */
ts_code ts_serve_sampler_start(ts_serve_sampler *out, ts_ctx *ctx, size_t room, int listener);
void ts_serve_sampler_stop(ts_serve_sampler *sampler);

/* Ends a process that was forked; pid 0: none. */
void ts_serve_process_end(pid_t pid);
#endif

#endif
