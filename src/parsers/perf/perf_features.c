/* Features of perf.data: what comes after the records and says how to read them. Each is read on
 * its own, so that one that is damaged takes no other with it. */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* --- bytes -------------------------------------------------------------------------------------
 */

ts_code perfd_take(const uint8_t **p, perfd_cursor *c, size_t n)
{
    size_t have = 0;
    *p = NULL;
    if (c->at > c->end || n > c->end - c->at) {
        return TS_OK;
    }
    TS_TRY(ts_window_get(p, &have, c->r->in, c->at, n));
    *p = have < n ? NULL : *p;
    c->at += *p == NULL ? 0 : n;
    return TS_OK;
}

ts_code perfd_take_u32(bool *good, uint32_t *out, perfd_cursor *c)
{
    const uint8_t *p;
    TS_TRY(perfd_take(&p, c, 4));
    *good = p != NULL;
    *out = *good ? perfd_u32(p) : 0;
    return TS_OK;
}

ts_code perfd_take_u64(bool *good, uint64_t *out, perfd_cursor *c)
{
    const uint8_t *p;
    TS_TRY(perfd_take(&p, c, 8));
    *good = p != NULL;
    *out = *good ? perfd_u64(p) : 0;
    return TS_OK;
}

ts_code perfd_take_text(bool *good, ts_text *out, perfd_cursor *c)
{
    uint32_t n;
    const uint8_t *p = NULL;
    *out = TS_TEXT_LIT("");
    TS_TRY(perfd_take_u32(good, &n, c));
    if (!*good || n > PERFD_MAX_TEXT) {
        *good = false;
        return TS_OK;
    }
    if (n == 0) {
        return TS_OK;
    }
    TS_TRY(perfd_take(&p, c, n));
    *good = p != NULL;
    if (!*good) {
        return TS_OK;
    }
    *out = (ts_text){(const char *)p, strnlen((const char *)p, n)};
    return ts_utf8_text(out, c->r->ctx, &c->r->clean, &c->r->bad_texts);
}

ts_code perfd_intern(uint32_t *id, perfd *r, ts_text text)
{
    return ts_pool_intern(r->ctx, id, NULL, &r->texts, text);
}

/* --- texts -------------------------------------------------------------------------------------
 */

ts_code perfd_put_property(perfd *r, const char *key, ts_text value)
{
    return ts_source_property(r->store, r->source_id, key, value);
}

static ts_code read_text(bool *good, perfd_cursor *c, const char *key, char **kept)
{
    perfd *r = c->r;
    ts_text text;
    TS_TRY(perfd_take_text(good, &text, c));
    if (!*good) {
        return TS_OK;
    }
    if (kept != NULL && *kept == NULL) {
        TS_TRY(ts_copy_text(kept, r->ctx, text.p, text.n));
    }
    return perfd_put_property(r, key, text);
}

static ts_code read_host(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    ts_text text;
    TS_TRY(perfd_take_text(good, &text, c));
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(ts_source_text(r->store, r->source_id, &ts_source(r->store, r->source_id)->host, text.p,
                          text.n));
    return perfd_put_property(r, "hostname", text);
}

static ts_code read_release(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    ts_text text;
    TS_TRY(perfd_take_text(good, &text, c));
    if (!*good) {
        return TS_OK;
    }
    if (r->release == NULL) {
        TS_TRY(ts_copy_text(&r->release, r->ctx, text.p, text.n));
    }
    for (size_t i = 0; i < text.n; i++) {
        ts_text rest = ts_text_from(text, i);
        r->hongmeng =
            r->hongmeng || ts_text_begins(rest, "HongMeng") || ts_text_begins(rest, "hmkernel");
    }
    return perfd_put_property(r, "osrelease", text);
}

/* Those of Linux: a number, and as many texts. */
static ts_code read_words(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    ts_buf line = {0};
    uint32_t n = 0;
    ts_text text;
    ts_code code = perfd_take_u32(good, &n, c);
    for (uint32_t i = 0; i < n && *good && code == TS_OK; i++) {
        code = perfd_take_text(good, &text, c);
        TS_STEP_IF(code, i > 0, ts_buf_putc(r->ctx, &line, ' '));
        TS_STEP(code, ts_buf_put(r->ctx, &line, text.p, text.n));
        *good = *good && line.n <= PERFD_MAX_TEXT;
    }
    *good = *good && c->at == c->end;
    TS_STEP_IF(code, *good, ts_copy_text(&r->cmdline, r->ctx, line.n == 0 ? "" : line.p, line.n));
    ts_buf_free(r->ctx, &line);
    return code;
}

/* One text, when it fills the section; else a list. */
static ts_code read_cmdline(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    perfd_cursor one = *c;
    uint32_t n;
    TS_TRY(perfd_take_u32(good, &n, &one));
    if (*good && n == c->end - one.at) {
        ts_text text;
        TS_TRY(perfd_take_text(good, &text, c));
        if (*good) {
            TS_TRY(ts_copy_text(&r->cmdline, r->ctx, text.p, text.n));
        }
    } else {
        TS_TRY(read_words(good, c));
    }
    if (*good) {
        r->hiperf = r->hiperf || strncmp(r->cmdline, "hiperf", 6) == 0;
        TS_TRY(perfd_put_property(r, "cmdline", ts_text_of(r->cmdline)));
    }
    return TS_OK;
}

