#include "envelope.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static const uint64_t ns_per_second = 1000000000;

void mk_varint(mk_buf *b, uint64_t v)
{
    while (v >= 0x80) {
        mk_buf_byte(b, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    mk_buf_byte(b, (uint8_t)v);
}

static void length_varint(mk_buf *b, uint64_t v, bool padded)
{
    if (!padded || v >= 1U << 28) {
        mk_varint(b, v);
        return;
    }
    for (int i = 0; i < 3; i++) {
        mk_buf_byte(b, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    mk_buf_byte(b, (uint8_t)v);
}

void mk_field_bytes(mk_buf *b, uint32_t number, uint64_t length, bool padded)
{
    mk_varint(b, (uint64_t)number << 3 | WIRE_BYTES);
    length_varint(b, length, padded);
}

void mk_field_varint(mk_buf *b, uint32_t number, uint64_t v)
{
    mk_varint(b, (uint64_t)number << 3 | WIRE_VARINT);
    mk_varint(b, v);
}

static void text_field(mk_buf *b, const mk_envelope *e, uint32_t number, const char *s)
{
    if (s == NULL || (s[0] == '\0' && !e->explicit_zeros))
        return;
    mk_field_bytes(b, number, strlen(s), e->padded_varints);
    mk_buf_str(b, s);
}

static void number_field(mk_buf *b, const mk_envelope *e, uint32_t number, uint64_t v)
{
    if (v != 0 || e->explicit_zeros)
        mk_field_varint(b, number, v);
}

static void time_field(mk_buf *b, const mk_envelope *e, uint32_t number, int64_t ts)
{
    uint64_t t = (uint64_t)ts;

    if (ts < 0 || e->missing_time || (number == MK_FIELD_NSEC && e->missing_nsec))
        return;
    number_field(b, e, number, number == MK_FIELD_SEC ? t / ns_per_second : t % ns_per_second);
}

/* One of the fields of ProfilerPluginData other than `data`. */
static void outer_field(mk_buf *b, const mk_envelope *e, uint32_t number, const char *plugin,
                        int64_t ts)
{
    switch (number) {
    case MK_FIELD_NAME:
        text_field(b, e, number, plugin);
        break;
    case 2:
        number_field(b, e, number, e->status);
        break;
    case 4:
        number_field(b, e, number, e->clock_id);
        break;
    case MK_FIELD_SEC:
    case MK_FIELD_NSEC:
        time_field(b, e, number, ts);
        break;
    case 7:
        text_field(b, e, number, e->version);
        break;
    case 8:
        number_field(b, e, number, e->sample_interval);
        break;
    default:
        mk_die("--order: there is no field %u", number);
    }
}

void mk_plugin_begin(mk_plugin_segment *s, mk_output *out, const mk_envelope *e, const char *plugin,
                     uint64_t size, int64_t ts)
{
    mk_buf head = {0};
    bool has_data = false;
    uint64_t total;

    *s = (mk_plugin_segment){.out = out};
    for (size_t i = 0; i < MK_FIELDS && e->order[i] != 0; i++) {
        if (e->order[i] == MK_FIELD_DATA) {
            mk_field_bytes(&head, MK_FIELD_DATA, size, e->padded_varints);
            has_data = true;
        } else {
            outer_field(has_data ? &s->tail : &head, e, e->order[i], plugin, ts);
        }
    }
    if (!has_data)
        mk_die("--order must name field 3, the data");
    mk_buf_put(&s->tail, e->extra.p, e->extra.n);
    total = head.n + size + s->tail.n;
    if (total > UINT32_MAX)
        mk_die("a segment cannot have %llu bytes", (unsigned long long)total);
    mk_segment_begin(out, (uint32_t)total);
    mk_segment_put(out, head.p, head.n);
    mk_buf_free(&head);
}

void mk_plugin_end(mk_plugin_segment *s)
{
    mk_segment_put(s->out, s->tail.p, s->tail.n);
    mk_segment_end(s->out);
    mk_buf_free(&s->tail);
}

void mk_plugin_whole(mk_output *out, const mk_envelope *e, const char *plugin, const mk_buf *data,
                     int64_t ts)
{
    mk_plugin_segment s;

    mk_plugin_begin(&s, out, e, plugin, data->n, ts);
    mk_segment_put(out, data->p, data->n);
    mk_plugin_end(&s);
}

static void optional_varint(mk_buf *b, uint32_t number, uint64_t v)
{
    if (v != 0)
        mk_field_varint(b, number, v);
}

void mk_config_encode(mk_buf *out, const mk_config *c)
{
    /* Negative int32 and enum values are sign-extended to ten bytes. */
    optional_varint(out, 1, (uint64_t)(int64_t)c->pid);
    optional_varint(out, 2, (uint64_t)(int64_t)c->type);
    optional_varint(out, 3, c->interval);
    optional_varint(out, 4, c->capture_numeric_value);
    optional_varint(out, 5, c->track_allocations);
    optional_varint(out, 6, c->enable_cpu_profiler);
    optional_varint(out, 7, c->cpu_profiler_interval);
    if (c->split_outfile_name != NULL) {
        mk_field_bytes(out, 8, strlen(c->split_outfile_name), false);
        mk_buf_str(out, c->split_outfile_name);
    }
}

void mk_clocks_encode(mk_buf *out, const uint64_t clocks[MK_CLOCKS])
{
    /* Header order to the clock ids of ClockDetailMsg. */
    static const uint32_t ids[MK_CLOCKS] = {1, 2, 3, 4, 5, 6};

    for (size_t i = 0; i < MK_CLOCKS; i++) {
        mk_buf time = {0};
        mk_buf detail = {0};

        if (clocks[i] == 0)
            continue;
        mk_field_varint(&time, 1, clocks[i] / ns_per_second);
        mk_field_varint(&time, 2, clocks[i] % ns_per_second);
        mk_field_varint(&detail, 1, ids[i]);
        mk_field_bytes(&detail, 2, time.n, false);
        mk_buf_put(&detail, time.p, time.n);
        mk_field_bytes(out, 6, detail.n, false);
        mk_buf_put(out, detail.p, detail.n);
        mk_buf_free(&time);
        mk_buf_free(&detail);
    }
}
