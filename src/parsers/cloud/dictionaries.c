/* Dictionaries, and the parameters among their words. A word that is the signature of a method
 * becomes a row of stack_method. */
#include "parsers/cloud/pod.h"

#include "base/alloc.h"

#include <string.h>

/*
 * Ids are dense, and words are at theirs: below DENSE_IDS, and in all that are not more than
 * DENSE_TIMES as many as there are words. Others have slots. An id far beyond those before it is
 * damage.
 */
enum { MAX_WORDS = 1 << 22 }; /* of a pod */
enum { DENSE_IDS = 1 << 16, DENSE_TIMES = 4, MAX_ID_GAP = 1 << 20 };
enum { SHIFTED_UNITS = 3 };

/* --- signatures of methods among the words -------------------------------------------------- */

enum { MAX_LINE_DIGITS = 9 };

/* The part before `stop` (or all), and the rest after it. False when `stop` is not there. */
static bool split_text(ts_text *before, ts_text *rest, ts_text t, const char *stop)
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
 * Parses <type> <class>.<method>(<types>) (<file>:<line>) [<jar>], of which everything after
 * the types may be missing or cut. *is: false when the word is no such signature. Texts of *m point
 * into the word and into `signature`.
 */
static ts_code parse_signature(bool *is, ts_method *m, ts_buf *signature, ts_ctx *ctx, ts_text word)
{
    ts_text type;
    ts_text path;
    ts_text types;
    ts_text rest;
    ts_text part;
    const char *dot;
    ts_code code;
    *is = false;
    if (!split_text(&path, &rest, word, "(") || !split_text(&types, &rest, rest, ")") ||
        !split_text(&type, &path, path, " ") || type.n == 0 ||
        memchr(path.p, ' ', path.n) != NULL ||
        (dot = path.n == 0 ? NULL : memrchr(path.p, '.', path.n)) == NULL || dot == path.p ||
        dot + 1 == path.p + path.n) {
        return TS_OK;
    }
    *is = true;
    m->cls = (ts_text){path.p, (size_t)(dot - path.p)};
    m->name = (ts_text){dot + 1, path.n - m->cls.n - 1};
    signature->n = 0;
    code = ts_buf_printf(ctx, signature, "%.*s (%.*s)", (int)type.n, type.p, (int)types.n, types.p);
    m->signature = ts_buf_text(signature);
    if (rest.n > 2 && memcmp(rest.p, " (", 2) == 0 &&
        split_text(&part, &rest, (ts_text){rest.p + 2, rest.n - 2}, ")")) {
        take_source(m, part);
    }
    if (rest.n > 3 && memcmp(rest.p, " [", 2) == 0 && rest.p[rest.n - 1] == ']') {
        m->library = (ts_text){rest.p + 2, rest.n - 3};
    }
    return code;
}

/* --- words ---------------------------------------------------------------------------------- */

ts_code cloud_no_word(cloud_pod *pod, const char *what, uint32_t word)
{
    if (pod->words.doubted && cloud_word_of(&pod->words, word) != NULL) {
        return TS_OK; /* all words have an issue already */
    }
    return cloud_missing(pod, TS_ISSUE_cloud_word_missing, "words", "%s %u has no word", what,
                         word);
}

ts_code cloud_method(int64_t *id, cloud_pod *pod, uint32_t word)
{
    ts_method m = {.has_raw_id = true, .raw_id = word};
    cloud_word *w = cloud_word_of(&pod->words, word);
    bool is_signature;
    ts_code code = TS_OK;
    if (w != NULL && w->method != 0) {
        *id = w->method;
        return TS_OK;
    }
    if (w != NULL && !pod->words.doubted) {
        ts_text text = ts_pool_text(&pod->words.texts, w->text);
        code = parse_signature(&is_signature, &m, &pod->words.signature, pod->ctx, text);
        m.name = is_signature ? m.name : text;
    } else {
        m.name = TS_TEXT_NULL;
        code = cloud_no_word(pod, "method", word);
    }
    TS_STEP(code, ts_stack_method(id, pod->store, pod->source_id, &m));
    if (code == TS_OK && w != NULL) {
        w->method = *id;
    }
    return code;
}

/* --- dictionary ----------------------------------------------------------------------------- */

cloud_word *cloud_far_word_of(const cloud_words *words, uint32_t id)
{
    uint64_t number;
    return ts_idmap_find(&number, &words->far_ids, id)
               ? &((cloud_far_word *)words->far.p)[number].word
               : NULL;
}

