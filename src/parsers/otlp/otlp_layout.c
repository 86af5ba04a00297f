/*
 * Which layout a message has. Nothing in it says so: facts are looked for in the order of their
 * certainty, in profiles that are whole. Only 1.9 and 1.10 have equal profiles; their samples have
 * other fields 2, 3 and 4.
 */
#include "parsers/otlp/otlp.h"

#include "parsers/proto_kind.h"

enum { SEEN_FIELDS = 24 };

/* Which fields a kind of message has, and with which wire types. */
typedef struct seen {
    uint8_t types[SEEN_FIELDS]; /* a bit for each wire type */
    bool twice[SEEN_FIELDS];    /* in one message */
} seen;

typedef struct facts {
    bool top[SEEN_FIELDS];
    bool tables_at_top;  /* field 2 of the top is a mapping */
    bool texts, numbers; /* entries of table 6 of the dictionary begin with one */
    bool stacks;         /* those of table 7 are stacks */
    size_t attributes;
    seen profile;
    bool comments; /* field 7 of a profile is no id */
    /* Of samples. */
    bool is_1_9, is_1_10;
    bool values, times; /* some sample has fields 2, 5 */
    bool unequal;       /* in some their numbers differ */
    bool beyond;        /* some number in 2 is no index of an attribute */
} facts;

static bool has(const seen *s, unsigned number, ts_wire_type type)
{
    return (s->types[number] >> type & 1) != 0;
}

static void note(seen *s, bool *now, const ts_wire_field *f)
{
    if (f->number < SEEN_FIELDS) {
        s->types[f->number] |= (uint8_t)(1U << f->type);
        s->twice[f->number] = s->twice[f->number] || now[f->number];
        now[f->number] = true;
    }
}

/* Is it made of fields with bytes only, and has it some? A mapping has numbers. */
static bool has_only_bytes(const ts_wire_field *message)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next_part(&f, &w)) {
        if (f.type != TS_WIRE_BYTES) {
            return false;
        }
    }
    return message->n > 0;
}

/* The entries of a dictionary that tell. */
static void look_at_dictionary(facts *found, const ts_wire_field *dictionary)
{
    ts_wire w;
    ts_wire inner;
    ts_wire_field f;
    ts_wire_field g;
    ts_wire_init(&w, dictionary->p, dictionary->n);
    while (ts_wire_next_part(&f, &w)) {
        bool one = false;
        bool two = false;
        bool bytes = false;
        if (f.type != TS_WIRE_BYTES || (f.number != 6 && f.number != 7)) {
            continue;
        }
        found->attributes += f.number == 6 ? 1 : 0;
        ts_wire_init(&inner, f.p, f.n);
        while (ts_wire_next(&g, &inner)) {
            bytes = bytes || (g.number == 1 && g.type == TS_WIRE_BYTES);
            one = one || (g.number == 1 && g.type == TS_WIRE_VARINT);
            two = two || g.number == 2;
        }
        if (f.number == 6) {
            found->texts = found->texts || bytes;
            found->numbers = found->numbers || one;
        } else {
            found->stacks = found->stacks || bytes || (one && !two);
        }
    }
}

/* --- samples -------------------------------------------------------------------------------- */

static size_t count_packed(bool *beyond, const ts_wire_field *f, size_t limit)
{
    ts_wire w;
    uint64_t v;
    size_t n = 0;
    if (f->type != TS_WIRE_BYTES) {
        *beyond = *beyond || f->value >= limit;
        return 1;
    }
    ts_wire_init(&w, f->p, f->n);
    for (; ts_wire_packed(&v, &w); n++) {
        *beyond = *beyond || v >= limit;
    }
    return n;
}

static void look_at_sample(facts *found, const ts_wire_field *sample)
{
    ts_wire w;
    ts_wire_field f;
    size_t two = 0;
    size_t five = 0;
    ts_wire_init(&w, sample->p, sample->n);
    while (ts_wire_next(&f, &w)) {
        bool bytes = f.type == TS_WIRE_BYTES;
        if (f.number == 2) {
            two += count_packed(&found->beyond, &f, found->attributes);
        } else if (f.number == 5) {
            five += bytes ? f.n / 8 : 1;
        } else if (f.number == 4 && !found->is_1_9) {
            found->is_1_10 = found->is_1_10 || bytes;
            found->is_1_9 = !bytes && !found->is_1_10;
        } else if (f.number == 3 && !found->is_1_10) {
            found->is_1_9 = found->is_1_9 || bytes;
            found->is_1_10 = !bytes && !found->is_1_9;
        }
    }
    found->values = found->values || two > 0;
    found->times = found->times || five > 0;
    found->unequal = found->unequal || two != five;
}

