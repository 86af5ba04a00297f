/* Packets about the recording, its system and its processes. */
#include "parsers/perfetto/perfetto.h"

#include <inttypes.h>
#include <stdio.h>

/* --- processes ------------------------------------------------------------------------------- */

/* Name: the command, its path as it is. */
static ts_code take_process(perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    int64_t pid = -1;
    int64_t ipid;
    uint32_t name = PERFETTO_NONE;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_VARINT) {
            pid = (int32_t)f.value;
        } else if (f.number == 3 && name == PERFETTO_NONE) {
            code = perfetto_text_of(&name, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (code != TS_OK || pid < 0) {
        return code;
    }
    code = ts_process(&ipid, p->store, p->source_id, pid);
    TS_STEP_IF(code, name != PERFETTO_NONE && perfetto_text(p, name).n > 0,
               ts_process_name(p->store, ipid, perfetto_text(p, name)));
    return code;
}

static ts_code take_thread(perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    int64_t v[4] = {-1, -1, -1, -1};
    uint32_t name = PERFETTO_NONE;
    perfetto_thread thread;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number <= 3 && f.type == TS_WIRE_VARINT) {
            v[f.number] = (int32_t)f.value;
        } else if (f.number == 2) {
            code = perfetto_text_of(&name, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (code != TS_OK || v[1] < 0) {
        return code;
    }
    code = perfetto_thread_of(&thread, p, v[3] < 0 ? 0 : v[3], v[1]);
    TS_STEP_IF(code, name != PERFETTO_NONE && perfetto_text(p, name).n > 0,
               ts_thread_name(p->store, thread.itid, perfetto_text(p, name)));
    return code;
}

ts_code perfetto_process_tree(perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES && f.number == 1) {
            code = take_process(p, &f, good);
        } else if (f.type == TS_WIRE_BYTES && f.number == 2) {
            code = take_thread(p, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* --- properties ------------------------------------------------------------------------------ */

static ts_code put_text(perfetto *p, const char *key, const ts_wire_field *f)
{
    uint32_t text;
    TS_TRY(perfetto_text_of(&text, p, f));
    return text == PERFETTO_NONE
               ? TS_OK
               : ts_source_property(p->store, p->source_id, key, perfetto_text(p, text));
}

static ts_code put_number(perfetto *p, const char *key, uint64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    return ts_source_property(p->store, p->source_id, key, (ts_text){text, (size_t)n});
}

/* Fields of a message that are properties; NULL: not. */
static ts_code put_fields(perfetto *p, const ts_wire_field *message, const char *const *keys,
                          size_t count, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number < count && keys[f.number] != NULL) {
            code = f.type == TS_WIRE_BYTES    ? put_text(p, keys[f.number], &f)
                   : f.type == TS_WIRE_VARINT ? put_number(p, keys[f.number], f.value)
                                              : TS_OK;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

ts_code perfetto_system_info(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const keys[] = {NULL, NULL,        "fingerprint", "hz",  "service_version",
                                       NULL, "page_size", NULL,          "cpus"};
    static const char *const names[] = {NULL, "system", "release_of_system", "release", "machine"};
    ts_wire w;
    ts_wire_field f;
    ts_code code = put_fields(p, message, keys, sizeof keys / sizeof keys[0], good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            code = put_fields(p, &f, names, sizeof names / sizeof names[0], good);
        }
    }
    return code;
}

static ts_code take_package(perfetto *p, const ts_wire_field *message, bool *good)
{
    char key[160];
    char value[64];
    uint64_t v[6] = {0};
    uint32_t name = PERFETTO_NONE;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    int n;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1) {
            code = perfetto_text_of(&name, p, &f);
        } else if (f.number < 6 && f.type == TS_WIRE_VARINT) {
            v[f.number] = f.value;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (code != TS_OK || name == PERFETTO_NONE) {
        return code;
    }
    snprintf(key, sizeof key, "package:%.*s",
             (int)(perfetto_text(p, name).n < 140 ? perfetto_text(p, name).n : 140),
             perfetto_text(p, name).p);
    n = snprintf(value, sizeof value, "uid %" PRIu64 ", version %" PRIu64, v[2], v[5]);
    return ts_source_property(p->store, p->source_id, key, (ts_text){value, (size_t)n});
}

ts_code perfetto_packages(perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            code = take_package(p, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

ts_code perfetto_trace_uuid(perfetto *p, const ts_wire_field *message, bool *good)
{
    uint64_t v[3] = {0};
    char text[40];
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number < 3 && f.type == TS_WIRE_VARINT) {
            v[f.number] = f.value;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, v[1], v[2]);
    return ts_source_property(p->store, p->source_id, "trace_uuid", ts_text_of(text));
}

/* --- how it was recorded --------------------------------------------------------------------- */

/* The name of a data source: DataSource {1 DataSourceConfig {1 name}}. */
static ts_code take_data_source(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const keys[] = {NULL, "data_source"};
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            code = put_fields(p, &f, keys, 2, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* A buffer that discards what it has no room for, instead of what is old. */
static void take_buffer(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { FILL_POLICY = 4, DISCARD = 2 };
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == FILL_POLICY && f.type == TS_WIRE_VARINT && f.value == DISCARD) {
            p->policy_discards = 1;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
}

ts_code perfetto_trace_config(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const keys[] = {[3] = "duration_ms", [22] = "unique_session_name"};
    ts_wire w;
    ts_wire_field f;
    ts_code code = put_fields(p, message, keys, sizeof keys / sizeof keys[0], good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES && f.number == 1) {
            take_buffer(p, &f, good);
        } else if (f.type == TS_WIRE_BYTES && f.number == 2) {
            code = take_data_source(p, &f, good);
        }
    }
    return code;
}
