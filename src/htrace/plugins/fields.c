#include "htrace/plugins/fields.h"

#include "wire/wire.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const ts_wire_type wire_types[] = {
    [TS_FIELD_INT] = TS_WIRE_VARINT,
    [TS_FIELD_REAL] = TS_WIRE_FIXED64,
    [TS_FIELD_BYTES] = TS_WIRE_BYTES,
};

/* Takes the field's value; false when it is no finite number. */
static bool take(ts_value *value, ts_field_kind kind, const ts_wire_field *field)
{
    if (kind == TS_FIELD_REAL) {
        memcpy(&value->d, &field->value, sizeof value->d);
        if (!isfinite(value->d)) {
            value->state = TS_VALUE_UNKNOWN;
            return false;
        }
    } else if (kind == TS_FIELD_INT) {
        value->i = (int64_t)field->value;
    } else {
        value->p = field->p;
        value->n = field->n;
    }
    value->state = TS_VALUE_READ;
    value->count++;
    return true;
}

static ts_code one_field(ts_value *value, const ts_plugin_host *host, const ts_segment *seg,
                         const ts_field_def *def, const ts_wire_field *field)
{
    const char *what = "is no finite number";
    if (field->type != wire_types[def->kind]) {
        what = "has another type than it should";
        value->state = value->state == TS_VALUE_READ ? TS_VALUE_READ : TS_VALUE_UNKNOWN;
    } else if (take(value, def->kind, field)) {
        return TS_OK;
    }
    return ts_issue(host->store, host->source_id, TS_ISSUE_plugin_bad_field, seg->plugin,
                    seg->offset, "message %" PRIu64 ": %s (field %" PRIu32 ") %s", seg->number,
                    def->name, def->number, what);
}

ts_code ts_fields_read(ts_value *values, bool *damaged, const ts_plugin_host *host,
                       const ts_segment *seg, const ts_field_def *defs, size_t count,
                       const uint8_t *p, size_t n)
{
    ts_wire_field field;
    ts_wire wire;
    ts_code code = TS_OK;
    memset(values, 0, count * sizeof *values);
    ts_wire_init(&wire, p, n);
    while (code == TS_OK && ts_wire_next(&field, &wire)) {
        for (size_t k = 0; code == TS_OK && k < count; k++) {
            if (defs[k].number == field.number) {
                code = one_field(&values[k], host, seg, &defs[k], &field);
            }
        }
    }
    *damaged = seg->truncated || wire.fault != TS_WIRE_OK;
    for (size_t k = 0; *damaged && k < count; k++) {
        if (values[k].state == TS_VALUE_ABSENT) {
            values[k].state = TS_VALUE_UNKNOWN;
        }
    }
    if (code != TS_OK || seg->truncated || !*damaged) { /* what cut the segment is recorded */
        return code;
    }
    return ts_issue(host->store, host->source_id, TS_ISSUE_plugin_bad_message, seg->plugin,
                    seg->offset, "message %" PRIu64 " of %zu bytes is damaged at byte %zu: %s",
                    seg->number, n, wire.fault_at, ts_wire_fault_text(wire.fault));
}
