/* One message: its layout, its tables, and its profiles one after the other. */
#include "parsers/otlp/otlp.h"

#include <stdio.h>

/* --- profiles -------------------------------------------------------------------------------- */

static int64_t time_of(otlp *o, uint64_t v)
{
    o->profile.bad_time = o->profile.bad_time || v > INT64_MAX;
    return v > INT64_MAX ? TS_NO_TIME : (int64_t)v;
}

static ts_code read_type(bool *good, otlp_type *out, otlp *o, const ts_wire_field *type)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_TYPE, otlp_part_of(o, type));
    *out = (otlp_type){0};
    while (otlp_next(&f, &w)) {
        out->name = w.role == TYPE_NAME ? (int64_t)f.value : out->name;
        out->unit = w.role == TYPE_UNIT ? (int64_t)f.value : out->unit;
        out->temporality = w.role == TYPE_TEMPORALITY ? (int64_t)f.value : out->temporality;
    }
    *good = otlp_good(&w);
    return TS_OK;
}

/* Since 1.8 there is one kind of values; of a field that is there twice the last one counts. */
static ts_code add_type(bool *good, otlp *o, const ts_wire_field *f)
{
    otlp_type *type;
    if (o->layout >= OTLP_1_8) {
        o->types_read.n = 0;
    }
    TS_NEED(o->ctx, type = ts_vec_add(o->ctx, &o->types_read, sizeof *type));
    return read_type(good, type, o, f);
}

static void read_number(otlp *o, uint8_t role, uint64_t v)
{
    otlp_profile *p = &o->profile;
    switch (role) {
    case PROFILE_TIME:
        p->time = v == 0 ? TS_NO_TIME : time_of(o, v);
        break;
    case PROFILE_DURATION:
        p->duration = time_of(o, v);
        break;
    case PROFILE_PERIOD:
        p->period = (int64_t)v;
        p->has_period = true;
        break;
    case PROFILE_DEFAULT_TEXT:
        p->default_text = (int64_t)v;
        break;
    case PROFILE_DEFAULT_TYPE:
        p->default_type = (int64_t)v;
        break;
    case PROFILE_DROPPED:
        p->dropped = v;
        break;
    default:
        break;
    }
}

/* All fields of a profile but its samples. Tables that it has are its own. */
static ts_code read_profile_field(bool *good, otlp *o, const ts_wire_field *f, uint8_t role)
{
    otlp_profile *p = &o->profile;
    otlp_type period;
    ts_code code = TS_OK;
    if (role < OTLP_TABLES) {
        return otlp_tables_add(o, role, f);
    }
    switch (role) {
    case PROFILE_TYPE:
        return add_type(good, o, f);
    case PROFILE_PERIOD_TYPE:
        code = read_type(good, &period, o, f);
        p->period_type = period.name;
        p->period_unit = period.unit;
        return code;
    case PROFILE_LOCATIONS:
        return otlp_numbers(good, o, &o->locations, f, false);
    case PROFILE_ID:
        p->id = otlp_part_of(o, f);
        break;
    case PROFILE_FORMAT:
        p->format = otlp_part_of(o, f);
        break;
    case PROFILE_PAYLOAD:
        p->payload = otlp_part_of(o, f);
        break;
    default:
        if (f->type != TS_WIRE_BYTES) {
            read_number(o, role, f->value);
        }
    }
    return code;
}

static ts_code read_samples(otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter_again(o, OTLP_PROFILE, part);
    ts_code code = TS_OK;
    while (code == TS_OK && otlp_next(&f, &w)) {
        code = w.role == PROFILE_SAMPLE ? otlp_sample(o, otlp_part_of(o, &f)) : TS_OK;
    }
    TS_STEP(code, otlp_samples_flush(o));
    return code;
}

static ts_code put_facts(otlp *o, otlp_part part, otlp_message message);

static ts_code read_profile(bool *good, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_PROFILE, part);
    bool own_tables = o->layout <= OTLP_1_4;
    if (own_tables) {
        otlp_tables_clear(o);
    }
    while (*good && otlp_next(&f, &w)) {
        TS_TRY(read_profile_field(good, o, &f, w.role));
    }
    *good = *good && otlp_good(&w);
    if (!*good) {
        return TS_OK;
    }
    if (own_tables) {
        TS_TRY(otlp_tables_finish(o));
    }
    TS_TRY(otlp_source_find(o));
    TS_TRY(otlp_source_note(o));
    TS_TRY(put_facts(o, part, OTLP_PROFILE));
    return read_samples(o, part);
}

