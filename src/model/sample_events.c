#include "model/sample_events.h"

#include "base/alloc.h"
#include "model/cells.h"

/* --- words ------------------------------------------------------------------------------------
 *
 * The states that lines of event_classes name are "STATE", "(leaf)" or "STATE Class.leaf". Samples
 * and methods have a byte that says which of the states, and of the leaves, they have: the number
 * of the first line that names it + 1. */

enum { WORD_OTHER = 255 }; /* a state that no line names */

typedef struct line_words {
    ts_text state, leaf; /* n 0: any */
} line_words;

static line_words words_of(const ts_event_line *line)
{
    const char *blank = strchr(line->state, ' ');
    const ts_text none = {"", 0};
    if (strcmp(line->state, "*") == 0) {
        return (line_words){none, none};
    }
    if (line->state[0] == '(') {
        return (line_words){none, ts_text_of(line->state)};
    }
    return blank == NULL
               ? (line_words){ts_text_of(line->state), none}
               : (line_words){{line->state, (size_t)(blank - line->state)}, ts_text_of(blank + 1)};
}

/* A state or a leaf, and the number of the first line that names it + 1. */
typedef struct event_word {
    ts_text text;
    bool leaf;
    uint8_t number;
} event_word;

static uint8_t word_find(const ts_events *e, ts_text word, bool leaf)
{
    const event_word *all = e->words.p;
    for (size_t i = 0; word.n > 0 && i < e->words.n; i++) {
        if (all[i].leaf == leaf && ts_text_equal(all[i].text, word)) {
            return all[i].number;
        }
    }
    return leaf || word.p == NULL ? 0 : WORD_OTHER;
}

/* Lines are many, their words few, and samples and methods that have one of them very many. */
static ts_code words_make(ts_events *e)
{
    for (size_t i = 0; i < ts_event_line_count && i < WORD_OTHER - 1; i++) {
        const line_words w = words_of(&ts_event_lines[i]);
        const event_word both[] = {{w.state, false, (uint8_t)(i + 1)},
                                   {w.leaf, true, (uint8_t)(i + 1)}};
        for (unsigned k = 0; k < 2; k++) {
            uint8_t known = word_find(e, both[k].text, both[k].leaf);
            if (both[k].text.n > 0 && (known == 0 || known == WORD_OTHER)) {
                TS_TRY(ts_vec_push(e->ctx, &e->words, &both[k], sizeof both[k]));
            }
        }
    }
    return TS_OK;
}

static ts_text word_text(uint8_t number, bool leaf)
{
    if (number == 0) {
        return (ts_text){"", 0};
    }
    if (number == WORD_OTHER) {
        return TS_TEXT_LIT("?");
    }
    line_words w = words_of(&ts_event_lines[number - 1]);
    return leaf ? w.leaf : w.state;
}

/* Whether classes of a format that the database has depend on states or leaves. */
static bool words_matter(const ts_events *e, bool leaf)
{
    for (size_t i = 0; i < ts_event_line_count; i++) {
        line_words w = words_of(&ts_event_lines[i]);
        for (uint32_t k = 0; (leaf ? w.leaf : w.state).n > 0 && k < e->format_names.count; k++) {
            if (ts_text_is(ts_pool_text(&e->format_names, k), ts_event_lines[i].format)) {
                return true;
            }
        }
    }
    return false;
}

/* --- reading ---------------------------------------------------------------------------------- */

static ts_code source_row(ts_events *e, const ts_batch *b, unsigned i)
{
    uint32_t number = 0;
    int64_t id = b->columns[0].ints[i];
    ts_code code = ts_vec_reach(e->ctx, &e->formats, id, sizeof(uint32_t));
    if (code == TS_OK && !b->columns[1].null[i]) {
        code = ts_pool_intern(e->ctx, &number, NULL, &e->format_names, ts_cell_text(b, 1, i));
        ((uint32_t *)e->formats.p)[id] = number + 1;
    }
    return code;
}

static ts_text format_of(const ts_events *e, int64_t source_id)
{
    uint32_t number = source_id < 0 || (uint64_t)source_id >= e->formats.n
                          ? 0
                          : ((const uint32_t *)e->formats.p)[source_id];
    return number == 0 ? (ts_text){"", 0} : ts_pool_text(&e->format_names, number - 1);
}

