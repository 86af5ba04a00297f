/*
 * hisysevent-plugin: events of the system. Each is a line of JSON and a row of hisys_all_event;
 * values of those about the use of power are rows of hisys_event_measure.
 * Docs: docs/formats.md, "hisysevent-plugin".
 */
#include "htrace/plugins/hisysevent/event_json.h"
#include "htrace/plugins/plugin_records.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/idmap.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { DATA, CONFIG }; /* names of segments */

/* Fields of a message (HisyseventInfo). */
enum { LINES, STATE, FIELDS };
static const ts_field_def fields[FIELDS] = {
    [LINES] = {1, TS_FIELD_BYTES, "info"},
    [STATE] = {2, TS_FIELD_BYTES, "device_state"},
};

enum { CONTENT, SERIAL, LINE_FIELDS };
static const ts_field_def line_fields[LINE_FIELDS] = {
    [CONTENT] = {1, TS_FIELD_BYTES, "raw_content"},
    [SERIAL] = {2, TS_FIELD_UINT, "id"},
};

typedef struct hisysevent {
    ts_records records;
    ts_tally *lines;
    event_json event;
    ts_idmap keys; /* of (name of the event, name of the value): its row in app_name */
    ts_buf contents;
    ts_buf text;
    /* The line that is being read. */
    ts_message *m;
    uint64_t number; /* in its message, from 1 */
} hisysevent;

/* --- events ----------------------------------------------------------------------------------- */

static const char *const power_events[] = {
    "POWER_IDE_BATTERY",
    "POWER_IDE_CPU",
    "POWER_IDE_LOCATION",
    "POWER_IDE_GPU",
    "POWER_IDE_DISPLAY",
    "POWER_IDE_CAMERA",
    "POWER_IDE_BLUETOOTH",
    "POWER_IDE_FLASHLIGHT",
    "POWER_IDE_AUDIO",
    "POWER_IDE_WIFISCAN",
    "BRIGHTNESS_NIT",
    "SIGNAL_LEVEL",
    "WIFI_EVENT_RECEIVED",
    "AUDIO_STREAM_CHANGE",
    "AUDIO_VOLUME_CHANGE",
    "WIFI_STATE",
    "BR_SWITCH_STATE",
    "BLUETOOTH_BR_SWITCH_STATE",
    "LOCATION_SWITCH_STATE",
    "ENABLE_SENSOR",
    "DISABLE_SENSOR",
    "WORK_REMOVE",
    "WORK_START",
    "WORK_STOP",
    "WORK_ADD",
    "POWER_RUNNINGLOCK",
    "GNSS_STATE",
    "ANOMALY_SCREEN_OFF_ENERGY",
    "ANOMALY_ALARM_WAKEUP",
    "ANOMALY_KERNEL_WAKELOCK",
    "ANOMALY_RUNNINGLOCK",
    "ANORMALY_APP_ENERGY",
    "ANOMALY_GNSS_ENERGY",
    "ANOMALY_CPU_HIGH_FREQUENCY",
    "ANOMALY_CPU_ENERGY",
    "ANOMALY_WAKEUP",
};

/* Members that have columns of their own, in the order in which they are looked at. */
static const char time_key[] = "time_";
static const char name_key[] = "name_";
static const char tag_key[] = "tag_";

enum { AS_NAME, AS_TEXT, AS_NUMBER, AS_TIME }; /* a name: a text of data_dict */
#define MEMBER(key, as, column)                                                                    \
    {                                                                                              \
        key, as, offsetof(ts_row_hisys_all_event, column), TS_NULL_BIT(hisys_all_event, column)    \
    }
static const struct {
    const char *key;
    unsigned as;
    size_t column; /* in the row */
    uint64_t null;
} members[] = {
    MEMBER(time_key, AS_TIME, ts),
    MEMBER("domain_", AS_NAME, domain_id),
    MEMBER(name_key, AS_NAME, event_name_id),
    MEMBER("type_", AS_NUMBER, type),
    MEMBER("tz_", AS_TEXT, time_zone),
    MEMBER("pid_", AS_NUMBER, pid),
    MEMBER("tid_", AS_NUMBER, tid),
    MEMBER("uid_", AS_NUMBER, uid),
    MEMBER("level_", AS_TEXT, level),
    MEMBER(tag_key, AS_TEXT, tag),
    MEMBER("id_", AS_TEXT, event_id),
    MEMBER("seq_", AS_NUMBER, seq),
    MEMBER("info_", AS_TEXT, info),
};
#undef MEMBER
enum { MEMBERS = sizeof members / sizeof members[0] };

