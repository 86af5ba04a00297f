/* Profiles of pprof as files: sniffing, opening, feeding, ending. */
#include "parsers/format.h"
#include "parsers/pprof/pprof.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* --- the end of a profile ------------------------------------------------------------------- */

static ts_code note(pprof *p, ts_issue_code issue, uint64_t count, const char *text)
{
    return count == 0 ? TS_OK
                      : ts_issue_n(p->job->store, p->source_id, issue, p->name, TS_NO_OFFSET, count,
                                   "%s", text);
}

/* --- what it is of -------------------------------------------------------------------------- */

/* What the metadata of its upload says, else Go when a function's file is Go's, and Python when
 * most are Python's. */
static void guess_language(pprof *p)
{
    ts_text said = ts_upload_language(p->job->store);
    const pprof_function *functions = p->functions.items.p;
    uint64_t bad = p->bad_strings;
    size_t python = 0;
    size_t n = 0;
    p->language = said.n > 0 ? ts_language_of(said) : p->language;
    for (size_t i = 0; i < p->functions.items.n && said.n == 0; i++) {
        ts_text file = functions[i].file == 0 ? TS_TEXT_NULL : pprof_text(p, functions[i].file);
        ts_language language = ts_language_of_file(file);
        n += file.n > 0 ? 1 : 0;
        python += language == TS_LANG_PYTHON ? 1 : 0;
        if (language == TS_LANG_GO) {
            p->language = TS_LANG_GO;
            break;
        }
    }
    if (p->language == TS_LANG_UNKNOWN && said.n == 0 && python > n - python) {
        p->language = TS_LANG_PYTHON;
    }
    p->bad_strings = bad;
}

/* Start, end and length; a length of 0 is that of a dump, whose time is a moment. */
static ts_code take_times(pprof *p, ts_row_profile *row)
{
    ts_row_source *source = ts_source(p->job->store, p->source_id);
    int64_t start = p->number[PPROF_TIME] > 0 ? p->number[PPROF_TIME] : TS_NO_TIME;
    int64_t dur = p->has[PPROF_DURATION] && p->number[PPROF_DURATION] >= 0
                      ? p->number[PPROF_DURATION]
                      : TS_NO_TIME;
    int64_t end = ts_time_add(start, dur == TS_NO_TIME ? 0 : dur);
    bool bad = p->number[PPROF_TIME] < 0 || p->number[PPROF_DURATION] < 0 ||
               (start != TS_NO_TIME && end == TS_NO_TIME);
    ts_profile_times(row, start, end, dur);
    if (start != TS_NO_TIME) {
        source->clock = TS_TEXT_LIT("realtime");
        TS_SET_VALUE(source, source, start_ts, start);
        ts_range_note(p->job->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, start);
    }
    if (end != TS_NO_TIME) {
        TS_SET_VALUE(source, source, end_ts, end);
        ts_range_note(p->job->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, end);
    }
    return note(p, TS_ISSUE_prof_bad_time, bad ? 1 : 0,
                "the time or the duration is negative, or its end does not fit into 64 bits");
}

/* Samples of a profile of elapsed time are not of CPU time, although their numbers are called
 * samples there, too. */
static void set_causes(pprof *p)
{
    pprof_value_type *types = p->value_types.p;
    bool wall = false;
    for (size_t i = 0; i < p->value_types.n; i++) {
        ts_text name = pprof_text(p, types[i].type);
        if (name.p != NULL && (ts_text_is(name, "cpu") || ts_text_is(name, "cpu-time"))) {
            return;
        }
        wall = wall || ts_text_is(types[i].out.cause, "wall");
    }
    for (size_t i = 0; wall && i < p->value_types.n; i++) {
        if (ts_text_is(types[i].out.cause, "cpu")) {
            types[i].out.cause = TS_TEXT_LIT("wall");
        }
    }
}

