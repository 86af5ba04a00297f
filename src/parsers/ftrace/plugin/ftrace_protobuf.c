#include "parsers/ftrace/plugin/ftrace_protobuf.h"

#include "wire/wire.h"

#include <endian.h>
#include <string.h>

/* Fields of FtraceEvent. */
enum {
    FIELD_TIMESTAMP = 1,
    FIELD_TGID = 2,
    FIELD_COMM = 3,
    FIELD_COMMON = 50,
    FIELD_FIRST_KIND = 100
};
enum { COMMON_PID = 4 };

/* What a tag of one byte begins in an event's own message: one of these above, the slot below. */
enum {
    TAG_TEXT = FTRACE_WIDTH_TEXT << 4,
    TAG_INT32 = FTRACE_WIDTH_INT32 << 4,
    TAG_UINT32 = FTRACE_WIDTH_UINT32 << 4,
    TAG_INT64 = FTRACE_WIDTH_INT64 << 4,
    TAG_OTHER_NUMBER = 5 << 4, /* passed over, as the next */
    TAG_OTHER_BYTES = 6 << 4,
    TAG_OTHER_FIXED = 7 << 4,
    TAG_SLOT = (1 << 4) - 1
};

static void init_tags(uint8_t *tags, const ftrace_kind_info *info)
{
    for (unsigned number = 1; number < FTRACE_BODY_FIELDS; number++) {
        uint8_t *of_type = tags + (number << 3);
        of_type[TS_WIRE_VARINT] = TAG_OTHER_NUMBER;
        of_type[TS_WIRE_BYTES] = TAG_OTHER_BYTES;
        of_type[TS_WIRE_FIXED32] = of_type[TS_WIRE_FIXED64] = TAG_OTHER_FIXED;
    }
    for (unsigned i = 0; i < info->field_count; i++) {
        const ftrace_field_info *field = &info->fields[i];
        if (field->number > 0 && field->number < FTRACE_BODY_FIELDS) {
            uint8_t *of_type = tags + (field->number << 3);
            memset(of_type, 0, 1 << 3);
            of_type[field->is_text ? TS_WIRE_BYTES : TS_WIRE_VARINT] =
                (uint8_t)(field->width << 4 | field->slot);
        }
    }
}

void ftrace_protobuf_init(ftrace_protobuf *reader)
{
    for (unsigned kind = 0; kind < FTRACE_KINDS; kind++) {
        const ftrace_kind_info *info = &ftrace_kinds[kind];
        if (info->number > 0 && info->number < FTRACE_EVENT_FIELDS) {
            reader->kind_of[info->number] = (uint8_t)(kind + 1);
        }
        init_tags(reader->tags[kind], info);
    }
}

/* --- an event -------------------------------------------------------------------------------- */

/* The parts of an event as they stand in its message; of several the last counts. */
typedef struct event_parts {
    uint64_t ts;
    ts_wire_field body;
    unsigned kind; /* + 1; 0: none that is handled */
    bool odd;
} event_parts;

static bool read_common(ftrace_event *event, event_parts *parts, const ts_wire_field *common)
{
    ts_wire wire;
    ts_wire_field field;
    ts_wire_init(&wire, common->p, common->n);
    event->pid = 0;
    while (ts_wire_next(&field, &wire)) {
        if (field.number == COMMON_PID) {
            event->pid = (int32_t)(uint32_t)field.value;
            parts->odd |= field.type != TS_WIRE_VARINT;
        }
    }
    return wire.fault == TS_WIRE_OK;
}

/* The body of the last event that the message has. */
static inline void take_kind(event_parts *parts, const ftrace_protobuf *reader,
                             const ts_wire_field *field)
{
    parts->kind = field->number < FTRACE_EVENT_FIELDS ? reader->kind_of[field->number] : 0;
    parts->odd |= parts->kind != 0 && field->type != TS_WIRE_BYTES;
    parts->body = *field;
}

static bool read_parts(ftrace_event *event, event_parts *parts, const ftrace_protobuf *reader,
                       const uint8_t *p, size_t n)
{
    ts_wire wire;
    ts_wire_field field;
    ts_wire_init(&wire, p, n);
    while (ts_wire_next(&field, &wire)) {
        if (field.number >= FIELD_FIRST_KIND) {
            take_kind(parts, reader, &field);
            continue;
        }
        switch (field.number) {
        case FIELD_TIMESTAMP:
            parts->ts = field.value;
            parts->odd |= field.type != TS_WIRE_VARINT;
            break;
        case FIELD_TGID:
            event->tgid = (int32_t)(uint32_t)field.value;
            parts->odd |= field.type != TS_WIRE_VARINT;
            break;
        case FIELD_COMM:
            if (field.type == TS_WIRE_BYTES) {
                event->comm = (ts_text){(const char *)field.p, field.n};
            }
            parts->odd |= field.type != TS_WIRE_BYTES;
            break;
        case FIELD_COMMON:
            if (field.type == TS_WIRE_BYTES && !read_common(event, parts, &field)) {
                return false;
            }
            parts->odd |= field.type != TS_WIRE_BYTES;
            break;
        default:
            break;
        }
    }
    return wire.fault == TS_WIRE_OK;
}