static bool is_member(ts_text key)
{
    unsigned k = 0;
    while (k < MEMBERS && !ts_text_is(key, members[k].key)) {
        k++;
    }
    return k < MEMBERS;
}

static bool is_power_event(ts_text name)
{
    const size_t n = sizeof power_events / sizeof power_events[0];
    size_t k = 0;
    while (k < n && !ts_text_is(name, power_events[k])) {
        k++;
    }
    return k < n;
}

/* A member has a value that its column cannot have. */
static ts_code odd_member(hisysevent *h, ts_text key, const char *wrong)
{
    const ts_plugin_host *host = h->records.host;
    h->m->faults++;
    ts_records_lose(&h->records, 1);
    return ts_issue(host->store, host->source_id, TS_ISSUE_event_bad_member, h->m->seg->plugin,
                    h->m->seg->offset, "message %" PRIu64 ", line %" PRIu64 ": \"%.*s\" %s",
                    h->m->seg->number, h->number, key.n < 80 ? (int)key.n : 80, key.p, wrong);
}

/* The text of a member; NULL when there is none. */
static ts_code text_of(ts_text *out, hisysevent *h, const char *key)
{
    const event_value *v = event_json_member(&h->event, key);
    *out = TS_TEXT_NULL;
    if (v == NULL) {
        return TS_OK;
    }
    if (v->kind != EVENT_TEXT) {
        return odd_member(h, ts_text_of(key), "is not text");
    }
    *out = event_json_text(&h->event, v);
    return TS_OK;
}

static ts_code name_of(int64_t *id, uint64_t *null, uint64_t bit, hisysevent *h, const char *key)
{
    ts_text text;
    ts_code code = text_of(&text, h, key);
    *null |= text.p == NULL ? bit : 0;
    return code != TS_OK || text.p == NULL ? code : ts_dict(id, h->records.host->store, text);
}

static ts_code number_of(int64_t *out, uint64_t *null, uint64_t bit, hisysevent *h, const char *key)
{
    const event_value *v = event_json_member(&h->event, key);
    if (v != NULL && v->kind == EVENT_NUMBER && v->is_int) {
        *out = v->i;
        return TS_OK;
    }
    *null |= bit;
    return v == NULL ? TS_OK : odd_member(h, ts_text_of(key), "is no 64-bit integer");
}

/* The time of the event in ns, as recorded. */
static ts_code time_of(int64_t *raw, hisysevent *h)
{
    uint64_t null = 0;
    int64_t ms = 0;
    ts_code code = number_of(&ms, &null, 1, h, time_key);
    *raw = TS_NO_TIME;
    if (null != 0) {
        ts_records_untimed(&h->records, h->m);
    } else if (ts_ckd_mul(raw, ms, INT64_C(1000000))) {
        *raw = TS_NO_TIME;
        h->records.times.over++;
    }
    return code;
}

/* All members without a column, as one object. */
static ts_code write_contents(ts_text *out, hisysevent *h)
{
    const event_json *e = &h->event;
    const event_value *v = event_json_at(e, event_json_at(e, 0)->first);
    ts_jout j = ts_jout_into(h->records.host->ctx, &h->contents);
    j.escapes = TS_JOUT_LETTERS;
    j.null_is_empty = true;
    h->contents.n = 0;
    for (; v != NULL; v = event_json_at(e, v->next)) {
        const ts_text key = event_json_key(e, v);
        if (is_member(key)) {
            continue;
        }
        if (j.depth == 0) {
            ts_jout_open(&j, NULL, '{');
        }
        ts_jout_key(&j, key);
        event_json_write(&j, e, v);
    }
    if (j.depth == 0) {
        ts_jout_null(&j, NULL);
    } else {
        ts_jout_close(&j, '}');
    }
    *out = ts_buf_text(&h->contents);
    return j.code;
}

