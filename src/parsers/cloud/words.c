/* Dictionary and params. A word that is the signature of a method becomes a row of stack_method. */
#include "parsers/cloud/cloud_impl.h"

#include "base/alloc.h"

#include <string.h>

/*
 * Ids are dense, and words stand at theirs: below DENSE_IDS, and in all that are not more than
 * DENSE_TIMES as many as there are words. Others have slots. An id far beyond those before it is
 * damage.
 */
enum { MAX_WORDS = 1 << 22 }; /* of a pod */
enum { DENSE_IDS = 1 << 16, DENSE_TIMES = 4, MAX_ID_GAP = 1 << 20, MAX_LINE_DIGITS = 9 };
enum { SHIFTED_UNITS = 3 };

/* --- signatures ----------------------------------------------------------------------------- */

/* The part before `stop` (or all), and the rest behind it. False when `stop` is not there. */
static bool split(ts_text *before, ts_text *rest, ts_text t, const char *stop)
{
    const char *at = t.n == 0 ? NULL : memmem(t.p, t.n, stop, strlen(stop));
    if (at == NULL) {
        return false;
    }
    *before = (ts_text){t.p, (size_t)(at - t.p)};
    *rest = (ts_text){at + strlen(stop), t.n - before->n - strlen(stop)};
    return true;
}

/* "Source.java:42" */
static void take_source(ts_method *m, ts_text t)
{
    const char *colon = t.n == 0 ? NULL : memrchr(t.p, ':', t.n);
    int64_t line = 0;
    size_t digits = 0;
    m->file = t;
    if (colon == NULL) {
        return;
    }
    for (const char *p = colon + 1; p < t.p + t.n && *p >= '0' && *p <= '9'; p++, digits++) {
        line = digits < MAX_LINE_DIGITS ? line * 10 + (*p - '0') : line;
    }
    if (digits > 0 && digits <= MAX_LINE_DIGITS && colon + 1 + digits == t.p + t.n) {
        m->file.n = (size_t)(colon - t.p);
        m->line = line;
        m->has_line = true;
    }
}

/*
 * <type> <class>.<method>(<types>) (<file>:<line>) [<jar>]: what stands behind the types may be
 * missing or cut. False: the word is no such signature.
 */
static bool parse_method(ts_method *m, ts_buf *signature, ts_ctx *ctx, ts_text word, ts_code *code)
{
    ts_text type;
    ts_text path;
    ts_text types;
    ts_text rest;
    ts_text part;
    const char *dot;
    *code = TS_OK;
    if (!split(&path, &rest, word, "(") || !split(&types, &rest, rest, ")") ||
        !split(&type, &path, path, " ") || type.n == 0 || memchr(path.p, ' ', path.n) != NULL ||
        (dot = path.n == 0 ? NULL : memrchr(path.p, '.', path.n)) == NULL || dot == path.p ||
        dot + 1 == path.p + path.n) {
        return false;
    }
    m->cls = (ts_text){path.p, (size_t)(dot - path.p)};
    m->name = (ts_text){dot + 1, path.n - m->cls.n - 1};
    signature->n = 0;
    *code =
        ts_buf_printf(ctx, signature, "%.*s (%.*s)", (int)type.n, type.p, (int)types.n, types.p);
    m->signature = ts_buf_text(signature);
    if (rest.n > 2 && memcmp(rest.p, " (", 2) == 0 &&
        split(&part, &rest, (ts_text){rest.p + 2, rest.n - 2}, ")")) {
        take_source(m, part);
    }
    if (rest.n > 3 && memcmp(rest.p, " [", 2) == 0 && rest.p[rest.n - 1] == ']') {
        m->library = (ts_text){rest.p + 2, rest.n - 3};
    }
    return true;
}

ts_code cloud_no_word(cloud_pod *pod, const char *what, uint32_t word)
{
    if (pod->words_doubted && cloud_word_of(pod, word) != NULL) {
        return TS_OK; /* that was said of all words */
    }
    return cloud_missing(pod, TS_ISSUE_cloud_word_missing, "words", "%s %u has no word", what,
                         word);
}

