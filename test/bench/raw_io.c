/*
 * Two yardsticks: what the system itself needs for the bytes.
 *
 * bench_raw_io read FILE         reads a file in large pieces and does nothing with it
 * bench_raw_io write FILE BYTES  writes so many bytes to a new file
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static int fail(const char *path)
{
    perror(path);
    return 1;
}

static int read_all(const char *path, char *piece)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    if (fd < 0) {
        return fail(path);
    }
    do {
        n = read(fd, piece, PIECE);
    } while (n > 0);
    close(fd);
    return n < 0 ? fail(path) : 0;
}

static int write_new(const char *path, char *piece, unsigned long long bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return fail(path);
    }
    memset(piece, 0xa5, PIECE);
    while (bytes > 0) {
        ssize_t n = write(fd, piece, bytes < PIECE ? (size_t)bytes : PIECE);
        if (n <= 0) {
            close(fd);
            return fail(path);
        }
        bytes -= (unsigned long long)n;
    }
    return close(fd) == 0 ? 0 : fail(path);
}

int main(int argc, char **argv)
{
    char *piece = malloc(PIECE);
    int status = 2;
    if (piece != NULL && argc == 3 && strcmp(argv[1], "read") == 0) {
        status = read_all(argv[2], piece);
    } else if (piece != NULL && argc == 4 && strcmp(argv[1], "write") == 0) {
        status = write_new(argv[2], piece, strtoull(argv[3], NULL, 10));
    } else {
        fputs("usage: bench_raw_io read FILE | write FILE BYTES\n", stderr);
    }
    free(piece);
    return status;
}
