/* Tables of a database with two sample directories of Flare, made by hand, for tests of its
 * protocol. */
#ifndef TS_TEST_FLARE_ROWS_H
#define TS_TEST_FLARE_ROWS_H

static const char flare_schema[] =
    "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"
    "CREATE TABLE source(id INTEGER PRIMARY KEY, kind, path, format, start_ts, end_ts);"
    "CREATE TABLE source_property(source_id, key, value);"
    "CREATE TABLE flare_thread(itid, source_id, sample_count, cpu_time, sample_ts, series_id,"
    " series_ts, series_end_ts, series_cpu_us);"
    "CREATE TABLE thread(id, tid, name); CREATE TABLE thread_detail(itid, priority, daemon, state,"
    " group_name);"
    "CREATE TABLE timeseries(id INTEGER PRIMARY KEY, interval);"
    "CREATE TABLE timeseries_value(series_id, ts, value);"
    "CREATE TABLE stack_method(id INTEGER PRIMARY KEY, source_id, raw_id, name, class);"
    "CREATE TABLE stack_node(id INTEGER PRIMARY KEY, source_id, parent_id, method_id);"
    "CREATE TABLE stack_sample(id INTEGER PRIMARY KEY, source_id, itid, ts, node_id);"
    "CREATE TABLE flare_stack(sample_id, step, cpu_time, cpu_time_delta);";

/* Source 1: two threads, 20 ms, times from 1000 ms on; thread 8 has no series. Source 2: nothing.
 */
static const char flare_rows[] =
    "INSERT INTO source VALUES(1,'sample_directory','x/one','flare',1000000000,1100000000),"
    "(2,'sample_directory','one','flare',NULL,NULL),(3,'input','one','pprof',NULL,NULL);"
    "INSERT INTO source_property VALUES(1,'sample_interval','20'),(1,'agent_addr','a:1');"
    "INSERT INTO thread(rowid,id,tid,name) VALUES(1,0,0,'swapper'),(2,1,7,'seven'),(3,2,8,NULL);"
    "INSERT INTO thread_detail(rowid,itid) VALUES(1,0),(2,1),(3,2);"
    "INSERT INTO timeseries VALUES(1,20000000);"
    "INSERT INTO timeseries_value VALUES(1,1020000000,500),(1,NULL,9),(1,1080000000,'x'),(2,5,5);"
    "INSERT INTO flare_thread VALUES(1,1,NULL,NULL,NULL,1,1000000000,1080000000,500),"
    "(2,1,3,9,1040000000,NULL,NULL,NULL,NULL);"
    "INSERT INTO stack_method VALUES(1,1,9007199254740993,'far','C'),(2,1,5,'near',NULL),"
    "(3,1,6,'6',NULL);"
    /* Node 3 names itself as its parent, node 4 one that comes later. */
    "INSERT INTO stack_node VALUES(1,1,NULL,1),(2,1,1,2),(3,1,3,3),(4,1,900,77);"
    "INSERT INTO stack_sample VALUES(1,1,1,1000000000,1),(2,1,1,1020000000,2),(3,1,1,NULL,3),"
    "(4,1,1,1060000000,4),(5,1,2,1000000000,2),(6,1,2,1040000000,NULL),(7,1,1,1080000000,400);"
    "INSERT INTO flare_stack VALUES(1,0,0,0),(2,1,5000,5000),(4,3,NULL,NULL),(5,NULL,0,0);";

#endif
