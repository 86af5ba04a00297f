/* A profile as rows, when all of its text was read: its source, what it says of itself, defects. */
#include "parsers/firefox/firefox.h"

#include "base/sort.h"
#include "parsers/shared/notes.h"

#include <inttypes.h>
#include <stdio.h>

enum { VERSION_TEXT = 48, NS_PER_MS = 1000000 };

bool fox_is_own(const fox *f)
{
    return ts_text_is(fox_text(f, f->imported_from), "trace_streamer");
}

static bool is_processed(const fox *f)
{
    const fox_thread *threads = f->threads.p;
    const fox_table *strings;
    if (f->version.known || f->has_shared) {
        return true;
    }
    for (size_t i = 0; i < f->threads.n; i++) {
        strings = fox_table_of(f, threads[i].tables, FOX_T_STACKS);
        if (strings != NULL) {
            return !strings->rows;
        }
    }
    return false;
}

/* "processed 66"; the number as it is, without it "processed". */
static ts_code put_version(fox *f, ts_row_source *source)
{
    const bool processed = is_processed(f);
    const fox_number v = processed ? f->version : f->gecko_version;
    char text[VERSION_TEXT];
    const char *form = processed ? "processed" : "gecko";
    if (v.known) {
        snprintf(text, sizeof text, "%s %" PRId64, form, (int64_t)(v.v / FOX_MS));
    } else {
        snprintf(text, sizeof text, "%s", form);
    }
    return ts_source_text(f->store, f->source_id, &source->format_version, text, strlen(text));
}

static ts_code put_properties(fox *f)
{
    const struct {
        const char *key;
        fox_name value;
    } known[] = {{"product", f->product},
                 {"importedFrom", f->imported_from},
                 {"oscpu", f->oscpu},
                 {"platform", f->platform},
                 {"abi", f->abi}};
    const fox_name *pairs = f->properties.p;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ts_text value = fox_text(f, known[i].value);
        if (value.p != NULL) {
            TS_TRY(ts_source_property(f->store, f->source_id, known[i].key, value));
        }
    }
    for (size_t i = 0; i + 1 < f->properties.n; i += 2) {
        f->scratch.n = 0;
        TS_TRY(ts_buf_put(f->ctx, &f->scratch, f->names.p + pairs[i].at, pairs[i].n));
        TS_TRY(ts_buf_putc(f->ctx, &f->scratch, '\0'));
        TS_TRY(ts_source_property(f->store, f->source_id, f->scratch.p, fox_text(f, pairs[i + 1])));
    }
    return TS_OK;
}

/* "libxul.so 7F12AB0 /usr/lib/libxul.so": name, id of the build, path. */
static ts_code put_libraries(fox *f)
{
    const fox_lib *libs = f->libs.p;
    for (size_t i = 0; i < f->libs.n; i++) {
        const fox_name parts[] = {libs[i].name, libs[i].build_id, libs[i].path};
        f->scratch.n = 0;
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
            const ts_text t = fox_text(f, parts[k]);
            if (t.n > 0 && f->scratch.n > 0) {
                TS_TRY(ts_buf_putc(f->ctx, &f->scratch, ' '));
            }
            TS_TRY(ts_buf_put(f->ctx, &f->scratch, t.p, t.n));
        }
        TS_TRY(ts_source_property(f->store, f->source_id, "library", ts_buf_text(&f->scratch)));
    }
    return TS_OK;
}

/* Libraries are found by address in the processes of Gecko, which list them in any order. In the
 * processed form they are known by their place. */
static int by_start(const void *a, const void *b, void *user)
{
    const fox_lib *x = a, *y = b;
    (void)user;
    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : (x->end > y->end) - (x->end < y->end);
}

static void sort_libraries(fox *f)
{
    const fox_process *p = f->processes.p;
    for (size_t i = 0; i < f->processes.n && !is_processed(f); i++) {
        if (p[i].libs.count > 1) {
            ts_sort((fox_lib *)f->libs.p + p[i].libs.first, p[i].libs.count, sizeof(fox_lib),
                    by_start, NULL);
        }
    }
}