/* --- events ------------------------------------------------------------------------------------
 */

static ts_code add_event(perfd *r, ts_text name)
{
    perfd_event *event;
    uint32_t id;
    TS_TRY(perfd_intern(&id, r, name));
    TS_NEED(r->ctx, event = ts_vec_add(r->ctx, &r->events, sizeof *event));
    event->name = ts_pool_text(&r->texts, id);
    event->state = ts_text_is(event->name, "sched:sched_waking")   ? TS_TEXT_LIT("Running")
                   : ts_text_is(event->name, "sched:sched_switch") ? TS_TEXT_LIT("Suspend")
                                                                   : TS_TEXT_LIT("-");
    return TS_OK;
}

/* One description. Attributes are those of the header, if it has any. */
static ts_code read_event(bool *good, perfd_cursor *c, uint32_t attr_size, bool attrs)
{
    perfd *r = c->r;
    const uint8_t *p;
    perfd_attr attr;
    uint32_t ids;
    uint64_t id;
    ts_text name;
    TS_TRY(perfd_take(&p, c, attr_size));
    *good = p != NULL;
    if (!*good) {
        return TS_OK;
    }
    perfd_read_attr(&attr, p, attr_size);
    TS_TRY(perfd_take_u32(good, &ids, c));
    if (*good) {
        TS_TRY(perfd_take_text(good, &name, c));
    }
    if (!*good || (c->end - c->at) / 8 < ids) {
        *good = false;
        return TS_OK;
    }
    TS_TRY(add_event(r, name));
    if (attrs) {
        TS_TRY(ts_vec_push(r->ctx, &r->attrs, &attr, sizeof attr));
    }
    for (uint32_t i = 0; i < ids; i++) {
        TS_TRY(perfd_take_u64(good, &id, c));
        TS_TRY(ts_idmap_put(r->ctx, &r->event_of, (int64_t)id, r->events.n - 1));
        if (attrs) {
            TS_TRY(ts_idmap_put(r->ctx, &r->attr_of, (int64_t)id, r->attrs.n - 1));
        }
    }
    return TS_OK;
}

static ts_code read_events(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    bool attrs = r->attrs.n == 0;
    uint32_t n;
    uint32_t attr_size = 0;
    TS_TRY(perfd_take_u32(good, &n, c));
    if (*good) {
        TS_TRY(perfd_take_u32(good, &attr_size, c));
    }
    *good = *good && attr_size >= 64 && attr_size <= PERFD_MAX_RECORD;
    for (uint32_t i = 0; i < n && *good; i++) {
        TS_TRY(read_event(good, c, attr_size, attrs));
    }
    r->described = r->events.n > 0;
    return TS_OK;
}

/* Events that have no description are called by their number. */
static ts_code name_events(perfd *r)
{
    while (r->events.n < r->attrs.n) {
        char name[32];
        const ts_text said = perfd_event_type(r, (const perfd_attr *)r->attrs.p + r->events.n);
        snprintf(name, sizeof name, "event-%zu", r->events.n);
        TS_TRY(add_event(r, said.n > 0 ? said : ts_text_of(name)));
    }
    return TS_OK;
}

/* --- the others --------------------------------------------------------------------------------
 */

/* When the recording began on the clock of the wall and on its own. */
static ts_code read_clock_data(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    const uint8_t *p;
    TS_TRY(perfd_take(&p, c, 24));
    *good = p != NULL && perfd_u32(p) == 1;
    if (*good && r->clock != TS_CLOCK_UNKNOWN && r->clock != TS_CLOCK_REALTIME) {
        r->clocks.at[TS_CLOCK_REALTIME] = perfd_u64(p + 8);
        r->clocks.at[r->clock] = perfd_u64(p + 16);
    }
    return TS_OK;
}

/* A process id as text; older recordings have the stack table here. */
static ts_code read_devhost(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    perfd_cursor table = *c;
    ts_text text;
    TS_TRY(perfd_read_stacks(good, &table));
    if (*good) {
        return TS_OK;
    }
    TS_TRY(perfd_take_text(good, &text, c));
    if (!*good) {
        return TS_OK;
    }
    r->devhost = text.n > 0 && text.n < 10 ? 0 : -1;
    for (size_t i = 0; i < text.n && r->devhost >= 0; i++) {
        r->devhost = ts_is_digit(text.p[i]) ? r->devhost * 10 + (text.p[i] - '0') : -1;
    }
    *good = r->devhost >= 0 || !r->hongmeng;
    return perfd_put_property(r, "devhost", text);
}

