/* mkflare: makes sample directories of the Flare profiler. `mkflare --help` lists the options. */
#include "mkflare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 48, FIRST_METHOD = 547216200, METHOD_STEP = 8, FIRST_THREAD = 10 };

static const char usage[] =
    "usage: mkflare [options] DIRECTORY\n"
    "  --threads=N --seconds=N --interval=MS --methods=N --busy=N (records per 1000 ticks)\n"
    "  --address=HOST:PORT --start=MS --sample-start=MS --seed=N\n"
    "  --document         series in the layout of the document (22 bytes of header)\n"
    "  --type=1..5        i16, u16, i32, u32, i64\n"
    "  --resp             stacks as arrays of the Redis protocol\n"
    "  --plain            headers without padding\n"
    "  --no-index --no-summary\n"
    "  --index-every=MS   an entry for so much time instead of one a record\n"
    "  --volume=SECONDS   series in several files\n"
    "  --missing-every=N  every n-th method has no name\n"
    "  --damage=KIND      cut-, magic-, flip-, zeros-, empty- or twice- and\n"
    "                     series, index, data, methods or summary; may be repeated\n"
    "  --fixture=NAME     mini, early, grown: the worked examples\n";

/* --- random --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t next(uint64_t *state)
{
    *state = mix(*state);
    return *state;
}

/* --- one thread ----------------------------------------------------------------------------- */

typedef struct maker {
    const fl_options *o;
    unsigned number;
    uint64_t random;
    uint64_t stack[MAX_DEPTH];
    unsigned depth;
    int64_t cpu, written_cpu, reported_cpu; /* ns */
    int64_t begin, now, indexed;
    unsigned count;
    fl_buf index, data, series;
    uint32_t slots;
    unsigned volume;
    int64_t volume_begin;
    fl_buf summary; /* the last thread object */
} maker;

static uint64_t method_id(const maker *m, uint64_t k)
{
    return FIRST_METHOD + k % m->o->methods * METHOD_STEP;
}

/* A few frames go, a few come; what is called depends on the caller, so that paths repeat. */
static void walk(maker *m)
{
    unsigned keep = m->depth == 0 ? 0 : m->depth - (unsigned)(next(&m->random) % 6) % m->depth;
    unsigned target = 16 + (unsigned)(next(&m->random) % 14);
    m->depth = keep < 1 ? 0 : keep;
    while (m->depth < target && m->depth < MAX_DEPTH) {
        uint64_t caller = m->depth == 0 ? m->number % 4 : m->stack[m->depth - 1];
        uint64_t choice = next(&m->random) % 16 == 0 ? 1 : 0;
        m->stack[m->depth] = method_id(m, mix(caller * 64 + m->depth + choice * 4096));
        m->depth++;
        if (next(&m->random) % 24 == 0) {
            break;
        }
    }
}

static void object(fl_buf *b, const maker *m)
{
    fl_printf(b,
              "{\"id\":%u,\"name\":\"worker-%u\",\"priority\":0,\"daemon\":false,\"state\":\"\","
              "\"cpu_time\":%" PRId64 ",\"cpu_time_delta\":%" PRId64 ",\"sample_time\":%" PRId64
              ",\"sample_count\":%u,\"stacktrace\":[",
              FIRST_THREAD + m->number, m->number, m->reported_cpu,
              m->reported_cpu - m->written_cpu, m->now, m->count);
    for (unsigned i = m->depth; i > 0; i--) {
        fl_printf(b, i == m->depth ? "%" PRIu64 : ",%" PRIu64, m->stack[i - 1]);
    }
    fl_printf(b, "],\"duration\":0,\"self_duration\":0,\"self_cpu_time\":0}");
}

static void resp(fl_buf *b, const maker *m)
{
    fl_printf(b, "*%u\r\n", m->depth);
    for (unsigned i = m->depth; i > 0; i--) {
        fl_printf(b, ":%" PRIu64 "\r\n", m->stack[i - 1]);
    }
}

static void close_series(maker *m)
{
    char name[64];
    fl_buf file = {0};
    unsigned width = fl_width(m->o->type);
    if (m->volume == 0) {
        snprintf(name, sizeof name, "thread_%u_cpu_time.fts", FIRST_THREAD + m->number);
    } else {
        snprintf(name, sizeof name, "thread_%u_cpu_time.%u.fts", FIRST_THREAD + m->number,
                 m->volume);
    }
    fl_series_header(&file, m->o->document, m->o->type, m->o->interval_ms, m->volume_begin,
                     m->volume_begin +
                         (int64_t)(m->slots == 0 ? 0 : m->slots - 1) * m->o->interval_ms,
                     m->slots);
    fl_put(&file, m->series.p, (size_t)m->slots * width);
    fl_damage(m->o, name, &file);
    fl_write(m->o->directory, name, &file);
    m->series.n = 0;
    m->slots = 0;
    m->volume++;
}

