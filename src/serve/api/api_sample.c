/* /api/jvms and /api/sample: Java VMs of this user, and sampling one into a database. */
#include "serve/api/app.h"

#include <inttypes.h>
#include <stdlib.h>

static void reply_json(ts_reply *reply, ts_jout *j, ts_ctx *ctx, ts_reply_sink *sink)
{
    reply->status = 200;
    reply->type = "application/json; charset=utf-8";
    *sink = (ts_reply_sink){reply, ctx};
    ts_jout_begin(j, ctx, ts_reply_write, sink);
}

static ts_code refuse(ts_reply *reply, ts_ctx *ctx)
{
    return ts_reply_error(reply, ctx, 403, "sampling",
                          "this server samples no Java VMs: it is reached without the token, or "
                          "from other machines",
                          -1);
}

static void put_sampling(ts_jout *j, const ts_app *app, size_t number)
{
    static const char *const states[] = {"free", "asked", "asked", "runs", "done", "failed"};
    ts_sampling *one = &app->databases.samplings->all[number];
    const int state = atomic_load(&one->state);
    if (state == TS_SAMPLING_FREE || state == TS_SAMPLING_TAKEN) {
        return;
    }
    ts_jout_open(j, NULL, '{');
    ts_jout_uint(j, "number", number);
    ts_jout_int(j, "pid", one->pid);
    ts_jout_str(j, "name", one->name);
    ts_jout_int(j, "seconds", one->seconds);
    ts_jout_str(j, "state", states[state]);
    ts_jout_int(j, "elapsed_ms", atomic_load(&one->elapsed_ms));
    if (state == TS_SAMPLING_DONE) {
        ts_jout_str(j, "db", app->databases.all[app->databases.count + number].name);
    } else if (state == TS_SAMPLING_FAILED) {
        ts_jout_str(j, "message", one->message);
    }
    ts_jout_close(j, '}');
}

ts_code ts_api_jvms(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_jout j;
    ts_reply_sink sink;
    ts_vec found = {0};
    if (app->databases.samplings == NULL) {
        return refuse(reply, ctx);
    }
    if (r->arg_count > 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "a parameter is unknown");
    }
    ts_code code = ts_jvms_find(&found, ctx, "/proc");
    if (code == TS_OK) {
        reply_json(reply, &j, ctx, &sink);
        ts_jout_open(&j, NULL, '{');
        ts_jout_open(&j, "jvms", '[');
        for (size_t i = 0; i < found.n; i++) {
            const ts_jvm_found *one = (const ts_jvm_found *)found.p + i;
            ts_jout_open(&j, NULL, '{');
            ts_jout_int(&j, "pid", one->pid);
            ts_jout_str(&j, "name", one->name);
            ts_jout_close(&j, '}');
        }
        ts_jout_close(&j, ']');
        ts_jout_open(&j, "samplings", '[');
        for (size_t i = 0; i < app->databases.samplings->room; i++) {
            put_sampling(&j, app, i);
        }
        ts_jout_ends(&j, "]}");
        code = ts_jout_end(&j);
    }
    ts_vec_free(ctx, &found);
    return code;
}

/* A number from `least` to `most`; `otherwise` when the parameter is not given. */
static ts_code number_of(int *out, ts_ctx *ctx, const ts_request *r, const char *name, int least,
                         int most, int otherwise)
{
    char text[16];
    ts_text given = ts_request_arg(r, name);
    char *end;
    if (given.p == NULL && otherwise >= least) {
        *out = otherwise;
        return TS_OK;
    }
    if (given.p != NULL && given.n > 0 && given.n < sizeof text && given.p[0] >= '0' &&
        given.p[0] <= '9') {
        memcpy(text, given.p, given.n);
        text[given.n] = '\0';
        long value = strtol(text, &end, 10);
        if (*end == '\0' && value >= least && value <= most) {
            *out = (int)value;
            return TS_OK;
        }
    }
    return ts_fail(ctx, TS_ERR_USAGE, "%s must be a number from %d to %d", name, least, most);
}

static ts_code reply_number(ts_reply *reply, ts_ctx *ctx, int number)
{
    ts_jout j;
    ts_reply_sink sink;
    reply_json(reply, &j, ctx, &sink);
    ts_jout_open(&j, NULL, '{');
    ts_jout_int(&j, "number", number);
    ts_jout_close(&j, '}');
    return ts_jout_end(&j);
}

static ts_code check_names(ts_ctx *ctx, const ts_request *r, bool stop)
{
    for (size_t i = 0; i < r->arg_count; i++) {
        const char *name = r->args[i].name;
        if (stop ? strcmp(name, "stop") != 0
                 : strcmp(name, "pid") != 0 && strcmp(name, "seconds") != 0) {
            return ts_fail(ctx, TS_ERR_USAGE, "unknown parameter '%s'", name);
        }
    }
    return TS_OK;
}

/* POST ?pid=N&seconds=N begins, ?stop=NUMBER ends one before its time. */
ts_code ts_api_sample(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_samplings *all = app->databases.samplings;
    const bool stop = ts_request_arg(r, "stop").p != NULL;
    int pid = 0;
    int seconds = 0;
    size_t number = 0;
    if (all == NULL) {
        return refuse(reply, ctx);
    }
    ts_code code = check_names(ctx, r, stop);
    if (code == TS_OK && stop) {
        TS_TRY(number_of(&pid, ctx, r, "stop", 0, (int)all->room - 1, -1));
        atomic_store(&all->all[pid].stop, true);
        return reply_number(reply, ctx, pid);
    }
    TS_STEP(code, number_of(&pid, ctx, r, "pid", 1, INT32_MAX, 0));
    TS_STEP(code, number_of(&seconds, ctx, r, "seconds", 1, TS_SAMPLING_SECONDS, 30));
    TS_STEP(code, ts_sampling_ask(&number, all, ctx, pid, seconds));
    if (code != TS_OK) {
        return code;
    }
    return number < TS_SAMPLINGS
               ? reply_number(reply, ctx, (int)number)
               : ts_reply_error(reply, ctx, 409, "busy_sampler",
                                ts_samplings_busy(all) ? "a Java VM is being sampled already"
                                                       : "there is no room for another database",
                                -1);
}
