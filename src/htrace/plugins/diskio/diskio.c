/*
 * diskio-plugin: what was read from and written to disks, measured at intervals. One row of diskio
 * for each interval. Docs: docs/formats.md, "diskio-plugin".
 */
#include "htrace/plugins/fields.h"
#include "htrace/plugins/sampling.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <math.h>

/* Fields of a message (DiskioData). */
enum { RD_BEFORE, WR_BEFORE, RD, WR, STATS, FIELDS };
static const ts_field_def fields[FIELDS] = {
    [RD_BEFORE] = {1, TS_FIELD_INT, "prev_rd_sectors_kb"},
    [WR_BEFORE] = {2, TS_FIELD_INT, "prev_wr_sectors_kb"},
    [RD] = {4, TS_FIELD_INT, "rd_sectors_kb"},
    [WR] = {5, TS_FIELD_INT, "wr_sectors_kb"},
    [STATS] = {7, TS_FIELD_BYTES, "statsData"},
};

enum { DEVICES = 2 };
static const ts_field_def stats_fields[] = {{DEVICES, TS_FIELD_BYTES, "statsinfo"}};

/* What is measured of one device; their sums have columns. */
enum { RD_RATE, WR_RATE, RD_KB, WR_KB, SUMS };
static const ts_field_def device_fields[SUMS] = {
    [RD_RATE] = {3, TS_FIELD_REAL, "rd_per_sec"},
    [WR_RATE] = {4, TS_FIELD_REAL, "wr_per_sec"},
    [RD_KB] = {6, TS_FIELD_UINT, "rd_kb"},
    [WR_KB] = {7, TS_FIELD_UINT, "wr_kb"},
};

typedef struct disk_sample {
    int64_t rd, wr;
    int64_t rd_growth, wr_growth;
    int64_t kb[2];
    double rate[2];
    uint64_t null; /* bits of the columns that are not known */
} disk_sample;

/* Sums of the devices on their way. */
typedef struct disk_sums {
    disk_sample *sample;
    unsigned unknown; /* a bit for each of the sums */
    bool damaged;
} disk_sums;

static const uint64_t sum_columns[SUMS] = {
    [RD_RATE] = TS_NULL_BIT(diskio, rd_count_speed),
    [WR_RATE] = TS_NULL_BIT(diskio, wr_count_speed),
    [RD_KB] = TS_NULL_BIT(diskio, rd_count),
    [WR_KB] = TS_NULL_BIT(diskio, wr_count),
};

static void put_rate(double *rate, uint64_t *null, uint64_t bit, const ts_plugin_host *host,
                     const ts_interval *interval, int64_t growth)
{
    if ((*null & bit) == 0 && !ts_sampling_rate(rate, interval, growth)) {
        *null |= bit;
    }
    *rate = ts_sampling_cut(host, *rate); /* QP-3 */
}

static ts_code put(const ts_plugin_host *host, const ts_interval *interval)
{
    const disk_sample *at = interval->at;
    ts_row_diskio row = {.null = at->null,
                         .ts = interval->ts,
                         .dur = interval->dur,
                         .rd = at->rd,
                         .wr = at->wr,
                         .rd_count = at->kb[0],
                         .wr_count = at->kb[1],
                         .rd_count_speed = at->rate[0],
                         .wr_count_speed = at->rate[1]};
    TS_NULL_IF(interval->ts == TS_NO_TIME, diskio, &row, ts);
    TS_NULL_IF(interval->dur == TS_NO_TIME, diskio, &row, dur);
    put_rate(&row.rd_speed, &row.null, TS_NULL_BIT(diskio, rd_speed), host, interval,
             at->rd_growth);
    put_rate(&row.wr_speed, &row.null, TS_NULL_BIT(diskio, wr_speed), host, interval,
             at->wr_growth);
    return ts_put_diskio(ts_store_sink(host->store), &row);
}

static const ts_sampling_kind kind = {
    .plugin = "diskio-plugin",
    .received = "trace_diskio",
    .record = sizeof(disk_sample),
    .put = put,
};

/* A sum or a difference is not known. */
static ts_code beyond(const ts_message *m, const char *name)
{
    return ts_issue(m->host->store, m->host->source_id, TS_ISSUE_plugin_bad_field, m->seg->plugin,
                    m->seg->offset, "message %" PRIu64 ": what comes of %s is beyond 64 bits",
                    m->seg->number, name);
}

