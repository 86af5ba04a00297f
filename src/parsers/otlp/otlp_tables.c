/*
 * The tables of a message. Nothing in an entry says which one it is: it is its place that others
 * refer to. So damage that joins two entries, or takes one out, moves all that follow, and what
 * refers to these is NULL.
 */
#include "parsers/otlp/otlp.h"

/* What comes next is another list of tables. */
static void begin_tables(otlp *o)
{
    memset(o->last_tables, 0, sizeof o->last_tables);
    o->unknown_before = o->unknown.count;
}

void otlp_tables_clear(otlp *o)
{
    for (int i = 0; i < OTLP_TABLES; i++) {
        o->tables[i].n = 0;
        o->certain[i] = SIZE_MAX;
    }
    o->attributes.n = 0;
    o->joined_text = SIZE_MAX;
    begin_tables(o);
    ts_idmap_free(o->ctx, &o->units);
    o->no_texts = false;
}

/* --- places ----------------------------------------------------------------------------------- */

static void doubt(otlp *o, int table, size_t from)
{
    o->bad_entries++;
    o->certain[table] = from < o->certain[table] ? from : o->certain[table];
}

static void note_table(otlp *o, uint8_t table)
{
    memmove(o->last_tables + 1, o->last_tables, sizeof o->last_tables - 1);
    o->last_tables[0] = table;
}

/* Entries of a table follow one another. One of another table among them, or a field that no layout
 * has, was one of them before its number was damaged. */
static void note_order(otlp *o, int table)
{
    const uint8_t *last = o->last_tables;
    if (o->unknown.count != o->unknown_before) {
        note_table(o, 0);
        o->unknown_before = o->unknown.count;
    }
    if (last[0] != table && last[1] == table && last[2] == table) {
        doubt(o, table, o->tables[table].n);
        if (last[0] > 0) {
            doubt(o, last[0], o->tables[last[0]].n - 1);
        }
    }
    note_table(o, (uint8_t)table);
}

/* What entries of a table are; texts are none. */
static otlp_message entry_message(const otlp *o, int table)
{
    static const otlp_message messages[OTLP_TABLES] = {
        [TABLE_MAPPING] = OTLP_MAPPING,   [TABLE_LOCATION] = OTLP_LOCATION,
        [TABLE_FUNCTION] = OTLP_FUNCTION, [TABLE_LINK] = OTLP_LINK,
        [TABLE_UNIT] = OTLP_UNIT,         [TABLE_STACK] = OTLP_STACK};
    return table != TABLE_ATTRIBUTE           ? messages[table]
           : o->names || o->layout < OTLP_1_8 ? OTLP_KEY_VALUE
                                              : OTLP_KEY_VALUE_UNIT;
}

/*
 * Whether an entry has the next ones in it, for which its length was damaged: after its own fields
 * there are fields to its end whose number is that of the table, which no entry has in it.
 */
static bool holds_entries(const otlp *o, int table, const ts_wire_field *entry)
{
    const otlp_message message = entry_message(o, table);
    ts_wire w;
    ts_wire_field f;
    bool found = false;
    if (o->names || entry->number > 15 ||
        (o->fields.role[message][entry->number] != 0 &&
         o->fields.kind[message][entry->number] != 'n') ||
        memchr(entry->p, (int)(entry->number << 3 | 2), entry->n) == NULL) {
        return false;
    }
    ts_wire_init(&w, entry->p, entry->n);
    while (ts_wire_next(&f, &w)) {
        bool same = f.number == entry->number && f.type == TS_WIRE_BYTES;
        if (found && !same) {
            return false;
        }
        found = found || same;
    }
    return found && w.fault == TS_WIRE_OK;
}

/* The same of a text. It may be one all the same: see check_texts. */
static bool may_hold_texts(const otlp *o, const ts_wire_field *entry)
{
    ts_wire w;
    ts_wire_field f;
    const uint8_t *p = entry->p;
    const uint8_t *end = p + entry->n;
    size_t steps = entry->n; /* more would grow faster than the text */
    if (o->names || entry->number > 15 || entry->n == 0) {
        return false;
    }
    while (steps > 0 && (p = memchr(p, (int)(entry->number << 3 | 2), (size_t)(end - p))) != NULL) {
        ts_wire_init(&w, p, (size_t)(end - p));
        while (steps > 0 && ts_wire_next(&f, &w) && f.number == entry->number &&
               f.type == TS_WIRE_BYTES) {
            steps--;
        }
        if (w.fault == TS_WIRE_OK && ts_bytes_left(&w.in) == 0 && steps > 0) {
            return true;
        }
        steps -= steps > 0 ? 1 : 0;
        p++;
    }
    return false;
}

