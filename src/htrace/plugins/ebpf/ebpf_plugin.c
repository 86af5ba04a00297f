/* hiebpf-plugin: its sections are kept until the recording ends, then gone through one by one. */
#include "htrace/plugins/ebpf/ebpf.h"

#include "base/ckd.h"
#include "base/utf8.h"

#include <inttypes.h>

#define EBPF_MAGIC UINT64_C(0x454C494646504245) /* EBPFFILE */

/* --- bytes that come ----------------------------------------------------------------------------
 */

static ts_code section_begin(void *self, const ts_raw_section *raw)
{
    ebpf *e = (ebpf *)self;
    const ebpf_section section = {.base = ts_window_total(&e->bytes), .offset = raw->offset};
    if (e->sections.n == 0) {
        TS_TRY(ts_window_begin(&e->bytes, raw->size));
    }
    return ts_vec_push(e->host->ctx, &e->sections, &section, sizeof section);
}

static ts_code section_data(void *self, const ts_raw_section *raw, const uint8_t *p, size_t n)
{
    ebpf *e = (ebpf *)self;
    (void)raw;
    ((ebpf_section *)e->sections.p)[e->sections.n - 1].size += n;
    return ts_window_add(&e->bytes, p, n);
}

/* --- a section ----------------------------------------------------------------------------------
 */

/* The header; *why is what is wrong with it. */
static ts_code read_header(const char **why, ebpf *e)
{
    static const ts_clock clocks[] = {TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME, TS_CLOCK_MONOTONIC,
                                      TS_CLOCK_MONOTONIC_RAW};
    const uint8_t *p;
    size_t n;
    *why = NULL;
    TS_TRY(ts_window_get(&p, &n, &e->bytes, 0, EBPF_HEADER));
    if (n < EBPF_HEADER) {
        *why = "it is cut";
    } else if (ebpf_u64(p) != EBPF_MAGIC) {
        *why = "it does not begin with EBPFFILE";
    } else if (ebpf_u32(p + 8) != EBPF_HEADER) {
        *why = "it has another size than 1024 bytes";
    } else if (ebpf_u32(p + 16) >= sizeof clocks / sizeof clocks[0]) {
        *why = "its clock is not a known one";
    } else {
        e->recorded = clocks[ebpf_u32(p + 16)];
    }
    return TS_OK;
}

static ts_code open_source(ebpf *e)
{
    enum { LENGTH = 20, COMMAND = 24 };
    const ts_clock_set *known = e->host->clocks;
    ts_htrace_times unused = {.clocks = known};
    const uint8_t *p;
    ts_clock clock;
    ts_text command;
    size_t n;
    TS_TRY(ts_source_add(&e->source_id, e->store, e->host->source_id, "ebpf", NULL, "ebpf"));
    ts_source(e->store, e->source_id)->bytes = (int64_t)e->section->size;
    TS_TRY(ts_window_get(&p, &n, &e->bytes, LENGTH, 4));
    const uint32_t length = ebpf_u32(p);
    TS_TRY(ebpf_text(&command, e, &e->path, COMMAND,
                     length < EBPF_HEADER - COMMAND ? length : EBPF_HEADER - COMMAND));
    TS_TRY(command.n == 0 ? TS_OK : ts_source_property(e->store, e->source_id, "cmdline", command));
    (void)ts_htrace_time(&clock, &unused, e->recorded, 0);
    const char *name = ts_clock_name(clock);
    return ts_source_text(e->store, e->source_id, &ts_source(e->store, e->source_id)->clock, name,
                          strlen(name));
}

static ts_code take_item(ebpf *e, const ebpf_item *item)
{
    ts_code code;
    e->lost = false;
    switch (item->type) {
    case EBPF_MAPS:
        code = ebpf_add_maps(e, item);
        break;
    case EBPF_ELF:
        code = ebpf_add_elf(e, item);
        break;
    case EBPF_TEXT:
        code = ebpf_add_text(e, item);
        break;
    case EBPF_KERNEL:
        code = ebpf_add_kernel(e, item);
        break;
    default:
        code = ebpf_add_event(e, item);
        break;
    }
    *(e->lost ? &e->items->lost : &e->items->imported) += 1;
    return code;
}