static bool read_body(ftrace_event *event, event_parts *parts, const ftrace_protobuf *reader)
{
    const uint8_t *tags = reader->tags[event->kind];
    ts_wire wire;
    ts_wire_field field;
    ts_wire_init(&wire, parts->body.p, parts->body.n);
    while (ts_wire_next(&field, &wire)) {
        unsigned begins = field.number < FTRACE_BODY_FIELDS ? tags[field.number << 3 | field.type]
                                                            : TAG_OTHER_BYTES;
        unsigned slot = begins & TAG_SLOT;
        unsigned tag = begins - slot;
        parts->odd |= begins == 0;
        if (tag == TAG_TEXT) {
            event->text[slot] = (ts_text){(const char *)field.p, field.n};
            event->texts |= (uint8_t)(1U << slot);
        } else if (tag == TAG_INT32 || tag == TAG_UINT32 || tag == TAG_INT64) {
            event->number[slot] = tag == TAG_INT32    ? (int32_t)(uint32_t)field.value
                                  : tag == TAG_UINT32 ? (int64_t)(uint32_t)field.value
                                                      : (int64_t)field.value;
            event->numbers |= (uint8_t)(1U << slot);
        }
    }
    return wire.fault == TS_WIRE_OK;
}

/* --- an event as the kernel writes it -------------------------------------------------------- */

/*
 * Tags of which every event is made, each field at most once, lengths below 128, numbers of at most
 * 8 bytes: nearly all events. Words are read where numbers begin, and reach after the event.
 * False: it is not like that, or it is damaged; what was read is of no use.
 */
enum {
    TAG_TIMESTAMP = FIELD_TIMESTAMP << 3 | TS_WIRE_VARINT,
    TAG_TGID = FIELD_TGID << 3 | TS_WIRE_VARINT,
    TAG_COMM = FIELD_COMM << 3 | TS_WIRE_BYTES,
    TAG_COMMON = FIELD_COMMON << 3 | TS_WIRE_BYTES,
    TAG_COMMON_PID = COMMON_PID << 3 | TS_WIRE_VARINT,
    TAG_LOW = 0x7f, /* the first byte of a longer one, without its mark */
    TAG_MORE = 0x80
};

