#include "htrace/plugins/xpower/xpower.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <string.h>

enum { LISTS_MAX = 12 };

/* A table whose columns are lists of a message: the rows are the first of each list, the second
 * of each, and so on. */
typedef struct list_shape {
    const char *part;
    enum ts_table_id table;
    size_t ts_at; /* offsets of columns in the row */
    size_t type_at;
    size_t text_at;
    uint64_t ts_null;
    uint64_t text_null;
    uint64_t absent; /* columns that the lists of this part do not have */
    size_t count;
    ts_field_def defs[LISTS_MAX]; /* the first is the list of texts, if text_at is not 0 */
    struct {
        size_t at;
        uint64_t null;
    } columns[LISTS_MAX];
} list_shape;

/* A row of any of them; all begin with the bits of their NULLs and the number. */
typedef union list_row {
    ts_row_xpower_app_detail_cpu thread;
    ts_row_xpower_app_detail_gpu frequency;
    ts_row_xpower_component_top top;
} list_row;

_Static_assert(offsetof(ts_row_xpower_app_detail_cpu, id) ==
                       offsetof(ts_row_xpower_component_top, id) &&
                   offsetof(ts_row_xpower_app_detail_gpu, id) ==
                       offsetof(ts_row_xpower_component_top, id),
               "rows begin alike");

static void set(list_row *row, size_t at, int64_t value)
{
    memcpy((char *)row + at, &value, sizeof value);
}

/* --- reading lists side by side --------------------------------------------------------------- */

/* Lists on their way. */
typedef struct lists {
    const list_shape *shape;
    const uint8_t *p;
    size_t n;
    ts_wire texts;
    ts_field_list numbers[LISTS_MAX];
} lists;

static void rewind_lists(lists *l)
{
    ts_wire_init(&l->texts, l->p, l->n);
    for (size_t k = 0; k < l->shape->count; k++) {
        const ts_field_list list = {.number = l->shape->defs[k].number, .kind = TS_FIELD_NUMBERS};
        memcpy(&l->numbers[k], &list, sizeof list);
    }
}

static bool next_text(ts_text *text, lists *l)
{
    ts_wire_field field;
    while (ts_wire_next(&field, &l->texts)) {
        if (field.number == l->shape->defs[0].number && field.type == TS_WIRE_BYTES) {
            *text = (ts_text){(const char *)field.p, field.n};
            return true;
        }
    }
    return false;
}

/* The lengths of the shortest and of the longest list. */
static void measure(uint64_t *shortest, uint64_t *longest, lists *l)
{
    *shortest = UINT64_MAX;
    *longest = 0;
    rewind_lists(l);
    for (size_t k = 0; k < l->shape->count; k++) {
        uint64_t length = 0;
        uint64_t value;
        ts_text text;
        while (k == 0 && l->shape->text_at != 0
                   ? next_text(&text, l)
                   : ts_fields_next(&value, &l->numbers[k], l->p, l->n)) {
            length++;
        }
        *shortest = length < *shortest ? length : *shortest;
        *longest = length > *longest ? length : *longest;
    }
    rewind_lists(l);
}

/* The columns of the next row that are lists. */
static ts_code fill(list_row *row, xpower *x, lists *l)
{
    const list_shape *shape = l->shape;
    size_t first = shape->text_at != 0 ? 1 : 0;
    if (first > 0) {
        ts_text text = {"", 0};
        ts_value value = {.state = TS_VALUE_READ};
        int64_t id = 0;
        (void)next_text(&text, l);
        value.p = (const uint8_t *)text.p;
        value.n = text.n;
        TS_TRY(ts_records_text(&text, &x->text, &x->records, &value));
        TS_TRY(ts_dict(&id, x->records.host->store, text));
        set(row, shape->text_at, id);
    }
    for (size_t k = first; k < shape->count; k++) {
        uint64_t value = 0;
        (void)ts_fields_next(&value, &l->numbers[k], l->p, l->n);
        set(row, shape->columns[k].at, (int64_t)value);
    }
    return TS_OK;
}

