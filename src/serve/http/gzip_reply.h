/*
 * Replies for clients of other machines are compressed: fast, since what is saved is only the
 * network's time. On loopback that would cost more than it saves.
 */
#ifndef TS_SERVE_GZIP_REPLY_H
#define TS_SERVE_GZIP_REPLY_H

#include "serve/http/reply.h"

#include <sys/socket.h>

/* Bytes from which on a reply whose size is known is compressed. */
enum { TS_GZIP_LEAST = 64 * 1024 };

/* Whether the address is one of this machine's loopback; NULL is. */
bool ts_address_is_loopback(const struct sockaddr *address);

/*
 * Makes the reply one with Content-Encoding: gzip when it is text that is long enough, or whose
 * length is not known yet, and not encoded already. accepted: the client's Accept-Encoding. ctx has
 * to outlive the reply. Without memory the reply stays as it is.
 */
void ts_reply_gzip(ts_reply *reply, ts_ctx *ctx, ts_text accepted);

#endif