ts_code cloud_method(int64_t *id, cloud_pod *pod, uint32_t word)
{
    ts_method m = {.has_raw_id = true, .raw_id = word};
    cloud_word *w = cloud_word_of(pod, word);
    ts_code code = TS_OK;
    if (w != NULL && w->method != 0) {
        *id = w->method;
        return TS_OK;
    }
    if (w != NULL && !pod->words_doubted) {
        ts_text text = ts_pool_text(&pod->texts_of_words, w->text);
        if (!parse_method(&m, &pod->name, pod->ctx, text, &code)) {
            m.name = text;
        }
    } else {
        m.name = TS_TEXT_NULL;
        code = cloud_no_word(pod, "method", word);
    }
    if (code == TS_OK) {
        code = ts_stack_method(id, pod->store, pod->source_id, &m);
    }
    if (code == TS_OK && w != NULL) {
        w->method = *id;
    }
    return code;
}

/* --- dictionary ----------------------------------------------------------------------------- */

static uint64_t hash_id(const cloud_pod *pod, uint32_t id)
{
    ts_hash h = ts_hash_begin(&pod->ctx->hash_key);
    ts_hash_word(&h, id);
    return ts_hash_end(&h);
}

static uint64_t hash_far(const void *owner, uint32_t number)
{
    const cloud_pod *pod = owner;
    return hash_id(pod, ((const cloud_far_word *)pod->far_words.p)[number].id);
}

static bool is_far(const void *owner, uint32_t number, const void *key)
{
    const cloud_pod *pod = owner;
    const uint32_t *id = key;
    return ((const cloud_far_word *)pod->far_words.p)[number].id == *id;
}

cloud_word *cloud_far_word_of(const cloud_pod *pod, uint32_t id)
{
    uint32_t number;
    return cloud_slots_find(&number, &pod->far_slots, hash_id(pod, id), is_far, pod, &id)
               ? &((cloud_far_word *)pod->far_words.p)[number].word
               : NULL;
}

static ts_code put_far(cloud_pod *pod, uint32_t id, cloud_word w)
{
    uint32_t number = (uint32_t)pod->far_words.n;
    ts_code code = cloud_grow(pod->ctx, &pod->far_words, sizeof(cloud_far_word));
    if (code != TS_OK) {
        return code;
    }
    ((cloud_far_word *)pod->far_words.p)[pod->far_words.n++] = (cloud_far_word){id, w};
    return cloud_slots_add(pod->ctx, &pod->far_slots, number, hash_far, pod);
}

/* Makes room for the id; numbers that have no word yet get none. */
static ts_code reach(cloud_pod *pod, uint32_t id)
{
    while (pod->words.n <= id) {
        ts_code code = cloud_grow(pod->ctx, &pod->words, sizeof(cloud_word));
        if (code != TS_OK) {
            return code;
        }
        ((cloud_word *)pod->words.p)[pod->words.n++] = (cloud_word){0};
    }
    return TS_OK;
}

/* Lets the id stand for the word. */
static ts_code set_word(cloud_pod *pod, uint32_t id, cloud_word w)
{
    cloud_word *old = cloud_word_of(pod, id);
    ts_code code;
    pod->word_end = id >= pod->word_end ? id + 1 : pod->word_end;
    if (old != NULL) {
        *old = w;
        return TS_OK;
    }
    pod->word_count++;
    if (id >= DENSE_IDS && id / DENSE_TIMES >= pod->word_count) {
        return put_far(pod, id, w);
    }
    if ((code = reach(pod, id)) == TS_OK) {
        ((cloud_word *)pod->words.p)[id] = w;
    }
    return code;
}

