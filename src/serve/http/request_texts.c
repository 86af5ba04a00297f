/* What is read of a request by those who answer it, wherever it came from. */
#include "serve/http/request.h"

#include <string.h>
#include <strings.h>

bool ts_text_is_case(ts_text t, const char *s)
{
    return t.p != NULL && t.n == strlen(s) && strncasecmp(t.p, s, t.n) == 0;
}

ts_text ts_request_arg(const ts_request *r, const char *name)
{
    for (size_t i = 0; i < r->arg_count; i++) {
        if (strcmp(r->args[i].name, name) == 0) {
            return r->args[i].value;
        }
    }
    return TS_TEXT_NULL;
}

bool ts_list_next(ts_text *item, ts_text *rest, char separator)
{
    if (rest->p == NULL || rest->n == 0) {
        return false;
    }
    const char *end = memchr(rest->p, separator, rest->n);
    size_t n = end == NULL ? rest->n : (size_t)(end - rest->p);
    *item = (ts_text){rest->p, n};
    rest->p += end == NULL ? n : n + 1;
    rest->n -= end == NULL ? n : n + 1;
    while (item->n > 0 && (item->p[0] == ' ' || item->p[0] == '\t')) {
        item->p++;
        item->n--;
    }
    while (item->n > 0 && (item->p[item->n - 1] == ' ' || item->p[item->n - 1] == '\t')) {
        item->n--;
    }
    return true;
}

bool ts_token_in(ts_text list, const char *token)
{
    ts_text item;
    while (ts_list_next(&item, &list, ',')) {
        if (ts_text_is_case(item, token)) {
            return true;
        }
    }
    return false;
}
