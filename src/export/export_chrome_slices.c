/*
 * Slices of a trace of the system as trace events: X events, asynchronous ones b and e, those whose
 * end was not seen B. Their arguments are joined by two sorts, because rows name sets of them.
 */
#include "export/export_chrome.h"

#include <inttypes.h>

enum { CHROME_LABEL_MAX = 32 * 1024 }; /* bytes of a text that are shown */
enum { ARGS_MEMORY = 8 << 20, SLICE_ARGS = 128 };
enum { ARG_TEXT = 1, ARG_BOOLEAN = 3 }; /* args.datatype */

static ts_text chrome_label(const ts_batch *b, unsigned column, unsigned i)
{
    ts_text text = ts_cell_text(b, column, i);
    text.n = text.n > CHROME_LABEL_MAX ? CHROME_LABEL_MAX : text.n;
    return text;
}

enum {
    SLICE_ID,
    SLICE_THREAD,
    SLICE_TS,
    SLICE_DUR,
    SLICE_COOKIE,
    SLICE_SET,
    SLICE_CAT,
    SLICE_NAME,
    SLICE_TEXTS, /* and those after it are arguments of their names */
    SLICE_COLUMNS = SLICE_TEXTS + 8
};

static const unsigned slice_columns[SLICE_COLUMNS] = {
    TS_C_callstack__id,          TS_C_callstack__callid,       TS_C_callstack__ts,
    TS_C_callstack__dur,         TS_C_callstack__cookie,       TS_C_callstack__argsetid,
    TS_C_callstack__cat,         TS_C_callstack__name,         TS_C_callstack__chainId,
    TS_C_callstack__spanId,      TS_C_callstack__parentSpanId, TS_C_callstack__flag,
    TS_C_callstack__trace_level, TS_C_callstack__trace_tag,    TS_C_callstack__custom_category,
    TS_C_callstack__custom_args};

static const char *const slice_texts[SLICE_COLUMNS - SLICE_TEXTS] = {
    "chainId",     "spanId",    "parentSpanId",    "flag",
    "trace_level", "trace_tag", "custom_category", "custom_args"};

/* A row of callstack that names a set, after the arguments of the set. */
typedef struct set_record {
    uint64_t set, is_row, number; /* rowid of callstack or of args */
    int64_t key, type, value;
} set_record;

typedef struct arg_record {
    uint64_t rowid, number; /* of callstack, and the place among its arguments */
    int64_t key, type, value;
} arg_record;

static bool chrome_wants_slice(const chrome_work *c, const ts_batch *b, unsigned i)
{
    return b->columns[SLICE_THREAD].null[i] == 0 && b->columns[SLICE_TS].null[i] == 0 &&
           ts_calls_wants_thread(&c->calls, b->columns[SLICE_THREAD].ints[i]) &&
           ts_calls_wants_time(&c->calls, b->columns[SLICE_TS].ints[i]);
}

/* Rows that have arguments, and all sets; NULL: no row has any. */
static ts_code chrome_sets(ts_sorter **sets, chrome_work *c)
{
    static const unsigned columns[] = {TS_C_args__argset, TS_C_args__key, TS_C_args__datatype,
                                       TS_C_args__value};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, c->reader, TS_T_callstack, slice_columns, SLICE_CAT);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            const set_record r = {
                (uint64_t)b->columns[SLICE_SET].ints[i], 1, (uint64_t)b->rowids[i], 0, 0, 0};
            if (b->columns[SLICE_SET].null[i] != 0 || !chrome_wants_slice(c, b, i)) {
                continue;
            }
            if (*sets == NULL) {
                code = ts_sorter_open(sets, c->ctx, sizeof r, &order, ARGS_MEMORY);
            }
            TS_STEP(code, ts_sorter_add(*sets, &r));
        }
    }
    ts_scan_close(scan);
    scan = NULL;
    TS_STEP_IF(code, *sets != NULL, ts_scan_open(&scan, c->reader, TS_T_args, columns, 4));
    while (code == TS_OK && scan != NULL && (code = ts_scan_next(&b, scan)) == TS_OK &&
           b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            const set_record r = {(uint64_t)b->columns[0].ints[i], 0,
                                  (uint64_t)b->rowids[i],          b->columns[1].ints[i],
                                  b->columns[2].ints[i],           b->columns[3].ints[i]};
            code = ts_sorter_add(*sets, &r);
        }
    }
    ts_scan_close(scan);
    return code;
}