static ts_code add_device(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    disk_sums *sums = user;
    disk_sample *sample = sums->sample;
    ts_value v[SUMS];
    bool damaged;
    ts_code code = ts_fields_part(v, &damaged, m, "statsinfo", device_fields, SUMS, p, n);
    sums->damaged = sums->damaged || damaged;
    for (unsigned k = 0; code == TS_OK && k < 2; k++) {
        sample->rate[k] += v[RD_RATE + k].state == TS_VALUE_READ ? v[RD_RATE + k].d : 0;
        if (!isfinite(sample->rate[k])) {
            sums->unknown |= 1U << (RD_RATE + k);
            code = beyond(m, device_fields[RD_RATE + k].name);
        }
        if (ts_ckd_add(&sample->kb[k], sample->kb[k],
                       v[RD_KB + k].state == TS_VALUE_READ ? v[RD_KB + k].i : 0)) {
            sums->unknown |= 1U << (RD_KB + k);
            code = code != TS_OK ? code : beyond(m, device_fields[RD_KB + k].name);
        }
    }
    for (unsigned k = 0; k < SUMS; k++) {
        sums->unknown |= v[k].state == TS_VALUE_UNKNOWN ? 1U << k : 0;
    }
    return code;
}

/* The sums of all devices; *lost are not known. */
static ts_code add_devices(disk_sums *sums, ts_message *m, const ts_value *stats)
{
    const uint64_t faults = m->faults;
    ts_value devices;
    ts_code code;
    if (stats->state != TS_VALUE_READ) {
        sums->unknown = stats->state == TS_VALUE_UNKNOWN ? (1U << SUMS) - 1 : 0;
        return TS_OK;
    }
    code = ts_fields_part(&devices, &sums->damaged, m, fields[STATS].name, stats_fields, 1,
                          stats->p, stats->n);
    /* Devices may be after the damage, or be what has another type. */
    sums->unknown = m->faults > faults ? (1U << SUMS) - 1 : 0;
    return code != TS_OK ? code
                         : ts_fields_repeat(m, DEVICES, stats->p, stats->n, add_device, sums);
}

/* The numbers of one direction, with their columns. */
static ts_code take_totals(int64_t *total, int64_t *growth, disk_sample *sample, unsigned *unknown,
                           const ts_message *m, const ts_value *v, unsigned k)
{
    const ts_value *at = &v[RD + k];
    const ts_value *before = &v[RD_BEFORE + k];
    uint64_t bit = k == 0 ? TS_NULL_BIT(diskio, rd) : TS_NULL_BIT(diskio, wr);
    uint64_t rate = k == 0 ? TS_NULL_BIT(diskio, rd_speed) : TS_NULL_BIT(diskio, wr_speed);
    *total = at->i;
    if (at->state == TS_VALUE_UNKNOWN) {
        sample->null |= bit;
        ++*unknown;
    }
    if (at->state == TS_VALUE_UNKNOWN || before->state == TS_VALUE_UNKNOWN) {
        sample->null |= rate;
        ++*unknown;
        return TS_OK;
    }
    if (ts_ckd_sub(growth, at->i, before->i)) {
        sample->null |= rate;
        *growth = 0;
        ++*unknown;
        return beyond(m, fields[RD + k].name);
    }
    return *growth >= 0 ? TS_OK
                        : ts_issue(m->host->store, m->host->source_id, TS_ISSUE_counter_went_back,
                                   m->seg->plugin, m->seg->offset,
                                   "message %" PRIu64 ": %s goes from %" PRId64 " to %" PRId64,
                                   m->seg->number, fields[RD + k].name, before->i, at->i);
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    ts_sampling *s = self;
    ts_message m = {.host = ts_sampling_host(s), .seg = seg};
    ts_value v[FIELDS];
    disk_sample sample = {0};
    disk_sums sums = {.sample = &sample};
    unsigned unknown = 0;
    bool damaged;
    TS_TRY(ts_fields_part(v, &damaged, &m, NULL, fields, FIELDS, p, n));
    TS_TRY(add_devices(&sums, &m, &v[STATS]));
    TS_TRY(take_totals(&sample.rd, &sample.rd_growth, &sample, &unknown, &m, v, 0));
    TS_TRY(take_totals(&sample.wr, &sample.wr_growth, &sample, &unknown, &m, v, 1));
    for (unsigned k = 0; k < SUMS; k++) {
        sample.null |= (sums.unknown >> k & 1) != 0 ? sum_columns[k] : 0;
        unknown += sums.unknown >> k & 1;
    }
    return unknown == 4 + SUMS ? ts_sampling_lost(s)
                               : ts_sampling_add(s, seg, &sample, damaged || sums.damaged, unknown);
}

TS_SAMPLING_PLUGIN(diskio, "diskio-plugin", &kind, NULL);
