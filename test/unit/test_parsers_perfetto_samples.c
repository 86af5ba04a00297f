/* Traces of Perfetto: samples, dumps of heaps, measurements, logs and losses of the kernel. */
#include "parsers_perfetto.h"

/* An interned text: {1 number, 2 text}. */
static void put_entry(bytes *b, uint32_t field, uint64_t iid, const char *text)
{
    bytes e = {0};
    put_number(&e, 1, iid);
    put_text(&e, 2, text);
    put_part(b, field, &e);
    free(e.p);
}

/* InternedData with the stack 1: main, and in it address 0x1234 of /system/libc.so. Entries come
 * before those that they refer to, as in the order of the fields. */
static void put_stacks(bytes *interned)
{
    bytes e = {0};
    put_number(&e, 1, 1);
    put_number(&e, 2, 1);
    put_number(&e, 3, 1);
    put_number(&e, 4, 0x10);
    put_part(interned, 6, &e);
    put_number(&e, 1, 2);
    put_number(&e, 3, 1);
    put_number(&e, 4, 0x1234);
    put_part(interned, 6, &e);
    put_number(&e, 1, 1);
    put_number(&e, 2, 1);
    put_number(&e, 2, 2);
    put_part(interned, 7, &e);
    put_entry(interned, 5, 1, "main");
    put_entry(interned, 16, 1, "\x01\xff");
    put_entry(interned, 17, 1, "system");
    put_entry(interned, 17, 2, "libc.so");
    put_number(&e, 1, 1);
    put_number(&e, 2, 1);
    put_number(&e, 7, 1);
    put_number(&e, 7, 2);
    put_part(interned, 19, &e);
    free(e.p);
}

/* The first packet of sequence 1: its state, with a payload. */
static void put_first(bytes *b, uint64_t ts, uint64_t counter, uint32_t field, const bytes *payload)
{
    bytes packet = {0};
    bytes interned = {0};
    bytes timebase = {0};
    bytes perf = {0};
    bytes defaults = {0};
    put_number(&packet, 8, ts);
    put_number(&packet, 10, 1);
    put_number(&packet, 13, 1);
    put_stacks(&interned);
    put_part(&packet, 12, &interned);
    put_number(&timebase, 4, counter);
    put_part(&perf, 1, &timebase);
    put_part(&defaults, 12, &perf);
    put_part(&packet, 59, &defaults);
    put_field(&packet, field, payload->p, payload->n);
    put_part(b, 1, &packet);
    free(packet.p);
    free(interned.p);
    free(timebase.p);
    free(perf.p);
    free(defaults.p);
}

/* CPU 0, process 10, thread 11, stack 1, user mode. */
static bytes sample_of(uint32_t field, uint64_t value)
{
    static const uint64_t fields[][2] = {{1, 0}, {2, 10}, {3, 11}, {4, 1}, {5, 2}};
    bytes s = {0};
    for (size_t i = 0; i < 5; i++) {
        if (field != 18 || fields[i][0] != 4) {
            put_number(&s, (uint32_t)fields[i][0], fields[i][1]);
        }
    }
    if (field != 0) {
        put_number(&s, field, value);
    }
    return s;
}

static void put_sample(bytes *b, uint64_t ts, uint32_t field, uint64_t value)
{
    bytes s = sample_of(field, value);
    put_packet(b, ts, 1, 2, 66, &s);
    free(s.p);
}

static bytes perf_trace(uint64_t counter)
{
    bytes b = {0};
    bytes s = sample_of(0, 0);
    put_first(&b, 3000, counter, 66, &s);
    free(s.p);
    return b;
}

static void test_perf(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, perf_trace(10));
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, stack_sample, 0, "1|1|1|3000|NULL|2|cpu");
    assert_mem_row(r.sink, stack_node, 0, "1|1|NULL|1|NULL|0|NULL");
    assert_mem_row(r.sink, stack_node, 1, "2|1|1|2|NULL|1|NULL");
    assert_mem_text(r.sink, stack_method, 0, name, "main");
    assert_mem_text(r.sink, stack_method, 0, library, "/system/libc.so");
    assert_mem_text(r.sink, stack_method, 1, name, "libc.so+0x1234");
    assert_rows(&r, stack_sample_label, 2);
    assert_mem_row(r.sink, stack_sample_label, 0, "1|cpu|0");
    assert_mem_row(r.sink, stack_sample_label, 1, "1|cpu_mode|user");
    assert_cell(&r, thread, 1, tid, 11);
    assert_cell(&r, process, 1, pid, 10);
    run_free(&r);
    import_bytes(&r, perf_trace(11));
    assert_mem_text(r.sink, stack_sample, 0, event, "instructions");
    run_free(&r);
}