static ts_code put_event(hisysevent *h, int64_t ts)
{
    ts_sink *sink = ts_store_sink(h->records.host->store);
    ts_row_hisys_all_event row = {.ts = ts};
    row.null = ts == TS_NO_TIME ? TS_NULL_BIT(hisys_all_event, ts) : 0;
    for (unsigned k = 0; k < MEMBERS; k++) {
        void *column = (char *)&row + members[k].column;
        if (members[k].as == AS_TEXT) {
            TS_TRY(text_of(column, h, members[k].key));
        } else if (members[k].as != AS_TIME) {
            TS_TRY((members[k].as == AS_NAME ? name_of : number_of)(
                column, &row.null, members[k].null, h, members[k].key));
        }
    }
    TS_TRY(write_contents(&row.contents, h));
    row.id = (int64_t)ts_sink_rows(sink, TS_T_hisys_all_event) + 1;
    return ts_put_hisys_all_event(sink, &row);
}

/* --- values ----------------------------------------------------------------------------------- */

/* The number of the pair in app_name. */
static ts_code key_id(int64_t *id, hisysevent *h, int64_t name, ts_text key)
{
    ts_store *store = h->records.host->store;
    ts_sink *sink = ts_store_sink(store);
    ts_row_app_name row = {.app_name = name};
    uint64_t place;
    ts_code code = ts_dict(&row.app_key, store, key);
    const int64_t pair = (int64_t)((uint64_t)name << 32 | (uint64_t)row.app_key);
    if (code == TS_OK && !ts_idmap_find(&place, &h->keys, pair)) {
        place = ts_sink_rows(sink, TS_T_app_name);
        row.id = (int64_t)place;
        code = ts_idmap_put(h->records.host->ctx, &h->keys, pair, place);
        code = code != TS_OK ? code : ts_put_app_name(sink, &row);
    }
    *id = code == TS_OK ? (int64_t)place : 0;
    return code;
}

/* base: the row but for the value. */
static ts_code put_value(hisysevent *h, const ts_row_hisys_event_measure *base, ts_text key,
                         const event_value *v)
{
    ts_sink *sink = ts_store_sink(h->records.host->store);
    ts_row_hisys_event_measure row = *base;
    bool put;
    ts_code code = ts_records_row(&put, &h->records, "hisys_event_measure",
                                  v->kind == EVENT_NUMBER || v->kind == EVENT_TEXT, true);
    if (code != TS_OK || !put) {
        return code != TS_OK ? code : odd_member(h, key, "is neither number nor text");
    }
    row.id = (int64_t)ts_sink_rows(sink, TS_T_hisys_event_measure);
    row.type = v->kind == EVENT_TEXT;
    row.int_value = v->kind == EVENT_TEXT ? 0 : v->d;
    row.string_value = v->kind == EVENT_TEXT ? event_json_text(&h->event, v) : (ts_text){"", 0};
    code = key_id(&row.key_id, h, base->name_id, key);
    return code != TS_OK ? code : ts_put_hisys_event_measure(sink, &row);
}

/* An array on its way. */
typedef struct array_place {
    uint32_t member;
    uint32_t element;
} array_place;

/* The elements of all arrays, all first ones before all second ones. */
static ts_code put_elements(hisysevent *h, const ts_row_hisys_event_measure *base, ts_vec *arrays)
{
    const event_json *e = &h->event;
    array_place *places = arrays->p;
    ts_code code = TS_OK;
    while (code == TS_OK && arrays->n > 0) {
        size_t left = 0;
        for (size_t k = 0; code == TS_OK && k < arrays->n; k++) {
            const event_value *v = event_json_at(e, places[k].element);
            code = put_value(h, base, event_json_key(e, event_json_at(e, places[k].member)), v);
            if (v->next != EVENT_NONE) {
                places[left++] = (array_place){places[k].member, v->next};
            }
        }
        arrays->n = left;
    }
    return code;
}

static ts_code put_values(hisysevent *h, const ts_row_hisys_event_measure *base)
{
    ts_ctx *ctx = h->records.host->ctx;
    const event_json *e = &h->event;
    ts_vec arrays = {0};
    uint32_t place = event_json_at(e, 0)->first;
    ts_code code = TS_OK;
    for (; code == TS_OK && place != EVENT_NONE; place = event_json_at(e, place)->next) {
        const event_value *v = event_json_at(e, place);
        const ts_text key = event_json_key(e, v);
        if (ts_text_is(key, name_key) || ts_text_is(key, time_key)) {
            continue;
        }
        if (v->kind != EVENT_ARRAY) {
            code = put_value(h, base, key, v);
        } else if (v->first != EVENT_NONE) {
            array_place *array = ts_vec_add(ctx, &arrays, sizeof *array);
            if (array == NULL) {
                code = ctx->error.code;
            } else {
                *array = (array_place){place, v->first};
            }
        }
    }
    code = code != TS_OK ? code : put_elements(h, base, &arrays);
    ts_vec_free(ctx, &arrays);
    return code;
}

