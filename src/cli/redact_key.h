/* The key of redaction: 128 bits in a file that only its owner reads. */
#ifndef TS_CLI_REDACT_KEY_H
#define TS_CLI_REDACT_KEY_H

#include "base/context.h"
#include "base/hash.h"

/*
 * The key in the file `path`, 32 hexadecimal digits and the end of a line. `make`: a file that is
 * not there is made with a new key, readable by its owner alone. path NULL: a new key that is kept
 * nowhere. TS_ERR_INPUT for a file that cannot be read or is no such key, TS_ERR_OUTPUT for one
 * that cannot be written.
 */
ts_code ts_redact_key(ts_hash_key *key, ts_ctx *ctx, const char *path, bool make);

#endif