/* Symbols of the file may follow: of an address with an inlined function, innermost first. */
static void test_symbols(void **state)
{
    bytes b = perf_trace(1);
    bytes symbols = {0};
    bytes symbol = {0};
    bytes line = {0};
    run r;
    UNUSED(state);
    put_text(&symbols, 1, "/system/libc.so");
    put_text(&symbols, 2, "\x01\xff");
    put_number(&symbol, 1, 0x1234);
    put_text(&line, 1, "inlined");
    put_text(&line, 2, "a.c");
    put_number(&line, 3, 7);
    put_part(&symbol, 2, &line);
    put_text(&line, 1, "leaf");
    put_part(&symbol, 2, &line);
    put_part(&symbols, 3, &symbol);
    put_packet(&b, 9000, 2, 0, 61, &symbols);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 0, node_id, 3);
    assert_mem_text(r.sink, stack_method, 1, name, "leaf");
    assert_mem_text(r.sink, stack_method, 2, name, "inlined");
    assert_mem_text(r.sink, stack_method, 2, file, "a.c");
    assert_cell(&r, stack_node, 2, line, 7);
    run_free(&r);
    free(symbols.p);
    free(symbol.p);
    free(line.p);
}

/* Records that say that samples are missing, samples without a stack, a stack that was not sent. */
static void test_perf_losses(void **state)
{
    bytes b = perf_trace(1);
    run r;
    UNUSED(state);
    put_sample(&b, 3100, 17, 5); /* records lost */
    put_sample(&b, 3200, 18, 2); /* no time for the stack */
    put_sample(&b, 3300, 18, 4); /* none was wanted */
    put_sample(&b, 3400, 4, 9);  /* stack 9 */
    put_sample(&b, 3500, 16, 2); /* the stack is not whole */
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "perf_lost"), 5);
    assert_int_equal(issue_sum(&r, "perfetto_skipped_samples"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_no_interned"), 1);
    assert_rows(&r, stack_sample, 5);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_null_cell(&r, stack_sample, 2, node_id);
    assert_null_cell(&r, stack_sample, 3, node_id);
    assert_cell(&r, stack_sample, 4, node_id, 2);
    assert_mem_row(r.sink, stack_sample_label, 10, "5|unwind_error|2");
    assert_int_equal(count_sum(&r, "perfetto_samples", TS_C_import_count__imported), 5);
    run_free(&r);
}

/* Stacks of the thread of the sequence; times add up, also backwards. A stack has no time. */
static void test_streaming(void **state)
{
    bytes b = {0};
    bytes m = {0};
    run r;
    UNUSED(state);
    put_number(&m, 1, 10);
    put_number(&m, 2, 11);
    put_number(&m, 6, 1000);
    put_first(&b, 1, 1, 44, &m);
    m.n = 0;
    put_number(&m, 1, 1);
    put_number(&m, 1, 1);
    put_number(&m, 1, 1);
    put_number(&m, 2, 5);
    put_number(&m, 2, (uint64_t)-3);
    put_packet(&b, 1, 1, 2, 54, &m);
    free(m.p);
    put(&b,
        "\x0a\x14\x32\x12\x0a\x06\x08\x06\x10\xc0\x84\x3d\x0a\x06\x08\x03\x10\xa0\xf7\x36\x10\x06",
        22);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "perfetto_bad_list"), 1);
    assert_rows(&r, stack_sample, 2);
    assert_mem_row(r.sink, stack_sample, 0, "1|1|1|1105000|NULL|2|cpu");
    assert_mem_row(r.sink, stack_sample, 1, "2|1|1|1102000|NULL|2|cpu");
    run_free(&r);
}

/* heapprofd: process 10, libc.malloc, the stack malloc: 8192 bytes allocated in 2, 4096 freed in 1.
 */