static ts_code put_word(cloud_pod *pod, uint32_t id, cloud_string s)
{
    ts_row_cloud_dictionary row = {.source_id = pod->source_id, .word_id = id};
    ts_method m = {.has_raw_id = true, .raw_id = id};
    cloud_word w = {0};
    ts_code code;
    if ((code = cloud_utf8(pod->ctx, &pod->text, s)) != TS_OK ||
        (code = ts_pool_intern(pod->ctx, &w.text, NULL, &pod->texts_of_words,
                               ts_buf_text(&pod->text))) != TS_OK) {
        return code;
    }
    row.word = ts_pool_text(&pod->texts_of_words, w.text);
    if (parse_method(&m, &pod->name, pod->ctx, row.word, &code)) {
        if (code != TS_OK ||
            (code = ts_stack_method(&w.method, pod->store, pod->source_id, &m)) != TS_OK) {
            return code;
        }
        row.method_id = w.method;
        w.signature = true;
    } else {
        TS_SET_NULL(cloud_dictionary, &row, method_id);
    }
    w.row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary) + 1;
    row.id = w.row;
    if ((code = set_word(pod, id, w)) != TS_OK) {
        return code;
    }
    cloud_count(pod, CLOUD_N_WORDS);
    return ts_put_cloud_dictionary(pod->sink, &row);
}

/*
 * Why no agent writes this word, or NULL: it has control characters, or ASCII that was read one
 * byte too early or too late, which is U+2000, U+2100, ... U+7E00. A few of those one after the
 * other are no text.
 */
static const char *no_word(cloud_string s)
{
    unsigned shifted = 0;
    for (size_t i = 0; i < s.units; i++) {
        uint8_t high = s.p[2 * i];
        uint8_t low = s.p[2 * i + 1];
        shifted = low == 0 && high >= ' ' && high < 0x7f ? shifted + 1 : 0;
        if ((high == 0 && (low < ' ' || low == 0x7f)) || shifted == SHIFTED_UNITS) {
            return "a word holds what is no text";
        }
    }
    return NULL;
}

/* The limit of what is kept in memory, and what no word can be. */
static void check_word(cloud_pod *pod, cloud_cursor *c, cloud_string s)
{
    const char *why = c->got == CLOUD_GOT ? no_word(s) : NULL;
    if (why != NULL) {
        cloud_refuse(pod, c, why);
    }
    if (c->got == CLOUD_GOT && pod->word_count >= MAX_WORDS) {
        cloud_refuse(pod, c, "a dictionary has more than 4194304 words");
    }
}

/* Was this word in the dictionary before? Each has one number. */
static ts_code check_again(cloud_pod *pod, cloud_cursor *c, cloud_string s)
{
    uint32_t number;
    ts_code code = cloud_utf8(pod->ctx, &pod->text, s);
    if (code == TS_OK && ts_pool_find(&number, &pod->texts_of_words, ts_buf_text(&pod->text))) {
        cloud_refuse(pod, c, "a word has two numbers");
    }
    return code;
}

/* A word's number is how many words stand before it, so that damage ends the dictionary. */
static ts_code word_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string s = cloud_text(c);
    ts_code code = TS_OK;
    (void)offset;
    check_word(pod, c, s);
    if (c->got == CLOUD_GOT) {
        code = check_again(pod, c, s);
    }
    if (c->got != CLOUD_GOT || code != TS_OK) {
        return code;
    }
    if ((code = put_word(pod, pod->last_word, s)) == TS_OK) {
        pod->last_word++;
    }
    return code;
}

static ts_code pos_word_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    uint32_t id = cloud_varint(c);
    cloud_string s = cloud_text(c);
    (void)offset;
    check_word(pod, c, s);
    if (c->got == CLOUD_GOT && (id > INT32_MAX || id > pod->word_end + MAX_ID_GAP)) {
        cloud_refuse(pod, c, "a word's number is far beyond those before it");
    }
    return c->got != CLOUD_GOT ? TS_OK : put_word(pod, id, s);
}

