/*
 * The bytes are a command line: its words are divided by zero bytes. Whatever they are, they are
 * understood or refused with a sentence, the result does not change when it is asked for again, and
 * it points into the words only.
 *
 * Options: -max_len=1024
 */
#include "fuzz.h"

#include "cli/options.h"

enum { WORDS_MAX = 200, LOOKED_AT = 4 };

static bool inside(const char *text, const char *words, size_t n)
{
    return text == NULL || (text >= words && text < words + n);
}

static void check_options(const ts_options *o, const char *words, size_t n)
{
    const char *const texts[] = {o->export_db, o->query,     o->out,   o->directory, o->format,
                                 o->log_file,  o->json_file, o->table, o->question};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check(inside(texts[i], words, n));
    }
    for (size_t i = 0; i < o->path_count; i++) {
        check(o->paths[i] != NULL && o->paths[i][0] != '\0' && inside(o->paths[i], words, n));
    }
    for (size_t i = 0; i < o->param_count; i++) {
        check(inside(o->params[i].value, words, n));
        check(strpbrk(o->params[i].name, ":@$=") == NULL && o->params[i].name[0] != '\0');
        for (size_t k = 0; k < i; k++) {
            check(strcmp(o->params[i].name, o->params[k].name) != 0);
        }
    }
    check(o->mode != TS_MODE_RUN || o->path_count > 0 || o->directory != NULL ||
          o->verb == TS_VERB_SAMPLE); /* alone it lists what can be sampled */
}

static void check_word(const char *word)
{
    const char *nearest = ts_option_nearest(~0U, word, strlen(word));
    bool known = nearest == NULL;
    uint64_t size;
    for (size_t i = 0; i < ts_option_count; i++) {
        known = known || nearest == ts_option_list[i].long_name ||
                nearest == ts_option_list[i].short_name;
    }
    check(known);
    check(!ts_parse_size(&size, word) || (size <= INT64_MAX && word[0] >= '0' && word[0] <= '9'));
}

static ts_code parse(ts_ctx *ctx, int argc, char **argv, const char *words, size_t n)
{
    ts_options o;
    ts_code code = ts_options_parse(&o, ctx, argc, argv);
    check(code == TS_OK || (code == TS_ERR_USAGE && ctx->error.causes[0][0] != '\0'));
    if (code == TS_OK) {
        check_options(&o, words, n);
    }
    ts_options_free(&o, ctx);
    check(ctx->memory_used == 0);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = fuzz_ctx_new();
    ts_error first;
    char name[] = "trace_streamer";
    char *argv[WORDS_MAX + 2] = {name};
    int argc = 1;
    char *words = malloc(size + 1);
    check(words != NULL);
    if (size > 0) {
        memcpy(words, data, size);
    }
    words[size] = '\0';
    for (size_t at = 0; at <= size && argc <= WORDS_MAX; at += strlen(words + at) + 1) {
        argv[argc++] = words + at;
        if (argc <= LOOKED_AT) {
            check_word(words + at);
        }
    }
    ts_code code = parse(ctx, argc, argv, words, size + 1);
    first = ctx->error;
    check(parse(ctx, argc, argv, words, size + 1) == code);
    check(code == TS_OK || strcmp(first.causes[0], ctx->error.causes[0]) == 0);
    free(words);
    fuzz_ctx_free(ctx);
    return 0;
}
