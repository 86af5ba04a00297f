# shellcheck shell=bash
# What profilers of other languages write: made as they write it, with the sums of each by hand.
samples() { # file, format: samples and their time, values by type, functions
    ts "$1" -e out.db --quiet --strict || fail "$1: exit code $?"
    [ "$(sqlite3 out.db 'SELECT max(format) FROM source')" = "$2" ] || fail "$1 is no $2"
    echo "$1"
    sqlite3 out.db "SELECT '  samples', count(*), sum(dur) FROM stack_sample;
        SELECT '  ' || t.name, t.unit, count(*), sum(v.value) FROM stack_sample_value v
        JOIN stack_value_type t ON t.id = v.value_type_id GROUP BY t.id;
        SELECT '  ' || group_concat(name || coalesce(' ' || file, '')) FROM (SELECT name, file FROM stack_method ORDER BY id)"
    rm out.db
}
slices() { # file, format: calls, their time, the time of the outermost
    ts "$1" -e out.db --quiet --strict || fail "$1: exit code $?"
    [ "$(sqlite3 out.db 'SELECT max(format) FROM source')" = "$2" ] || fail "$1 is no $2"
    echo "$1"
    sqlite3 out.db "SELECT '  ' || m.name, s.ts, s.dur FROM stack_slice s JOIN stack_node n ON n.id = s.node_id
        JOIN stack_method m ON m.id = n.method_id ORDER BY s.ts, n.depth"
    rm out.db
}

# py-spy record -f raw: a count is a sample.
cat >py-spy.raw <<'END'
<module> (app.py:10);main (app.py:7);work (pkg/mod.py:42) 120
<module> (app.py:10);main (app.py:7);run (threading.py:982) 3
END
samples py-spy.raw folded

# py-spy record -f speedscope: a profile for each thread, seconds.
cat >py-spy.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled","name":"Process 42 Thread 140 \"MainThread\"","unit":"seconds","startValue":0.0,"endValue":0.03,"samples":[[0,1],[0,2],[0,1]],"weights":[0.01,0.01,0.01]}],"shared":{"frames":[{"name":"<module>","file":"app.py","line":10,"col":null},{"name":"work","file":"pkg/mod.py","line":42,"col":null},{"name":"idle","file":null,"line":null,"col":null}]},"activeProfileIndex":null,"exporter":"py-spy@0.3.14","name":"py-spy profile"}
END
samples py-spy.json speedscope

# austin2speedscope: microseconds; rbspy: names of threads are numbers.
cat >austin.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main","file":"a.py","line":3}]},"profiles":[{"type":"sampled","name":"Wall time profile for P1 T0:1","unit":"microseconds","startValue":0,"endValue":300,"samples":[[0],[0]],"weights":[100,200]}],"name":"x.austin","exporter":"Austin2Speedscope Converter 0.2.1"}
END
samples austin.json speedscope
cat >rbspy.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled","name":"12","unit":"seconds","startValue":0.0,"endValue":0.75,"samples":[[0],[0,1]],"weights":[0.25,0.5]}],"shared":{"frames":[{"name":"<main>","file":"/a/x.rb","line":1},{"name":"foo","file":"/a/x.rb","line":3}]},"activeProfileIndex":null,"exporter":null,"name":null}
END
samples rbspy.json speedscope

# memray transform speedscope: bytes.
cat >memray.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"memray","name":"memray","profiles":[{"type":"sampled","name":"heap","unit":"bytes","startValue":0,"endValue":3072,"samples":[[0],[0]],"weights":[1024,2048]}],"shared":{"frames":[{"name":"main","file":"a.py","line":3}]}}
END
samples memray.json speedscope

# dotnet-trace convert --format Speedscope: a profile of calls for each thread, milliseconds.
cat >dotnet.json <<'END'
{"exporter": "speedscope@1.3.2", "name": "trace.speedscope", "activeProfileIndex": 0, "$schema": "https://www.speedscope.app/file-format-schema.json",
"shared": { "frames": [ { "name": "Process64 Process(9) (9) Args: " }, { "name": "Thread (9)" }, { "name": "app!Program.Main(class System.String[])" }, {"name":"CPU_TIME"}, {"name":"UNMANAGED_CODE_TIME"} ] },
"profiles": [ { "type": "evented", "name": "Thread (9)", "unit": "milliseconds", "startValue": 10.125, "endValue": 35.5, "events": [
{ "type": "O", "frame": 1, "at": 10.125 },
{ "type": "O", "frame": 2, "at": 10.125 },
{ "type": "O", "frame": 3, "at": 10.125 },
{ "type": "C", "frame": 3, "at": 20.25 },
{ "type": "O", "frame": 4, "at": 20.25 },
{ "type": "C", "frame": 4, "at": 35.5 },
{ "type": "C", "frame": 2, "at": 35.5 },
{ "type": "C", "frame": 1, "at": 35.5 } ] } ] }
END
slices dotnet.json speedscope

# dotnet-trace convert --format Chromium: complete events, microseconds.
cat >dotnet-chromium.json <<'END'
{ "traceEvents": [
{"name": "Program.Main", "cat": "sampleEvent", "ph": "X", "ts": 10123, "pid": 9, "tid": 9, "dur": 25377, "args": {} },
{"name": "Program.Work", "cat": "sampleEvent", "ph": "X", "ts": 10200, "pid": 9, "tid": 9, "dur": 5000 }
], "displayTimeUnit": "ms" }
END
slices dotnet-chromium.json chrome-trace

# jeprof --collapsed: bytes.
cat >jeprof.folded <<'END'
main;f;je_prof_backtrace 1024
main;g 2097152
END
samples jeprof.folded folded
rm ./*.json ./*.raw ./*.folded