/* In 1.3 a profile is in a container, which has what others have in the profile. */
static ts_code read_container(bool *good, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_part inner = {0, 0};
    otlp_walk w = otlp_enter(o, OTLP_CONTAINER, part);
    while (otlp_next(&f, &w)) {
        if (w.role == CONTAINER_PROFILE) {
            inner = otlp_part_of(o, &f);
        } else {
            TS_TRY(read_profile_field(good, o, &f, w.role));
        }
    }
    *good = otlp_good(&w);
    return *good ? read_profile(good, o, inner) : TS_OK;
}

static ts_code take_profile(otlp *o, const ts_wire_field *f)
{
    bool good = true;
    otlp_part part = otlp_part_of(o, f);
    o->profile = (otlp_profile){
        .time = TS_NO_TIME, .duration = TS_NO_TIME, .default_text = -1, .default_type = -1};
    o->types_read.n = 0;
    o->locations.n = 0;
    TS_TRY(o->layout == OTLP_1_3 && !o->names ? read_container(&good, o, part)
                                              : read_profile(&good, o, part));
    if (good) {
        return TS_OK;
    }
    o->not_whole = true;
    TS_TRY(ts_count_add(o->store, o->job->source_id, TS_ITEM_otlp_profiles, NULL, 0, 1, 0));
    return otlp_issue(o, TS_ISSUE_otlp_bad_message,
                      o->message_at + (o->names ? 0 : (uint64_t)part.at),
                      "a profile is not well-formed");
}

/* --- facts that are written once -------------------------------------------------------------- */

ts_code otlp_fact(otlp *o, const char *prefix, ts_text key, ts_text value)
{
    otlp_source *s = o->profile.source;
    uint64_t known;
    ts_hash h = ts_hash_begin(&o->ctx->hash_key);
    ts_hash_word(&h, (uint64_t)s->id);
    ts_hash_bytes(&h, key.p, key.n);
    ts_hash_bytes(&h, value.p == NULL ? "" : value.p, value.n);
    int64_t hash = (int64_t)ts_hash_end(&h);
    if (ts_idmap_find(&known, &o->once, hash)) {
        return TS_OK;
    }
    o->scratch.n = 0;
    TS_TRY(ts_idmap_put(o->ctx, &o->once, hash, 1));
    TS_TRY(ts_buf_put(o->ctx, &o->scratch, prefix, strlen(prefix)));
    TS_TRY(ts_buf_put(o->ctx, &o->scratch, key.p, key.n));
    TS_TRY(ts_buf_putc(o->ctx, &o->scratch, '\0'));
    return ts_source_property(o->store, s->id, o->scratch.p, value);
}

static ts_code put_attribute(otlp *o, const otlp_attribute *a)
{
    return a == NULL || !a->good
               ? TS_OK
               : otlp_fact(o, "profile.", otlp_part_text(o, a->key),
                           a->kind == 0 ? TS_TEXT_NULL : otlp_part_text(o, a->value));
}

static ts_code put_text(otlp *o, const char *key, ts_text value)
{
    return value.n == 0 ? TS_OK : otlp_fact(o, "", ts_text_of(key), value);
}

/* One field of a profile: comments, and attributes by number or, in old layouts, whole. */
static ts_code put_fact_field(otlp *o, const ts_wire_field *f, uint8_t role)
{
    ts_vec list = {0};
    otlp_attribute own;
    bool good;
    ts_code code = TS_OK;
    if (role == PROFILE_KEY_VALUE) {
        TS_TRY(otlp_attribute_read(&own, o, OTLP_KEY_VALUE, otlp_part_of(o, f)));
        return put_attribute(o, &own);
    }
    if (role == PROFILE_DROP || role == PROFILE_KEEP) {
        return put_text(o, role == PROFILE_DROP ? "drop_frames" : "keep_frames",
                        otlp_text(o, f->value));
    }
    if (role != PROFILE_COMMENT && role != PROFILE_ATTRIBUTE) {
        return TS_OK;
    }
    code = otlp_numbers(&good, o, &list, f, false);
    for (size_t i = 0; i < list.n && code == TS_OK; i++) {
        uint64_t number = ((const uint64_t *)list.p)[i];
        code = role == PROFILE_COMMENT ? put_text(o, "comment", otlp_text(o, number))
                                       : put_attribute(o, otlp_attribute_at(o, number));
    }
    ts_vec_free(o->ctx, &list);
    return code;
}

