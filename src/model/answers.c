#include "model/answers.h"

#include "base/text.h"

#define PATHS " source thread from to event label weight limit "

/* The parameters that an answer knows, with a blank before and after each; NULL: all that the
 * question has. */
static bool knows_all(const char *known, const ts_param *params, size_t count)
{
    for (size_t i = 0; known != NULL && i < count; i++) {
        const char *at = strstr(known, params[i].name);
        size_t n = strlen(params[i].name);
        if (at == NULL || at == known || at[-1] != ' ' || at[n] != ' ') {
            return false;
        }
    }
    return true;
}

ts_answer *ts_answer_find(ts_text name, const ts_param *params, size_t count)
{
    static const struct {
        const char *name;
        ts_answer *answer;
        const char *known;
    } all[] = {{"spent", ts_answer_spent, NULL},
               {"methods", ts_answer_methods, " source thread by limit "},
               {"allocations", ts_answer_allocations, " source limit "},
               {"flame", ts_answer_flame, PATHS},
               {"folded", ts_answer_folded, PATHS},
               {"thread_folded", ts_answer_thread_folded, PATHS},
               {"timeline", ts_answer_timeline, NULL},
               {"cpu_methods", ts_answer_cpu_methods, NULL},
               {"sched_latency", ts_answer_sched_latency, " pid limit "},
               {"cpu_busy", ts_answer_cpu_busy, " limit "},
               {"cpu_waits", ts_answer_cpu_waits, " pid limit "},
               {"waiting", ts_answer_waiting, " source limit "},
               {"process_usage", ts_answer_process_usage, " from to limit "}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (ts_text_is(name, all[i].name)) {
            return knows_all(all[i].known, params, count) ? all[i].answer : NULL;
        }
    }
    return NULL;
}