#define HEAP                                                                                       \
    "0A42 40A01F 5004 AA023A 0A0A 0801 1206 6D616C6C6F63 1204 08011001 1A04 08011001 2A20 080A "   \
    "5A0B 6C6962632E6D616C6C6F63 608020 120C 0801 108040 188020 2802 3001 "

static void test_heap(void **state)
{
    run r;
    UNUSED(state);
    import_hex(&r, HEAP);
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, stack_sample, 0, "1|1|NULL|4000|NULL|1|alloc");
    assert_mem_text(r.sink, stack_method, 0, name, "malloc");
    assert_rows(&r, stack_sample_value, 4);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|8192");
    assert_mem_row(r.sink, stack_sample_value, 1, "1|2|2");
    assert_mem_row(r.sink, stack_sample_value, 2, "1|3|4096");
    assert_mem_row(r.sink, stack_sample_value, 3, "1|4|1");
    assert_mem_row(r.sink, stack_value_type, 0, "1|1|alloc_space|bytes");
    assert_mem_row(r.sink, stack_value_type, 3, "4|1|inuse_objects|count");
    assert_mem_row(r.sink, stack_sample_label, 0, "1|pid|10");
    assert_mem_row(r.sink, stack_sample_label, 1, "1|heap|libc.malloc");
    run_free(&r);
    /* the same again says nothing new */
    import_hex(&r, HEAP HEAP);
    assert_rows(&r, stack_sample, 1);
    assert_int_equal(count_sum(&r, "perfetto_samples", TS_C_import_count__skipped), 1);
    run_free(&r);
}

/* A dump in two packets: the second uses what the first explains, and its numbers have a gap to the
 * next one, which explains nothing. */
static void test_heap_parts(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes e = {0};
    bytes sample = {0};
    run r;
    UNUSED(state);
    put_entry(&m, 1, 1, "malloc");
    put_number(&e, 1, 1);
    put_number(&e, 2, 1);
    put_part(&m, 2, &e);
    put_number(&e, 1, 1);
    put_number(&e, 2, 1);
    put_part(&m, 3, &e);
    put_number(&m, 6, 1); /* continued */
    put_number(&m, 7, 4);
    put_packet(&b, 4000, 1, 0, 37, &m);
    for (uint64_t i = 0; i < 2; i++) {
        m.n = 0;
        put_number(&sample, 1, 1);
        put_number(&sample, 2, 100 + i);
        put_number(&sample, 8, 50);
        put_number(&e, 1, 10);
        put_part(&e, 2, &sample);
        put_number(&e, 7, 1); /* the buffer overran */
        put_part(&m, 5, &e);
        put_number(&m, 7, 5 + 2 * i);
        put_packet(&b, 4100, 1, 0, 37, &m);
    }
    import_bytes(&r, b);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 0, node_id, 1);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_mem_row(r.sink, stack_sample_value, 4, "1|5|50");
    assert_int_equal(issue_sum(&r, "heapprofd_incomplete"), 2);
    assert_int_equal(issue_sum(&r, "perfetto_lost"), 1);
    assert_int_equal(issue_sum(&r, "perfetto_no_interned"), 1);
    run_free(&r);
    free(m.p);
    free(e.p);
    free(sample.p);
}

/* Stacks that events bring: by number, and in full. */
static void test_event_stacks(void **state)
{
    bytes b = {0};
    bytes event = {0};
    bytes frame = {0};
    bytes stack = {0};
    run r;
    UNUSED(state);
    put_number(&event, 9, 3);
    put_number(&event, 56, 1);
    put_first(&b, 100, 1, 11, &event);
    event.n = 0;
    put_number(&event, 9, 3);
    put_text(&frame, 1, "outer");
    put_part(&stack, 1, &frame);
    put_text(&frame, 1, "inner");
    put_text(&frame, 2, "b.cc");
    put_number(&frame, 3, 12);
    put_part(&stack, 1, &frame);
    put_part(&event, 55, &stack);
    put_packet(&b, 200, 1, 2, 11, &event);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, perfetto_event, 0, node_id, 2);
    assert_cell(&r, perfetto_event, 1, node_id, 4);
    assert_cell(&r, stack_node, 3, line, 12);
    assert_mem_text(r.sink, stack_method, 3, name, "inner");
    assert_mem_text(r.sink, stack_method, 3, file, "b.cc");
    run_free(&r);
    free(event.p);
    free(frame.p);
    free(stack.p);
}

