/*
 * Protobuf without a magic number whose first field is a message: packets of Perfetto, profiles of
 * OpenTelemetry. Its first messages say which of them it is; the last one that can be seen may go
 * on after that.
 */
#ifndef TS_PARSERS_PROTO_KIND_H
#define TS_PARSERS_PROTO_KIND_H

#include "base/text.h"
#include "wire/wire.h"

typedef enum ts_proto_kind { TS_PROTO_UNKNOWN, TS_PROTO_PERFETTO, TS_PROTO_OTLP } ts_proto_kind;

/* What the beginning of a file is of. */
ts_proto_kind ts_proto_kind_of(ts_text head);

/* As ts_wire_next; the last field of a message that ends too early is handed out with the bytes
 * that there are. */
bool ts_wire_next_part(ts_wire_field *out, ts_wire *w);

#endif