static ts_code put_far(cloud_pod *pod, uint32_t id, cloud_word w)
{
    cloud_words *words = &pod->words;
    cloud_far_word *far = ts_vec_add(pod->ctx, &words->far, sizeof *far);
    TS_NEED(pod->ctx, far);
    *far = (cloud_far_word){id, w};
    return ts_idmap_put(pod->ctx, &words->far_ids, id, words->far.n - 1);
}

/* Makes the list reach the id; numbers that have no word yet get none. */
static ts_code reach(cloud_pod *pod, uint32_t id)
{
    while (pod->words.list.n <= id) {
        TS_NEED(pod->ctx, ts_vec_add(pod->ctx, &pod->words.list, sizeof(cloud_word)));
    }
    return TS_OK;
}

/* Lets the id stand for the word. */
static ts_code set_word(cloud_pod *pod, uint32_t id, cloud_word w)
{
    cloud_word *old = cloud_word_of(&pod->words, id);
    ts_code code;
    pod->words.end = id >= pod->words.end ? id + 1 : pod->words.end;
    if (old != NULL) {
        *old = w;
        return TS_OK;
    }
    pod->words.count++;
    if (id >= DENSE_IDS && id / DENSE_TIMES >= pod->words.count) {
        return put_far(pod, id, w);
    }
    if ((code = reach(pod, id)) == TS_OK) {
        ((cloud_word *)pod->words.list.p)[id] = w;
    }
    return code;
}

static ts_code put_word(cloud_pod *pod, uint32_t id, cloud_string s)
{
    ts_row_cloud_dictionary row = {.source_id = pod->source_id, .word_id = id};
    ts_method m = {.has_raw_id = true, .raw_id = id};
    cloud_word w = {0};
    TS_TRY(cloud_utf8(pod->ctx, &pod->text, s));
    TS_TRY(ts_pool_intern(pod->ctx, &w.text, NULL, &pod->words.texts, ts_buf_text(&pod->text)));
    row.word = ts_pool_text(&pod->words.texts, w.text);
    TS_TRY(parse_signature(&w.signature, &m, &pod->words.signature, pod->ctx, row.word));
    if (w.signature) {
        TS_TRY(ts_stack_method(&w.method, pod->store, pod->source_id, &m));
        row.method_id = w.method;
    } else {
        TS_SET_NULL(cloud_dictionary, &row, method_id);
    }
    w.row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary) + 1;
    row.id = w.row;
    TS_TRY(set_word(pod, id, w));
    cloud_count(pod, CLOUD_N_WORDS);
    return ts_put_cloud_dictionary(pod->sink, &row);
}

/*
 * Why this word is invalid, or NULL: it has control characters, or ASCII that was read one
 * byte too early or too late, which is U+2000, U+2100, ... U+7E00. A few of those one after the
 * other are invalid.
 */
static const char *invalid_word(cloud_string s)
{
    unsigned shifted = 0;
    for (size_t i = 0; i < s.units; i++) {
        uint8_t high = s.p[2 * i];
        uint8_t low = s.p[2 * i + 1];
        shifted = low == 0 && high >= ' ' && high < 0x7f ? shifted + 1 : 0;
        if ((high == 0 && (low < ' ' || low == 0x7f)) || shifted == SHIFTED_UNITS) {
            return "a word contains invalid characters";
        }
    }
    return NULL;
}

/* The limit of what is kept in memory, and invalid words. */
static void check_word(cloud_pod *pod, cloud_cursor *c, cloud_string s)
{
    const char *why = c->got == CLOUD_GOT ? invalid_word(s) : NULL;
    if (why != NULL) {
        cloud_reject_record(&pod->stream, c, why);
    }
    if (c->got == CLOUD_GOT && pod->words.count >= MAX_WORDS) {
        cloud_reject_record(&pod->stream, c, "a dictionary has more than 4194304 words");
    }
}

/* Was this word in the dictionary before? Each has one number. */
static ts_code check_again(cloud_pod *pod, cloud_cursor *c, cloud_string s)
{
    uint32_t number;
    ts_code code = cloud_utf8(pod->ctx, &pod->text, s);
    if (code == TS_OK && ts_pool_find(&number, &pod->words.texts, ts_buf_text(&pod->text))) {
        cloud_reject_record(&pod->stream, c, "a word has two numbers");
    }
    return code;
}

