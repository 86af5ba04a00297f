/* Traces of Perfetto (docs/formats.md, "Traces of Perfetto"): packets by hand, and what damage of
 * them leaves. */
#include "parsers_perfetto.h"

static void put_event(bytes *b, uint64_t ts, uint32_t sequence, uint32_t flags, uint64_t type,
                      const char *name)
{
    bytes event = {0};
    put_number(&event, 9, type);
    put_number(&event, 11, 5);
    if (name != NULL) {
        put_text(&event, 23, name);
    }
    put_packet(b, ts, sequence, flags, 11, &event);
    free(event.p);
}

static void assert_slice(const run *r, size_t row, const char *text)
{
    assert_mem_row(r->sink, stack_slice, row, text);
}

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, TINY);
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, source, 0, format, "perfetto");
    assert_mem_text(r.sink, source, 0, clock, "boottime");
    assert_cell(&r, source, 0, start_ts, 1005000);
    assert_cell(&r, source, 0, end_ts, 1012000);
    assert_cell(&r, source, 0, complete, 1);
    assert_mem_row(r.sink, perfetto_track, 0, "1|1|4|NULL|NULL|process|1|NULL");
    assert_mem_row(r.sink, perfetto_track, 1, "2|1|5|1|NULL|thread|1|1");
    assert_mem_row(r.sink, perfetto_event, 0,
                   "1|1|begin|f|c|2|1|1|1005000|NULL|NULL|NULL|NULL|NULL|NULL|1");
    assert_mem_row(r.sink, perfetto_event, 1,
                   "2|1|end|NULL|NULL|2|1|1|1012000|NULL|NULL|NULL|NULL|NULL|NULL|1");
    assert_slice(&r, 0, "1|1|1|NULL|1|1005000|7000|7000|NULL|0|0");
    assert_mem_row(r.sink, perfetto_slice, 0, "1|1|2|2");
    assert_mem_text(r.sink, stack_method, 0, name, "f");
    assert_cell(&r, process, 1, pid, 10);
    assert_mem_text(r.sink, process, 1, name, "app");
    assert_cell(&r, thread, 1, tid, 11);
    assert_mem_text(r.sink, thread, 1, name, "main");
    assert_mem_row(r.sink, clock_snapshot, 0, "0|1|1000000|boottime");
    assert_mem_row(r.sink, clock_snapshot, 1, "1|4|900000|monotonic");
    run_free(&r);
}

/* Snapshots count for packets before them. */
static void test_late_snapshot(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, "0A0B 4064 D00303 5001 5A0248 03 "
                   "0A14 3212 0A06 0806 10C0843D 0A06 0803 10A0F736 1006 ");
    assert_cell(&r, perfetto_event, 0, ts, 1000000 - 900000 + 100);
    assert_int_equal(complaints(&r), 0); /* the track of the trace needs no description */
    run_free(&r);
}

static void test_unknown_clock(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, "0A0B 4064 D00303 5001 5A0248 03 ");
    assert_null_cell(&r, perfetto_event, 0, ts);
    assert_int_equal(issue_sum(&r, "perfetto_no_clock"), 1);
    run_free(&r);
}

/* An end closes the innermost slice; what is open at the end has no duration. */
static void test_nesting(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_event(&b, 100, 1, 1, 1, "a");
    put_event(&b, 110, 1, 0, 1, "b");
    put_event(&b, 130, 1, 0, 2, NULL);
    put_event(&b, 140, 1, 0, 2, NULL);
    put_event(&b, 150, 1, 0, 2, NULL);
    put_event(&b, 160, 1, 0, 1, "c");
    import_bytes(&r, b);
    assert_slice(&r, 0, "1|1|NULL|NULL|1|100|40|20|NULL|0|0");
    assert_slice(&r, 1, "2|1|NULL|1|2|110|20|20|NULL|1|0");
    assert_slice(&r, 2, "3|1|NULL|NULL|3|160|NULL|NULL|NULL|0|1");
    assert_int_equal(issue_sum(&r, "perfetto_end_unmatched"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_frames_open"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_no_track"), 1);
    run_free(&r);
}

/* Packets of the sequence are missing between: the slice that was open may have ended there. So may
 * one where a packet is left out: the end at 400 is of what began in that. */
