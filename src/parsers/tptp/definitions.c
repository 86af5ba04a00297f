/* Nodes, processes, agents, traces, filters, options, and events that have no table of their own.
 */
#include "parsers/tptp/trace_session.h"

/* Remembers the row of an id that is a text. */
static ts_code remember_id(tptp_session *s, ts_idmap *map, ts_text id, int64_t row)
{
    uint32_t number;
    if (id.n == 0) {
        return TS_OK;
    }
    ts_code code = ts_pool_intern(s->ctx, &number, NULL, &s->names, id);
    return code != TS_OK ? code : ts_idmap_put(s->ctx, map, number, (uint64_t)row);
}

/* The row of an id, or 0. */
static int64_t row_of_id(const tptp_session *s, const ts_idmap *map, ts_text id)
{
    uint32_t number;
    uint64_t row;
    return id.n > 0 && ts_pool_find(&number, &s->names, id) && ts_idmap_find(&row, map, number)
               ? (int64_t)row
               : 0;
}

ts_code tptp_take_node(tptp_session *s, const tptp_record *r)
{
    ts_row_source *source = ts_source(s->store, s->source_id);
    ts_text host = tptp_text(r, TPTP_S_HOSTNAME);
    ts_row_tptp_node row = {
        .id = TPTP_NEXT_ROW(s, tptp_node),
        .source_id = s->source_id,
        .node_id = tptp_text(r, TPTP_S_NODE),
        .hostname = host,
        .ip_address = tptp_text(r, TPTP_S_ADDRESS),
        .timezone = r->num[TPTP_N_TIMEZONE],
        .ts = tptp_time(s, r),
    };
    ts_code code = TS_OK;
    TPTP_NULL_TIME(tptp_node, &row, ts);
    TS_NULL_ZEROS(tptp_node, &row, timezone);
    TS_STEP_IF(code, host.n > 0 && source->host.p == NULL,
               ts_source_text(s->store, s->source_id, &source->host, host.p, host.n));
    if (code != TS_OK || (code = remember_id(s, &s->nodes, row.node_id, row.id)) != TS_OK) {
        return code;
    }
    return ts_put_tptp_node(s->sink, &row);
}

/* The process in the common tables. */
static ts_code common_process(tptp_session *s, const tptp_record *r)
{
    ts_row_source *source = ts_source(s->store, s->source_id);
    ts_code code;
    TS_TRY_INTO(code, ts_process(&s->ipid, s->store, s->source_id, r->num[TPTP_N_PID]));
    TS_SET_VALUE(source, source, pid, r->num[TPTP_N_PID]);
    ts_row_process_detail *detail = ts_process_detail_row(s->store, s->ipid);
    detail->runtime = TS_TEXT_LIT("Java VM");
    TS_STEP_IF(code, r->text[TPTP_S_NAME].n > 0,
               ts_process_name(s->store, s->ipid, r->text[TPTP_S_NAME]));
    TS_STEP_IF(code, r->text[TPTP_S_EXECUTABLE].n > 0,
               ts_source_text(s->store, s->source_id, &detail->command_line,
                              r->text[TPTP_S_EXECUTABLE].p, r->text[TPTP_S_EXECUTABLE].n));
    return code;
}

ts_code tptp_take_process(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_process row = {
        .id = TPTP_NEXT_ROW(s, tptp_process),
        .source_id = s->source_id,
        .process_id = tptp_text(r, TPTP_S_PROCESS),
        .node_id = row_of_id(s, &s->nodes, r->text[TPTP_S_NODE_REF]),
        .pid = r->num[TPTP_N_PID],
        .name = tptp_text(r, TPTP_S_NAME),
        .executable = tptp_text(r, TPTP_S_EXECUTABLE),
        .ts = tptp_time(s, r),
    };
    ts_code code = TS_OK;
    if (row.pid != 0 && (code = common_process(s, r)) != TS_OK) {
        return code;
    }
    row.ipid = s->ipid;
    TS_NULL_IF(row.pid == 0, tptp_process, &row, ipid);
    TS_NULL_ZEROS(tptp_process, &row, pid, node_id);
    TPTP_NULL_TIME(tptp_process, &row, ts);
    code = remember_id(s, &s->processes, row.process_id, row.id);
    return code != TS_OK ? code : ts_put_tptp_process(s->sink, &row);
}