static void put_slot(maker *m, int64_t us)
{
    unsigned width = fl_width(m->o->type);
    uint32_t step;
    if (m->o->volume_seconds > 0 &&
        m->now - m->volume_begin >= (int64_t)m->o->volume_seconds * 1000) {
        close_series(m);
        m->volume_begin = m->now;
    }
    step = (uint32_t)((m->now - m->volume_begin) / m->o->interval_ms);
    if (m->o->type == 2 && us > UINT16_MAX) {
        us = UINT16_MAX;
    } else if (m->o->type == 1 && us > INT16_MAX) {
        us = INT16_MAX;
    }
    for (; m->slots <= step; m->slots++) {
        fl_be(&m->series, 0, width);
    }
    m->series.n -= width * (m->slots - step);
    m->slots = step + 1;
    fl_be(&m->series, (uint64_t)us, width);
}

static void put_record(maker *m)
{
    fl_buf payload = {0};
    m->count++;
    walk(m);
    if (m->o->resp) {
        resp(&payload, m);
    } else {
        object(&payload, m);
    }
    if (m->count == 1 || m->o->index_every_ms == 0 ||
        m->now - m->indexed >= (int64_t)m->o->index_every_ms) {
        fl_be(&m->index, (uint64_t)((m->now - m->begin) / m->o->interval_ms), 4);
        fl_be(&m->index, m->data.n, 4);
        m->indexed = m->now;
    }
    fl_record(&m->data, payload.p, payload.n);
    put_slot(m, (m->reported_cpu - m->written_cpu) / 1000);
    m->summary.n = 0;
    object(&m->summary, m);
    m->written_cpu = m->reported_cpu;
    free(payload.p);
}

static void make_thread(maker *m)
{
    const fl_options *o = m->o;
    uint64_t ticks = (uint64_t)o->seconds * 1000 / o->interval_ms;
    uint64_t often = (uint64_t)o->busy * (m->number % 11 + 1) / 6;
    int64_t refreshed = 0;
    char name[64];
    m->random = mix(o->seed * 1000003 + m->number);
    m->cpu = (int64_t)(next(&m->random) % 1000000000);
    m->reported_cpu = m->cpu;
    m->written_cpu = m->cpu;
    fl_pair_header(&m->index, true, 4, "0", o->plain);
    fl_pair_header(&m->data, false, 4, "0", o->plain);
    for (uint64_t tick = 0; tick < ticks; tick++) {
        m->now = o->start_ms + (int64_t)(tick * o->interval_ms);
        if (next(&m->random) % 1000 >= often && m->count > 0) {
            continue;
        }
        m->cpu += (int64_t)(next(&m->random) % o->interval_ms) * 1000000;
        if (m->now - refreshed > 200) {
            m->reported_cpu = m->cpu;
            refreshed = m->now;
        }
        if (m->count == 0) {
            m->begin = m->now;
            m->volume_begin = m->now;
            m->written_cpu = m->reported_cpu;
        }
        put_record(m);
    }
    close_series(m);
    snprintf(name, sizeof name, "thread_%u_stack.fidx", FIRST_THREAD + m->number);
    if (!o->no_index) {
        fl_damage(o, name, &m->index);
        fl_write(o->directory, name, &m->index);
    }
    snprintf(name, sizeof name, "thread_%u_stack.fdata", FIRST_THREAD + m->number);
    fl_damage(o, name, &m->data);
    fl_write(o->directory, name, &m->data);
    free(m->index.p);
    free(m->series.p);
}

/* --- the other files ------------------------------------------------------------------------ */

static void make_methods(const fl_options *o)
{
    fl_buf index = {0};
    fl_buf data = {0};
    fl_pair_header(&index, true, 5, "0", o->plain);
    fl_pair_header(&data, false, 5, "0", o->plain);
    for (unsigned k = 0; k < o->methods; k++) {
        fl_buf text = {0};
        if (o->missing_every > 0 && k % o->missing_every == o->missing_every - 1) {
            continue;
        }
        fl_printf(&text, "com.example.service%u.Class%u.method%u()", k % 7, k / 9, k);
        fl_be(&index, FIRST_METHOD + (uint64_t)k * METHOD_STEP, 8);
        fl_be(&index, data.n, 4);
        fl_record(&data, text.p, text.n);
        free(text.p);
    }
    fl_damage(o, "method_info.fidx", &index);
    fl_write(o->directory, "method_info.fidx", &index);
    fl_damage(o, "method_info.fdata", &data);
    fl_write(o->directory, "method_info.fdata", &data);
}