/* What has no partner in the shortest list, or whose partner is not certain. */
static ts_code lose(const xpower *x, const ts_message *m, const list_shape *shape,
                    uint64_t shortest, uint64_t longest)
{
    ts_tally *tally;
    ts_code code = ts_records_tally(&tally, &x->records, shape->part);
    if (code != TS_OK || longest == shortest) {
        return code;
    }
    tally->seen += longest - shortest;
    tally->lost += longest - shortest;
    return ts_issue_n(m->host->store, m->host->source_id, TS_ISSUE_lists_differ, m->seg->plugin,
                      m->seg->offset, longest - shortest,
                      "message %" PRIu64 ": lists of %s have between %" PRIu64 " and %" PRIu64
                      " values that belong together",
                      m->seg->number, shape->part, shortest, longest);
}

/* Makes the rows. type: of the component, where the table has a column for it. */
static ts_code put_lists(xpower *x, ts_message *m, const list_shape *shape, int64_t type,
                         const uint8_t *p, size_t n)
{
    ts_sink *sink = ts_store_sink(x->records.host->store);
    lists l = {.shape = shape, .p = p, .n = n};
    ts_value unused[LISTS_MAX];
    const uint64_t faults = m->faults;
    uint64_t shortest;
    uint64_t longest;
    bool damaged;
    bool put;
    ts_code code =
        ts_fields_part(unused, &damaged, m, shape->part, shape->defs, shape->count, p, n);
    if (code != TS_OK) {
        return code;
    }
    measure(&shortest, &longest, &l);
    if (m->faults - faults > (damaged ? 1 : 0)) {
        shortest = 0; /* values were passed over: which ones belong together is not known */
    }
    for (uint64_t i = 0; code == TS_OK && i < shortest; i++) {
        list_row row;
        memset(&row, 0, sizeof row);
        row.top.null = shape->absent | (x->ts == TS_NO_TIME ? shape->ts_null : 0);
        row.top.id = ts_records_next(&x->records, shape->table);
        set(&row, shape->ts_at, x->ts);
        if (shape->type_at != 0) {
            set(&row, shape->type_at, type);
        }
        if ((code = fill(&row, x, &l)) == TS_OK &&
            (code = ts_records_row(&put, &x->records, shape->part, true, x->wanted)) == TS_OK &&
            put) {
            code = ts_sink_put(sink, shape->table, &row);
        }
    }
    return code != TS_OK ? code : lose(x, m, shape, shortest, longest);
}

/* --- details of the application --------------------------------------------------------------- */

#define AT(table, column) offsetof(ts_row_##table, column)
#define COLUMN(table, column)                                                                      \
    {                                                                                              \
        AT(table, column), TS_NULL_BIT(table, column)                                              \
    }
#define LIST(n, column)                                                                            \
    {                                                                                              \
        n, TS_FIELD_NUMBERS, #column                                                               \
    }

static const list_shape threads = {
    .part = "app_detail.cpu",
    .table = TS_T_xpower_app_detail_cpu,
    .ts_at = AT(xpower_app_detail_cpu, start_time),
    .ts_null = TS_NULL_BIT(xpower_app_detail_cpu, start_time),
    .text_at = AT(xpower_app_detail_cpu, thread_name_id),
    .count = 4,
    .defs = {{3, TS_FIELD_BYTES, "thread_name"},
             LIST(2, thread_loads),
             LIST(4, thread_time),
             LIST(5, thread_energy)},
    .columns = {COLUMN(xpower_app_detail_cpu, thread_name_id),
                COLUMN(xpower_app_detail_cpu, thread_loads),
                COLUMN(xpower_app_detail_cpu, thread_time),
                COLUMN(xpower_app_detail_cpu, thread_energy)},
};

static const list_shape frequencies = {
    .part = "app_detail.gpu",
    .table = TS_T_xpower_app_detail_gpu,
    .ts_at = AT(xpower_app_detail_gpu, start_time),
    .ts_null = TS_NULL_BIT(xpower_app_detail_gpu, start_time),
    .count = 3,
    .defs = {LIST(2, frequency), LIST(3, idle_time), LIST(4, run_time)},
    .columns = {COLUMN(xpower_app_detail_gpu, frequency), COLUMN(xpower_app_detail_gpu, idle_time),
                COLUMN(xpower_app_detail_gpu, run_time)},
};

ts_code xpower_threads(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    return put_lists(x, m, &threads, 0, p, n);
}

ts_code xpower_frequencies(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    return put_lists(x, m, &frequencies, 0, p, n);
}

/* --- the largest users ------------------------------------------------------------------------ */