/* --- profiles ------------------------------------------------------------------------------- */

static void look_at_profile(facts *found, const ts_wire_field *profile, bool samples)
{
    ts_wire w;
    ts_wire_field f;
    bool now[SEEN_FIELDS] = {false};
    ts_wire_init(&w, profile->p, profile->n);
    while (ts_wire_next(&f, &w)) {
        if (!samples) {
            note(&found->profile, now, &f);
            found->comments =
                found->comments ||
                (f.number == 7 && (f.type != TS_WIRE_BYTES || (f.n != 0 && f.n != 16)));
        } else if (f.number == 2 && f.type == TS_WIRE_BYTES && !(found->is_1_9 || found->is_1_10)) {
            look_at_sample(found, &f);
        }
    }
}

/* All profiles that are whole, of all resources and scopes. */
static void look_at_profiles(facts *found, const uint8_t *p, size_t n, bool samples)
{
    ts_wire w[3];
    ts_wire_field f;
    unsigned level = 0;
    ts_wire_init(&w[0], p, n);
    for (;;) {
        if (!ts_wire_next_part(&f, &w[level])) {
            if (level == 0) {
                return;
            }
            level--;
            continue;
        }
        if (f.type != TS_WIRE_BYTES || f.number != (level == 0 ? 1 : 2)) {
            continue;
        }
        if (level < 2) {
            ts_wire_init(&w[++level], f.p, f.n);
        } else if (w[2].fault == TS_WIRE_OK) {
            look_at_profile(found, &f, samples);
        }
    }
}

static void look_at_top(facts *found, const uint8_t *p, size_t n)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, p, n);
    while (ts_wire_next_part(&f, &w)) {
        if (f.number >= SEEN_FIELDS || f.type != TS_WIRE_BYTES) {
            continue;
        }
        found->top[f.number] = true;
        if (f.number == 2 && has_only_bytes(&f)) {
            look_at_dictionary(found, &f);
        } else if (f.number == 2 && f.n > 0) {
            found->tables_at_top = true;
        }
    }
}

/* --- the decision ---------------------------------------------------------------------------- */

/* Since 1.8: which of the three. */
static otlp_layout of_new(bool *guessed, facts *found, const uint8_t *p, size_t n)
{
    const seen *profile = &found->profile;
    if (has(profile, 8, TS_WIRE_BYTES) || has(profile, 9, TS_WIRE_VARINT) ||
        profile->types[12] != 0) {
        return OTLP_1_8;
    }
    otlp_layout older = found->comments ? OTLP_1_8 : OTLP_1_9;
    look_at_profiles(found, p, n, true);
    if (found->is_1_9 || found->is_1_10) {
        return found->is_1_10 ? OTLP_1_10 : older;
    }
    if (found->values && (!found->times || (!found->unequal && found->beyond))) {
        return older;
    }
    *guessed = found->values && !found->unequal;
    return OTLP_1_10;
}

otlp_layout otlp_layout_of(bool *guessed, const uint8_t *p, size_t n)
{
    facts found = {0};
    const seen *profile = &found.profile;
    *guessed = false;
    look_at_top(&found, p, n);
    look_at_profiles(&found, p, n, false);
    if (found.tables_at_top || found.top[3] || found.top[4] || found.top[5] || found.top[6]) {
        return OTLP_1_6;
    }
    if (has(profile, 2, TS_WIRE_FIXED64)) { /* a container, whose 3 is a time as well */
        return OTLP_1_3;
    }
    if (has(profile, 3, TS_WIRE_FIXED64)) {
        return of_new(guessed, &found, p, n);
    }
    if (found.top[2]) {
        bool old = has(profile, 5, TS_WIRE_VARINT) || has(profile, 3, TS_WIRE_VARINT) ||
                   has(profile, 3, TS_WIRE_BYTES) || (found.texts && !found.numbers);
        return old && !found.stacks ? OTLP_1_7 : of_new(guessed, &found, p, n);
    }
    bool numbered = has(profile, 4, TS_WIRE_VARINT); /* 4 is the time, no location */
    return has(profile, 8, TS_WIRE_BYTES) && profile->types[10] == 0 && !numbered ? OTLP_1_3
           : numbered                                                             ? OTLP_1_6
           : profile->twice[10] || has(profile, 11, TS_WIRE_VARINT) ||
                   has(profile, 4, TS_WIRE_BYTES)
               ? OTLP_1_4
               : of_new(guessed, &found, p, n);
}