ts_code cloud_dictionary_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
    bool pos = pod->file->kind == CLOUD_POS_DICTIONARY;
    cloud_record record = pos ? pos_word_record : word_record;
    bool framed;
    ts_code code = cloud_need(r, 4);
    if (code != TS_OK) {
        return code;
    }
    if (r->n == r->at) {
        return cloud_no_header(pod, 1);
    }
    framed = pos ? !pod->agent : r->buf[r->at] == 0; /* no word is empty */
    code = framed ? cloud_phrases(pod, record, 0, CLOUD_N_WORDS, !pos, "a word")
                  : cloud_records(pod, record, CLOUD_N_WORDS, "a word");
    pod->words_lost = pod->words_lost || pod->damaged;
    return code;
}

/* The id of the first word with this text, or -1. */
static int64_t find_word(const cloud_pod *pod, ts_text text)
{
    uint32_t number;
    if (!ts_pool_find(&number, &pod->texts_of_words, text)) {
        return -1;
    }
    return (int64_t)((const uint32_t *)pod->by_text.p)[number] - 1;
}

static void note_text(const cloud_pod *pod, uint32_t id, const cloud_word *w)
{
    uint32_t *first = (uint32_t *)pod->by_text.p + w->text;
    *first = *first == 0 || id < *first - 1 ? id + 1 : *first;
}

/* The first word of each text. A text that was replaced everywhere has none. */
static ts_code index_texts(cloud_pod *pod)
{
    const cloud_word *words = pod->words.p;
    const cloud_far_word *far = pod->far_words.p;
    size_t n = pod->texts_of_words.count;
    pod->by_text.p = ts_zalloc(pod->ctx, n, sizeof(uint32_t));
    if (pod->by_text.p == NULL) {
        return pod->ctx->error.code;
    }
    pod->by_text.n = n;
    for (size_t i = 0; i < pod->words.n; i++) {
        if (words[i].row != 0) {
            note_text(pod, (uint32_t)i, &words[i]);
        }
    }
    for (size_t i = 0; i < pod->far_words.n; i++) {
        note_text(pod, far[i].id, &far[i].word);
    }
    return TS_OK;
}

ts_code cloud_dictionary_end(cloud_pod *pod)
{
    static const char *const amounts[CLOUD_AMOUNTS] = {
        [CLOUD_MEMORY] = "memory.allocated",      [CLOUD_FILE_READ] = "io.disk.read",
        [CLOUD_FILE_WRITTEN] = "io.disk.written", [CLOUD_NET_READ] = "io.net.read",
        [CLOUD_NET_WRITTEN] = "io.net.written",
    };
    ts_code code = index_texts(pod);
    if (code != TS_OK) {
        return code;
    }
    pod->word_call_info = find_word(pod, TS_TEXT_LIT("call.info"));
    pod->word_java_thread = find_word(pod, TS_TEXT_LIT("java.thread"));
    pod->word_node_name = find_word(pod, TS_TEXT_LIT("node.name"));
    pod->word_started = find_word(pod, TS_TEXT_LIT("common.started"));
    pod->words_lost = pod->words_lost || pod->word_count == 0;
    for (int i = 0; i < CLOUD_AMOUNTS; i++) {
        pod->word_amounts[i] = find_word(pod, ts_text_of(amounts[i]));
    }
    return TS_OK;
}

#define NAME_COLUMNS                                                                               \
    (TS_NULL_BIT(stack_method, name) | TS_NULL_BIT(stack_method, class) |                          \
     TS_NULL_BIT(stack_method, signature) | TS_NULL_BIT(stack_method, file) |                      \
     TS_NULL_BIT(stack_method, line) | TS_NULL_BIT(stack_method, library))

ts_code cloud_doubt_words(cloud_pod *pod)
{
    int64_t words = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary);
    int64_t methods = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_method);
    ts_code code = TS_OK;
    pod->words_doubted = true;
    if (words > pod->first_word) {
        code = ts_sink_invalidate(pod->sink, TS_T_cloud_dictionary, pod->first_word + 1, words,
                                  TS_NULL_BIT(cloud_dictionary, word_id) |
                                      TS_NULL_BIT(cloud_dictionary, method_id));
    }
    return code != TS_OK || methods == pod->first_method
               ? code
               : ts_sink_invalidate(pod->sink, TS_T_stack_method, pod->first_method + 1, methods,
                                    NAME_COLUMNS);
}

