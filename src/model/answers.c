#include "model/answers.h"

ts_answer *ts_answer_find(ts_text name)
{
    static const struct {
        const char *name;
        ts_answer *answer;
    } all[] = {{"spent", ts_answer_spent}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (ts_text_is(name, all[i].name)) {
            return all[i].answer;
        }
    }
    return NULL;
}