static ts_code put_facts(otlp *o, otlp_part part, otlp_message message)
{
    const otlp_profile *p = &o->profile;
    ts_wire_field f;
    char size[24];
    otlp_part format = p->format;
    otlp_walk w = otlp_enter_again(o, message, part);
    while (otlp_next(&f, &w)) {
        TS_TRY(put_fact_field(o, &f, w.role));
    }
    for (int i = 0; i < 2; i++) {
        TS_TRY(otlp_clean(&o->schema[i], o));
        TS_TRY(put_text(o, "schema_url", otlp_part_text(o, o->schema[i])));
    }
    TS_TRY(otlp_clean(&format, o));
    TS_TRY(put_text(o, "original_payload_format", otlp_part_text(o, format)));
    if (p->payload.n == 0) {
        return TS_OK;
    }
    snprintf(size, sizeof size, "%zu", p->payload.n);
    return put_text(o, "original_payload_size", ts_text_of(size));
}

/* --- resources and scopes --------------------------------------------------------------------- */

static ts_code add_other(otlp *o, const ts_wire_field *f)
{
    otlp_attribute *a = ts_vec_add(o->ctx, &o->others, sizeof *a);
    TS_NEED(o->ctx, a);
    return otlp_attribute_read(a, o, OTLP_KEY_VALUE, otlp_part_of(o, f));
}

static ts_code read_resource(bool *good, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_RESOURCE, part);
    o->others.n = 0;
    while (otlp_next(&f, &w)) {
        if (w.role == RESOURCE_ATTRIBUTE) {
            TS_TRY(add_other(o, &f));
        }
    }
    o->scope_others = o->others.n;
    *good = otlp_good(&w);
    return TS_OK;
}

static ts_code read_scope(bool *good, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_SCOPE, part);
    o->others.n = o->scope_others;
    o->scope_name = (otlp_part){0, 0};
    o->scope_version = (otlp_part){0, 0};
    while (otlp_next(&f, &w)) {
        if (w.role == SCOPE_NAME) {
            o->scope_name = otlp_part_of(o, &f);
        } else if (w.role == SCOPE_VERSION) {
            o->scope_version = otlp_part_of(o, &f);
        } else if (w.role == SCOPE_ATTRIBUTE) {
            TS_TRY(add_other(o, &f));
        }
    }
    *good = otlp_good(&w);
    TS_TRY(otlp_clean(&o->scope_name, o));
    return otlp_clean(&o->scope_version, o);
}

/* The field of this role (the last one), which others may come before. */
static bool find_part(otlp_part *out, otlp *o, otlp_message message, otlp_part part, uint8_t role)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter_again(o, message, part);
    w.part = o->cut;
    *out = (otlp_part){0, 0};
    while (otlp_next(&f, &w)) {
        *out = w.role == role ? otlp_part_of(o, &f) : *out;
    }
    return otlp_good(&w);
}

static ts_code bad_part(otlp *o, otlp_part part, const char *what)
{
    o->not_whole = true;
    TS_TRY(ts_count_add(o->store, o->job->source_id, TS_ITEM_otlp_profiles, NULL, 0, 1, 0));
    return otlp_issue(o, TS_ISSUE_otlp_bad_message,
                      o->message_at + (o->names ? 0 : (uint64_t)part.at), what);
}

static ts_code take_scoped(otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_part scope;
    bool good;
    otlp_walk w = otlp_enter(o, OTLP_SCOPED, part);
    w.part = o->cut;
    (void)find_part(&o->schema[1], o, OTLP_SCOPED, part, SCOPED_SCHEMA);
    (void)find_part(&scope, o, OTLP_SCOPED, part, SCOPED_SCOPE);
    TS_TRY(read_scope(&good, o, scope));
    if (!good && !o->cut) {
        return bad_part(o, part, "a scope is not well-formed");
    }
    while (otlp_next(&f, &w)) {
        /* One that goes on after the end is not whole. */
        if (w.role == SCOPED_PROFILE && w.wire.fault == TS_WIRE_OK) {
            TS_TRY(take_profile(o, &f));
        }
    }
    return otlp_good(&w) ? TS_OK : bad_part(o, part, "profiles of a scope are not well-formed");
}

static ts_code take_group(otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_part resource;
    bool good;
    otlp_walk w = otlp_enter(o, OTLP_GROUP, part);
    w.part = o->cut;
    (void)find_part(&o->schema[0], o, OTLP_GROUP, part, GROUP_SCHEMA);
    (void)find_part(&resource, o, OTLP_GROUP, part, GROUP_RESOURCE);
    TS_TRY(read_resource(&good, o, resource));
    if (!good && !o->cut) {
        return bad_part(o, part, "a resource is not well-formed");
    }
    while (otlp_next(&f, &w)) {
        if (w.role == GROUP_SCOPED) {
            TS_TRY(take_scoped(o, otlp_part_of(o, &f)));
        }
    }
    return otlp_good(&w) ? TS_OK : bad_part(o, part, "profiles of a resource are not well-formed");
}

