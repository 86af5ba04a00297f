/*
 * bench_measure FILE COMMAND [ARGUMENT...]: runs a command and appends a line to FILE with its wall
 * time, its user and system CPU time (seconds) and its peak memory (KiB). Ends with the command's
 * exit code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    double begin = now();
    double wall;
    int status;
    FILE *out;
    pid_t child;
    if (argc < 3) {
        fputs("usage: bench_measure FILE COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("bench_measure");
        return 1;
    }
    wall = now() - begin;
    out = fopen(argv[1], "a");
    if (out == NULL ||
        fprintf(out, "%.4f %.4f %.4f %ld\n", wall, seconds(usage.ru_utime), seconds(usage.ru_stime),
                usage.ru_maxrss) < 0 ||
        fclose(out) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
