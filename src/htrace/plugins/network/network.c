/*
 * network-plugin: bytes and packets that the system received and sent, measured at intervals. One
 * row of network for each interval. Docs: docs/formats.md, "network-plugin".
 */
#include "htrace/plugins/fields.h"
#include "htrace/plugins/sampling.h"

#include "base/ckd.h"

#include <inttypes.h>

/* Fields of a message (NetworkDatas). What is measured of processes has no columns. */
enum { OF_PROCESSES, SYSTEM, FIELDS };
static const ts_field_def fields[FIELDS] = {
    [OF_PROCESSES] = {1, TS_FIELD_BYTES, "networkinfo"},
    [SYSTEM] = {2, TS_FIELD_BYTES, "network_system_info"},
};

/* What is measured of the system; what is of its interfaces has no columns. */
enum { RX_BYTES, RX_PACKETS, TX_BYTES, TX_PACKETS, COUNTERS, INTERFACES = COUNTERS, PARTS };
static const ts_field_def parts[PARTS] = {
    [RX_BYTES] = {3, TS_FIELD_UINT, "rx_bytes"},   [RX_PACKETS] = {4, TS_FIELD_UINT, "rx_packets"},
    [TX_BYTES] = {5, TS_FIELD_UINT, "tx_bytes"},   [TX_PACKETS] = {6, TS_FIELD_UINT, "tx_packets"},
    [INTERFACES] = {7, TS_FIELD_BYTES, "details"},
};

typedef struct network_sample {
    int64_t at[COUNTERS];
    uint64_t unknown; /* a bit for each that is not known */
} network_sample;

/* The columns of a counter, and of its growth. */
static const struct {
    unsigned value;
    unsigned rate;
} columns[COUNTERS] = {
    [RX_BYTES] = {TS_C_network__rx, TS_C_network__rx_speed},
    [RX_PACKETS] = {TS_C_network__packet_in, TS_C_network__packet_in_sec},
    [TX_BYTES] = {TS_C_network__tx, TS_C_network__tx_speed},
    [TX_PACKETS] = {TS_C_network__packet_out, TS_C_network__packet_out_sec},
};

/* Growth a second; *unknown gets the bit when it is not known. */
static ts_code rate_of(double *rate, bool *known, const ts_plugin_host *host,
                       const ts_interval *interval, unsigned k)
{
    const network_sample *at = interval->at;
    const network_sample *before = interval->before;
    int64_t growth = 0;
    *rate = 0;
    *known = before != NULL && ((at->unknown | before->unknown) >> k & 1) == 0;
    if (!*known) {
        return TS_OK;
    }
    growth = at->at[k] - before->at[k]; /* neither is negative */
    *known = ts_sampling_rate(rate, interval, growth);
    if (*known && growth < 0 && host->ctx->compat) { /* QP-6 */
        *rate = (double)(uint64_t)growth / ((double)interval->dur / 1e9);
    }
    return growth >= 0
               ? TS_OK
               : ts_issue(host->store, host->source_id, TS_ISSUE_counter_went_back,
                          "network-plugin", TS_NO_OFFSET, "%s goes from %" PRId64 " to %" PRId64,
                          parts[k].name, before->at[k], at->at[k]);
}

static ts_code put(const ts_plugin_host *host, const ts_interval *interval)
{
    const network_sample *at = interval->at;
    ts_row_network row = {.ts = interval->ts, .dur = interval->dur};
    double rates[COUNTERS];
    ts_code code = TS_OK;
    TS_NULL_IF(interval->ts == TS_NO_TIME, network, &row, ts);
    TS_NULL_IF(interval->dur == TS_NO_TIME, network, &row, dur);
    for (unsigned k = 0; code == TS_OK && k < COUNTERS; k++) {
        bool known;
        code = rate_of(&rates[k], &known, host, interval, k);
        row.null |= known ? 0 : UINT64_C(1) << columns[k].rate;
        row.null |= (at->unknown >> k & 1) == 0 ? 0 : UINT64_C(1) << columns[k].value;
    }
    if (code != TS_OK) {
        return code;
    }
    row.rx = at->at[RX_BYTES];
    row.tx = at->at[TX_BYTES];
    row.packet_in = at->at[RX_PACKETS];
    row.packet_out = at->at[TX_PACKETS];
    row.rx_speed = rates[RX_BYTES];
    row.tx_speed = rates[TX_BYTES];
    row.packet_in_sec = rates[RX_PACKETS];
    row.packet_out_sec = rates[TX_PACKETS];
    row.net_type = TS_TEXT_LIT("undefined");
    return ts_put_network(ts_store_sink(host->store), &row);
}

static const ts_sampling_kind kind = {
    .plugin = "network-plugin",
    .received = "trace_network",
    .record = sizeof(network_sample),
    .put = put,
};

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    ts_sampling *s = self;
    ts_message m = {.host = ts_sampling_host(s), .seg = seg};
    ts_value v[FIELDS];
    ts_value part[PARTS];
    network_sample sample = {0};
    unsigned unknown = 0;
    bool damaged;
    bool part_damaged;
    TS_TRY(ts_fields_part(v, &damaged, &m, NULL, fields, FIELDS, p, n));
    TS_TRY(ts_fields_extra(m.host, seg, &fields[OF_PROCESSES], &v[OF_PROCESSES], 1));
    if (v[SYSTEM].state == TS_VALUE_ABSENT) {
        return ts_sampling_none(s);
    }
    if (v[SYSTEM].state == TS_VALUE_UNKNOWN) {
        return ts_sampling_lost(s);
    }
    TS_TRY(ts_fields_part(part, &part_damaged, &m, fields[SYSTEM].name, parts, PARTS, v[SYSTEM].p,
                          v[SYSTEM].n));
    TS_TRY(ts_fields_extra(m.host, seg, &parts[INTERFACES], &part[INTERFACES], 1));
    for (unsigned k = 0; k < COUNTERS; k++) {
        sample.at[k] = part[k].state == TS_VALUE_READ ? part[k].i : 0;
        sample.unknown |= part[k].state == TS_VALUE_UNKNOWN ? UINT64_C(1) << k : 0;
        unknown += part[k].state == TS_VALUE_UNKNOWN;
    }
    return unknown == COUNTERS ? ts_sampling_lost(s)
                               : ts_sampling_add(s, seg, &sample, damaged || part_damaged, unknown);
}

TS_SAMPLING_PLUGIN(network, "network-plugin", &kind, NULL);