/* One after the other the arguments of a set, then the rows that have it. */
static ts_code chrome_join(chrome_work *c, ts_sorter *sets)
{
    set_record of_set[SLICE_ARGS];
    const void *record = NULL;
    uint64_t set = 0;
    unsigned n = 0;
    ts_code code = ts_sorter_finish(sets);
    while (code == TS_OK && (code = ts_sorter_next(&record, sets)) == TS_OK && record != NULL) {
        const set_record *r = record;
        n = r->set == set ? n : 0;
        set = r->set;
        if (r->is_row == 0) {
            of_set[n] = *r;
            n += n + 1 < SLICE_ARGS;
            continue;
        }
        for (unsigned i = 0; i < n && code == TS_OK; i++) {
            const arg_record arg = {r->number, i, of_set[i].key, of_set[i].type, of_set[i].value};
            code = ts_sorter_add(c->args, &arg);
        }
    }
    return code;
}

/* The arguments of all rows in the order of callstack, if there are any. */
static ts_code chrome_args(chrome_work *c)
{
    static const unsigned columns[] = {TS_C_data_dict__id, TS_C_data_dict__data};
    const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    ts_sorter *sets = NULL;
    ts_code code = chrome_sets(&sets, c);
    TS_STEP_IF(code, sets != NULL,
               ts_sorter_open(&c->args, c->ctx, sizeof(arg_record), &order, ARGS_MEMORY));
    TS_STEP_IF(code, sets != NULL, chrome_join(c, sets));
    ts_sorter_close(sets);
    TS_STEP_IF(code, c->args != NULL, ts_sorter_finish(c->args));
    TS_STEP_IF(code, c->args != NULL, ts_sorter_next(&c->arg, c->args));
    return code != TS_OK || c->args == NULL
               ? code
               : ts_scan_open(&c->words, c->reader, TS_T_data_dict, columns, 2);
}

/* A text of data_dict, up to the next; one that is not there is empty. */
static ts_code chrome_word(ts_text *word, chrome_work *c, int64_t id)
{
    const ts_batch *b;
    ts_code code = ts_scan_row(&b, c->words, ts_sat_add(id, 1));
    if (code == TS_OK) {
        bool there = b->rows > 0 && b->columns[0].ints[0] == id;
        *word = there ? chrome_label(b, 1, 0) : TS_TEXT_LIT("");
    }
    return code;
}

/* What arguments the row has: those of its set that come first with their key. */
static ts_code chrome_set_args(chrome_work *c, uint64_t rowid)
{
    int64_t keys[SLICE_ARGS];
    ts_text word;
    unsigned n = 0;
    ts_code code = TS_OK;
    for (; code == TS_OK && c->arg != NULL && ((const arg_record *)c->arg)->rowid <= rowid;
         code = ts_sorter_next(&c->arg, c->args)) {
        const arg_record r = *(const arg_record *)c->arg;
        unsigned same = 0;
        while (same < n && keys[same] != r.key) {
            same++;
        }
        if (r.rowid != rowid || same < n) {
            continue;
        }
        keys[n++] = r.key;
        TS_TRY(code, chrome_word(&word, c, r.key));
        ts_jout_key(&c->w, word);
        if (r.type == ARG_BOOLEAN) {
            ts_jout_bool(&c->w, NULL, r.value != 0);
        } else if (r.type != ARG_TEXT) {
            ts_jout_int(&c->w, NULL, r.value);
        } else if ((code = chrome_word(&word, c, r.value)) == TS_OK) {
            ts_jout_text(&c->w, NULL, word);
        } else {
            return code;
        }
    }
    return code;
}

