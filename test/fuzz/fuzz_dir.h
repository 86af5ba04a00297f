/* A directory of the process's own for targets that need real files, in memory where there is a
 * place for that. It is removed when the process ends. */
#ifndef TS_FUZZ_FUZZ_DIR_H
#define TS_FUZZ_FUZZ_DIR_H

#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char fuzz_dir[64];

/* Removes what is in the directory; the number of names that were there, "." and ".." aside. */
static inline unsigned fuzz_dir_clear(void)
{
    unsigned n = 0;
    char path[400];
    DIR *dir = opendir(fuzz_dir);
    check(dir != NULL);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            (void)snprintf(path, sizeof path, "%s/%s", fuzz_dir, e->d_name);
            (void)unlink(path);
            n++;
        }
    }
    (void)closedir(dir);
    return n;
}

static inline void fuzz_dir_remove(void)
{
    (void)fuzz_dir_clear();
    (void)rmdir(fuzz_dir);
}

static inline void fuzz_dir_make(void)
{
    if (fuzz_dir[0] != '\0') {
        return;
    }
    const char *base = getenv("TS_FUZZ_DIR"); /* removed by who set it, also after a crash */
    (void)snprintf(fuzz_dir, sizeof fuzz_dir, "%s/ts-fuzz-XXXXXX",
                   base == NULL ? "/dev/shm" : base);
    if (mkdtemp(fuzz_dir) == NULL) {
        strcpy(fuzz_dir, "/tmp/ts-fuzz-XXXXXX");
        check(mkdtemp(fuzz_dir) != NULL);
    }
    (void)atexit(fuzz_dir_remove);
}

/*
 * Makes files in the directory from an input: a byte that says which of the `count` names, two
 * bytes of length (big-endian), the bytes. A file that comes twice goes on.
 */
static inline void fuzz_dir_fill(const char *const *names, size_t count, const uint8_t *p, size_t n)
{
    while (n >= 3) {
        char path[400];
        size_t size = (size_t)p[1] << 8 | p[2];
        const char *name = names[p[0] % count];
        p += 3;
        n -= 3;
        size = size < n ? size : n;
        (void)snprintf(path, sizeof path, "%s/%s", fuzz_dir, name);
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        check(fd >= 0);
        check(write(fd, p, size) == (ssize_t)size);
        (void)close(fd);
        p += size;
        n -= size;
    }
}

#endif