ts_code tptp_take_agent(tptp_session *s, const tptp_record *r)
{
    ts_row_source *source = ts_source(s->store, s->source_id);
    ts_text name = tptp_text(r, TPTP_S_AGENT_NAME);
    ts_row_tptp_agent row = {
        .id = TPTP_NEXT_ROW(s, tptp_agent),
        .source_id = s->source_id,
        .agent_id = tptp_text(r, TPTP_S_AGENT),
        .process_id = row_of_id(s, &s->processes, r->text[TPTP_S_PROCESS_REF]),
        .name = name,
        .type = tptp_text(r, TPTP_S_AGENT_TYPE),
        .parameters = tptp_text(r, TPTP_S_AGENT_PARAMETERS),
        .version = tptp_text(r, TPTP_S_VERSION),
        .ts = tptp_time(s, r),
    };
    ts_code code = remember_id(s, &s->agents, row.agent_id, row.id);
    TS_NULL_ZEROS(tptp_agent, &row, process_id);
    TPTP_NULL_TIME(tptp_agent, &row, ts);
    TS_STEP_IF(code, name.n > 0 && source->name.p == NULL,
               ts_source_text(s->store, s->source_id, &source->name, name.p, name.n));
    return code != TS_OK ? code : ts_put_tptp_agent(s->sink, &row);
}

ts_code tptp_take_trace(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_trace row = {
        .id = TPTP_NEXT_ROW(s, tptp_trace),
        .source_id = s->source_id,
        .trace_id = tptp_text(r, TPTP_S_TRACE),
        .agent_id = row_of_id(s, &s->agents, r->text[TPTP_S_AGENT]),
        .collation_value = tptp_text(r, TPTP_S_COLLATION),
        .ts = tptp_time(s, r),
    };
    ts_code code = remember_id(s, &s->traces, row.trace_id, row.id);
    TS_NULL_ZEROS(tptp_trace, &row, agent_id);
    TPTP_NULL_TIME(tptp_trace, &row, ts);
    s->trace_ended = false;
    s->trace_id.n = 0;
    TS_STEP(code,
            ts_buf_put(s->ctx, &s->trace_id, r->text[TPTP_S_TRACE].p, r->text[TPTP_S_TRACE].n));
    return code != TS_OK ? code : ts_put_tptp_trace(s->sink, &row);
}

ts_code tptp_take_filter(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_filter row = {
        .id = TPTP_NEXT_ROW(s, tptp_filter),
        .source_id = s->source_id,
        .trace_id = row_of_id(s, &s->traces, r->text[TPTP_S_TRACE]),
        .pattern = tptp_text(r, TPTP_S_PATTERN),
        .generic_pattern = tptp_text(r, TPTP_S_GENERIC_PATTERN),
        .mode = tptp_text(r, TPTP_S_MODE),
        .method_pattern = tptp_text(r, TPTP_S_METHOD_PATTERN),
        .method_generic_pattern = tptp_text(r, TPTP_S_METHOD_GENERIC_PATTERN),
        .method_mode = tptp_text(r, TPTP_S_METHOD_MODE),
    };
    TS_NULL_ZEROS(tptp_filter, &row, trace_id);
    return ts_put_tptp_filter(s->sink, &row);
}

ts_code tptp_take_option(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_option row = {
        .id = TPTP_NEXT_ROW(s, tptp_option),
        .source_id = s->source_id,
        .trace_id = row_of_id(s, &s->traces, r->text[TPTP_S_TRACE]),
        .key = tptp_text(r, TPTP_S_KEY),
        .value = tptp_text(r, TPTP_S_VALUE),
    };
    TS_NULL_ZEROS(tptp_option, &row, trace_id);
    return ts_put_tptp_option(s->sink, &row);
}

/* Ends of agents and traces, the two runtime events, and elements that only XML has. */
ts_code tptp_take_event(tptp_session *s, const tptp_record *r)
{
    bool other = r->kind == TPTP_OTHER;
    tptp_thread *t;
    ts_row_tptp_event row = {
        .id = TPTP_NEXT_ROW(s, tptp_event),
        .source_id = s->source_id,
        .kind = other ? r->name : ts_text_of(tptp_events[other ? 0 : r->kind].name),
        .ts = tptp_time(s, r),
        .ref = r->kind == TPTP_AGENT_DESTROY ? tptp_text(r, TPTP_S_AGENT)
               : r->kind == TPTP_TRACE_END   ? tptp_text(r, TPTP_S_TRACE)
                                             : TS_TEXT_NULL,
        .collation_value = tptp_text(r, TPTP_S_COLLATION),
    };
    ts_code code;
    TS_TRY_INTO(code, tptp_thread_of(&t, s, tptp_thread_id(r)));
    row.itid = t == NULL ? 0 : t->itid;
    TS_NULL_IF(t == NULL, tptp_event, &row, itid);
    TPTP_NULL_TIME(tptp_event, &row, ts);
    s->trace_ended = s->trace_ended || r->kind == TPTP_TRACE_END;
    code = ts_put_tptp_event(s->sink, &row);
    for (uint32_t i = 0; i < r->attribute_count && code == TS_OK; i++) {
        ts_row_tptp_event_value value = {
            .event_id = row.id,
            .key = r->attributes[i].name,
            .value = r->attributes[i].value,
        };
        code = ts_put_tptp_event_value(s->sink, &value);
    }
    return code;
}