static ts_code put_types(pprof *p, ts_row_profile *row)
{
    pprof_value_type *types = p->value_types.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->value_types.n && code == TS_OK; i++) {
        ts_text name = pprof_text(p, types[i].type);
        ts_text unit = types[i].unit == 0 ? TS_TEXT_LIT("") : pprof_text(p, types[i].unit);
        if (name.p == NULL || unit.p == NULL) {
            continue; /* it is unknown what such values belong to */
        }
        code = ts_profile_type_add(&types[i].out, p->job->store, p->source_id, row->id, name,
                                   unit.n == 0 ? TS_TEXT_NULL : unit, ts_text_of(p->job->name));
        if (p->has[PPROF_DEFAULT] && types[i].type == p->number[PPROF_DEFAULT]) {
            TS_SET_VALUE(profile, row, default_type_id, types[i].out.id);
        }
    }
    set_causes(p);
    return code;
}

static void take_period(pprof *p, ts_row_profile *row)
{
    if (p->has[PPROF_PERIOD]) {
        TS_SET_VALUE(profile, row, period, p->number[PPROF_PERIOD]);
    }
    if (p->period_type.type != 0) {
        row->period_type = pprof_text(p, p->period_type.type);
    }
    if (p->period_type.unit != 0) {
        row->period_unit = pprof_text(p, p->period_type.unit);
    }
}

static ts_code put_property(pprof *p, const char *key, int64_t number)
{
    ts_text text = number == 0 ? TS_TEXT_NULL : pprof_text(p, number);
    return text.p == NULL ? TS_OK : ts_source_property(p->job->store, p->source_id, key, text);
}

/* What there is no column for. */
static ts_code put_properties(pprof *p)
{
    static const struct {
        int field;
        const char *key;
    } texts[] = {{PPROF_DROP, "drop_frames"}, {PPROF_KEEP, "keep_frames"}, {PPROF_DOC, "doc_url"}};
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && code == TS_OK; i++) {
        code = put_property(p, texts[i].key, p->number[texts[i].field]);
    }
    for (size_t i = 0; i < p->comments.n && code == TS_OK; i++) {
        code = put_property(p, "comment", ((const int64_t *)p->comments.p)[i]);
    }
    for (size_t i = 0; i < p->mappings.items.n && code == TS_OK; i++) {
        const pprof_mapping *m = (const pprof_mapping *)p->mappings.items.p + i;
        code = put_property(p, "mapping", m->file);
        TS_STEP(code, put_property(p, "build_id", m->build_id));
    }
    return code;
}

static ts_code put_profile(pprof *p)
{
    char id[TS_PROFILE_ID];
    ts_row_profile row;
    ts_profile_row(&row, p->job->store, p->source_id, "pprof");
    p->profile_row = row.id;
    if (p->wire.fault == TS_WIRE_OK) {
        ts_profile_id_end(id, &p->id);
        row.profile_id = ts_text_of(id);
    }
    row.language = ts_text_of(ts_language_name(p->language));
    row.runtime = p->language == TS_LANG_GO ? TS_TEXT_LIT("go") : TS_TEXT_NULL;
    take_period(p, &row);
    TS_TRY(take_times(p, &row));
    TS_TRY(put_types(p, &row));
    TS_TRY(ts_profile_put(p->job->store, &row));
    return put_properties(p);
}

/* --- what is wrong with it ------------------------------------------------------------------- */

static ts_code record_issues(pprof *p)
{
    const struct {
        ts_issue_code issue;
        uint64_t count;
        const char *text;
    } notes[] = {
        {TS_ISSUE_prof_no_types, p->value_types.n == 0 && p->values_seen > 0 ? 1 : 0,
         "there are no sample types"},
        {TS_ISSUE_prof_no_samples, p->samples_seen == 0 ? 1 : 0, "there are no samples"},
        {TS_ISSUE_prof_value_count, p->bad_values,
         "samples have another number of values than there are sample types"},
        {TS_ISSUE_prof_bad_string, p->bad_strings, "texts that are referred to are not there"},
        {TS_ISSUE_prof_unknown_id, p->unknown_ids,
         "locations or functions that are referred to are not there"},
        {TS_ISSUE_prof_unknown_mapping, p->unknown_mappings,
         "mappings that are referred to are not there"},
        {TS_ISSUE_prof_bad_label, p->bad_labels, "labels were left out"},
        {TS_ISSUE_time_overflow, p->overflows, "values do not fit into 64 bits"},
        {TS_ISSUE_prof_text_cut, p->texts_cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_prof_bad_text, p->bad_texts,
         "parts of texts that are not valid text became U+FFFD"},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0] && code == TS_OK; i++) {
        code = note(p, notes[i].issue, notes[i].count, notes[i].text);
    }
    return code;
}