/* Values of the events that say what uses power. */
static ts_code put_measures(hisysevent *h, int64_t ts, const ts_value *serial)
{
    ts_store *store = h->records.host->store;
    const event_value *name = event_json_member(&h->event, name_key);
    const event_value *tag = event_json_member(&h->event, tag_key);
    ts_row_hisys_event_measure row = {.ts = ts};
    ts_code code;
    TS_TRY_INTO(code, ts_stat(store, "trace_hisys_event", "received", 1));
    if (name == NULL || name->kind != EVENT_TEXT ||
        !is_power_event(event_json_text(&h->event, name))) {
        return ts_stat(store, "trace_hisys_event", "not_match", 1);
    }
    if (tag != NULL &&
        (tag->kind != EVENT_TEXT || !ts_text_is(event_json_text(&h->event, tag), "PowerStats"))) {
        return TS_OK;
    }
    row.null = ts == TS_NO_TIME ? TS_NULL_BIT(hisys_event_measure, ts) : 0;
    row.serial =
        ts_records_int(&row.null, TS_NULL_BIT(hisys_event_measure, serial), &h->records, serial);
    code = ts_dict(&row.name_id, store, event_json_text(&h->event, name));
    return code != TS_OK ? code : put_values(h, &row);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Reads the line; *some: it is an event. */
static ts_code read_line(bool *some, hisysevent *h, const ts_value *content)
{
    const ts_plugin_host *host = h->records.host;
    const ts_text text = ts_value_text(content);
    const char *reason;
    uint64_t at;
    ts_code code;
    *some = false;
    if (text.p == NULL) {
        return TS_OK; /* recorded */
    }
    code = event_json_read(&reason, &at, &h->event, host->ctx, text.p, text.n);
    if (code == TS_OK && reason != NULL) {
        h->m->faults++;
        return ts_issue(host->store, host->source_id, TS_ISSUE_event_bad_line, h->m->seg->plugin,
                        h->m->seg->offset,
                        "message %" PRIu64 ", line %" PRIu64 ", byte %" PRIu64 ": %s",
                        h->m->seg->number, h->number, at, reason);
    }
    *some = code == TS_OK;
    h->records.replaced += *some && h->event.replaced > 0;
    return code;
}

static ts_code one_line(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    hisysevent *h = user;
    ts_value v[LINE_FIELDS];
    int64_t raw;
    int64_t ts;
    bool some;
    bool wanted;
    ts_code code = ts_fields_part(v, NULL, m, "info", line_fields, LINE_FIELDS, p, n);
    h->number++;
    if (code != TS_OK || (code = read_line(&some, h, &v[CONTENT])) != TS_OK) {
        return code;
    }
    h->lines->seen++;
    if (!some) {
        h->lines->lost++;
        return TS_OK;
    }
    if ((code = time_of(&raw, h)) != TS_OK ||
        (code = ts_records_time(&ts, &wanted, &h->records, raw)) != TS_OK || !wanted) {
        h->lines->skipped += code == TS_OK;
        return code;
    }
    h->lines->imported++;
    code = put_event(h, ts);
    return code != TS_OK ? code : put_measures(h, ts, &v[SERIAL]);
}

/* --- the device ------------------------------------------------------------------------------- */

enum { VOLUMES = 16, SETTINGS = 4 };

_Static_assert(TS_C_device_state__stream_all - TS_C_device_state__brightness ==
                   SETTINGS + VOLUMES - 1,
               "the columns are in the order of the numbers");

static ts_code device_state(hisysevent *h, ts_message *m, const uint8_t *p, size_t n)
{
    static const ts_field_def defs[SETTINGS + 1] = {
        {1, TS_FIELD_UINT32, "brightness_state"},
        {2, TS_FIELD_UINT32, "bt_state"},
        {3, TS_FIELD_INT, "location_state"},
        {4, TS_FIELD_UINT32, "wifi_state"},
        [SETTINGS] = {5, TS_FIELD_BYTES, "volume_state"},
    };
    ts_sink *sink = ts_store_sink(h->records.host->store);
    ts_row_device_state row = {0};
    ts_field_def volumes[VOLUMES];
    ts_value v[SETTINGS + 1];
    ts_value levels[VOLUMES];
    int64_t numbers[SETTINGS + VOLUMES];
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, fields[STATE].name, defs, SETTINGS + 1, p, n);
    for (unsigned k = 0; k < VOLUMES; k++) {
        volumes[k] = (ts_field_def){k + 1, TS_FIELD_INT32, "volume_state"};
    }
    TS_STEP(code, ts_fields_inside(levels, m, &defs[SETTINGS], &v[SETTINGS], volumes, VOLUMES));
    if (code != TS_OK ||
        (code = ts_records_row(&put, &h->records, fields[STATE].name, true, true)) != TS_OK) {
        return code;
    }
    for (unsigned k = 0; k < SETTINGS + VOLUMES; k++) {
        numbers[k] = ts_records_int(&row.null, TS_NULL_BIT(device_state, brightness) << k,
                                    &h->records, k < SETTINGS ? &v[k] : &levels[k - SETTINGS]);
    }
    memcpy((char *)&row + offsetof(ts_row_device_state, brightness), numbers, sizeof numbers);
    row.id = (int64_t)ts_sink_rows(sink, TS_T_device_state);
    return ts_put_device_state(sink, &row);
}

