/*
 * Where a fleet is: http[s]://HOST[:PORT]/DATABASE, and who asks. Passwords never are in an
 * address: it is an argument, which every user of the machine sees.
 */
#ifndef TS_FLEET_ADDRESS_H
#define TS_FLEET_ADDRESS_H

#include "base/context.h"
#include "base/text.h"

#include <stddef.h>

enum { TS_FLEET_BASE = 512, TS_FLEET_NAME = 64, TS_FLEET_SECRET = 256 };

typedef struct ts_address {
    char base[TS_FLEET_BASE];     /* "http://host:8123/" */
    char host[TS_FLEET_BASE];     /* as it is in `base` */
    char database[TS_FLEET_NAME]; /* letters, digits and '_' */
    bool open;                    /* what is sent can be read on its way: http to another machine */
} ts_address;

/* TS_ERR_USAGE with a sentence; the text is not repeated where it may hold a password. */
ts_code ts_address_parse(ts_address *out, ts_ctx *ctx, const char *text);

/* The same database, by the same scheme and port, of another host, which a server has named.
 * TS_ERR_OUTPUT when that is no name of a host. */
ts_code ts_address_of_host(ts_address *out, ts_ctx *ctx, const ts_address *like, const char *host);

/* Names of the environment. */
#define TS_FLEET_USER_VARIABLE "TRACE_STREAMER_FLEET_USER"
#define TS_FLEET_PASSWORD_VARIABLE "TRACE_STREAMER_FLEET_PASSWORD"

typedef struct ts_credentials {
    char user[TS_FLEET_SECRET]; /* "": the engine's default */
    char password[TS_FLEET_SECRET];
} ts_credentials;

/*
 * Those of the environment; without both variables those of the file trace_streamer/fleet in
 * $XDG_CONFIG_HOME or ~/.config, where there is one: lines "user = NAME" and "password = TEXT".
 * TS_ERR_USAGE when others than its owner may read the file, or a line says something else.
 */
ts_code ts_credentials_find(ts_credentials *out, ts_ctx *ctx);

/* The same of the text of such a file; `path` is for messages. */
ts_code ts_credentials_parse(ts_credentials *out, ts_ctx *ctx, ts_text text, const char *path);

#endif