/* --- the message ------------------------------------------------------------------------------ */

/* First the tables, which mostly come last. tables: some are there. */
static ts_code read_tables(bool *good, bool *tables, otlp *o)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_TOP, (otlp_part){0, o->n});
    w.part = o->cut;
    *good = true;
    *tables = o->layout <= OTLP_1_4;
    otlp_tables_clear(o);
    while (*good && otlp_next(&f, &w)) {
        bool whole = w.wire.fault == TS_WIRE_OK;
        o->any = true;
        if (w.role == TOP_DICTIONARY && whole) {
            *tables = true;
            TS_TRY(otlp_dictionary(good, o, otlp_part_of(o, &f)));
        } else if (w.role < OTLP_TABLES && whole) {
            *tables = true;
            TS_TRY(otlp_tables_add(o, w.role, &f));
        }
    }
    *good = *good && otlp_good(&w);
    return *good ? otlp_tables_finish(o) : TS_OK;
}

/* Whether some profile has a sample, for which tables are needed. */
static bool has_samples(otlp *o)
{
    otlp_walk w[3];
    ts_wire_field f;
    static const otlp_message kinds[] = {OTLP_TOP, OTLP_GROUP, OTLP_SCOPED};
    static const uint8_t roles[] = {TOP_GROUP, GROUP_SCOPED, SCOPED_PROFILE};
    unsigned level = 0;
    otlp_part sample;
    w[0] = otlp_enter_again(o, OTLP_TOP, (otlp_part){0, o->n});
    w[0].part = true;
    for (;;) {
        if (!otlp_next(&f, &w[level])) {
            if (level-- == 0) {
                return false;
            }
        } else if (w[level].role != roles[level]) {
            continue;
        } else if (level < 2) {
            level++;
            w[level] = otlp_enter_again(o, kinds[level], otlp_part_of(o, &f));
            w[level].part = true;
        } else {
            (void)find_part(&sample, o, OTLP_PROFILE, otlp_part_of(o, &f), PROFILE_SAMPLE);
            if (sample.n > 0) {
                return true;
            }
        }
    }
}

static ts_code lose(otlp *o, ts_issue_code issue, const char *text)
{
    o->messages_lost++;
    o->not_whole = true;
    return otlp_issue(o, issue, o->message_at, text);
}

static ts_code take_groups(otlp *o)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter_again(o, OTLP_TOP, (otlp_part){0, o->n});
    w.part = o->cut;
    while (otlp_next(&f, &w)) {
        if (w.role == TOP_GROUP) {
            TS_TRY(ts_check_cancel(o->ctx));
            TS_TRY(take_group(o, otlp_part_of(o, &f)));
        }
    }
    return TS_OK;
}

ts_code otlp_take(otlp *o)
{
    enum { FREE = 4 << 20, BYTE = 64 };
    bool good;
    bool tables;
    o->bytes = (const uint8_t *)(o->message.p == NULL ? "" : o->message.p);
    o->n = o->message.n;
    o->made.n = 0;
    o->number++;
    o->budget = FREE + (uint64_t)o->n * BYTE;
    o->guessed = false;
    if (!o->names && o->forced) {
        o->layout = o->forced_layout;
    } else if (!o->names) {
        o->layout = otlp_layout_of(&o->guessed, o->bytes, o->n);
    }
    const int of = o->names ? OTLP_LAYOUTS : (int)o->layout;
    if (o->fields_of != of) {
        otlp_fields_of(&o->fields, o->layout, o->names);
        o->fields_of = of;
    }
    TS_TRY(read_tables(&good, &tables, o));
    if (!good) {
        return lose(o, TS_ISSUE_otlp_bad_message, "a message is not well-formed");
    }
    if (o->cut) {
        o->not_whole = true;
        TS_TRY(otlp_issue(o, TS_ISSUE_otlp_cut, o->message_at + (o->names ? 0 : o->n),
                          "the last message is cut off"));
    }
    if (!tables && (o->cut || has_samples(o))) {
        o->messages_lost++;
        o->not_whole = true;
        return o->cut ? TS_OK
                      : otlp_issue(o, TS_ISSUE_otlp_no_dictionary, o->message_at,
                                   "there are samples and no tables");
    }
    o->messages_good += o->cut ? 0 : 1;
    o->messages_lost += o->cut ? 1 : 0;
    if (o->guessed) {
        TS_TRY(otlp_issue(o, TS_ISSUE_otlp_layout_guessed, o->message_at,
                          "values or attributes of samples: the layout may be 1.9 or 1.10"));
    }
    return take_groups(o);
}