static void test_dropped(void **state)
{
    run r;
    bytes b = {0};
    bytes event = {0};
    bytes packet = {0};
    UNUSED(state);
    put_event(&b, 100, 1, 1, 1, "a");
    put_number(&event, 9, 1);
    put_number(&event, 11, 5);
    put_text(&event, 23, "b");
    put_number(&packet, 8, 200);
    put_number(&packet, 10, 1);
    put_number(&packet, 42, 1);
    put_field(&packet, 11, event.p, event.n);
    put_field(&b, 1, packet.p, packet.n);
    put_event(&b, 300, 1, 2, 1, "needs the state");
    put_event(&b, 400, 1, 0, 2, NULL);
    free(event.p);
    free(packet.p);
    import_bytes(&r, b);
    assert_rows(&r, stack_slice, 2);
    assert_slice(&r, 0, "1|1|NULL|NULL|1|100|NULL|NULL|NULL|0|2");
    assert_slice(&r, 1, "2|1|NULL|NULL|2|200|NULL|NULL|NULL|0|2");
    assert_int_equal(issue_sum(&r, "perfetto_dropped"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_state_lost"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_frames_lost"), 2);
    assert_int_equal(issue_sum(&r, "perfetto_end_unmatched"), 1);
    run_free(&r);
}

/* A packet that needs a state and is the first of its sequence: its number may be wrong, and what
 * is open on tracks of others may have ended in it. */
static void test_stray(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_event(&b, 100, 1, 1, 1, "a");
    put_event(&b, 150, 2, 2, 2, NULL);
    put_event(&b, 200, 1, 2, 1, "b");
    put_event(&b, 300, 1, 2, 2, NULL);
    import_bytes(&r, b);
    assert_slice(&r, 0, "1|1|NULL|NULL|1|100|NULL|NULL|NULL|0|2");
    assert_slice(&r, 1, "2|1|NULL|NULL|2|200|100|100|NULL|0|0");
    assert_int_equal(issue_sum(&r, "perfetto_state_lost"), 1);
    run_free(&r);
}

/* A counter in KiB as differences, by a descriptor that follows the values. */
static void test_counters(void **state)
{
    static const int64_t values[] = {3, 4};
    run r;
    bytes b = {0};
    bytes track = {0};
    bytes counter = {0};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes event = {0};
        put_number(&event, 9, 4);
        put_number(&event, 11, 7);
        put_number(&event, 30, (uint64_t)values[i]);
        put_packet(&b, 100 + i, 1, i == 0, 11, &event);
        free(event.p);
    }
    put_number(&counter, 3, 3);
    put_number(&counter, 4, 1024);
    put_number(&counter, 5, 1);
    put_number(&track, 1, 7);
    put_text(&track, 2, "memory");
    put_field(&track, 8, counter.p, counter.n);
    put_packet(&b, 102, 1, 0, 60, &track);
    free(track.p);
    free(counter.p);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, timeseries, 0, "1|1|NULL|memory|bytes|NULL");
    assert_mem_row(r.sink, perfetto_counter, 0, "1|1");
    assert_mem_row(r.sink, timeseries_value, 0, "1|100|3072");
    assert_mem_row(r.sink, timeseries_value, 1, "1|101|7168");
    assert_rows(&r, perfetto_event, 0);
    run_free(&r);
}

/* Annotations of all kinds, nested ones too. */
static void test_args(void **state)
{
    run r;
    UNUSED(state);
    /* {"a": true, "b": 7, "c": -1, "d": 0.5, "e": "x", "p": "0x10"} */
    import_hex(&r, "0A43 4064 5001 5A3D 4803 2205 52016110 01 2205 52016218 07 220E 52016320 "
                   "FFFFFFFFFFFFFFFFFF01 220C 52016429 000000000000E03F 2206 52016532 0178 2205 "
                   "52017038 10");
    assert_mem_text(r.sink, perfetto_event, 0, args,
                    "{\"a\":true,\"b\":7,\"c\":-1,\"d\":0.5,\"e\":\"x\",\"p\":\"0x10\"}");
    assert_rows(&r, import_issue, 0);
    run_free(&r);
}

