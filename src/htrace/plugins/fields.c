#include "htrace/plugins/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ts_wire_type wire_types[] = {
    [TS_FIELD_INT] = TS_WIRE_VARINT,     [TS_FIELD_INT32] = TS_WIRE_VARINT,
    [TS_FIELD_UINT32] = TS_WIRE_VARINT,  [TS_FIELD_UINT] = TS_WIRE_VARINT,
    [TS_FIELD_REAL] = TS_WIRE_FIXED64,   [TS_FIELD_BYTES] = TS_WIRE_BYTES,
    [TS_FIELD_NUMBERS] = TS_WIRE_VARINT, [TS_FIELD_REALS] = TS_WIRE_FIXED64,
};

static bool is_list(ts_field_kind kind)
{
    return kind == TS_FIELD_NUMBERS || kind == TS_FIELD_REALS;
}

/* A varint as the field's type has it; false when int64 does not hold it. */
static bool take_number(ts_value *value, ts_field_kind kind, uint64_t bits)
{
    switch (kind) {
    case TS_FIELD_INT32:
        value->i = (int32_t)(uint32_t)bits;
        return true;
    case TS_FIELD_UINT32:
        value->i = (uint32_t)bits;
        return true;
    case TS_FIELD_UINT:
        value->i = (int64_t)(bits & INT64_MAX);
        return bits <= INT64_MAX;
    default:
        value->i = (int64_t)bits;
        return true;
    }
}

/* Takes the field's value; NULL, or what is wrong with it. */
static const char *take(ts_value *value, ts_field_kind kind, const ts_wire_field *field)
{
    const char *wrong = NULL;
    if (kind == TS_FIELD_REAL) {
        memcpy(&value->d, &field->value, sizeof value->d);
        wrong = isfinite(value->d) ? NULL : "is not a finite number";
    } else if (kind == TS_FIELD_BYTES) {
        value->p = field->p;
        value->n = field->n;
    } else if (!is_list(kind) && !take_number(value, kind, field->value)) {
        wrong = "is beyond 63 bits";
    }
    value->state = wrong == NULL ? TS_VALUE_READ : TS_VALUE_UNKNOWN;
    value->count += wrong == NULL;
    return wrong;
}

static ts_code one_field(ts_value *value, ts_message *m, const ts_field_def *def,
                         const ts_wire_field *field)
{
    const char *wrong = "has another type than it should";
    if (field->type == wire_types[def->kind] ||
        (is_list(def->kind) && field->type == TS_WIRE_BYTES)) {
        wrong = take(value, def->kind, field);
    } else if (value->state != TS_VALUE_READ) {
        value->state = TS_VALUE_UNKNOWN;
    }
    if (wrong == NULL) {
        return TS_OK;
    }
    m->faults++;
    return ts_issue(m->host->store, m->host->source_id, TS_ISSUE_plugin_bad_field, m->seg->plugin,
                    m->seg->offset, "message %" PRIu64 ": %s (field %" PRIu32 ") %s",
                    m->seg->number, def->name, def->number, wrong);
}

ts_code ts_fields_part(ts_value *values, bool *damaged, ts_message *m, const char *part,
                       const ts_field_def *defs, size_t count, const uint8_t *p, size_t n)
{
    ts_wire_field field;
    ts_wire wire;
    bool cut = part == NULL && m->seg->truncated; /* parts that are there are there as a whole */
    bool bad;
    ts_code code = TS_OK;
    memset(values, 0, count * sizeof *values);
    ts_wire_init(&wire, p, n);
    while (code == TS_OK && ts_wire_next(&field, &wire)) {
        for (size_t k = 0; code == TS_OK && k < count; k++) {
            if (defs[k].number == field.number) {
                code = one_field(&values[k], m, &defs[k], &field);
            }
        }
    }
    bad = cut || wire.fault != TS_WIRE_OK;
    m->faults += bad;
    for (size_t k = 0; bad && k < count; k++) {
        if (values[k].state == TS_VALUE_ABSENT) {
            values[k].state = TS_VALUE_UNKNOWN;
        }
    }
    if (damaged != NULL) {
        *damaged = bad;
    }
    if (code != TS_OK || cut || !bad) { /* what cut the segment is recorded */
        return code;
    }
    return ts_issue(m->host->store, m->host->source_id, TS_ISSUE_plugin_bad_message, m->seg->plugin,
                    m->seg->offset,
                    "message %" PRIu64 "%s%s of %zu bytes is damaged at byte %zu: %s",
                    m->seg->number, part == NULL ? "" : ": ", part == NULL ? "" : part, n,
                    wire.fault_at, ts_wire_fault_text(wire.fault));
}

ts_code ts_fields_inside(ts_value *values, ts_message *m, const ts_field_def *def,
                         const ts_value *part, const ts_field_def *defs, size_t count)
{
    if (part->state == TS_VALUE_READ) {
        return ts_fields_part(values, NULL, m, def->name, defs, count, part->p, part->n);
    }
    memset(values, 0, count * sizeof *values);
    for (size_t k = 0; k < count; k++) {
        values[k].state = part->state;
    }
    return TS_OK;
}

ts_code ts_fields_extra(const ts_plugin_host *host, const ts_segment *seg, const ts_field_def *defs,
                        const ts_value *values, size_t count)
{
    ts_code code = TS_OK;
    for (size_t k = 0; code == TS_OK && k < count; k++) {
        char detail[96];
        ts_tally *tally;
        if (values[k].n == 0) { /* a message that only says that it is there */
            continue;
        }
        snprintf(detail, sizeof detail, "%s.%s", seg->plugin, defs[k].name);
        code = ts_count(&tally, host->store, host->source_id, TS_ITEM_extra_fields, detail);
        if (code == TS_OK) {
            tally->seen += values[k].count;
            tally->skipped += values[k].count;
        }
    }
    return code;
}

ts_code ts_fields_repeat(ts_message *m, uint32_t number, const uint8_t *p, size_t n,
                         ts_field_call *call, void *user)
{
    ts_wire_field field;
    ts_wire wire;
    ts_code code = TS_OK;
    ts_wire_init(&wire, p, n);
    while (code == TS_OK && ts_wire_next(&field, &wire)) {
        if (field.number == number && field.type == TS_WIRE_BYTES) {
            code = call(user, m, field.p, field.n);
        }
    }
    return code;
}

/* The next number of what is packed. */
static bool next_packed(uint64_t *value, ts_field_list *list)
{
    ts_bytes *in = &list->packed;
    if (list->kind == TS_FIELD_NUMBERS) {
        return in->at < in->n && ts_get_varint(value, in);
    }
    if (in->n - in->at < sizeof *value) {
        return false;
    }
    memcpy(value, in->p + in->at, sizeof *value);
    in->at += sizeof *value;
    return true;
}

bool ts_fields_next(uint64_t *value, ts_field_list *list, const uint8_t *p, size_t n)
{
    ts_wire_field field;
    if (!list->begun) {
        ts_wire_init(&list->wire, p, n);
        list->begun = true;
    }
    for (;;) {
        if (list->packed.p != NULL && next_packed(value, list)) {
            return true;
        }
        list->packed = (ts_bytes){0};
        do {
            if (!ts_wire_next(&field, &list->wire)) {
                return false;
            }
        } while (field.number != list->number);
        if (field.type == wire_types[list->kind]) {
            *value = field.value;
            return true;
        }
        if (field.type == TS_WIRE_BYTES) {
            list->packed = (ts_bytes){.p = field.p, .n = field.n};
        }
    }
}