static ts_code kind_row(ts_events *e, const ts_batch *b, unsigned i)
{
    int64_t id = b->rowids[i];
    int64_t source = b->columns[0].ints[i];
    uint32_t names[2];
    ts_text unit = ts_cell_text(b, 2, i);
    unit = ts_text_is(unit, "nanoseconds") ? TS_TEXT_LIT("ns") : unit;
    ts_code code = ts_vec_reach(e->ctx, &e->kinds, id, sizeof(ts_value_type));
    if (code != TS_OK ||
        (code = ts_pool_intern(e->ctx, &names[0], NULL, &e->texts, ts_cell_text(b, 1, i))) !=
            TS_OK ||
        (code = ts_pool_intern(e->ctx, &names[1], NULL, &e->texts, unit)) != TS_OK) {
        return code;
    }
    ts_value_type *k = (ts_value_type *)e->kinds.p + id;
    k->name = ts_pool_text(&e->texts, names[0]);
    k->unit = ts_pool_text(&e->texts, names[1]);
    k->source_id = source;
    k->kind.class = ts_class_of(&k->kind.reason, format_of(e, source), k->name, TS_TEXT_NULL);
    if (ts_text_is(k->unit, "ns") &&
        (code = ts_vec_reach(e->ctx, &e->in_ns, source, sizeof(uint8_t))) == TS_OK) {
        ((uint8_t *)e->in_ns.p)[source] |= (uint8_t)(1U << k->kind.class);
    }
    return code;
}

static ts_code usual_row(ts_events *e, const ts_batch *b, unsigned i)
{
    const ts_value_type *kind =
        b->columns[0].null[i] ? NULL : ts_events_value(e, b->columns[0].ints[i]);
    if (kind != NULL) {
        ((ts_value_type *)e->kinds.p)[b->columns[0].ints[i]].usual = true;
    }
    return TS_OK;
}

static ts_code byte_set(const ts_events *e, ts_vec *v, int64_t id, uint8_t value)
{
    TS_TRY(ts_vec_reach(e->ctx, v, id, sizeof value));
    ((uint8_t *)v->p)[id] = value;
    return TS_OK;
}

static ts_code label_row(ts_events *e, const ts_batch *b, unsigned i)
{
    int64_t id = b->columns[0].ints[i];
    if (!ts_text_is(ts_cell_text(b, 1, i), "state") || b->columns[2].null[i]) {
        return TS_OK;
    }
    return byte_set(e, &e->states, id, word_find(e, ts_cell_text(b, 2, i), false));
}

static ts_code record_row(ts_events *e, const ts_batch *b, unsigned i)
{
    int64_t id = b->columns[0].ints[i];
    if (b->columns[0].null[i] || b->columns[1].null[i]) {
        return TS_OK;
    }
    return byte_set(e, &e->states, id, word_find(e, ts_cell_text(b, 1, i), false));
}

static ts_code method_row(ts_events *e, const ts_batch *b, unsigned i)
{
    enum { LONGEST = 64 }; /* of the leaves that lines name */
    int64_t id = b->rowids[i];
    char both[LONGEST];
    ts_text name = ts_cell_text(b, 0, i);
    ts_text class = ts_cell_text(b, 1, i);
    uint8_t word = word_find(e, name, true);
    if (word == 0 && class.n > 0 && class.n + 1 + name.n <= sizeof both) {
        memcpy(both, class.p, class.n);
        both[class.n] = '.';
        memcpy(both + class.n + 1, name.p, name.n);
        word = word_find(e, (ts_text){both, class.n + 1 + name.n}, true);
    }
    return word == 0 ? TS_OK : byte_set(e, &e->leaves, id, word);
}

static ts_code async_row(ts_events *e, const ts_batch *b, unsigned i)
{
    int64_t id = b->columns[0].ints[i];
    if (b->columns[1].ints[i] == 0) {
        return TS_OK;
    }
    TS_TRY(ts_vec_reach(e->ctx, &e->async, id, sizeof(bool)));
    ((bool *)e->async.p)[id] = true;
    return TS_OK;
}