static void test_nested_args(void **state)
{
    bytes b = {0};
    bytes event = {0};
    bytes item = {0};
    bytes list = {0};
    bytes dict = {0};
    bytes old_item = {0};
    bytes old_list = {0};
    bytes old = {0};
    run r;
    UNUSED(state);
    put_number(&item, 4, 2);
    put_text(&list, 10, "l");
    put_field(&list, 12, item.p, item.n);
    put_text(&dict, 10, "d");
    put_field(&dict, 11, list.p, list.n);
    put_number(&event, 9, 3);
    put_field(&event, 4, dict.p, dict.n);
    put_number(&old_item, 5, 3);
    put_number(&old_list, 1, 2);
    put_field(&old_list, 4, old_item.p, old_item.n);
    put_number(&old, 1, 1);
    put_text(&old, 2, "k");
    put_field(&old, 3, old_list.p, old_list.n);
    dict.n = 0;
    put_text(&dict, 10, "n");
    put_field(&dict, 8, old.p, old.n);
    put_field(&event, 4, dict.p, dict.n);
    put_packet(&b, 100, 1, 1, 11, &event);
    import_bytes(&r, b);
    assert_mem_text(r.sink, perfetto_event, 0, args, "{\"d\":{\"l\":[2]},\"n\":{\"k\":[3]}}");
    assert_rows(&r, import_issue, 0);
    run_free(&r);
    free(event.p);
    free(item.p);
    free(list.p);
    free(dict.p);
    free(old_item.p);
    free(old_list.p);
    free(old.p);
}

/* Lists of switches of CPU 0: at 1000 to "app", thread 11; at 1500, uninterruptible, to "kw"; and a
 * marker of a counter at 2000. */
#define KERNEL                                                                                     \
    "0A27 0A23 0800 221F 2A03617070 2A026B77 0A04 E807F403 1202 0102 1A02 0B00 2202 7878 3202 "    \
    "0001 5002 0A1A 0A16 0800 1212 08D00F 100B 1A0B 1209 437C31307C717C350A 5002 "

static void test_kernel(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, KERNEL);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, sched_slice, 2);
    assert_cell(&r, sched_slice, 0, ts, 1000);
    assert_cell(&r, sched_slice, 0, dur, 500);
    assert_mem_text(r.sink, sched_slice, 0, end_state, "D");
    assert_cell(&r, sched_slice, 1, ts, 1500);
    assert_null_cell(&r, sched_slice, 1, dur);
    assert_cell(&r, thread, 1, tid, 11);
    assert_mem_text(r.sink, thread, 1, name, "app");
    assert_cell(&r, process_measure, 0, ts, 2000);
    run_free(&r);
}

/* A thread is woken by who runs; events of the CPU are missing before the second bundle. */
static void test_kernel_lists(void **state)
{
    static const uint64_t lists[][3] = {{1, 1000, 0}, {2, 1, 0},    {3, 11, 0}, {4, 120, 0},
                                        {6, 0, 0},    {7, 1200, 0}, {8, 12, 0}, {9, 0, 0}};
    bytes b = {0};
    bytes compact = {0};
    bytes bundle = {0};
    run r;
    UNUSED(state);
    put_text(&compact, 5, "app");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        put_number(&compact, (uint32_t)lists[i][0], lists[i][1]);
    }
    put_number(&bundle, 1, 3);
    put_field(&bundle, 4, compact.p, compact.n);
    put_packet(&b, 1, 1, 0, 1, &bundle);
    put_number(&bundle, 3, 1);
    put_packet(&b, 1, 1, 0, 1, &bundle);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "ftrace_dropped"), 1);
    assert_mem_text(r.sink, instant, 0, name, "sched_waking");
    assert_cell(&r, instant, 0, ts, 1200);
    run_free(&r);
    free(compact.p);
    free(bundle.p);
}