static void chrome_slice_begin(chrome_work *c, const char *phase, const ts_batch *b, unsigned i)
{
    ts_text name = chrome_label(b, SLICE_NAME, i);
    ts_text cat = chrome_label(b, SLICE_CAT, i);
    chrome_begin(c, phase, name.n > 0 ? name : TS_TEXT_LIT("(anonymous)"),
                 ts_naming_who(&c->names, 0, b->columns[SLICE_THREAD].ints[i]));
    ts_jout_text(&c->w, "cat", cat.n > 0 ? cat : TS_TEXT_LIT("slice"));
}

/* One of b and e, which belong together by category and id. */
static void chrome_async(chrome_work *c, const char *phase, const ts_batch *b, unsigned i,
                         int64_t ts)
{
    chrome_slice_begin(c, phase, b, i);
    ts_jout_printf(&c->w, "id", "\"0x%" PRIx64 "\"", (uint64_t)b->rowids[i]);
    chrome_time(c, "ts", ts);
}

static ts_code chrome_slice_args(chrome_work *c, const ts_batch *b, unsigned i)
{
    ts_jout_open(&c->w, "args", '{');
    ts_jout_int(&c->w, "id", b->columns[SLICE_ID].ints[i]);
    if (b->columns[SLICE_COOKIE].null[i] == 0) {
        ts_jout_int(&c->w, "cookie", b->columns[SLICE_COOKIE].ints[i]);
    }
    for (unsigned k = SLICE_TEXTS; k < SLICE_COLUMNS; k++) {
        if (b->columns[k].null[i] == 0) {
            ts_jout_text(&c->w, slice_texts[k - SLICE_TEXTS], chrome_label(b, k, i));
        }
    }
    ts_code code = c->arg == NULL ? TS_OK : chrome_set_args(c, (uint64_t)b->rowids[i]);
    ts_jout_ends(&c->w, "}}");
    return code != TS_OK ? code : c->w.code;
}

static ts_code chrome_slice(chrome_work *c, const ts_batch *b, unsigned i)
{
    const bool whole = b->columns[SLICE_DUR].null[i] == 0;
    const int64_t ts = b->columns[SLICE_TS].ints[i];
    const int64_t dur = b->columns[SLICE_DUR].ints[i];
    ts_code code;
    if (b->columns[SLICE_COOKIE].null[i] == 0) {
        chrome_async(c, "b", b, i, ts);
        code = chrome_slice_args(c, b, i);
        if (whole && code == TS_OK) {
            chrome_async(c, "e", b, i, ts_sat_add(ts, dur));
            ts_jout_close(&c->w, '}');
        }
        return code != TS_OK ? code : c->w.code;
    }
    chrome_slice_begin(c, whole ? "X" : "B", b, i);
    chrome_time(c, "ts", ts);
    if (whole) {
        chrome_time(c, "dur", dur);
    }
    return chrome_slice_args(c, b, i);
}

/* Slices have no source: where others have one, --source leaves them out. */
ts_code chrome_slices(chrome_work *c)
{
    const ts_stack_filter *f = &c->calls.filter;
    const ts_batch *b;
    ts_scan *scan = NULL;
    if (!ts_reader_has_table(c->reader, TS_T_callstack) ||
        (f->event != NULL && strcmp(f->event, "call") != 0) ||
        (f->wanted.source != NULL && !c->calls.is_marks)) {
        return TS_OK;
    }
    ts_code code = chrome_args(c);
    TS_STEP(code, ts_scan_open(&scan, c->reader, TS_T_callstack, slice_columns, SLICE_COLUMNS));
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = chrome_wants_slice(c, b, i) ? chrome_slice(c, b, i) : TS_OK;
        }
    }
    ts_scan_close(scan);
    return code;
}
