/*
 * The program, loaded once for many runs: what costs most of a short run with sanitizers is to load
 * it. A request comes as a message on standard input, a socket: the folder to run in and the
 * arguments, each with a NUL after it, beside the three standard descriptors of the run. Runs are
 * one after the other in this process, as the program keeps nothing of a run: those that change
 * what is the process's own (the limit of SQLite's memory, timers, servers) are in a copy of it. No
 * run leaves a descriptor open, and leaks of all are looked for at the end. The answer is the
 * status, as waitpid gives it. The end of the socket ends this process. test/check/starts.py asks.
 */
/* The program's own main, by another name. */
int program_main(int argc, char **argv);
#define main program_main
#include "cli/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { REQUEST = 1 << 16, WORDS = 1000, STANDARD = 3, HIGH = 200, HANDLERS = 4 };

/* What the program leaves to its end. Its signals are installed once a run, so that one place is
 * enough. */
static void (*at_end[HANDLERS])(void);
static int handlers;

int __wrap_atexit(void (*handler)(void)); /* NOLINT(bugprone-reserved-identifier) */
int __wrap_atexit(void (*handler)(void))  /* NOLINT(bugprone-reserved-identifier) */
{
    if (handlers == HANDLERS) {
        return -1;
    }
    at_end[handlers++] = handler;
    return 0;
}

static void must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "starts: %s: %s\n", what, strerror(errno));
        exit(99);
    }
}

/* The bytes of a request, 0 at the end, and its descriptors. */
static size_t receive(char *bytes, int *descriptors, int control_socket)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(STANDARD * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = REQUEST};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t n = recvmsg(control_socket, &message, MSG_CMSG_CLOEXEC);
    if (n == 0) {
        return 0;
    }
    must(n > 0 && bytes[n - 1] == '\0' && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0,
         "a request");
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    must(header != NULL && header->cmsg_len == CMSG_LEN(STANDARD * sizeof(int)), "descriptors");
    memcpy(descriptors, CMSG_DATA(header), STANDARD * sizeof(int));
    return (size_t)n;
}

/* The lowest that is free. */
static int free_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    must(fd >= 0 && close(fd) == 0, "/dev/null");
    return fd;
}

static int run(char *bytes, size_t n, const int *descriptors)
{
    char *words[WORDS + 1];
    int count = 0;
    for (size_t at = strlen(bytes) + 1; at < n; at += strlen(bytes + at) + 1) {
        must(count < WORDS, "too many words");
        words[count++] = bytes + at;
    }
    words[count] = NULL;
    for (int i = 0; i < STANDARD; i++) {
        must(dup2(descriptors[i], i) == i && close(descriptors[i]) == 0, "dup2");
    }
    must(chdir(bytes) == 0, bytes);
    const int before = free_descriptor();
    handlers = 0;
    const int code = program_main(count, words);
    while (handlers > 0) {
        at_end[--handlers]();
    }
    (void)fflush(NULL);
    if (free_descriptor() != before) {
        fprintf(stderr, "starts: the run left a descriptor open\n");
        exit(99);
    }
    return code;
}

/* What a run changes of the process that another one would find. */
static bool is_alone(const char *bytes, size_t n)
{
    static const char *const words[] = {"--max-memory", "--complete", "--each", "--at",
                                        "serve",        "sample",     "mcp",    "fleet"};
    for (size_t at = strlen(bytes) + 1; at < n; at += strlen(bytes + at) + 1) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strncmp(bytes + at, words[i], strlen(words[i])) == 0) {
                return true;
            }
        }
    }
    return false;
}

static int run_alone(char *bytes, size_t n, const int *descriptors)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        exit(run(bytes, n, descriptors));
    }
    must(child > 0 && waitpid(child, &status, 0) == child, "fork");
    for (int i = 0; i < STANDARD; i++) {
        (void)close(descriptors[i]);
    }
    return status;
}

int main(void)
{
    static char bytes[REQUEST];
    int descriptors[STANDARD];
    const int control = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, HIGH);
    const int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    must(control > 0 && errors > 0 && nothing > 0, "descriptors");
    for (size_t n = receive(bytes, descriptors, control); n > 0;
         n = receive(bytes, descriptors, control)) {
        const int status =
            is_alone(bytes, n) ? run_alone(bytes, n, descriptors) : run(bytes, n, descriptors) << 8;
        /* The other ends of pipes are told. */
        must(dup2(nothing, STDIN_FILENO) == STDIN_FILENO &&
                 dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO &&
                 dup2(errors, STDERR_FILENO) == STDERR_FILENO,
             "dup2");
        must(send(control, &status, sizeof status, 0) == sizeof status, "an answer");
    }
    return 0;
}