static ts_code begin_source(fox *f)
{
    const ts_text product = fox_text(f, f->product);
    const fox_number start = fox_start(f, 0);
    ts_row_source *source;
    TS_TRY(ts_source_add(&f->source_id, f->store, f->job->source_id, "profile", NULL, "firefox"));
    source = ts_source(f->store, f->source_id);
    source->complete = ts_json_state(f->json) == TS_JSON_DONE;
    f->clock = start.known && start.v > 0 ? TS_CLOCK_REALTIME : TS_CLOCK_RELATIVE;
    source->clock = ts_text_of(ts_clock_name(f->clock));
    f->profile_row = (int64_t)ts_sink_rows(f->sink, TS_T_profile) + 1;
    TS_TRY(put_version(f, source));
    if (product.n > 0) {
        TS_TRY(ts_source_text(f->store, f->source_id, &source->name, product.p, product.n));
    }
    TS_TRY(put_properties(f));
    return put_libraries(f);
}

/* --- the profile -------------------------------------------------------------------------------
 */

static int64_t bound(const fox *f, const fox_number *v)
{
    return v->known ? fox_ns(fox_start(f, 0).v + v->v) : TS_NO_TIME;
}

static ts_code put_profile(fox *f)
{
    const int64_t interval = f->interval.known ? fox_ns(f->interval.v) : TS_NO_TIME;
    const bool dated = f->clock == TS_CLOCK_REALTIME;
    int64_t start = bound(f, &f->profiling_start);
    int64_t end = bound(f, &f->profiling_end);
    int64_t dur = TS_NO_TIME;
    char id[TS_PROFILE_ID];
    ts_row_profile row;
    ts_profile_row(&row, f->store, f->source_id,
                   is_processed(f) ? "firefox-processed" : "firefox-gecko");
    if (start != TS_NO_TIME && end != TS_NO_TIME && end >= start) {
        dur = ts_sat_sub(end, start);
    }
    start = start == TS_NO_TIME && dated ? fox_ns(fox_start(f, 0).v) : start;
    ts_profile_times(&row, dated ? start : TS_NO_TIME, dated ? end : TS_NO_TIME, dur);
    if (ts_json_state(f->json) == TS_JSON_DONE) {
        ts_profile_id copy = f->id;
        ts_profile_id_end(id, &copy);
        row.profile_id = ts_text_of(id);
    }
    row.profiler = fox_text(f, f->imported_from);
    row.runtime_os = fox_text(f, f->oscpu);
    row.runtime_arch = fox_text(f, f->abi);
    if (interval > 0) {
        TS_SET_VALUE(profile, &row, period, interval);
        row.period_type = TS_TEXT_LIT("wall");
        row.period_unit = TS_TEXT_LIT("nanoseconds");
    }
    return ts_profile_put(f->store, &row);
}

/* --- defects -----------------------------------------------------------------------------------
 */