ts_code otlp_tables_add(otlp *o, int table, const ts_wire_field *f)
{
    ts_vec *list = &o->tables[table];
    const size_t place = list->n;
    if (!o->names) {
        note_order(o, table);
    }
    otlp_part *part = ts_vec_add(o->ctx, list, sizeof *part);
    TS_NEED(o->ctx, part);
    *part = otlp_part_of(o, f);
    if (table != TABLE_STRING) {
        if (holds_entries(o, table, f)) {
            doubt(o, table, place);
        }
        return TS_OK;
    }
    if (o->joined_text == SIZE_MAX && may_hold_texts(o, f)) {
        o->joined_text = place;
    }
    return otlp_clean(part, o);
}

/* Whether some entry of a table names a text beyond the last one. */
static bool lacks_text(otlp *o, int table, unsigned roles)
{
    ts_wire_field f;
    for (size_t i = 0; i < o->tables[table].n; i++) {
        otlp_part part = ((const otlp_part *)o->tables[table].p)[i];
        otlp_walk w = otlp_enter_again(o, entry_message(o, table), part);
        while (otlp_next(&f, &w)) {
            if ((roles >> w.role & 1) != 0 && f.type == TS_WIRE_VARINT &&
                f.value >= o->tables[TABLE_STRING].n) {
                return true;
            }
        }
    }
    return false;
}

/* A text that may hold others holds them when there are too few. */
static void check_texts(otlp *o)
{
    if (o->joined_text != SIZE_MAX &&
        (lacks_text(o, TABLE_FUNCTION,
                    1U << FUNCTION_NAME | 1U << FUNCTION_SYSTEM_NAME | 1U << FUNCTION_FILE) ||
         lacks_text(o, TABLE_MAPPING, 1U << MAPPING_FILE) ||
         lacks_text(o, TABLE_ATTRIBUTE, 1U << KEY_NUMBER | 1U << KEY_UNIT))) {
        doubt(o, TABLE_STRING, o->joined_text);
    }
}

/* --- the whole of them ------------------------------------------------------------------------ */

static ts_code add_unit(otlp *o, otlp_part entry)
{
    ts_wire_field f;
    uint64_t key = 0;
    uint64_t unit = 0;
    otlp_walk w = otlp_enter(o, OTLP_UNIT, entry);
    while (otlp_next(&f, &w)) {
        key = w.role == UNIT_KEY ? f.value : key;
        unit = w.role == UNIT_UNIT ? f.value : unit;
    }
    ts_text text = otlp_good(&w) ? otlp_text(o, key) : TS_TEXT_NULL;
    o->bad_entries += otlp_good(&w) ? 0 : 1;
    if (text.p == NULL) {
        return TS_OK;
    }
    ts_hash h = ts_hash_begin(&o->ctx->hash_key);
    ts_hash_bytes(&h, text.p, text.n);
    return ts_idmap_put(o->ctx, &o->units, (int64_t)ts_hash_end(&h), unit);
}

/* All attributes, as many samples have the same ones; then no text is made any more, so that those
 * of rows stay where they are. Caches of locations and stacks begin empty. */
ts_code otlp_tables_finish(otlp *o)
{
    const otlp_part *parts = o->tables[TABLE_ATTRIBUTE].p;
    const otlp_message kind = entry_message(o, TABLE_ATTRIBUTE);
    const size_t locations = o->tables[TABLE_LOCATION].n;
    const size_t stacks = o->tables[TABLE_STACK].n;
    o->no_texts =
        o->tables[TABLE_STRING].n > 0 && ((otlp_part *)o->tables[TABLE_STRING].p)[0].n > 0;
    if (o->no_texts) {
        TS_TRY(otlp_issue(o, TS_ISSUE_prof_first_string, o->message_at,
                          "the first text is not empty"));
    }
    check_texts(o);
    for (size_t i = 0; i < o->tables[TABLE_UNIT].n; i++) {
        TS_TRY(add_unit(o, ((const otlp_part *)o->tables[TABLE_UNIT].p)[i]));
    }
    o->attributes.n = 0;
    for (size_t i = 0; i < o->tables[TABLE_ATTRIBUTE].n; i++) {
        otlp_attribute *a = ts_vec_add(o->ctx, &o->attributes, sizeof *a);
        TS_NEED(o->ctx, a);
        TS_TRY(otlp_attribute_read(a, o, kind, parts[i]));
    }
    o->location_codes.n = 0;
    o->stack_codes.n = 0;
    TS_TRY(ts_vec_reserve(o->ctx, &o->location_codes, locations, sizeof(otlp_code)));
    TS_TRY(ts_vec_reserve(o->ctx, &o->stack_codes, stacks, sizeof(otlp_code)));
    if (locations > 0) {
        memset(o->location_codes.p, 0, locations * sizeof(otlp_code));
    }
    if (stacks > 0) {
        memset(o->stack_codes.p, 0, stacks * sizeof(otlp_code));
    }
    o->epoch = 0;
    o->epoch_source = NULL;
    return TS_OK;
}

ts_code otlp_dictionary(bool *good, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_DICTIONARY, part);
    begin_tables(o);
    while (otlp_next(&f, &w)) {
        TS_TRY(otlp_tables_add(o, w.role, &f));
    }
    *good = otlp_good(&w);
    return TS_OK;
}