#define TOP(column) COLUMN(xpower_component_top, column)
#define NONE(column) TS_NULL_BIT(xpower_component_top, column)
#define TOP_SHAPE                                                                                  \
    .part = "component_top", .table = TS_T_xpower_component_top,                                   \
    .ts_at = AT(xpower_component_top, start_time),                                                 \
    .ts_null = TS_NULL_BIT(xpower_component_top, start_time),                                      \
    .type_at = AT(xpower_component_top, component_type_id),                                        \
    .text_at = AT(xpower_component_top, appname)
#define APPNAME                                                                                    \
    {                                                                                              \
        2, TS_FIELD_BYTES, "appname"                                                               \
    }

/* Time and charge in four situations: eight lists in fields that follow each other. */
#define USE(n)                                                                                     \
    LIST(n, background_duration), LIST((n) + 1, background_energy),                                \
        LIST((n) + 2, foreground_duration), LIST((n) + 3, foreground_energy),                      \
        LIST((n) + 4, screen_off_duration), LIST((n) + 5, screen_off_energy),                      \
        LIST((n) + 6, screen_on_duration), LIST((n) + 7, screen_on_energy)
#define USE_COLUMNS                                                                                \
    TOP(background_duration), TOP(background_energy), TOP(foreground_duration),                    \
        TOP(foreground_energy), TOP(screen_off_duration), TOP(screen_off_energy),                  \
        TOP(screen_on_duration), TOP(screen_on_energy)
#define NO_USE                                                                                     \
    (NONE(background_duration) | NONE(background_energy) | NONE(foreground_duration) |             \
     NONE(foreground_energy) | NONE(screen_off_duration) | NONE(screen_off_energy) |               \
     NONE(screen_on_duration) | NONE(screen_on_energy))
#define NO_APP_USE (NONE(app_usage_duration) | NONE(app_usage_energy))

static const list_shape common = {
    TOP_SHAPE,
    .absent = NONE(camera_id) | NONE(uid) | NONE(load) | NO_APP_USE,
    .count = 9,
    .defs = {APPNAME, USE(3)},
    .columns = {TOP(appname), USE_COLUMNS},
};

static const list_shape camera = {
    TOP_SHAPE,
    .absent = NONE(uid) | NONE(load) | NO_APP_USE,
    .count = 10,
    .defs = {APPNAME, LIST(3, camera_id), USE(4)},
    .columns = {TOP(appname), TOP(camera_id), USE_COLUMNS},
};

static const list_shape cpu = {
    TOP_SHAPE,
    .absent = NONE(camera_id) | NO_APP_USE,
    .count = 11,
    .defs = {APPNAME, LIST(3, uid), USE(4), LIST(12, load)},
    .columns = {TOP(appname), TOP(uid), USE_COLUMNS, TOP(load)},
};

static const list_shape usage = {
    TOP_SHAPE,
    .absent = NO_USE | NONE(camera_id) | NONE(uid) | NONE(load),
    .count = 3,
    .defs = {APPNAME, LIST(3, app_usage_duration), LIST(4, app_usage_energy)},
    .columns = {TOP(appname), TOP(app_usage_duration), TOP(app_usage_energy)},
};

/* In the order of their rows. */
enum { COMPONENTS = 9 };
static const ts_field_def components[COMPONENTS] = {
    {1, TS_FIELD_BYTES, "audio"},      {2, TS_FIELD_BYTES, "bluetooth"},
    {6, TS_FIELD_BYTES, "flashlight"}, {8, TS_FIELD_BYTES, "location"},
    {9, TS_FIELD_BYTES, "wifiscan"},   {5, TS_FIELD_BYTES, "display"},
    {7, TS_FIELD_BYTES, "gpu"},        {3, TS_FIELD_BYTES, "camera"},
    {4, TS_FIELD_BYTES, "cpu"},
};
static const list_shape *const component_shapes[COMPONENTS] = {
    &common, &common, &common, &common, &common, &usage, &usage, &camera, &cpu,
};

ts_code xpower_top(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value v[COMPONENTS];
    ts_code code = ts_fields_part(v, NULL, m, "component_top", components, COMPONENTS, p, n);
    for (size_t k = 0; code == TS_OK && k < COMPONENTS; k++) {
        int64_t type = 0;
        if (v[k].state == TS_VALUE_READ &&
            (code = ts_dict(&type, x->records.host->store, ts_text_of(components[k].name))) ==
                TS_OK) {
            code = put_lists(x, m, component_shapes[k], type, v[k].p, v[k].n);
        }
    }
    return code;
}