/* --- the plugin ------------------------------------------------------------------------------- */

/* What was asked for. */
static ts_code configure(hisysevent *h, ts_message *m, const uint8_t *p, size_t n)
{
    static const ts_field_def defs[] = {{1, TS_FIELD_BYTES, "message"},
                                        {2, TS_FIELD_BYTES, "process_name"}};
    ts_text text;
    ts_value v[2];
    ts_code code = ts_fields_part(v, NULL, m, NULL, defs, 2, p, n);
    for (unsigned k = 0; code == TS_OK && k < 2; k++) {
        code = ts_records_text(&text, &h->text, &h->records, &v[k]);
        TS_STEP(code, ts_records_config(&h->records, "hisys_event", defs[k].name, text));
    }
    return code;
}

static ts_code data(hisysevent *h, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value v[FIELDS];
    ts_code code = ts_fields_part(v, NULL, m, NULL, fields, FIELDS, p, n);
    h->number = 0;
    TS_STEP_IF(code, h->lines == NULL, ts_records_tally(&h->lines, &h->records, NULL));
    TS_STEP_IF(code, v[STATE].state == TS_VALUE_READ, device_state(h, m, v[STATE].p, v[STATE].n));
    return code != TS_OK ? code : ts_fields_repeat(m, fields[LINES].number, p, n, one_line, h);
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    hisysevent *h = self;
    ts_message m;
    ts_code code = ts_records_begin(&m, &h->records, seg);
    if (code != TS_OK || ts_records_again(&h->records, &m, p, n)) {
        return code;
    }
    h->m = &m;
    code = seg->which == CONFIG ? configure(h, &m, p, n) : data(h, &m, p, n);
    h->m = NULL;
    ts_records_end(&h->records, &m);
    return code;
}

static ts_code finish(void *self)
{
    hisysevent *h = self;
    return ts_records_finish(&h->records);
}

static void close_plugin(void *self)
{
    hisysevent *h = self;
    if (h != NULL) {
        ts_ctx *ctx = h->records.host->ctx;
        event_json_free(&h->event);
        ts_idmap_free(ctx, &h->keys);
        ts_buf_free(ctx, &h->contents);
        ts_buf_free(ctx, &h->text);
        ts_free(ctx, h);
    }
}

/* Lines of text have this plugin, too (parsers/logs): it makes itself. */
static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    hisysevent *h = ts_zalloc(host->ctx, 1, sizeof *h);
    *self = h;
    TS_NEED(host->ctx, h);
    ts_records_init(&h->records, host, "hisysevent-plugin");
    ts_records_table_add(&h->records, TS_T_hisys_all_event, TS_NULL_BIT(hisys_all_event, ts));
    ts_records_table_add(&h->records, TS_T_hisys_event_measure,
                         TS_NULL_BIT(hisys_event_measure, ts));
    return TS_OK;
}

static const ts_plugin_name names[] = {
    [DATA] = {"hisysevent-plugin", TS_RECORDS_MESSAGE, NULL},
    [CONFIG] = {"hisysevent-plugin_config", 1 << 20, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(hisysevent) = {
    .names = names,
    .open = open_plugin,
    .message = message,
    .finish = finish,
    .close = close_plugin,
};