/* An event that is damaged is lost alone. */
static void test_kernel_damage(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, KERNEL "0A0E 0A0A 0800 1206 08D00F 2205 08 5002 ");
    assert_int_equal(issue_sum(&r, "ftrace_raw_bad_record"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_bad_packet"), 1);
    assert_rows(&r, sched_slice, 2);
    run_free(&r);
}

/* A packet of an event in the old form: 5 µs after the one before; dur in µs, 0: none. */
static void put_legacy(bytes *b, char phase, uint64_t dur)
{
    bytes old = {0};
    bytes event = {0};
    put_number(&old, 2, (uint64_t)phase);
    if (dur > 0) {
        put_number(&old, 3, dur);
    }
    put_number(&event, 1, 5);
    put_text(&event, 23, "x");
    put_field(&event, 6, old.p, old.n);
    put_packet(b, 1, 3, 0, 11, &event);
    free(old.p);
    free(event.p);
}

/* Times are differences that count from the descriptor of the sequence's thread, in µs of the
 * monotonic clock, which is that of the trace here. */
static void test_legacy(void **state)
{
    bytes b = of_hex("0A04 3202 1003 ");
    bytes thread = {0};
    run r;
    UNUSED(state);
    put_number(&thread, 1, 10);
    put_number(&thread, 2, 11);
    put_text(&thread, 5, "main");
    put_number(&thread, 6, 1000);
    put_packet(&b, 1, 3, 1, 44, &thread);
    put_legacy(&b, 'B', 0);  /* 1005 */
    put_legacy(&b, 'X', 20); /* 1010 to 1030 */
    put_legacy(&b, 'X', 5);  /* 1015 to 1020 */
    put_legacy(&b, 'X', 30); /* 1020 to 1050: longer than the first */
    put_legacy(&b, 'i', 0);
    put_legacy(&b, 'b', 0);
    for (int i = 0; i < 5; i++) {
        put_legacy(&b, 'i', 0);
    }
    put_legacy(&b, 'E', 0); /* 1060 */
    import_bytes(&r, b);
    assert_mem_text(r.sink, source, 0, clock, "monotonic");
    assert_slice(&r, 0, "1|1|1|NULL|1|1005000|55000|35000|NULL|0|0");
    assert_slice(&r, 1, "2|1|1|1|2|1010000|20000|NULL|NULL|1|0");
    assert_slice(&r, 2, "3|1|1|2|3|1015000|5000|5000|NULL|2|0");
    assert_slice(&r, 3, "4|1|1|2|3|1020000|30000|30000|NULL|2|0");
    assert_int_equal(issue_sum(&r, "perfetto_crossing"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_legacy_phase"), 1);
    assert_mem_text(r.sink, thread, 1, name, "main");
    assert_null_cell(&r, perfetto_track, 0, uuid);
    run_free(&r);
    free(thread.p);
}

/* What the recorder says of itself. */
static void test_about(void **state)
{
    bytes b = {0};
    bytes stats = {0};
    bytes buffer = {0};
    bytes uuid = {0};
    run r;
    UNUSED(state);
    put_number(&buffer, 3, 2);  /* overwritten */
    put_number(&buffer, 18, 1); /* discarded */
    put_number(&buffer, 19, 4); /* lost by writers */
    put_field(&stats, 1, buffer.p, buffer.n);
    put_number(&stats, 15, 2); /* the last flush failed */
    put_packet(&b, 1, 1, 0, 35, &stats);
    put_number(&uuid, 1, 1);
    put_number(&uuid, 2, 2);
    put_packet(&b, 1, 1, 0, 89, &uuid);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "perfetto_buffer_overwrote"), 2);
    assert_int_equal(issue_sum(&r, "perfetto_discarded"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_packet_loss"), 4);
    assert_int_equal(issue_sum(&r, "perfetto_flush_failed"), 1);
    assert_mem_text(r.sink, source_property, 0, value, "00000000000000010000000000000002");
    run_free(&r);
    free(stats.p);
    free(buffer.p);
    free(uuid.p);
}

/* Kinds that are not read are counted by name. */
static void test_counted(void **state)
{
    run r;
    bytes b = {0};
    const bytes nothing = {(uint8_t *)"", 0, 0};
    UNUSED(state);
    put_packet(&b, 100, 1, 0, 74, &nothing);
    put_packet(&b, 101, 1, 0, 55, &nothing);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "perfetto_unread"), 2);
    assert_int_equal(
        count_sum(&r, "perfetto_packets:streaming_allocation", TS_C_import_count__skipped), 1);
    assert_int_equal(count_sum(&r, "perfetto_packets:55", TS_C_import_count__skipped), 1);
    run_free(&r);
}

/* The mark of 16 bytes is where reading goes on. */
#define MARK_PACKET "0A17 4064 5001 A20210 82477A76B28D42BA81DC33326D57A079 "

static void test_lost_sync(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, TINY "0F0F0F0F0F " MARK_PACKET BEGIN);
    assert_int_equal(issue_sum(&r, "perfetto_lost_sync"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_state_lost"), 1);
    assert_rows(&r, stack_slice, 1);
    assert_cell(&r, source, 0, complete, 0);
    run_free(&r);
    /* a length that reaches beyond the file */
    import_hex(&r, TINY "0AFFFF01 " MARK_PACKET CLOCKS BEGIN END);
    assert_int_equal(issue_sum(&r, "perfetto_lost_sync"), 1);
    assert_rows(&r, perfetto_event, 4);
    assert_rows(&r, stack_slice, 2);
    run_free(&r);
}

static void test_bad_packets(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, TINY "0A04 5A05 4801 " CLOCKS BEGIN END);
    assert_int_equal(issue_sum(&r, "perfetto_bad_packet"), 1);
    assert_rows(&r, perfetto_event, 4);
    run_free(&r);
    /* a time that is not a number */
    import_hex(&r, TINY "0A05 4201 00 5001 " CLOCKS BEGIN END);
    assert_int_equal(issue_sum(&r, "perfetto_bad_packet"), 1);
    assert_rows(&r, perfetto_event, 4);
    run_free(&r);
    import_hex(&r, TINY "1005 ");
    assert_int_equal(issue_sum(&r, "perfetto_unknown_top"), 1);
    assert_rows(&r, stack_slice, 1);
    run_free(&r);
}

/* BEGIN and END in zlib, stored; and the same data cut. */
#define STORED                                                                                     \
    "7801 01 2C00 D3FF 0A1E 4005 5001 5A06 180148015001 620E 0A050801120163 1205 08011201 66 6802" \
    "0A0A 4007 5001 5A024802 6802 "

static void test_compressed(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, CLOCKS PROCESS THREAD "0A3A 920337 " STORED "782A058F ");
    assert_rows(&r, perfetto_event, 2);
    run_free(&r);
    import_hex(&r, CLOCKS PROCESS THREAD "0A36 920333 " STORED);
    assert_rows(&r, perfetto_event, 2);
    assert_int_equal(issue_sum(&r, "perfetto_bad_compressed"), 1);
    run_free(&r);
}