static ts_code count(pprof *p, ts_item item, uint64_t seen, uint64_t lost)
{
    return ts_count_add(p->job->store, p->source_id, item, NULL, seen - lost, lost, 0);
}

/* Just after the end of the list: where a text is when others before it were removed. */
static bool is_beyond(const pprof *p, int64_t number)
{
    size_t n = p->text_ends.n;
    return number >= 0 && (uint64_t)number >= n && (uint64_t)number - n < n;
}

/* Texts may be missing in a list that is well-formed: then all others may have moved. */
static bool texts_are_missing(const pprof *p)
{
    const pprof_function *functions = p->functions.items.p;
    const pprof_mapping *mappings = p->mappings.items.p;
    bool beyond = false;
    if (p->wire.fault != TS_WIRE_OK || p->certain != SIZE_MAX) {
        return false; /* it is known where */
    }
    for (size_t i = 0; i < p->functions.items.n && !beyond; i++) {
        beyond = is_beyond(p, functions[i].name) || is_beyond(p, functions[i].system_name) ||
                 is_beyond(p, functions[i].file);
    }
    for (size_t i = 0; i < p->mappings.items.n && !beyond; i++) {
        beyond = is_beyond(p, mappings[i].file) || is_beyond(p, mappings[i].build_id);
    }
    return beyond;
}

static ts_code check_texts(pprof *p)
{
    if (p->text_ends.n > 0 && ((const size_t *)p->text_ends.p)[0] != 0) {
        p->certain = 0;
        return ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_first_string, p->name,
                        TS_NO_OFFSET, "the first text is not empty");
    }
    p->certain = texts_are_missing(p) ? 0 : p->certain;
    return TS_OK;
}

static ts_code pprof_put(pprof *p)
{
    ts_code code = check_texts(p);
    guess_language(p);
    if (code != TS_OK || (code = put_profile(p)) != TS_OK ||
        (code = pprof_samples_write(p)) != TS_OK || (code = record_issues(p)) != TS_OK ||
        (code = count(p, TS_ITEM_profile_samples, p->samples_seen, p->samples_lost)) != TS_OK ||
        (code = count(p, TS_ITEM_profile_values, p->values_seen, p->values_lost)) != TS_OK) {
        return code;
    }
    ts_stack_release(p->job->store, p->source_id);
    return count(p, TS_ITEM_profile_frames, p->defined, p->defined_lost);
}

/* --- sniffing ------------------------------------------------------------------------------- */

/* Which fields of the outermost message are messages, and how many fields those have. */
static const uint8_t inner_fields[PPROF_FIELDS] = {
    [PPROF_SAMPLE_TYPE] = 2, [PPROF_SAMPLE] = 3,   [PPROF_MAPPING] = 10,
    [PPROF_LOCATION] = 5,    [PPROF_FUNCTION] = 5, [PPROF_PERIOD_TYPE] = 2,
};

/* A list of numbers, packed, or a message of numbers only. */
static bool is_packed(const ts_wire_field *list)
{
    ts_wire w;
    uint64_t v;
    ts_wire_init(&w, list->p, list->n);
    while (ts_wire_packed(&v, &w)) {
    }
    return w.fault == TS_WIRE_OK;
}

static bool is_numbers(const ts_wire_field *message, uint32_t last)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number > last || f.type != TS_WIRE_VARINT) {
            return false;
        }
    }
    return w.fault == TS_WIRE_OK;
}

/* A kind of value has two numbers and nothing else: what other traces have as their first messages
 * is told by that. Later fields of the others are passed over. */