static ts_code skip_item(ebpf *e, const ebpf_item *item)
{
    e->items->skipped++;
    return ebpf_issue(e, ebpf_item_unknown, item->pos - EBPF_ITEM,
                      "an item of type %" PRIu32 " has %" PRIu32 " bytes", item->type,
                      item->length);
}

/* An item that cannot be used. */
static ts_code lose_item(ebpf *e, ebpf_found found, const ebpf_item *item)
{
    e->items->lost++;
    e->not_supported += e->cut ? 0 : 1; /* once a section */
    e->cut = true;
    if (found == EBPF_SHORT) {
        return ebpf_issue(e, ebpf_item_short, item->pos - EBPF_ITEM,
                          "an item of type %" PRIu32 " has only %" PRIu32 " bytes", item->type,
                          item->length);
    }
    return ebpf_issue(e, ebpf_cut, item->pos,
                      "an item is cut or its length is wrong; %" PRIu32 " bytes were passed over",
                      item->length);
}

static ts_code read_items(ebpf *e)
{
    ebpf_items items = {.bytes = &e->bytes, .at = EBPF_HEADER};
    ebpf_item item;
    ebpf_found found = EBPF_END;
    ts_code code = TS_OK;
    while (code == TS_OK && (code = ebpf_next(&found, &item, &items)) == TS_OK &&
           found != EBPF_END) {
        e->items->seen++;
        code = ts_check_cancel(e->ctx);
        TS_STEP(code, found == EBPF_GOOD      ? take_item(e, &item)
                      : found == EBPF_UNKNOWN ? skip_item(e, &item)
                                              : lose_item(e, found, &item));
    }
    return code;
}

static ts_code choose_span(ebpf *e)
{
    ts_htrace_times unused = {.clocks = e->times.clocks};
    ts_clock clock;
    const int64_t first = ts_htrace_time(&clock, &unused, e->recorded, e->begin);
    return e->timed ? ts_htrace_wanted(&e->span, e->host, EBPF_PLUGIN, clock, first) : TS_OK;
}

static void note_times(ebpf *e)
{
    ts_htrace_times unused = {.clocks = e->times.clocks};
    ts_row_source *row = ts_source(e->store, e->source_id);
    ts_clock clock;
    if (e->first == TS_NO_TIME) {
        return;
    }
    (void)ts_htrace_time(&clock, &unused, e->recorded, 0);
    TS_SET_VALUE(source, row, start_ts, e->first);
    TS_SET_VALUE(source, row, end_ts, e->last);
    ts_range_note(e->store, clock, TS_RANGE_ROWS, e->first);
    ts_range_note(e->store, clock, TS_RANGE_ROWS, e->last);
}

/* What is known of one section only. */
static void close_section(ebpf *e)
{
    if (e->source_id != e->host->source_id) {
        ts_stack_release(e->store, e->source_id);
    }
    /* Numbers begin with 0: the next one is greater than the largest. */
    e->chains_before += (int64_t)e->chains.n;
    *ts_largest_number(e->store, TS_T_ebpf_callstack) = e->chains_before;
    ebpf_symbols_free(e);
    ebpf_rows_free(e);
    e->value_type = 0;
    e->timed = false;
    e->cut = false;
    e->first = TS_NO_TIME;
    e->last = TS_NO_TIME;
    e->span = TS_SPAN_ALL;
}

static ts_code put_rows(ebpf *e)
{
    TS_TRY(open_source(e));
    TS_TRY(ts_count(&e->items, e->store, e->source_id, TS_ITEM_ebpf_items, NULL));
    TS_TRY(ts_count(&e->events, e->store, e->source_id, TS_ITEM_ebpf_events, NULL));
    TS_TRY(read_items(e));
    ebpf_symbols_ready(e);
    TS_TRY(choose_span(e));
    TS_TRY(ebpf_put_events(e));
    note_times(e);
    return TS_OK;
}

