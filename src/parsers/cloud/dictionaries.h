/*
 * Words of a pod: the dictionaries (dictionaries.c), signatures of methods among the words
 * (signature.c). Streams dictionary, posDictionary and callsDictionary: docs/formats.md, "Cloud
 * Profiler".
 *
 * Kept: 24 bytes a word and its text, 32 more where ids are far apart. cloud_words belongs to the
 * pod from cloud_words_open to cloud_words_close; only dictionaries.c and the inline functions here
 * touch its fields.
 */
#ifndef TS_PARSERS_CLOUD_WORDS_H
#define TS_PARSERS_CLOUD_WORDS_H

#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "parsers/cloud/reader.h"
#include "parsers/format.h"

typedef struct cloud_pod cloud_pod;

typedef struct cloud_word {
    int64_t row;    /* id in cloud_dictionary; 0: not defined */
    int64_t method; /* id in stack_method; 0: not needed so far */
    uint32_t text;  /* number in cloud_words.texts */
    bool signature; /* of a method: no tag has this name */
    bool param;     /* a parameter's name: no method has it */
} cloud_word;

/* A word whose id is far from the others. */
typedef struct cloud_far_word {
    uint32_t id;
    cloud_word word;
} cloud_far_word;

/* Words that have a meaning here. */
typedef enum cloud_known_word {
    CLOUD_WORD_CALL_INFO, /* a tag just before the end of each root */
    CLOUD_WORD_JAVA_THREAD,
    CLOUD_WORD_STARTED, /* a tag at the end of roots that have a record in calls */
    CLOUD_WORD_NODE_NAME,
    CLOUD_WORD_AMOUNTS, /* and after it, in the order of cloud_amount_kind */
    CLOUD_KNOWN_WORDS = CLOUD_WORD_AMOUNTS + 5
} cloud_known_word;

typedef struct cloud_words {
    ts_vec list; /* cloud_word, by id */
    ts_vec far;  /* cloud_far_word, of ids that are not in list */
    ts_idmap far_ids;
    uint32_t count;    /* that are defined */
    uint32_t end;      /* above the largest id */
    uint32_t *by_text; /* by number in texts: id + 1 of the first such word */
    ts_pool texts;
    bool lost;                        /* the recording has more words than those */
    bool doubted;                     /* which of them are right is not known: none is used */
    int64_t first_row;                /* cloud_dictionary had so many rows before */
    int64_t first_method;             /* likewise stack_method */
    uint32_t next_id;                 /* of the next word in a dictionary without ids */
    int64_t known[CLOUD_KNOWN_WORDS]; /* ids; -1: not in the dictionary */
    ts_buf signature;                 /* scratch */
} cloud_words;

void cloud_words_open(cloud_pod *pod);
void cloud_words_close(cloud_pod *pod);

ts_code cloud_dictionary_import(cloud_pod *pod);

/* The dictionary of calls repeats words: one that contradicts makes all doubtful. */
ts_code cloud_calls_words_check(cloud_pod *pod);

/* All dictionaries were read. */
ts_code cloud_dictionary_end(cloud_pod *pod);

/* The compression around the dictionary shows that something in it is wrong, but not what: its
 * words become NULL, and no row refers to them from now on. */
ts_code cloud_doubt_words(cloud_pod *pod);

/* The row of stack_method of a word, made when new. */
ts_code cloud_method(int64_t *id, cloud_pod *pod, uint32_t word);

/* The row of the word with the text, or 0; the word is a parameter's name from now on. */
int64_t cloud_word_mark_param(cloud_words *words, ts_text text);

/* A tag or a parameter has a number that the dictionary lacks. */
ts_code cloud_no_word(cloud_pod *pod, const char *what, uint32_t word);

/* Damage may have taken words of the dictionary. */
static inline void cloud_words_set_lost(cloud_words *words)
{
    words->lost = true;
}

/* The word with this id among those that are far from the others, or NULL. */
cloud_word *cloud_far_word_of(const cloud_words *words, uint32_t id);

/* The word with this id, or NULL. */
static inline cloud_word *cloud_word_of(const cloud_words *words, uint32_t id)
{
    if (id < words->list.n && ((cloud_word *)words->list.p)[id].row != 0) {
        return (cloud_word *)words->list.p + id;
    }
    return words->far.n == 0 ? NULL : cloud_far_word_of(words, id);
}

/* id in cloud_dictionary, or 0. */
static inline int64_t cloud_word_row(const cloud_words *words, uint32_t word)
{
    const cloud_word *w = cloud_word_of(words, word);
    return w == NULL || words->doubted ? 0 : w->row;
}

/* id in stack_method of a word that is among the dense ones and has one, or 0. */
static inline int64_t cloud_word_method(const cloud_words *words, uint32_t word)
{
    return word < words->list.n ? ((const cloud_word *)words->list.p)[word].method : 0;
}

static inline bool cloud_word_is(const cloud_words *words, uint32_t word, cloud_known_word which)
{
    return words->known[which] == (int64_t)word;
}

/* No id from this one on has a word. UINT64_MAX: not known, since words were lost. */
static inline uint64_t cloud_words_end(const cloud_words *words)
{
    return words->lost ? UINT64_MAX : words->end;
}

/* --- signatures (signature.c) --------------------------------------------------------------- */

/*
 * Parses <type> <class>.<method>(<types>) (<file>:<line>) [<jar>], of which everything after
 * the types may be missing or cut. *is: false when the word is no such signature. Texts of *m point
 * into the word and into `signature`.
 */
ts_code cloud_signature_parse(bool *is, ts_method *m, ts_buf *signature, ts_ctx *ctx, ts_text word);

#endif
