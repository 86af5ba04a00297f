/*
 * What rows become in the messages of the viewer: BatchSphData has one SphData for each row, which
 * has one member, a message whose field k is column k. The types are the numbers by which the
 * viewer asks; several of them have the same member.
 */
#ifndef TS_WASM_PROTO_TYPES_H
#define TS_WASM_PROTO_TYPES_H

#include <stdint.h>

enum { PROTO_COLUMNS = 17 }; /* the most that a member has */

typedef struct proto_type {
    const char *name;    /* of the member */
    const char *columns; /* a letter each: i and l are numbers of 32 and 64 bits, s is a text */
    uint8_t member;      /* its number in SphData */
    const uint8_t *types;
    uint8_t count; /* of types */
} proto_type;

/* What the type is made of; NULL: the viewer has no such type. */
const proto_type *proto_type_of(uint32_t type);

#endif
