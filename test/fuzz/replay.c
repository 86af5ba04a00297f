/* Runs a fuzz target on files and on the files of directories: the corpus as an ordinary test. A
 * target with a custom mutator has it run on them too, a few times each. */
#include "mutate.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef TS_FUZZ_MUTATOR

enum { MUTATIONS = 40, ROOM = 300 };

/* In place of libFuzzer's own mutations. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    if (size < max_size) {
        data[size] = '7';
        return size + 1;
    }
    return size / 2;
}

static void mutate(const uint8_t *data, size_t size)
{
    for (unsigned seed = 0; seed < MUTATIONS; seed++) {
        size_t room = seed % 2 == 0 ? size + ROOM : size == 0 ? 1 : size;
        uint8_t *copy = calloc(1, room);
        uint8_t *other = malloc(room);
        if (copy == NULL || other == NULL) {
            abort();
        }
        if (size > 0) {
            memcpy(copy, data, size);
        }
        size_t n = LLVMFuzzerCustomMutator(copy, size, room, seed * 2654435761U);
        size_t m = n > room ? n : LLVMFuzzerCustomCrossOver(copy, n, data, size, other, room, seed);
        if (n > room || m > room) {
            fprintf(stderr, "the mutator made %zu and %zu of %zu bytes\n", n, m, room);
            abort();
        }
        free(copy);
        free(other);
    }
}

#else

static void mutate(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
}

#endif

static unsigned long replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;
    long size;
    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 ||
        fseek(f, 0, SEEK_SET) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    /* Exactly as large as the input, so that reading beyond it is seen. */
    data = malloc(size == 0 ? 1 : (size_t)size);
    if (data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    mutate(data, (size_t)size);
    free(data);
    return 1;
}

static unsigned long replay_path(const char *path)
{
    struct dirent **names;
    struct stat st;
    unsigned long count = 0;
    int n;
    if (stat(path, &st) != 0) {
        return 0; /* a target without a corpus yet */
    }
    if (!S_ISDIR(st.st_mode)) {
        return replay_file(path);
    }
    n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (stat(file, &st) == 0 && S_ISREG(st.st_mode)) {
            count += replay_file(file);
        }
        free(names[i]);
    }
    if (n >= 0) {
        free(names);
    }
    return count;
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        count += replay_path(argv[i]);
    }
    printf("%lu inputs replayed\n", count);
    return 0;
}