static void test_sniff(void **state)
{
    static const struct {
        const char *hex;
        bool is;
    } cases[] = {
        {TINY, true},
        {"0A00 " TINY, true},
        {"0A06 1204 0A020807 ", true}, /* processes */
        {"0A04 0801 1002 3200 ", false},
        {"0A00 0A00 ", false},
        {"0A23 2074 7261 6365 ", false}, /* text */
        {"0A0D0D0A ", false},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = of_hex(cases[i].hex);
        const ts_sniff s = {.name = "x", .head = b.p, .n = b.n, .whole = true};
        assert_int_equal(ts_format_perfetto.sniff(&s) != TS_SNIFF_NO, cases[i].is);
        free(b.p);
    }
}

static void test_none(void **state)
{
    static const ts_sniff nothing = {.name = "x"};
    UNUSED(state);
    assert_int_equal(ts_format_perfetto.sniff(&nothing), TS_SNIFF_NO);
}

#define LONG                                                                                       \
    TINY KERNEL MARK_PACKET "1005 " BEGIN END "0A04 5A05 4801 " MARK_PACKET CLOCKS BEGIN END

static void test_blocks(void **state)
{
    bytes b = of_hex(LONG);
    bytes lost = of_hex(TINY "0F0F0F0F0F " MARK_PACKET BEGIN "0AFFFF01 " MARK_PACKET CLOCKS BEGIN);
    UNUSED(state);
    check_blocks(&b, ANY_DEFECTS);
    check_blocks(&lost, ANY_DEFECTS);
    free(b.p);
    free(lost.p);
}

/* What is there of a cut trace is the beginning of the whole one's rows. */
static void test_cut_at_every_byte(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_perfetto_event, TS_T_stack_method};
    bytes b = of_hex(TINY BEGIN END);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t n = 1; n < b.n; n++) {
        const bytes cut = {.p = b.p, .n = n};
        run r;
        import_damaged(&r, &cut, 0);
        for (size_t i = 0; r.code == TS_OK && i < 2; i++) {
            size_t row;
            assert_true(memsink_rows(r.sink, tables[i]) <= memsink_rows(whole.sink, tables[i]));
            assert_true(memsink_is_prefix(&row, r.sink, whole.sink, tables[i]));
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_deleted_and_doubled(void **state)
{
    bytes b = of_hex(LONG);
    UNUSED(state);
    for (size_t at = 0; at < b.n; at += test_slow() ? 1 : 3) {
        for (size_t n = 1; n <= b.n - at; n = n * 2 + 1) {
            bytes changed = {0};
            run r;
            put(&changed, b.p, at);
            put(&changed, b.p + at + n, b.n - at - n);
            import_damaged(&r, &changed, 0);
            run_free(&r);
            changed.n = 0;
            put(&changed, b.p, at + n);
            put(&changed, b.p + at, b.n - at);
            import_damaged(&r, &changed, 0);
            run_free(&r);
            free(changed.p);
        }
    }
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = of_hex(LONG);
    UNUSED(state);
    check_bits(&b, 1);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_late_snapshot),
        cmocka_unit_test(test_unknown_clock),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_stray),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_args),
        cmocka_unit_test(test_nested_args),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_kernel_lists),
        cmocka_unit_test(test_kernel_damage),
        cmocka_unit_test(test_legacy),
        cmocka_unit_test(test_about),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_lost_sync),
        cmocka_unit_test(test_bad_packets),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_sniff),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_deleted_and_doubled),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