/* What the kinds of one source have. */
typedef struct source_kinds {
    unsigned classes; /* a bit for each */
    bool named;       /* one is the usual one */
    size_t last;
} source_kinds;

/* A profile of allocations and of what is in use means one of them: the kind that it names, else,
 * as go tool pprof has it, its last one. Native memory is recorded for what stays in use. */
static ts_code usual_kinds(ts_events *e)
{
    ts_value_type *all = e->kinds.p;
    ts_vec sources = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < e->kinds.n; i++) {
        int64_t id = all[i].source_id;
        if (id > 0 && (code = ts_vec_reach(e->ctx, &sources, id, sizeof(source_kinds))) == TS_OK) {
            source_kinds *s = (source_kinds *)sources.p + id;
            s->classes |= 1U << all[i].kind.class;
            s->named = s->named || all[i].usual;
            s->last = i;
        }
    }
    for (size_t i = 0; code == TS_OK && i < e->kinds.n; i++) {
        if (all[i].source_id > 0) {
            const source_kinds *s = (const source_kinds *)sources.p + all[i].source_id;
            const unsigned both = 1U << TS_CLASS_allocation | 1U << TS_CLASS_live;
            ts_text format = format_of(e, all[i].source_id);
            bool last = !s->named && s->last == i &&
                        (ts_text_is(format, "pprof") || ts_text_is(format, "native_hook"));
            all[i].usual = (s->classes & both) == both && (all[i].usual || last);
        }
    }
    ts_vec_free(e->ctx, &sources);
    return code;
}

static ts_code events_make(ts_events *out, ts_model *m)
{
    static const unsigned sources[] = {TS_C_source__id, TS_C_source__format};
    static const unsigned kinds[] = {TS_C_stack_value_type__source_id, TS_C_stack_value_type__name,
                                     TS_C_stack_value_type__unit};
    static const unsigned usual[] = {TS_C_profile__default_type_id};
    static const unsigned labels[] = {TS_C_stack_sample_label__sample_id,
                                      TS_C_stack_sample_label__key, TS_C_stack_sample_label__value};
    static const unsigned records[] = {TS_C_flare_stack__sample_id, TS_C_flare_stack__state};
    static const unsigned methods[] = {TS_C_stack_method__name, TS_C_stack_method__class};
    static const unsigned spans[] = {TS_C_chrome_slice__slice_id, TS_C_chrome_slice__async};
    const struct {
        enum ts_table_id table;
        const unsigned *columns;
        unsigned n;
        ts_code (*row)(ts_events *e, const ts_batch *b, unsigned i);
        bool states, leaves; /* only where classes depend on them */
    } steps[] = {
        {TS_T_source, sources, 2, source_row, false, false},
        {TS_T_stack_value_type, kinds, 3, kind_row, false, false},
        {TS_T_profile, usual, 1, usual_row, false, false},
        {TS_T_chrome_slice, spans, 2, async_row, false, false},
        {TS_T_stack_sample_label, labels, 3, label_row, true, false},
        {TS_T_flare_stack, records, 2, record_row, true, false},
        {TS_T_stack_method, methods, 2, method_row, false, true},
    };
    const ts_rows_from *from = ts_model_rows(m);
    *out = (ts_events){.ctx = from->ctx};
    ts_code code = words_make(out);
    for (size_t i = 0; code == TS_OK && i < sizeof steps / sizeof steps[0]; i++) {
        ts_walk rows = ts_walk_of(*from, steps[i].table, steps[i].columns, steps[i].n);
        bool wanted = (!steps[i].states || words_matter(out, false)) &&
                      (!steps[i].leaves || words_matter(out, true)) &&
                      ts_rows_there(from, steps[i].table, steps[i].columns, steps[i].n);
        while (wanted && ts_walk_next(&code, &rows)) {
            code = steps[i].row(out, rows.b, rows.row);
        }
    }
    TS_STEP(code, usual_kinds(out));
    return code;
}