static bool is_inner(uint32_t field, const ts_wire_field *message)
{
    enum { LABELS = 3, LINES = 4, LABEL_FIELDS = 4, LINE_FIELDS = 3 };
    bool kind = field == PPROF_SAMPLE_TYPE || field == PPROF_PERIOD_TYPE;
    ts_wire w;
    ts_wire_field f;
    if (kind) {
        return is_numbers(message, inner_fields[field]);
    }
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        bool bytes = f.type == TS_WIRE_BYTES;
        bool good =
            f.number > inner_fields[field]               ? true
            : !bytes                                     ? f.type == TS_WIRE_VARINT
            : field == PPROF_SAMPLE && f.number < LABELS ? is_packed(&f)
            : field == PPROF_SAMPLE && f.number == LABELS
                ? is_numbers(&f, LABEL_FIELDS)
                : field == PPROF_LOCATION && f.number == LINES && is_numbers(&f, LINE_FIELDS);
        if (!good) {
            return false;
        }
    }
    return w.fault == TS_WIRE_OK;
}

static bool is_field(const ts_wire_field *f)
{
    if (f->number >= PPROF_FIELDS) {
        return f->number < 32;
    }
    if (inner_fields[f->number] > 0) {
        return f->type == TS_WIRE_BYTES && is_inner(f->number, f);
    }
    return f->type == (f->number == PPROF_STRING ? TS_WIRE_BYTES : TS_WIRE_VARINT) ||
           (f->number == PPROF_COMMENT && f->type == TS_WIRE_BYTES);
}

/*
 * There is no magic number: what can be seen must be fields of a profile. When some cannot be, it
 * may be a damaged one, if there are enough messages before that.
 */
static int pprof_sniff(const ts_sniff *s)
{
    enum { ENOUGH = 4 };
    ts_wire w;
    ts_wire_field f;
    size_t messages = 0;
    bool strings = false; /* the list of texts begins, as it has to, with the empty one */
    bool good = true;
    if (s->head == NULL || s->n < 2) {
        return TS_SNIFF_NO;
    }
    ts_wire_init(&w, s->head, s->n);
    while (good && ts_wire_next(&f, &w)) {
        good = is_field(&f);
        strings = strings || (f.number == PPROF_STRING && f.n == 0);
        messages += good && f.number < PPROF_FIELDS && f.n > 0 &&
                    (inner_fields[f.number] > 0 || (f.number == PPROF_STRING && strings));
    }
    /* The last field that can be seen may go on; so may that of a profile that is cut. */
    good = good && (w.fault == TS_WIRE_OK || w.fault == TS_WIRE_CUT || w.fault == TS_WIRE_LENGTH);
    return messages == 0 ? TS_SNIFF_NO
           : good        ? TS_SNIFF_LIKELY
                         : (messages >= ENOUGH ? TS_SNIFF_WEAK : TS_SNIFF_NO);
}

/* --- the stream ----------------------------------------------------------------------------- */

static void free_list(ts_ctx *ctx, pprof_list *list)
{
    ts_vec_free(ctx, &list->items);
    ts_idmap_free(ctx, &list->others);
}

static void pprof_close(void *self)
{
    pprof *p = self;
    ts_ctx *ctx = p->job->ctx;
    ts_spool_free(p->samples);
    free_list(ctx, &p->mappings);
    free_list(ctx, &p->locations);
    free_list(ctx, &p->functions);
    ts_vec_free(ctx, &p->lines);
    ts_vec_free(ctx, &p->value_types);
    ts_vec_free(ctx, &p->comments);
    ts_vec_free(ctx, &p->text_ends);
    ts_vec_free(ctx, &p->locations_of);
    ts_vec_free(ctx, &p->values);
    ts_vec_free(ctx, &p->labels);
    ts_vec_free(ctx, &p->stack);
    ts_vec_free(ctx, &p->codes);
    ts_vec_free(ctx, &p->expanded);
    ts_paths_free(ctx, &p->paths);
    pprof_stacks_free(ctx, &p->stacks);
    ts_idmap_free(ctx, &p->named);
    ts_buf_free(ctx, &p->message);
    ts_buf_free(ctx, &p->texts);
    ts_buf_free(ctx, &p->scratch);
    ts_free(ctx, p);
}

