#include "serve/api/vm_sampling.h"

const char *ts_sampling_path(ts_samplings *s, size_t number)
{
    return s != NULL && number < s->room && atomic_load(&s->all[number].state) == TS_SAMPLING_DONE
               ? s->all[number].path
               : NULL;
}
