#include "parsers/shared/v8_node.h"

ts_code ts_v8_method(int64_t *id, ts_store *store, int64_t source_id, ts_text name, ts_text url,
                     ts_text module, int64_t line)
{
    const ts_method method = {
        .name = name,
        .file = url.n == 0 ? TS_TEXT_NULL : url,
        .library = module.n == 0 ? TS_TEXT_NULL : module,
        .has_line = line >= 0,
        .line = line >= 0 ? line : 0,
    };
    return ts_stack_method(id, store, source_id, &method);
}

ts_code ts_v8_put(int64_t *stack_node, ts_store *store, int64_t source_id, int64_t caller,
                  int64_t method, int64_t depth, const int64_t *raw_id)
{
    bool added;
    return ts_stack_node(stack_node, &added, store, source_id, caller, method, TS_NO_LINE, depth,
                         raw_id);
}
