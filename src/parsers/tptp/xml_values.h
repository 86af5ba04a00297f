/* Names and values of the XML form (docs/formats.md, "TPTP traces"). */
#ifndef TS_PARSERS_TPTP_XML_VALUES_H
#define TS_PARSERS_TPTP_XML_VALUES_H

#include "base/hash.h"
#include "parsers/tptp/record.h"

#include <stdbool.h>

/* What an element is. */
typedef enum tptp_element {
    TPTP_EL_UNKNOWN,
    TPTP_EL_ROOT,
    TPTP_EL_EVENT, /* of a kind below TPTP_KINDS */
    TPTP_EL_OTHER, /* an event that only XML has */
    TPTP_EL_ANNOTATION,
    TPTP_EL_VALUE /* of an annotation; elsewhere it is TPTP_EL_OTHER */
} tptp_element;

typedef struct tptp_name {
    const char *name; /* compared without case */
    uint8_t what;     /* tptp_element, or TPTP_ATTR_... */
    uint8_t slot;     /* tptp_kind, tptp_number or tptp_text_slot */
} tptp_name;

/* How an attribute is read. */
enum { TPTP_ATTR_TEXT, TPTP_ATTR_NUMBER, TPTP_ATTR_FLAG, TPTP_ATTR_SECONDS };

enum { TPTP_NAME_SLOTS = 512, TPTP_NAME_HINTS = 256 };

/* Names by their hash; filled once. */
typedef struct tptp_names {
    ts_hash_key key;
    const tptp_name *elements[TPTP_NAME_SLOTS];
    const tptp_name *attributes[TPTP_NAME_SLOTS];
    /* What was found last for names of a length with certain letters: mostly what is looked for. */
    const tptp_name *element_hints[TPTP_NAME_HINTS];
    const tptp_name *attribute_hints[TPTP_NAME_HINTS];
} tptp_names;

void tptp_names_init(tptp_names *names, const ts_hash_key *key);
/* NULL when the name is not known. */
const tptp_name *tptp_element_of(tptp_names *names, const char *p, size_t n);
const tptp_name *tptp_attribute_of(tptp_names *names, const char *p, size_t n);

/* Sets a slot of the record. */
void tptp_set_attribute(tptp_record *r, const tptp_name *name, const char *value);

/* False when it is no number or does not fit. */
bool tptp_parse_number(int64_t *v, const char *p);
/* Decimal seconds as ns: "1171278546.933593750". */
bool tptp_parse_seconds(int64_t *ns, const char *p);

/* Does `text` contain `word`, which is in lower case? Without case. */
bool tptp_has_word(const char *text, const char *word);

#endif
