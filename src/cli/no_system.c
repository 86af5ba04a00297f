/* What the program finds on other systems and not in the module: other processes, processors,
 * timers. */
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/verbs.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

int ts_sample_verb(ts_ctx *ctx, const ts_options *options)
{
    (void)options;
    (void)ts_fail(ctx, TS_ERR_USAGE, "this build cannot sample: processes are not seen by it");
    ts_print_error(ctx, &ctx->error);
    return ts_exit_code(ctx, TS_ERR_USAGE);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    (void)size;
    (void)set;
    errno = ENOSYS;
    return -1;
}

int __sched_cpucount(size_t size, const cpu_set_t *set)
{
    (void)size;
    (void)set;
    return 1;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    (void)clock;
    (void)event;
    (void)timer;
    errno = ENOSYS;
    return -1;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
                  struct itimerspec *restrict old)
{
    (void)timer;
    (void)flags;
    (void)value;
    (void)old;
    errno = ENOSYS;
    return -1;
}
