/*
 * convert_by_library OUT PIECE FLAGS INPUT...: converts as the program does, through the library.
 * PIECE: 0: the inputs are given as paths, else they are fed in pieces of so many bytes. FLAGS: of
 * tst_options. The exit code is that of the library.
 */
#include "tracestreamer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put(void *user, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) != n;
}

static int feed(tst_session *s, const char *path, size_t piece)
{
    char *bytes = malloc(piece);
    FILE *in = fopen(path, "rb");
    int code = bytes == NULL || in == NULL ? TST_INPUT : tst_name(s, path);
    size_t got = 1;
    while (code == TST_OK && got > 0) {
        got = fread(bytes, 1, piece, in);
        code = tst_feed(s, bytes, got, got == 0);
    }
    if (in != NULL) {
        fclose(in);
    }
    free(bytes);
    return code;
}

int main(int argc, char **argv)
{
    tst_session *s;
    tst_options options;
    int code;
    if (argc < 5) {
        return TST_USAGE;
    }
    const size_t piece = strtoul(argv[2], NULL, 10);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.flags = (uint32_t)strtoul(argv[3], NULL, 10);
    code = tst_open(&s, &options);
    for (int i = 4; i < argc && (code == TST_OK || code == TST_FORMAT || code == TST_INPUT); i++) {
        code = piece == 0 ? tst_add_path(s, argv[i]) : feed(s, argv[i], piece);
    }
    code = tst_finish(s);
    if (code == TST_OK) {
        FILE *out = fopen(argv[1], "wb");
        code = out == NULL ? TST_OUTPUT : tst_export(s, put, out);
        if (out != NULL && fclose(out) != 0) {
            code = TST_OUTPUT;
        }
    }
    if (code != TST_OK) {
        fprintf(stderr, "%s\n", tst_message(s));
    }
    tst_close(s);
    return code;
}