static void make_all(const fl_options *o)
{
    fl_buf summary = {0};
    int64_t last = o->start_ms;
    fl_buf threads = {0};
    for (unsigned i = 0; i < o->threads; i++) {
        maker m = {.o = o, .number = i};
        make_thread(&m);
        last = m.now > last ? m.now : last;
        fl_put(&threads, i == 0 ? "\n    " : ",\n    ", i == 0 ? 5 : 6);
        fl_put(&threads, m.summary.p, m.summary.n);
        free(m.summary.p);
    }
    make_methods(o);
    if (o->no_summary) {
        free(threads.p);
        return;
    }
    fl_printf(&summary,
              "{\n  \"sample_info\": {\n    \"sample_interval\": %u,\n    \"sample_start_time\": "
              "%" PRId64 ",\n    \"record_start_time\": %" PRId64 ",\n    \"last_record_time\": "
              "%" PRId64 ",\n    \"agent_addr\": \"%s\",\n    \"sample_data_dir\": "
              "\"flare-samples/made\"\n  },\n  \"threads\": [",
              o->interval_ms, o->sample_start_ms, o->start_ms, last, o->address);
    fl_put(&summary, threads.p, threads.n);
    fl_printf(&summary, "\n  ]\n}");
    free(threads.p);
    fl_damage(o, "summary_info.json", &summary);
    fl_write(o->directory, "summary_info.json", &summary);
}

/* --- options -------------------------------------------------------------------------------- */

static const char *value_of(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static int64_t number(const char *text, int64_t low, int64_t high)
{
    char *end;
    long long v;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || end == text || v < low || v > high) {
        fl_die("\"%s\" is not a number from %" PRId64 " to %" PRId64, text, low, high);
    }
    return v;
}

static bool take_number(fl_options *o, const char *arg)
{
    const struct {
        const char *name;
        unsigned *to;
        int64_t low, high;
    } all[] = {
        {"--threads", &o->threads, 1, 100000},
        {"--seconds", &o->seconds, 1, 1000000},
        {"--interval", &o->interval_ms, 1, 60000},
        {"--methods", &o->methods, 1, 10000000},
        {"--busy", &o->busy, 1, 1000},
        {"--type", &o->type, 1, 5},
        {"--index-every", &o->index_every_ms, 1, 1000000},
        {"--volume", &o->volume_seconds, 1, 1000000},
        {"--missing-every", &o->missing_every, 1, 1000000},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *value = value_of(arg, all[i].name);
        if (value != NULL) {
            *all[i].to = (unsigned)number(value, all[i].low, all[i].high);
            return true;
        }
    }
    return false;
}

static bool take_flag(fl_options *o, const char *arg)
{
    const struct {
        const char *name;
        bool *to;
    } all[] = {
        {"--document", &o->document},     {"--resp", &o->resp},
        {"--plain", &o->plain},           {"--no-index", &o->no_index},
        {"--no-summary", &o->no_summary},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(arg, all[i].name) == 0) {
            *all[i].to = true;
            return true;
        }
    }
    return false;
}

static void take_option(fl_options *o, const char *arg)
{
    const char *value;
    if (take_number(o, arg) || take_flag(o, arg)) {
        return;
    }
    if ((value = value_of(arg, "--address")) != NULL) {
        o->address = value;
    } else if ((value = value_of(arg, "--fixture")) != NULL) {
        o->fixture = value;
    } else if ((value = value_of(arg, "--start")) != NULL) {
        o->start_ms = number(value, INT64_MIN / 2, INT64_MAX / 2);
    } else if ((value = value_of(arg, "--sample-start")) != NULL) {
        o->sample_start_ms = number(value, INT64_MIN / 2, INT64_MAX / 2);
    } else if ((value = value_of(arg, "--seed")) != NULL) {
        o->seed = (uint64_t)number(value, 0, INT64_MAX);
    } else if ((value = value_of(arg, "--damage")) != NULL) {
        if (!fl_damage_known(value) || o->damages == 16) {
            fl_die("no damage is called \"%s\"\n%s", value, usage);
        }
        o->damage[o->damages++] = value;
    } else if (strcmp(arg, "--help") == 0) {
        fputs(usage, stdout);
        exit(0);
    } else if (arg[0] != '-' && o->directory == NULL) {
        o->directory = arg;
    } else {
        fl_die("unknown option \"%s\"\n%s", arg, usage);
    }
}

int main(int argc, char **argv)
{
    fl_options o = {
        .address = "localhost:3333",
        .start_ms = INT64_C(1567669466207),
        .sample_start_ms = INT64_C(1567669466000),
        .threads = 3,
        .seconds = 10,
        .interval_ms = 20,
        .methods = 2000,
        .busy = 155,
        .type = 3,
    };
    for (int i = 1; i < argc; i++) {
        take_option(&o, argv[i]);
    }
    if (o.directory == NULL) {
        fl_die("name a directory\n%s", usage);
    }
    if (mkdir(o.directory, 0777) != 0 && errno != EEXIST) {
        fl_die("cannot make %s: %s", o.directory, strerror(errno));
    }
    if (o.fixture != NULL) {
        fl_fixture(&o);
    } else {
        make_all(&o);
    }
    return 0;
}