static ts_code read_section(ebpf *e, const ebpf_section *section)
{
    const char *why;
    e->section = section;
    e->source_id = e->host->source_id;
    ts_window_part(&e->bytes, section->base, section->size);
    TS_TRY(read_header(&why, e));
    if (why != NULL) {
        e->not_supported++;
        TS_TRY(ebpf_issue(e, ebpf_header, 0, "a header of eBPF is not used: %s", why));
        return ts_count_add(e->store, e->source_id, TS_ITEM_ebpf_items, NULL, 0, 1, 0);
    }
    const ts_code code = put_rows(e);
    close_section(e);
    return code;
}

/* --- the plugin ---------------------------------------------------------------------------------
 */

static ts_code record_counts(ebpf *e)
{
    static const char *const names[] = {"trace_ebpf_file_system", "trace_ebpf_paged_memory",
                                        "trace_ebpf_bio_latency"};
    const int64_t id = e->host->source_id;
    TS_TRY(ts_stat(e->store, "trace_ebpf", "received", e->sections.n));
    TS_TRY(ts_stat(e->store, "trace_ebpf", "not_supported", e->not_supported));
    for (unsigned k = 0; k < EBPF_KINDS; k++) {
        TS_TRY(ts_stat(e->store, names[k], "received", e->received[k]));
        TS_TRY(ts_stat(e->store, names[k], "invalid_data", e->invalid[k]));
    }
    TS_TRY(ts_htrace_times_finish(&e->times, e->store, id, EBPF_PLUGIN));
    if (e->replaced > 0) {
        TS_TRY(ts_issue_n(e->store, id, TS_ISSUE_plugin_bad_text, EBPF_PLUGIN, TS_NO_OFFSET,
                          e->replaced, "ill-formed bytes of %" PRIu64 " texts were replaced",
                          e->replaced));
    }
    const uint64_t lost = e->lost_values + e->times.over;
    return lost == 0 ? TS_OK
                     : ts_count_add(e->store, id, TS_ITEM_plugin_values, EBPF_PLUGIN, 0, lost, 0);
}

static ts_code finish(void *self)
{
    ebpf *e = (ebpf *)self;
    const ebpf_section *sections = (const ebpf_section *)e->sections.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < e->sections.n; i++) {
        code = read_section(e, &sections[i]);
    }
    TS_STEP_IF(code, e->sections.n > 0, record_counts(e));
    return code;
}

static void close_plugin(void *self)
{
    ebpf *e = (ebpf *)self;
    ebpf_symbols_free(e);
    ebpf_rows_free(e);
    ts_vec_free(e->host->ctx, &e->sections);
    ts_window_free(&e->bytes);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    ebpf *e = (ebpf *)*self;
    e->host = host;
    e->ctx = host->ctx;
    e->store = host->store;
    e->sink = ts_store_sink(host->store);
    e->chains_before = *ts_largest_number(host->store, TS_T_ebpf_callstack);
    e->bytes.ctx = host->ctx;
    e->times.clocks = host->clocks;
    e->first = TS_NO_TIME;
    e->last = TS_NO_TIME;
    e->span = TS_SPAN_ALL;
    return TS_OK;
}

static const ts_plugin_section sections[] = {
    {EBPF_PLUGIN, TS_RAW_STANDALONE},
    {NULL, TS_RAW_STANDALONE},
};

TS_HTRACE_PLUGIN(ebpf) = {
    .sections = sections,
    .section_magic = "EBPFFILE",
    .size = sizeof(ebpf),
    .open = open_plugin,
    .section_begin = section_begin,
    .section_data = section_data,
    .finish = finish,
    .close = close_plugin,
};