/* --- measurements ---------------------------------------------------------------------------- */

static void test_system(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes v = {0};
    run r;
    UNUSED(state);
    put_number(&v, 1, 2);
    put_number(&v, 2, 100);
    put_part(&m, 1, &v); /* MemFree, KiB */
    put_number(&v, 1, 3);
    put_number(&v, 2, 7000);
    put_part(&m, 3, &v);   /* CPU 3, user */
    put_number(&m, 4, 12); /* forks */
    put_number(&m, 11, 1800);
    put_number(&m, 11, 900);
    put_packet(&b, 500, 1, 0, 7, &m);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, timeseries, 0, "1|1|NULL|meminfo:MemFree|bytes|NULL");
    assert_mem_row(r.sink, timeseries, 1, "2|1|NULL|cpu3:user|ns|NULL");
    assert_mem_row(r.sink, timeseries, 2, "3|1|NULL|forks|count|NULL");
    assert_mem_row(r.sink, timeseries, 3, "4|1|NULL|cpufreq:0|kHz|NULL");
    assert_mem_row(r.sink, timeseries, 4, "5|1|NULL|cpufreq:1|kHz|NULL");
    assert_mem_row(r.sink, timeseries_value, 0, "1|500|102400");
    assert_mem_row(r.sink, timeseries_value, 1, "2|500|7000");
    assert_mem_row(r.sink, timeseries_value, 4, "5|500|900");
    assert_int_equal(count_sum(&r, "perfetto_points", TS_C_import_count__imported), 5);
    run_free(&r);
    free(m.p);
    free(v.p);
}

/* A value of a process holds until the next one. */
static void test_processes(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes v = {0};
    run r;
    UNUSED(state);
    for (uint64_t i = 0; i < 2; i++) {
        put_number(&v, 1, 10);
        put_number(&v, 3, 40 + i);
        put_part(&m, 1, &v);
        put_packet(&b, 500 + 100 * i, 1, 0, 9, &m);
        m.n = 0;
    }
    import_bytes(&r, b);
    assert_rows(&r, process_measure, 2);
    assert_mem_row(r.sink, process_measure, 0, "measure|500|100|40|0");
    assert_mem_row(r.sink, process_measure, 1, "measure|600|NULL|41|0");
    assert_mem_text(r.sink, process_measure_filter, 0, name, "mem.rss");
    assert_cell(&r, process, 1, pid, 10);
    run_free(&r);
    free(m.p);
    free(v.p);
}

static void test_power(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes v = {0};
    run r;
    UNUSED(state);
    put_number(&m, 1, 5000);
    put(&m, "\x15\x00\x00\x2a\x42", 5); /* 42.5 % */
    put_packet(&b, 100, 1, 0, 38, &m);
    m.n = 0;
    put_number(&v, 1, 3);
    put_text(&v, 2, "cpu.big");
    put_part(&m, 1, &v);
    put_number(&v, 1, 3);
    put_number(&v, 2, 2);
    put_number(&v, 3, 77);
    put_part(&m, 2, &v);
    put_packet(&b, 100, 1, 0, 40, &m);
    m.n = 0;
    put_number(&m, 2, 10);
    put_number(&m, 3, 4096);
    put_packet(&b, 200, 1, 0, 71, &m);
    import_bytes(&r, b);
    assert_mem_row(r.sink, timeseries, 0, "1|1|NULL|battery:charge|uAh|NULL");
    assert_mem_row(r.sink, timeseries_value, 1, "2|100|42.5");
    assert_mem_row(r.sink, timeseries, 2, "3|1|NULL|power:cpu.big|uWs|NULL");
    assert_mem_row(r.sink, timeseries_value, 2, "3|2000000|77");
    assert_mem_row(r.sink, timeseries, 3, "4|1|NULL|gpu_mem:0:10|bytes|NULL");
    run_free(&r);
    free(m.p);
    free(v.p);
}