static ts_code put_issues(fox *f)
{
    const fox_counts *n = &f->n;
    const bool bad = ts_json_state(f->json) == TS_JSON_BAD;
    const char *reason = bad ? ts_json_reason(f->json) : "the file is cut off";
    const ts_note notes[] = {
        {TS_ISSUE_prof_incomplete, f->done ? 0 : 1, reason},
        {TS_ISSUE_json_trailing_bytes, f->done && bad ? 1 : 0,
         "text follows the profile and was not looked at"},
        {TS_ISSUE_prof_bad_element, n->bad_elements,
         "there are no threads, or threads without samples or markers"},
        {TS_ISSUE_firefox_newer,
         f->version.known && f->version.v > (fox_time)FOX_NEWEST * FOX_MS ? 1 : 0,
         "the version is newer than what this program knows; it was read by what is there"},
        {TS_ISSUE_firefox_thread_lost, n->threads_lost,
         "threads are not complete, have a member twice, or refer to what is cut off"},
        {TS_ISSUE_firefox_process_text, n->processes_text,
         "processes are texts that hold another profile; they were not read"},
        {TS_ISSUE_firefox_short_column, n->short_columns,
         "columns are missing, or have another number of cells than their table has rows"},
        {TS_ISSUE_firefox_bad_index, n->bad_index, "elements that are referred to are not there"},
        {TS_ISSUE_firefox_bad_stack, n->bad_stack,
         "callers of stacks do not come before them; the stacks are NULL"},
        {TS_ISSUE_firefox_too_deep, n->deep, "stacks are deeper than 4096 frames"},
        {TS_ISSUE_firefox_bad_number, n->bad_numbers + n->bad_times + n->bad_values,
         "numbers, times or phases are missing or cannot be"},
        {TS_ISSUE_time_overflow, n->overflows, "times do not fit into 64 bits"},
        {TS_ISSUE_firefox_counter_lost, n->counters_lost, "a counter is cut off; it was left out"},
        {TS_ISSUE_firefox_text_cut, n->texts_cut, "texts longer than 16 MiB were cut or left out"},
        {TS_ISSUE_prof_bad_text, ts_json_replaced(f->json),
         "parts of texts that are not valid text became U+FFFD"},
        {TS_ISSUE_firefox_screenshots, n->screenshots, "the images of screenshots are not kept"},
        {TS_ISSUE_firefox_end_unmatched, n->ends_unmatched,
         "markers end what began before the recording"},
        {TS_ISSUE_firefox_open, n->open, "markers began what has no end in the recording"},
        {TS_ISSUE_firefox_crossing, n->crossing,
         "spans of a thread overlap and none contains the other"},
        {TS_ISSUE_firefox_text_id, n->text_ids, "ids of processes or threads are texts"},
    };
    TS_TRY(
        ts_notes_put(f->store, f->source_id, NULL, (int64_t)ts_json_position(f->json), notes, 2));
    return ts_notes_put(f->store, f->source_id, NULL, TS_NO_OFFSET, notes + 2,
                        sizeof notes / sizeof notes[0] - 2);
}

static ts_code put_counts(fox *f)
{
    const fox_counts *n = &f->n;
    const uint64_t cells = n->bad_elements + n->short_cells + n->bad_index + n->bad_stack +
                           n->bad_numbers + n->bad_times + n->bad_values + n->overflows + n->deep +
                           n->texts_cut;
    const struct {
        ts_item item;
        uint64_t imported, lost, skipped;
    } counts[] = {
        {TS_ITEM_firefox_threads, n->threads, n->threads_lost + n->processes_text, 0},
        {TS_ITEM_profile_samples, n->samples, n->samples_lost, 0},
        {TS_ITEM_profile_values, n->values, 0, 0},
        {TS_ITEM_firefox_markers, n->markers, n->markers_lost, 0},
        {TS_ITEM_firefox_slices, n->slices, 0, n->ends_unmatched},
        {TS_ITEM_firefox_points, n->points - n->points_lost, n->points_lost + n->counters_lost, 0},
        {TS_ITEM_firefox_cells, 0, cells, 0},
        {TS_ITEM_firefox_screenshots, 0, 0, n->screenshots},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].imported + counts[i].lost + counts[i].skipped > 0) {
            TS_TRY(ts_count_add(f->store, f->source_id, counts[i].item, NULL, counts[i].imported,
                                counts[i].lost, counts[i].skipped));
        }
    }
    return TS_OK;
}

ts_code fox_write(fox *f)
{
    sort_libraries(f);
    TS_TRY(begin_source(f));
    TS_TRY(fox_threads(f));
    TS_TRY(fox_counters(f));
    TS_TRY(put_profile(f));
    TS_TRY(put_issues(f));
    TS_TRY(put_counts(f));
    ts_stack_release(f->store, f->source_id);
    return TS_OK;
}