/* The seven low bits of each byte of a word, as one number. */
static inline uint64_t close_bits(uint64_t v)
{
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* 8 bytes can be read at p. After the number, or NULL. */
static inline const uint8_t *quick_number(uint64_t *out, const uint8_t *p)
{
    const uint64_t marks = UINT64_C(0x8080808080808080);
    uint64_t word;
    uint64_t ends;
    if (*p < 0x80) {
        *out = *p;
        return p + 1;
    }
    if (p[1] < 0x80) {
        *out = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    memcpy(&word, p, sizeof word);
    word = le64toh(word);
    ends = ~word & marks;
    if (ends == 0) {
        return NULL;
    }
    *out = close_bits(word & (ends ^ (ends - 1)) & ~marks);
    return p + (unsigned)__builtin_ctzll(ends) / 8 + 1;
}

/* p is at the length. After the bytes, or NULL. */
static inline const uint8_t *quick_bytes(ts_text *out, const uint8_t *p, const uint8_t *end)
{
    size_t n = *p++;
    if (n >= 0x80 || p > end || n > (size_t)(end - p)) {
        return NULL;
    }
    *out = (ts_text){(const char *)p, n};
    return p + n;
}

static inline bool quick_common(ftrace_event *event, ts_text bytes)
{
    const uint8_t *p = (const uint8_t *)bytes.p;
    const uint8_t *end = p + bytes.n;
    uint64_t value = 0;
    while (p != NULL && p < end) {
        uint8_t tag = *p++;
        if (tag < (1 << 3) || tag >= TAG_MORE || (tag & 7) != TS_WIRE_VARINT) {
            return false;
        }
        p = quick_number(&value, p);
        if (tag == TAG_COMMON_PID) {
            event->pid = (int32_t)(uint32_t)value;
        }
    }
    return p == end;
}

static inline bool quick_body(ftrace_event *event, const uint8_t *tags, ts_text bytes)
{
    const uint8_t *p = (const uint8_t *)bytes.p;
    const uint8_t *end = p + bytes.n;
    while (p != NULL && p < end) {
        unsigned begins = *p < TAG_MORE ? tags[*p] : 0;
        unsigned slot = begins & TAG_SLOT;
        uint64_t value = 0;
        ts_text text;
        p++;
        switch (begins & ~(unsigned)TAG_SLOT) {
        case TAG_TEXT:
            p = quick_bytes(&event->text[slot], p, end);
            event->texts |= (uint8_t)(1U << slot);
            break;
        case TAG_INT32:
            p = quick_number(&value, p);
            event->number[slot] = (int32_t)(uint32_t)value;
            event->numbers |= (uint8_t)(1U << slot);
            break;
        case TAG_UINT32:
            p = quick_number(&value, p);
            event->number[slot] = (int64_t)(uint32_t)value;
            event->numbers |= (uint8_t)(1U << slot);
            break;
        case TAG_INT64:
            p = quick_number(&value, p);
            event->number[slot] = (int64_t)value;
            event->numbers |= (uint8_t)(1U << slot);
            break;
        case TAG_OTHER_NUMBER:
            p = quick_number(&value, p);
            break;
        case TAG_OTHER_BYTES:
            p = quick_bytes(&text, p, end);
            break;
        default:
            return false;
        }
    }
    return p == end;
}

/* A tag of two or three bytes, of which `low` is the first: after it and the part's bytes. */
static inline const uint8_t *quick_part(uint32_t *tag, ts_text *bytes, uint8_t low,
                                        const uint8_t *p, const uint8_t *end)
{
    *tag = (uint32_t)(low & TAG_LOW) | (uint32_t)(p[0] & TAG_LOW) << 7;
    if (p[0] >= TAG_MORE) {
        *tag |= (uint32_t)p[1] << 14;
        if (p[1] >= TAG_MORE) {
            return NULL;
        }
        p++;
    }
    return quick_bytes(bytes, p + 1, end);
}

static inline bool quick_event(ftrace_event *event, const ftrace_protobuf *reader, const uint8_t *p,
                               size_t n)
{
    const uint8_t *end = p + n;
    unsigned kind = 0;
    uint64_t value = 0;
    uint32_t tag;
    ts_text bytes;
    while (p != NULL && p < end) {
        uint8_t low = *p++;
        if (low >= TAG_MORE) {
            p = quick_part(&tag, &bytes, low, p, end);
            if (p != NULL && tag == TAG_COMMON) {
                event->pid = 0;
                if (!quick_common(event, bytes)) {
                    return false;
                }
                continue;
            }
            if (p == NULL || kind != 0 || (tag & 7) != TS_WIRE_BYTES ||
                tag >> 3 < FIELD_FIRST_KIND || tag >> 3 >= FTRACE_EVENT_FIELDS ||
                (kind = reader->kind_of[tag >> 3]) == 0 ||
                !quick_body(event, reader->tags[kind - 1], bytes)) {
                return false;
            }
            event->kind = (uint16_t)(kind - 1);
        } else if (low == TAG_TIMESTAMP) {
            p = quick_number(&value, p);
            event->ts = (int64_t)value; /* of at most 56 bits */
        } else if (low == TAG_TGID) {
            p = quick_number(&value, p);
            event->tgid = (int32_t)(uint32_t)value;
        } else if (low == TAG_COMM) {
            p = quick_bytes(&event->comm, p, end);
        } else {
            return false;
        }
    }
    return p == end && kind != 0;
}

static inline void begin_event(ftrace_event *event, uint32_t cpu)
{
    ftrace_event_clear(event);
    event->cpu = cpu;
    event->reader = FTRACE_FROM_PROTOBUF;
}

ftrace_found ftrace_protobuf_event(ftrace_event *event, const ftrace_protobuf *reader, uint32_t cpu,
                                   const uint8_t *p, size_t n, size_t room)
{
    event_parts parts = {0};
    begin_event(event, cpu);
    if (room - n >= FTRACE_PROTOBUF_SLACK && quick_event(event, reader, p, n)) {
        return FTRACE_FOUND_EVENT;
    }
    begin_event(event, cpu);
    if (!read_parts(event, &parts, reader, p, n)) {
        return FTRACE_FOUND_DAMAGE;
    }
    if (parts.kind == 0) {
        return FTRACE_FOUND_OTHER;
    }
    event->kind = (uint16_t)(parts.kind - 1);
    event->ts = (int64_t)parts.ts;
    if (parts.body.type == TS_WIRE_BYTES && !read_body(event, &parts, reader)) {
        return FTRACE_FOUND_DAMAGE;
    }
    return parts.odd              ? FTRACE_FOUND_ODD
           : parts.ts > INT64_MAX ? FTRACE_FOUND_UNTIMED
                                  : FTRACE_FOUND_EVENT;
}