/* A word's number is how many words are before it, so that damage ends the dictionary. */
static ts_code word_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string s = cloud_text(c);
    ts_code code = TS_OK;
    (void)offset;
    check_word(pod, c, s);
    TS_STEP_IF(code, c->got == CLOUD_GOT, check_again(pod, c, s));
    if (c->got != CLOUD_GOT || code != TS_OK) {
        return code;
    }
    if ((code = put_word(pod, pod->words.next_id, s)) == TS_OK) {
        pod->words.next_id++;
    }
    return code;
}

static ts_code pos_word_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    uint32_t id = cloud_varint(c);
    cloud_string s = cloud_text(c);
    (void)offset;
    check_word(pod, c, s);
    if (c->got == CLOUD_GOT && (id > INT32_MAX || id > pod->words.end + MAX_ID_GAP)) {
        cloud_reject_record(&pod->stream, c, "a word's number is far beyond those before it");
    }
    return c->got != CLOUD_GOT ? TS_OK : put_word(pod, id, s);
}

ts_code cloud_dictionary_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->stream.reader;
    bool pos = pod->stream.file->kind == CLOUD_POS_DICTIONARY;
    cloud_record record = pos ? pos_word_record : word_record;
    bool framed;
    ts_code code;
    TS_TRY_INTO(code, cloud_need(r, 4));
    if (r->n == r->at) {
        return cloud_no_header(pod, 1);
    }
    framed = pos ? !pod->agent : r->buf[r->at] == 0; /* no word is empty */
    code = framed ? cloud_phrases(pod, record, 0, CLOUD_N_WORDS, !pos, "a word")
                  : cloud_records(pod, record, CLOUD_N_WORDS, "a word");
    pod->words.lost = pod->words.lost || pod->stream.damaged;
    return code;
}

/* The id of the first word with this text, or -1. */
static int64_t find_word(const cloud_words *words, ts_text text)
{
    uint32_t number;
    return !ts_pool_find(&number, &words->texts, text) ? -1 : (int64_t)words->by_text[number] - 1;
}

static void note_text(cloud_words *words, uint32_t id, const cloud_word *w)
{
    uint32_t *first = words->by_text + w->text;
    *first = *first == 0 || id < *first - 1 ? id + 1 : *first;
}

/* The first word of each text. A text that was replaced everywhere has none. */
static ts_code index_texts(cloud_pod *pod)
{
    cloud_words *words = &pod->words;
    const cloud_word *list = words->list.p;
    const cloud_far_word *far = words->far.p;
    TS_NEED(pod->ctx,
            words->by_text = ts_zalloc(pod->ctx, words->texts.count, sizeof *words->by_text));
    for (size_t i = 0; i < words->list.n; i++) {
        if (list[i].row != 0) {
            note_text(words, (uint32_t)i, &list[i]);
        }
    }
    for (size_t i = 0; i < words->far.n; i++) {
        note_text(words, far[i].id, &far[i].word);
    }
    return TS_OK;
}

ts_code cloud_dictionary_end(cloud_pod *pod)
{
    static const char *const known[CLOUD_KNOWN_WORDS] = {
        [CLOUD_WORD_CALL_INFO] = "call.info",
        [CLOUD_WORD_JAVA_THREAD] = "java.thread",
        [CLOUD_WORD_STARTED] = "common.started",
        [CLOUD_WORD_NODE_NAME] = "node.name",
        [CLOUD_WORD_AMOUNTS + CLOUD_MEMORY] = "memory.allocated",
        [CLOUD_WORD_AMOUNTS + CLOUD_FILE_READ] = "io.disk.read",
        [CLOUD_WORD_AMOUNTS + CLOUD_FILE_WRITTEN] = "io.disk.written",
        [CLOUD_WORD_AMOUNTS + CLOUD_NET_READ] = "io.net.read",
        [CLOUD_WORD_AMOUNTS + CLOUD_NET_WRITTEN] = "io.net.written",
    };
    cloud_words *words = &pod->words;
    TS_TRY(index_texts(pod));
    words->lost = words->lost || words->count == 0;
    for (int i = 0; i < CLOUD_KNOWN_WORDS; i++) {
        words->known[i] = find_word(words, ts_text_of(known[i]));
    }
    return TS_OK;
}

/* The row of the word with the text, or 0; the word is a parameter's name from now on. */
static int64_t cloud_word_mark_param(cloud_words *words, ts_text text)
{
    int64_t id = find_word(words, text);
    cloud_word *w = id < 0 ? NULL : cloud_word_of(words, (uint32_t)id);
    if (w == NULL) {
        return 0;
    }
    w->param = true;
    return words->doubted ? 0 : w->row;
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
    pod->words.doubted = true;
    TS_STEP_IF(code, words > pod->words.first_row,
               ts_sink_invalidate(pod->sink, TS_T_cloud_dictionary, pod->words.first_row + 1, words,
                                  TS_NULL_BITS(cloud_dictionary, word_id, method_id)));
    return code != TS_OK || methods == pod->words.first_method
               ? code
               : ts_sink_invalidate(pod->sink, TS_T_stack_method, pod->words.first_method + 1,
                                    methods, NAME_COLUMNS);
}