/* --- the dictionary of calls ----------------------------------------------------------------- */

/* A word of the main dictionary, with its number. */
static bool agrees(cloud_pod *pod, uint32_t id, cloud_string text, ts_code *code)
{
    const cloud_word *w = cloud_word_of(pod, id);
    ts_text known = w == NULL ? TS_TEXT_NULL : ts_pool_text(&pod->texts_of_words, w->text);
    *code = cloud_utf8(pod->ctx, &pod->text, text);
    return *code != TS_OK || w == NULL ||
           (known.n == pod->text.n && (known.n == 0 || memcmp(known.p, pod->text.p, known.n) == 0));
}

ts_code cloud_calls_words_check(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
    ts_code code = TS_OK;
    while (code == TS_OK && !pod->words_doubted && !pod->words_lost) {
        cloud_cursor c = cloud_window(r);
        uint32_t id = cloud_varint(&c);
        cloud_string text = cloud_text(&c);
        if (c.got == CLOUD_SHORT && !r->ended && r->n - r->at < CLOUD_MAX_RECORD) {
            code = cloud_longer(r);
            continue;
        }
        if (c.got != CLOUD_GOT) {
            break; /* what is wrong with it is no loss: its words are in the dictionary as well */
        }
        if (!agrees(pod, id, text, &code) && code == TS_OK &&
            (code = cloud_missing(pod, TS_ISSUE_cloud_words_contradict, "words",
                                  "word %u is another one in the dictionary", id)) == TS_OK) {
            code = cloud_doubt_words(pod);
        }
        cloud_take(r, &c);
    }
    return code;
}

/* --- params --------------------------------------------------------------------------------- */

/* The row of the word with the text, or 0; the word is a parameter's name. */
static int64_t mark_param(const cloud_pod *pod, ts_text text)
{
    int64_t id = find_word(pod, text);
    cloud_word *w = id < 0 ? NULL : cloud_word_of(pod, (uint32_t)id);
    if (w == NULL) {
        return 0;
    }
    w->param = true;
    return pod->words_doubted ? 0 : w->row;
}

static ts_code param_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string name = cloud_text(c);
    uint8_t is_index = cloud_u8(c);
    uint8_t is_list = cloud_u8(c);
    int32_t order = (int32_t)cloud_varint(c);
    cloud_string signature = cloud_text(c);
    ts_row_cloud_param row = {
        .source_id = pod->source_id,
        .is_index = is_index == 1,
        .is_list = is_list == 1,
        .sort_order = order,
    };
    ts_code code;
    (void)offset;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if ((code = cloud_utf8(pod->ctx, &pod->text, name)) != TS_OK ||
        (code = cloud_utf8(pod->ctx, &pod->more, signature)) != TS_OK) {
        return code;
    }
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_param) + 1;
    row.name = ts_buf_text(&pod->text);
    row.signature = ts_buf_text(&pod->more);
    row.dictionary_id = mark_param(pod, row.name);
    if (row.dictionary_id == 0) {
        TS_SET_NULL(cloud_param, &row, dictionary_id);
    }
    cloud_count(pod, CLOUD_N_PARAMS);
    return ts_put_cloud_param(pod->sink, &row);
}

ts_code cloud_params_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
    ts_code code = cloud_need(r, 5);
    bool framed;
    if (code != TS_OK) {
        return code;
    }
    if (r->n == r->at) {
        return cloud_no_header(pod, 1);
    }
    framed = r->buf[r->at] == 0;
    if (framed && r->n - r->at < 5) {
        return cloud_no_header(pod, 5);
    }
    if ((code = cloud_fact(pod, "version", r->buf[r->at + (framed ? 4 : 0)])) != TS_OK || framed) {
        return code != TS_OK
                   ? code
                   : cloud_phrases(pod, param_record, 1, CLOUD_N_PARAMS, false, "a parameter");
    }
    r->at++;
    pod->kept = 1;
    return cloud_records(pod, param_record, CLOUD_N_PARAMS, "a parameter");
}