static ts_code read_feature(bool *good, bool *used, unsigned number, perfd_cursor *c)
{
    perfd *r = c->r;
    *used = true;
    *good = true;
    switch (number) {
    case PERFD_BUILD_ID:
        *used = r->shared->folder != NULL;
        return *used ? perfd_read_build_ids(good, c) : TS_OK;
    case PERFD_HOSTNAME:
        return read_host(good, c);
    case PERFD_OSRELEASE:
        return read_release(good, c);
    case 5:
        return read_text(good, c, "version", NULL);
    case PERFD_ARCH:
        return read_text(good, c, "arch", &r->arch);
    case 8:
        return read_text(good, c, "cpudesc", NULL);
    case 9:
        return read_text(good, c, "cpuid", NULL);
    case PERFD_CMDLINE:
        return read_cmdline(good, c);
    case PERFD_EVENT_DESC:
        return read_events(good, c);
    case PERFD_CLOCK_DATA:
        return read_clock_data(good, c);
    case PERFD_FILE:
    case PERFD_META_INFO:
    case PERFD_FILE2:
        *used = r->simpleperf;
        return *used ? perfd_read_simpleperf(good, c, number) : TS_OK;
    case PERFD_FILES_SYMBOL:
        return perfd_read_symbols(good, c);
    case PERFD_WORKLOAD:
        return read_text(good, c, "workload_cmd", &r->workload);
    case PERFD_RECORD_TIME:
        return read_text(good, c, "record_time", NULL);
    case PERFD_CPU_OFF:
        return perfd_put_property(r, "cpu_off", TS_TEXT_LIT("1"));
    case PERFD_DEVHOST:
        return read_devhost(good, c);
    case PERFD_STACK_TABLE:
        return perfd_read_stacks(good, c);
    default:
        *used = false;
        return TS_OK;
    }
}

static bool has_symbols(unsigned number)
{
    return number == PERFD_FILES_SYMBOL || number == PERFD_FILE || number == PERFD_FILE2;
}

/* good: the section is whole. What is left of a section of symbols is used. */
static ts_code take_section(perfd *r, unsigned number, uint64_t at, uint64_t size, bool good)
{
    bool used = true;
    if (good || has_symbols(number)) {
        bool whole = good;
        perfd_cursor c = {r, at, at + size};
        TS_TRY(read_feature(&good, &used, number, &c));
        good = good && whole;
    }
    r->features_good += good && used ? 1 : 0;
    r->features_skipped += good && !used ? 1 : 0;
    r->features_lost += good ? 0 : 1;
    return good ? TS_OK
                : PERFD_ISSUE(r, perf_feature_bad, at, "feature %u is cut or damaged", number);
}

ts_code perfd_read_section(perfd *r, unsigned number, uint64_t at, uint64_t size)
{
    return take_section(r, number, at, size, true);
}

ts_code perfd_find_section(bool *found, perfd_cursor *c, perfd *r, unsigned number)
{
    perfd_cursor table = {r, r->data_at + r->data_size, r->size};
    const uint8_t *p = NULL;
    *found = !r->cut && (r->features[number / 8] >> (number % 8) & 1) != 0;
    for (unsigned i = 0; i < number; i++) {
        table.at += (r->features[i / 8] >> (i % 8) & 1) != 0 ? 16 : 0;
    }
    if (*found) {
        TS_TRY(perfd_take(&p, &table, 16));
    }
    *found = p != NULL && perfd_u64(p) <= r->size && perfd_u64(p + 8) <= r->size - perfd_u64(p);
    if (*found) {
        *c = (perfd_cursor){r, perfd_u64(p), perfd_u64(p) + perfd_u64(p + 8)};
    }
    return TS_OK;
}

/* A section by its entry in the table. */
static ts_code read_section(perfd *r, unsigned number, uint64_t table_at)
{
    perfd_cursor c = {r, table_at, r->size};
    const uint8_t *p;
    uint64_t at;
    uint64_t size;
    TS_TRY(perfd_take(&p, &c, 16));
    if (p == NULL) {
        return take_section(r, number, r->size, 0, false);
    }
    at = perfd_u64(p);
    size = perfd_u64(p + 8);
    if (at > r->size) {
        return take_section(r, number, r->size, 0, false);
    }
    return size <= r->size - at ? take_section(r, number, at, size, true)
                                : take_section(r, number, at, r->size - at, false);
}

ts_code perfd_read_features(perfd *r)
{
    uint64_t at = r->data_at + r->data_size;
    uint64_t missing = 0;
    TS_TRY(perfd_find_simpleperf(r));
    for (unsigned i = 0; i < PERFD_FEATURES; i++) {
        bool set = (r->features[i / 8] >> (i % 8) & 1) != 0;
        r->hiperf = r->hiperf || (set && i >= PERFD_FILES_SYMBOL);
        if (set && r->cut) {
            missing++;
        } else if (set) {
            TS_TRY(read_section(r, i, at));
            at += 16;
        }
    }
    if (missing > 0) {
        r->features_lost += missing;
        TS_TRY(ts_issue_n(r->store, r->source_id, TS_ISSUE_perf_feature_bad, r->name, TS_NO_OFFSET,
                          missing, "features are missing, which come after the data"));
    }
    TS_TRY(perfd_stacks_ready(r));
    return name_events(r);
}