/* The lists of a batch are never without memory: places in them are counted from its beginning. */
static ts_code make_lists(pprof *p)
{
    ts_ctx *ctx = p->job->ctx;
    ts_code code = ts_vec_reserve(ctx, &p->locations_of, 1, sizeof(uint64_t));
    code = code != TS_OK ? code : ts_vec_reserve(ctx, &p->values, 1, sizeof(int64_t));
    code = code != TS_OK ? code : ts_vec_reserve(ctx, &p->labels, 1, sizeof(pprof_label));
    return code != TS_OK ? code : ts_vec_reserve(ctx, &p->stack, 1, sizeof(uint32_t));
}

static ts_code pprof_open(void **self, ts_job *job)
{
    pprof *p = ts_zalloc(job->ctx, 1, sizeof *p);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, p);
    p->job = job;
    p->sink = ts_store_sink(job->store);
    p->mappings.size = sizeof(pprof_mapping);
    p->locations.size = sizeof(pprof_location);
    p->functions.size = sizeof(pprof_function);
    p->certain = SIZE_MAX;
    ts_profile_id_begin(&p->id);
    ts_wire_push_init(&p->wire, &pprof_handler, p, UINT64_MAX);
    if ((code = ts_job_source(&p->source_id, p->name, job, job->source_id, "profile", "pprof",
                              "Pprof")) != TS_OK ||
        (code = make_lists(p)) != TS_OK || (code = ts_spool_new(&p->samples, job->ctx)) != TS_OK) {
        pprof_close(p);
        return code;
    }
    *self = p;
    return TS_OK;
}

static ts_code pprof_feed(void *self, const uint8_t *bytes, size_t n)
{
    pprof *p = self;
    ts_profile_id_add(&p->id, bytes, n);
    return ts_wire_push_feed(&p->wire, bytes, n);
}

static ts_code pprof_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    pprof *p = self;
    *used = p->wire.fault != TS_WIRE_OK ? n : 0;
    return *used == 0 ? TS_OK : ts_wire_push_skip(&p->wire, n);
}

static ts_code pprof_finish(void *self, const ts_stream_end *end)
{
    pprof *p = self;
    ts_code code =
        ts_count_add(p->job->store, p->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0);
    if (code != TS_OK) {
        return code;
    }
    /* Nothing says how long the message is but its end; a fault before it is more than a cut. */
    p->job->text_bad = p->wire.fault != TS_WIRE_OK;
    p->wire.size = p->wire.at;
    code = ts_wire_push_finish(&p->wire);
    if (code == TS_OK && p->samples_seen + p->defined + p->value_types.n == 0) {
        return ts_fail(p->job->ctx, TS_ERR_FORMAT,
                       "%s is not a profile of pprof: it has none of its messages", p->job->name);
    }
    if (code == TS_OK && p->wire.fault != TS_WIRE_OK) {
        ts_source(p->job->store, p->source_id)->complete = 0;
        code = ts_issue(p->job->store, p->source_id, TS_ISSUE_prof_incomplete, p->name,
                        (int64_t)p->wire.fault_at, "%s", ts_wire_fault_text(p->wire.fault));
    }
    TS_STEP(code, pprof_put(p));
    return code;
}

TS_SOURCE_FORMAT(pprof) = {
    .name = "pprof",
    .title = "profile of pprof (.pb, .pprof: Go, Python, Node.js, ...)",
    .source_type = "profile",
    .sniff = pprof_sniff,
    .open = pprof_open,
    .feed = pprof_feed,
    .feed_zeros = pprof_feed_zeros,
    .finish = pprof_finish,
    .close = pprof_close,
};

/* --- gperftools ----------------------------------------------------------------------------- */

/* 0 and 3 in words of 8 bytes: the head of a CPU profile of gperftools. */
static int gperftools_sniff(const ts_sniff *s)
{
    static const uint8_t head[16] = {[8] = 3};
    return s->head != NULL && s->n >= sizeof head && memcmp(s->head, head, sizeof head) == 0
               ? TS_SNIFF_SURE
               : TS_SNIFF_NO;
}

TS_SOURCE_FORMAT(gperftools) = {
    .name = "gperftools",
    .title = "CPU profile of gperftools; to be translated first",
    .sniff = gperftools_sniff,
    .refusal = "a CPU profile of gperftools has addresses instead of names; translate it with "
               "\"pprof -proto PROGRAM FILE\" and give the result",
};
