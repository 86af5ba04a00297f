/*
 * Reading JSON by a table: which members of which objects matter, what they are, and where a number
 * goes. Levels that are in no table are passed over. The table's user sees where known objects and
 * lists begin and end, and everything that is not what the table says.
 *
 * A place is a kind of object or list; place 0 is around the document. An object's members have a
 * line each, a list one line for its elements, or one for each kind of them. The lines of a place
 * follow each other, that of elements first.
 *
 * Two readers have a handler of their own (json.h), since they take all that comes, whatever its
 * name: an event of OpenHarmony is held as a tree of values, whose members go out in the order of
 * their keys (htrace/plugins/hisysevent), the event file of a Datakit upload becomes one value for
 * each path (parsers/datakit/event.c). A table would have one line for everything.
 */
#ifndef TS_JSON_JSON_FIELDS_H
#define TS_JSON_JSON_FIELDS_H

#include "base/buf.h"
#include "json/json.h"

/* What a value may be; several may be right. */
enum {
    TS_JSON_OBJECT = 1,
    TS_JSON_LIST = 2,
    TS_JSON_INT = 4,       /* an integer, into an int64_t */
    TS_JSON_INT32 = 8,     /* the same, into an int32_t */
    TS_JSON_SIZE = 16,     /* the same, into an int64_t, and not negative */
    TS_JSON_NUMBER = 32,   /* any number, by a call */
    TS_JSON_TEXT = 64,     /* by calls */
    TS_JSON_LITERAL = 128, /* by a call */
    TS_JSON_ANY = 256      /* any value, which is passed over; a call says that it has ended */
};

typedef struct ts_json_field {
    uint8_t at;      /* the place that has it */
    uint16_t kinds;  /* 0: none is right */
    uint8_t to;      /* object, list: its place */
    bool ints;       /* list: integers come in batches */
    const char *key; /* NULL: elements of a list; "*", after all others: any, which is kept */
    uint16_t offset; /* int: in what `target` gives */
    uint32_t flag;   /* int: set in its flags when it was read */
} ts_json_field;

/* Calls get the user; NULL where the table does not need them. */
typedef struct ts_json_table {
    const ts_json_field *fields;
    size_t count;
    bool all_texts; /* `text` gets those of other values too */
    /* Before a known object or list is entered; *take false: it is passed over as an odd one. */
    ts_code (*begin)(void *user, bool *take, unsigned place);
    ts_code (*end)(void *user, unsigned place); /* it was left */
    /* Where the numbers of the present place are, and their flags. */
    void *(*target)(uint32_t **flags, void *user);
    ts_code (*number)(void *user, const ts_json_number *number);
    ts_code (*text)(void *user, const char *p, size_t n, unsigned flags); /* as ts_json_handler */
    ts_code (*ints)(void *user, const int64_t *v, size_t n);
    ts_code (*literal)(void *user, ts_json_kind kind);
    ts_code (*key)(void *user); /* a key of the table was read */
    ts_code (*passed)(void *user);
    /* A value, after its last piece, that is none of the field's kinds: it is of this one, which
     * may be TS_JSON_LITERAL. */
    ts_code (*odd)(void *user, unsigned kind);
} ts_json_table;

/* A key that was found in its place. */
typedef struct ts_json_known {
    const ts_json_field *field; /* NULL: none */
    size_t n;                   /* bytes of its key */
} ts_json_known;

enum { TS_JSON_KNOWN = 64 };

/* Where the reader is. Zero-initialise but for the first three, and begin. */
typedef struct ts_json_place {
    const ts_json_table *table;
    void *user;
    ts_ctx *ctx;
    unsigned at;
    const ts_json_field *first; /* line of the place */
    const ts_json_field *field; /* of the value that comes; NULL: it is not known */
    const ts_json_field *last;  /* of the key that was read last, whatever has ended after it */
    uint64_t skip;              /* open levels that are passed over */
    ts_buf key;                 /* for "*" */
    ts_buf around;              /* the places around this one */
    ts_json_known known[TS_JSON_KNOWN]; /* by place, length, and the ends of the key */
} ts_json_place;

/* For ts_json_new, whose user is the ts_json_place. */
extern const ts_json_handler ts_json_by_table;

/* A document begins. */
void ts_json_place_begin(ts_json_place *r);
void ts_json_place_free(ts_json_place *r);

#endif
