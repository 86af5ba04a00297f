/* Folded stacks, samples of perf script, and profiles of speedscope. */
#include "mkprofile.h"

#include <inttypes.h>

void write_folded(FILE *out, const options *o)
{
    fputs("# made by mkprofile\n", out);
    for (uint64_t k = 0; k < o->samples; k++) {
        uint64_t s = stack_of(o, k);
        uint64_t n = depth_of(o, s);
        for (uint64_t d = 0; d < n; d++) {
            fprintf(out, "%s%s", d == 0 ? "" : ";",
                    function_name(frame_of(o, s, d) % o->functions));
        }
        fprintf(out, " %" PRIu64 "\n", 1 + mix(k, 3) % 5);
    }
}

/* Two events, one of them without a period; some samples of the kernel, some without a stack. */
void write_perf(FILE *out, const options *o)
{
    fputs("# ========\n# captured on    : Mon Jan  1 00:00:00 2024\n# ========\n#\n", out);
    for (uint64_t k = 0; k < o->samples; k++) {
        uint64_t s = stack_of(o, k);
        uint64_t n = mix(k, 5) % 16 == 0 ? 0 : depth_of(o, s);
        uint64_t thread = mix(k, 7) % 3;
        fprintf(out, "%s %d/%d [%03d] %5" PRIu64 ".%06" PRIu64 ": ",
                thread == 0 ? "main" : "pool 1 worker", 700, (int)(700 + thread),
                (int)(mix(k, 9) % 4), 100 + k / 1000, k % 1000 * 1000);
        if (mix(k, 3) % 4 == 0) {
            fputs("probe:f:\n", out);
        } else {
            fprintf(out, "%10" PRIu64 " cycles:u: \n", 1 + mix(k, 3) % 5);
        }
        for (uint64_t d = n; d > 0; d--) {
            uint64_t f = frame_of(o, s, d - 1) % o->functions;
            fprintf(out, "\t%16" PRIx64 " %s+0x%x (%s)\n", 0x400000 + f * 64, function_name(f),
                    (unsigned)(s % 32), f % 5 == 0 ? "[kernel.kallsyms]" : "/usr/lib/libwork.so.1");
        }
        fputc('\n', out);
    }
}

static void put_frames(FILE *out, const options *o)
{
    fputs("\"shared\":{\"frames\":[", out);
    for (uint64_t f = 0; f < o->functions; f++) {
        fprintf(out, "%s{\"name\":\"%s\",\"file\":\"%s\",\"line\":%d}", f == 0 ? "" : ",\n",
                function_name(f), function_file(f), (int)(1 + f % 500));
    }
    fputs("]}", out);
}

static void put_sampled(FILE *out, const options *o, uint64_t profile)
{
    uint64_t total = 0;
    fprintf(out,
            "{\"type\":\"sampled\",\"name\":\"thread %" PRIu64
            "\",\"unit\":\"microseconds\",\"startValue\":0,\"samples\":[",
            profile);
    for (uint64_t k = 0; k < o->samples; k++) {
        uint64_t s = stack_of(o, k + profile);
        uint64_t n = depth_of(o, s);
        fputs(k == 0 ? "[" : ",[", out);
        for (uint64_t d = 0; d < n; d++) {
            fprintf(out, "%s%" PRIu64, d == 0 ? "" : ",", frame_of(o, s, d) % o->functions);
        }
        fputs("]", out);
    }
    fputs("],\"weights\":[", out);
    for (uint64_t k = 0; k < o->samples; k++) {
        total += 1 + mix(k, 3) % 5;
        fprintf(out, "%s%" PRIu64, k == 0 ? "" : ",", 1 + mix(k, 3) % 5);
    }
    fprintf(out, "],\"endValue\":%" PRIu64 "}", total);
}

/* Two events for each sample: a stack grows or shrinks. */
static void put_evented(FILE *out, const options *o, uint64_t profile)
{
    uint64_t at = 0;
    const char *comma = "";
    fprintf(out,
            "{\"type\":\"evented\",\"name\":\"thread %" PRIu64
            "\",\"unit\":\"microseconds\",\"startValue\":0,\"events\":[",
            profile);
    for (uint64_t k = 0; k < o->samples; k++) {
        uint64_t s = stack_of(o, k + profile);
        uint64_t n = depth_of(o, s) % 8 + 1;
        for (uint64_t d = 0; d < n; d++, at++) {
            fprintf(out, "%s{\"type\":\"O\",\"frame\":%" PRIu64 ",\"at\":%" PRIu64 "}", comma,
                    frame_of(o, s, d) % o->functions, at);
            comma = ",";
        }
        for (uint64_t d = n; d > 0; d--, at++) {
            fprintf(out, ",{\"type\":\"C\",\"frame\":%" PRIu64 ",\"at\":%" PRIu64 "}",
                    frame_of(o, s, d - 1) % o->functions, at);
        }
    }
    fprintf(out, "],\"endValue\":%" PRIu64 "}", at);
}

void write_speedscope(FILE *out, const options *o)
{
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
    if (!o->frames_last) {
        put_frames(out, o);
        fputs(",\n", out);
    }
    fputs("\"profiles\":[", out);
    for (uint64_t i = 0; i < o->profiles; i++) {
        fputs(i == 0 ? "" : ",\n", out);
        if (o->evented) {
            put_evented(out, o, i);
        } else {
            put_sampled(out, o, i);
        }
    }
    fputs("]", out);
    if (o->frames_last) {
        fputs(",\n", out);
        put_frames(out, o);
    }
    fputs(",\"name\":\"made\",\"activeProfileIndex\":0,\"exporter\":\"mkprofile\"}\n", out);
}