/* Names of counters of a GPU come before their values. */
static void test_gpu(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes d = {0};
    bytes v = {0};
    run r;
    UNUSED(state);
    put_number(&v, 1, 1);
    put_text(&v, 2, "busy");
    put_part(&d, 1, &v);
    put_part(&m, 1, &d);
    put_number(&v, 1, 1);
    put_number(&v, 2, 30);
    put_part(&m, 2, &v);
    put_packet(&b, 100, 1, 0, 52, &m);
    import_bytes(&r, b);
    assert_mem_row(r.sink, timeseries, 0, "1|1|NULL|gpu0:busy|NULL|NULL");
    assert_mem_row(r.sink, timeseries_value, 0, "1|100|30");
    run_free(&r);
    free(m.p);
    free(d.p);
    free(v.p);
}

/* Lines have a time of the realtime clock. */
static void test_log(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes v = {0};
    run r;
    UNUSED(state);
    put_number(&v, 2, 10);
    put_number(&v, 3, 11);
    put_number(&v, 5, 1000500);
    put_text(&v, 6, "tag");
    put_number(&v, 7, 4);
    put_text(&v, 8, "hello");
    put_part(&m, 1, &v);
    put_packet(&b, 1, 1, 0, 39, &m);
    put(&b, "\x0a\x12\x32\x10\x0a\x06\x08\x01\x10\xc0\x84\x3d\x0a\x06\x08\x06\x10\xa0\xf7\x36", 20);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, log, 0, "NULL|900500|10|11|I|tag|hello|1000500");
    run_free(&r);
    free(m.p);
    free(v.p);
}

/* Numbers of a CPU at the beginning and at the end. */
static void test_kernel_losses(void **state)
{
    bytes b = {0};
    bytes m = {0};
    bytes cpu = {0};
    run r;
    UNUSED(state);
    for (uint64_t phase = 1; phase <= 2; phase++) {
        put_number(&m, 1, phase);
        for (uint64_t i = 0; i < 2; i++) {
            put_number(&cpu, 1, i);
            put_number(&cpu, 3, 100 + (phase - 1) * i * 5);
            put_number(&cpu, 8, 1 + (phase - 1) * i);
            put_part(&m, 2, &cpu);
        }
        put_packet(&b, phase, 1, 0, 34, &m);
        m.n = 0;
    }
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "ftrace_overrun"), 1);
    assert_int_equal(count_sum(&r, "ftrace_events:dropped", TS_C_import_count__lost), 6);
    run_free(&r);
    free(m.p);
    free(cpu.p);
}

/* --- events of the kernel -------------------------------------------------------------------- */

/* A bundle of CPU 0 with an event of thread 11 in this field. */
static void put_kernel(bytes *b, uint64_t ts, uint32_t field, bytes *body, bytes *description)
{
    bytes event = {0};
    bytes bundle = {0};
    put_number(&event, 1, ts);
    put_number(&event, 2, 11);
    put_part(&event, field, body);
    put_number(&bundle, 1, 0);
    put_part(&bundle, 2, &event);
    if (description != NULL) {
        put_part(&bundle, 11, description);
    }
    put_packet(b, 1, 2, 0, 1, &bundle);
    free(event.p);
    free(bundle.p);
}

/* Markers in parts. */
static void test_marks(void **state)
{
    bytes b = {0};
    bytes body = {0};
    run r;
    UNUSED(state);
    put_number(&body, 1, 10);
    put_text(&body, 2, "work");
    put_number(&body, 3, 1);
    put_kernel(&b, 1000, 80, &body, NULL);
    put_number(&body, 1, 10);
    put_number(&body, 3, 0);
    put_kernel(&b, 1700, 80, &body, NULL);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, callstack, 1);
    assert_cell(&r, callstack, 0, ts, 1000);
    assert_cell(&r, callstack, 0, dur, 700);
    assert_mem_text(r.sink, callstack, 0, name, "work");
    run_free(&r);
    free(body.p);
}

static void test_calls(void **state)
{
    bytes b = {0};
    bytes body = {0};
    run r;
    UNUSED(state);
    put_number(&body, 1, 56);
    put_number(&body, 2, 0xff);
    put_number(&body, 2, 0);
    put_kernel(&b, 1000, 329, &body, NULL);
    put_number(&body, 1, 56);
    put_number(&body, 2, 3);
    put_kernel(&b, 1200, 330, &body, NULL);
    import_bytes(&r, b);
    assert_rows(&r, syscall, 1);
    assert_mem_text(r.sink, syscall, 0, args, "ff, 0");
    assert_cell(&r, syscall, 0, ret, 3);
    run_free(&r);
    free(body.p);
}

