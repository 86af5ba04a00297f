#include "tables/part_rules.h"

#include <string.h>

#define TS_TIMED(t, b, e, h, s) {TS_T_##t, TS_PART_TIMED, b, e, h, s},
#define TS_WITH(t, c) {TS_T_##t, TS_PART_WITH, #c, "", "", ""},
#define TS_ALWAYS(t) {TS_T_##t, TS_PART_ALWAYS, "", "", "", ""},
#define TS_NEVER(t) {TS_T_##t, TS_PART_NEVER, "", "", "", ""},
const ts_part_rule ts_part_rules[] = {
#include "tables/formats/each.h"
};
const unsigned ts_part_rule_count = sizeof ts_part_rules / sizeof ts_part_rules[0];

const ts_part_rule *ts_part_rule_of(enum ts_table_id table)
{
    unsigned i = 0;
    while (i < ts_part_rule_count && ts_part_rules[i].table != table) {
        i++;
    }
    return i < ts_part_rule_count ? &ts_part_rules[i] : NULL;
}

typedef struct refers_line {
    enum ts_table_id table;
    const char *what, *when, *unit;
} refers_line;

#define TS_REFERS(t, x, w, u) {TS_T_##t, x, w, u},
static const refers_line lines[] = {
#include "tables/formats/each.h"
};

enum { LINES = sizeof lines / sizeof lines[0] };

static bool has_column(const ts_table *table, ts_text name)
{
    bool has = false;
    for (unsigned i = 0; i < table->column_count && !has; i++) {
        has = ts_text_is(name, table->columns[i].name);
    }
    return has;
}

/* "KEY of TABLE", as it was declared. */
static bool reference_of(ts_reference *out, const char *unit, bool expression)
{
    static const char among[] = "place among ";
    ts_text text = ts_text_of(unit);
    const char *of;
    out->place = ts_text_begins(text, among);
    text = out->place ? ts_text_from(text, sizeof among - 1) : text;
    of = strstr(text.p, " of ");
    unsigned id = 0;
    while (of != NULL && id < TS_TABLE_COUNT && strcmp(ts_schema[id].name, of + 4) != 0) {
        id++;
    }
    if (of == NULL || id == TS_TABLE_COUNT) {
        return false;
    }
    out->to = (enum ts_table_id)id;
    out->key = (ts_text){text.p, (size_t)(of - text.p)};
    out->list = ts_text_ends(out->key, "ids");
    out->key.n -= out->list ? 1 : 0;
    return expression || ts_text_is(out->key, "rowid") || has_column(&ts_schema[id], out->key);
}

/* Whether lines say when the column refers to something, and to what. */
static bool is_replaced(const ts_reference *unit)
{
    bool found = false;
    for (unsigned i = 0; i < LINES && !found; i++) {
        found = lines[i].table == unit->table && lines[i].when[0] != '\0' &&
                strcmp(lines[i].what, unit->what) == 0;
    }
    return found;
}

/* Whether a line says it better than the unit: the key is made of several columns. */
static bool is_part_of_key(const ts_reference *unit)
{
    bool found = false;
    for (unsigned i = 0; i < LINES && !found; i++) {
        ts_reference line = {.when = ""};
        found = lines[i].table == unit->table && reference_of(&line, lines[i].unit, true) &&
                line.to == unit->to && !has_column(&ts_schema[line.to], line.key) &&
                !ts_text_is(line.key, "rowid");
    }
    return found;
}

/* The column of this number, of all tables. */
static const ts_column *numbered(enum ts_table_id *table, unsigned at)
{
    unsigned id = 0;
    while (id < TS_TABLE_COUNT && at >= ts_schema[id].column_count) {
        at -= ts_schema[id++].column_count;
    }
    *table = (enum ts_table_id)id;
    return id < TS_TABLE_COUNT ? &ts_schema[id].columns[at] : NULL;
}

bool ts_reference_next(ts_reference *out, unsigned *at)
{
    const ts_column *column;
    *out = (ts_reference){.when = ""};
    while (*at >= LINES && (column = numbered(&out->table, *at - LINES)) != NULL) {
        (*at)++;
        out->what = column->name;
        if (reference_of(out, column->unit, false) && !is_replaced(out)) {
            out->place = strncmp(column->name, "first_", 6) == 0 || is_part_of_key(out);
            return true;
        }
    }
    if (*at >= LINES) {
        return false;
    }
    const refers_line *line = &lines[(*at)++];
    out->table = line->table;
    out->what = line->what;
    out->when = line->when;
    return reference_of(out, line->unit, true);
}
