/* Dictionaries. A word that is the signature of a method becomes a row of stack_method. */
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
        code = cloud_signature_parse(&is_signature, &m, &pod->words.signature, pod->ctx, text);
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

void cloud_words_open(cloud_pod *pod)
{
    pod->words.first_row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary);
    pod->words.first_method = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_method);
}

void cloud_words_close(cloud_pod *pod)
{
    cloud_words *words = &pod->words;
    ts_vec_free(pod->ctx, &words->list);
    ts_vec_free(pod->ctx, &words->far);
    ts_idmap_free(pod->ctx, &words->far_ids);
    ts_free(pod->ctx, words->by_text);
    ts_pool_free(pod->ctx, &words->texts);
    ts_buf_free(pod->ctx, &words->signature);
}

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
    ts_code code;
    TS_TRY(code, cloud_utf8(pod->ctx, &pod->text, s));
    TS_TRY(code,
           ts_pool_intern(pod->ctx, &w.text, NULL, &pod->words.texts, ts_buf_text(&pod->text)));
    row.word = ts_pool_text(&pod->words.texts, w.text);
    TS_TRY(code,
           cloud_signature_parse(&w.signature, &m, &pod->words.signature, pod->ctx, row.word));
    if (w.signature) {
        TS_TRY(code, ts_stack_method(&w.method, pod->store, pod->source_id, &m));
        row.method_id = w.method;
    } else {
        TS_SET_NULL(cloud_dictionary, &row, method_id);
    }
    w.row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary) + 1;
    row.id = w.row;
    TS_TRY(code, set_word(pod, id, w));
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
    if (c->got == CLOUD_GOT) {
        code = check_again(pod, c, s);
    }
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
    cloud_reader *r = cloud_stream_reader(&pod->stream);
    bool pos = cloud_stream_kind(&pod->stream) == CLOUD_POS_DICTIONARY;
    cloud_record record = pos ? pos_word_record : word_record;
    bool framed;
    ts_code code;
    TS_TRY(code, cloud_need(r, 4));
    if (r->n == r->at) {
        return cloud_no_header(pod, 1);
    }
    framed = pos ? !pod->agent : r->buf[r->at] == 0; /* no word is empty */
    code = framed ? cloud_phrases(pod, record, 0, CLOUD_N_WORDS, !pos, "a word")
                  : cloud_records(pod, record, CLOUD_N_WORDS, "a word");
    pod->words.lost = pod->words.lost || cloud_stream_is_damaged(&pod->stream);
    return code;
}

/* The id of the first word with this text, or -1. */
static int64_t find_word(const cloud_words *words, ts_text text)
{
    uint32_t number;
    if (!ts_pool_find(&number, &words->texts, text)) {
        return -1;
    }
    return (int64_t)words->by_text[number] - 1;
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
    ts_code code;
    TS_TRY(code, index_texts(pod));
    words->lost = words->lost || words->count == 0;
    for (int i = 0; i < CLOUD_KNOWN_WORDS; i++) {
        words->known[i] = find_word(words, ts_text_of(known[i]));
    }
    return TS_OK;
}

int64_t cloud_word_mark_param(cloud_words *words, ts_text text)
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
    if (words > pod->words.first_row) {
        code = ts_sink_invalidate(pod->sink, TS_T_cloud_dictionary, pod->words.first_row + 1, words,
                                  TS_NULL_BIT(cloud_dictionary, word_id) |
                                      TS_NULL_BIT(cloud_dictionary, method_id));
    }
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
    cloud_reader *r = cloud_stream_reader(&pod->stream);
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