/* Field of a generic event: {1 name, 3 text | 4 number}. */
static void put_generic(bytes *body, const char *name, const char *text, uint64_t v)
{
    bytes f = {0};
    put_text(&f, 1, name);
    if (text != NULL) {
        put_text(&f, 3, text);
    } else {
        put_number(&f, 4, v);
    }
    put_part(body, 2, &f);
    free(f.p);
}

/* Events that have names instead of numbers: by themselves, and as the bundle describes them. */
static void test_named(void **state)
{
    bytes b = {0};
    bytes body = {0};
    bytes field = {0};
    bytes type = {0};
    bytes description = {0};
    run r;
    UNUSED(state);
    put_text(&body, 1, "cpu_frequency");
    put_generic(&body, "state", NULL, 1800000);
    put_generic(&body, "cpu_id", NULL, 2);
    put_kernel(&b, 1000, 327, &body, NULL);
    put_text(&body, 1, "cpu_frequency"); /* without its CPU */
    put_generic(&body, "state", NULL, 1);
    put_kernel(&b, 1100, 327, &body, NULL);
    put_text(&field, 1, "state");
    put_number(&field, 3, 1);
    put_text(&type, 1, "cpu_frequency");
    put_part(&type, 2, &field);
    put_text(&field, 1, "cpu_id");
    put_number(&field, 3, 2);
    put_part(&type, 2, &field);
    put_number(&description, 1, 65537);
    put_part(&description, 2, &type);
    put_number(&body, 1, 900000);
    put_number(&body, 2, 2);
    put_kernel(&b, 1500, 65537, &body, &description);
    put_number(&body, 1, 1);
    put_kernel(&b, 1600, 65538, &body, NULL); /* not described */
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "ftrace_other_events"), 2);
    assert_rows(&r, measure, 2);
    assert_cell(&r, measure, 0, ts, 1000);
    assert_cell(&r, measure, 0, value, 1800000);
    assert_cell(&r, measure, 1, ts, 1500);
    assert_cell(&r, measure, 1, value, 900000);
    assert_cell(&r, cpu_measure_filter, 0, cpu, 2);
    run_free(&r);
    free(body.p);
    free(field.p);
    free(type.p);
    free(description.p);
}

/* --- damage ---------------------------------------------------------------------------------- */

/* All of the above kinds. */
static bytes all(void)
{
    bytes b = perf_trace(10);
    bytes heap = of_hex(HEAP);
    bytes m = {0};
    bytes v = {0};
    put_sample(&b, 3100, 17, 5);
    put(&b, heap.p, heap.n);
    put_number(&v, 1, 2);
    put_number(&v, 2, 100);
    put_part(&m, 1, &v);
    put_packet(&b, 500, 1, 0, 7, &m);
    m.n = 0;
    put_number(&v, 1, 10);
    put_number(&v, 3, 40);
    put_part(&m, 1, &v);
    put_packet(&b, 600, 1, 0, 9, &m);
    m.n = 0;
    put_number(&v, 2, 10);
    put_text(&v, 8, "hello");
    put_part(&m, 1, &v);
    put_packet(&b, 700, 1, 0, 39, &m);
    free(heap.p);
    free(m.p);
    free(v.p);
    return b;
}

static void test_blocks(void **state)
{
    bytes b = all();
    UNUSED(state);
    check_blocks(&b, ANY_DEFECTS);
    free(b.p);
}

static void test_cut_at_every_byte(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_stack_sample, TS_T_stack_method, TS_T_log};
    bytes b = all();
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t n = 1; n < b.n; n++) {
        const bytes cut = {.p = b.p, .n = n};
        run r;
        import_damaged(&r, &cut, 0);
        for (size_t i = 0; r.code == TS_OK && i < 3; i++) {
            size_t row;
            assert_true(memsink_is_prefix(&row, r.sink, whole.sink, tables[i]));
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = all();
    UNUSED(state);
    check_bits(&b, 1);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perf),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_perf_losses),
        cmocka_unit_test(test_streaming),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_heap_parts),
        cmocka_unit_test(test_event_stacks),
        cmocka_unit_test(test_system),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_kernel_losses),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