/* --- the dictionary of calls ----------------------------------------------------------------- */

/* A word of the main dictionary, with its number. */
static bool agrees(cloud_pod *pod, uint32_t id, cloud_string text, ts_code *code)
{
    const cloud_word *w = cloud_word_of(&pod->words, id);
    ts_text known = w == NULL ? TS_TEXT_NULL : ts_pool_text(&pod->words.texts, w->text);
    *code = cloud_utf8(pod->ctx, &pod->text, text);
    return *code != TS_OK || w == NULL ||
           ts_text_equal(known, (ts_text){(const char *)pod->text.p, pod->text.n});
}

ts_code cloud_calls_words_check(cloud_pod *pod)
{
    cloud_reader *r = &pod->stream.reader;
    ts_code code = TS_OK;
    while (code == TS_OK && !pod->words.doubted && !pod->words.lost) {
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

/* --- names of parameters -------------------------------------------------------------------- */

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
    (void)offset;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    TS_TRY(cloud_utf8(pod->ctx, &pod->text, name));
    TS_TRY(cloud_utf8(pod->ctx, &pod->param_signature, signature));
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_param) + 1;
    row.name = ts_buf_text(&pod->text);
    row.signature = ts_buf_text(&pod->param_signature);
    row.dictionary_id = cloud_word_mark_param(&pod->words, row.name);
    TS_NULL_IF(row.dictionary_id == 0, cloud_param, &row, dictionary_id);
    cloud_count(pod, CLOUD_N_PARAMS);
    return ts_put_cloud_param(pod->sink, &row);
}

ts_code cloud_params_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->stream.reader;
    TS_TRY(cloud_need(r, 5));
    if (r->n == r->at) {
        return cloud_no_header(pod, 1);
    }
    bool framed = r->buf[r->at] == 0;
    if (framed && r->n - r->at < 5) {
        return cloud_no_header(pod, 5);
    }
    TS_TRY(cloud_fact(pod, "version", r->buf[r->at + (framed ? 4 : 0)]));
    if (framed) {
        return cloud_phrases(pod, param_record, 1, CLOUD_N_PARAMS, false, "a parameter");
    }
    r->at++;
    cloud_stream_keep(&pod->stream);
    return cloud_records(pod, param_record, CLOUD_N_PARAMS, "a parameter");
}

/* --- long texts of sql and xml -------------------------------------------------------------- */

static ts_code text_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string s = cloud_text(c);
    const cloud_stream *stream = &pod->stream;
    ts_row_cloud_text row = {
        .source_id = pod->source_id,
        .stream = stream->file->kind == CLOUD_SQL ? TS_TEXT_LIT("sql") : TS_TEXT_LIT("xml"),
        .file = stream->file->index,
        .offset = (int64_t)offset,
    };
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    TS_TRY(cloud_utf8(pod->ctx, &pod->text, s));
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_text) + 1;
    row.value = ts_buf_text(&pod->text);
    if (offset <= UINT32_MAX) { /* no reference reaches further */
        cloud_place *place = ts_vec_add(pod->ctx, &pod->texts.places, sizeof *place);
        TS_NEED(pod->ctx, place);
        *place = (cloud_place){(uint32_t)row.file, (uint32_t)offset, row.id};
    }
    cloud_count(pod, CLOUD_N_TEXTS);
    return ts_put_cloud_text(pod->sink, &row);
}

ts_code cloud_texts_import(cloud_pod *pod)
{
    return cloud_records(pod, text_record, CLOUD_N_TEXTS, "a text");
}

int64_t cloud_text_at(const cloud_texts *texts, cloud_kind kind, uint32_t file, uint32_t offset)
{
    const cloud_place *places = texts->places.p;
    size_t low = kind == CLOUD_SQL ? 0 : texts->xml_first;
    size_t end = kind == CLOUD_SQL ? texts->xml_first : texts->places.n;
    size_t high = end;
    CLOUD_BISECT(low, high, mid,
                 places[mid].file < file ||
                     (places[mid].file == file && places[mid].offset < offset))
    return low < end && places[low].file == file && places[low].offset == offset ? places[low].id
                                                                                 : 0;
}