static void events_release(ts_ctx *ctx, void *what)
{
    ts_events *e = what;
    ts_vec *const vecs[] = {&e->formats, &e->kinds, &e->states, &e->leaves,
                            &e->in_ns,   &e->async, &e->found,  &e->words};
    ts_pool *const pools[] = {&e->texts, &e->format_names, &e->events};
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++) {
        ts_vec_free(ctx, vecs[i]);
    }
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        ts_pool_free(ctx, pools[i]);
    }
    ts_idmap_free(ctx, &e->known);
    ts_free(ctx, e);
}

static ts_code events_build(void **what, ts_model *m, const void *user)
{
    ts_events *e = ts_zalloc(ts_model_ctx(m), 1, sizeof *e);
    (void)user;
    *what = e;
    return e == NULL ? ts_model_ctx(m)->error.code : events_make(e, m);
}

ts_code ts_events_get(ts_events **out, ts_model *m)
{
    void *what;
    ts_code code = ts_model_keep(&what, m, "events", "", events_build, events_release, NULL);
    *out = what;
    return code;
}

/* --- asking ----------------------------------------------------------------------------------- */

static uint8_t byte_of(const ts_vec *v, int64_t id)
{
    return id < 0 || (uint64_t)id >= v->n ? 0 : ((const uint8_t *)v->p)[id];
}

static ts_code event_number(uint32_t *out, ts_events *e, ts_text event)
{
    ts_code code = TS_OK;
    if (e->last >= e->events.count || !ts_text_equal(ts_pool_text(&e->events, e->last), event)) {
        code = ts_pool_intern(e->ctx, &e->last, NULL, &e->events, event);
    }
    *out = e->last;
    return code;
}

static ts_code decide(ts_event_kind *out, ts_events *e, int64_t key, int64_t source_id,
                      ts_text event, uint8_t state, uint8_t leaf)
{
    char both[512];
    const ts_text parts[] = {word_text(state, false), word_text(leaf, true)};
    size_t n = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (parts[i].n > 0 && n + parts[i].n + 1 < sizeof both) {
            both[n] = ' ';
            n += n > 0;
            memcpy(both + n, parts[i].p, parts[i].n);
            n += parts[i].n;
        }
    }
    out->class = ts_class_of(&out->reason, format_of(e, source_id), event, (ts_text){both, n});
    ts_event_kind *kept = ts_vec_add(e->ctx, &e->found, sizeof *kept);
    TS_NEED(e->ctx, kept);
    *kept = *out;
    return ts_idmap_put(e->ctx, &e->known, key, e->found.n - 1);
}

uint8_t ts_events_state(const ts_events *e, int64_t sample_id)
{
    return byte_of(&e->states, sample_id);
}

uint8_t ts_events_leaf(const ts_events *e, int64_t method)
{
    return byte_of(&e->leaves, method);
}

ts_code ts_events_kind(ts_event_kind *out, ts_events *e, int64_t source_id, ts_text event,
                       uint8_t state, uint8_t leaf)
{
    uint64_t at;
    uint32_t number = 0;
    TS_TRY(event_number(&number, e, event));
    uint64_t format = source_id < 0 || (uint64_t)source_id >= e->formats.n
                          ? 0
                          : ((const uint32_t *)e->formats.p)[source_id];
    int64_t key = (int64_t)((format & UINT16_MAX) << 48 | (uint64_t)number << 16 |
                            (uint64_t)state << 8 | leaf);
    if (ts_idmap_find(&at, &e->known, key)) {
        *out = ((const ts_event_kind *)e->found.p)[at];
        return TS_OK;
    }
    return decide(out, e, key, source_id, event, state, leaf);
}

ts_code ts_events_sample(ts_event_kind *out, ts_events *e, int64_t source_id, ts_text event,
                         int64_t sample_id, int64_t method)
{
    return ts_events_kind(out, e, source_id, event, ts_events_state(e, sample_id),
                          ts_events_leaf(e, method));
}

const ts_value_type *ts_events_value(const ts_events *e, int64_t id)
{
    const ts_value_type *all = e->kinds.p;
    return id < 0 || (uint64_t)id >= e->kinds.n || all[id].source_id == 0 ? NULL : &all[id];
}

bool ts_events_in_ns(const ts_events *e, int64_t source_id, ts_event_class class)
{
    return (byte_of(&e->in_ns, source_id) >> class & 1) != 0;
}
