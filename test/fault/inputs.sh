#!/usr/bin/env bash
# inputs.sh TOOLS DATA DIR CMAKE: makes the small inputs of the fault tests in DIR. TOOLS is the folder of the makers.
set -euo pipefail
tools=$1
tiny=$2/tiny
dir=$3
cmake=$4

rm -rf "$dir"
mkdir -p "$dir"
cp "$tiny/snapshot.heapsnapshot" "$tiny/sorted.heapsnapshot" "$tiny/timeline.heaptimeline" \
    "$tiny/profile.cpuprofile" "$2/sessions.heapprofile" "$2/counters.trace.json" "$2/kernel.sys" "$2/trace.perfetto" \
    "$2/samples.perfetto" "$dir"
head -n 9 "$2/kernel.ftrace" >"$dir/kernel.ftrace"
# Slices with arguments, asynchronous ones, and one that does not end.
sed 's/^/ app-20 (20) [000] d..2 1.00000/' >"$dir/calls.ftrace" <<'END'
0: tracing_mark_write: B|20|H:outer|M62|k=v
1: tracing_mark_write: S|20|net$$H:load|7
2: binder_transaction: transaction=100 dest_node=5 dest_proc=30 dest_thread=0 reply=0 flags=0x10 code=0x1
3: binder_transaction: transaction=101 dest_node=5 dest_proc=30 dest_thread=0 reply=0 flags=0x11 code=0x1
4: tracing_mark_write: E|20
5: tracing_mark_write: F|20|net$$H:load|7
END
cd "$dir"
"$tools/mkhtrace" -o snapshot.htrace --chunk-size 300 --snapshot snapshot.heapsnapshot
"$tools/mkhtrace" -o timeline.htrace --config pid=77,type=timeline --chunk-size 300 \
    --timeline timeline.heaptimeline
"$tools/mkhtrace" -o profile.htrace --config pid=77,type=none,cpu=1 --profile profile.cpuprofile
"$tools/mkhtrace" -o viewer.htrace --data-in-object --snapshot snapshot.heapsnapshot
gzip -9nc snapshot.htrace >snapshot.htrace.gz
"$cmake" -E tar cj snapshot.tar.bz2 --format=gnutar snapshot.htrace
"$cmake" -E tar cJ snapshot.tar.xz --format=gnutar snapshot.htrace
"$cmake" -E tar c snapshot.tar.zst --zstd --format=gnutar snapshot.htrace
"$cmake" -E tar cf all.zip --format=zip snapshot.htrace timeline.heaptimeline
"$cmake" -E tar czf all.tar.gz profile.htrace snapshot.heapsnapshot
"$cmake" -E tar cf all.tar profile.htrace snapshot.heapsnapshot
"$tools/mkjfr" -o work.jfr --like mixed --chunks 3 --events 8 --threads 2 --methods 4 --stacks 3 --depth 3 --checkpoints 2
"$tools/mkflare" --threads=2 --seconds=1 --methods=40 --missing-every=5 --volume=1 flare
"$cmake" -E tar cf flare.zip --format=zip flare
small=(--calls 3 --methods 6 --depth 3 --frames 2 --threads 2)
"$tools/mkcloud" -o cloud --container agent "${small[@]}"
"$tools/mkcloud" -o cloud-flat --container flat --positions --lost-exit 1 "${small[@]}"
"$tools/mkcloud" -o cloud.protocol --container tcp --pods 2 "${small[@]}"
# Two starts of a server, one without params; a conversation and another file beside stream files.
"$tools/mkcloud" -o cloud-two --container agent --pods 2 --no-params --others "${small[@]}"
"$tools/mkcloud" -o cloud-mixed --container flat "${small[@]}"
"$tools/mkcloud" -o cloud-mixed/capture.bin --container tcp --pods 2 --commands "${small[@]}"
echo "no recording" >cloud-mixed/readme.txt
# Files that take more than one block to read.
"$tools/mkcloud" -o cloud-large --container flat --calls 1500 --methods 2000
# Traces of the TPTP profiler in both forms, plain, in another encoding, and as its workbench saves them.
small=(--calls 6 --threads 2 --methods 4 --classes 3 --depth 3 --dumps 1)
"$tools/mktptp" -o trace.trcbin "${small[@]}" --break 12:garbage --missing-exit 3
"$tools/mktptp" -o trace.trcxml --form xml "${small[@]}" --extras
"$tools/mktptp" -o wide.trcxml --form xml "${small[@]}" --xml-encoding UTF-16LE --bom --objects 0
"$tools/mktptp" -o traces.zip --form xml "${small[@]}" --zip --sessions 2 --dumps 0
# Profiles of servers.
"$tools/mkprofile" -o profile.pprof --samples 4 --functions 3 --depth 4 --labels 5 --inlined 2 --sparse
"$tools/mkprofile" -o profile.speedscope --form speedscope --evented --samples 2 --functions 3 --depth 4 --frames-last
"$tools/mkprofile" -o profile.perf --form perf --samples 6 --functions 3 --depth 4
"$tools/mkprofile" -o profile.folded --form folded --samples 6 --functions 3 --depth 4
printf '[["go_num_goroutine",12],["x"]]' >metrics.json
upload=(--form bundle --file "metrics.json=metrics.json" --file "a.folded=profile.folded" --file "readme=metrics.json")
"$tools/mkprofile" -o upload.form "${upload[@]}" --style tags
"$tools/mkprofile" -o upload.request "${upload[@]}" --shape request --file "cpu.pprof=profile.pprof"
"$tools/mkprofile" -o upload "${upload[@]}" --shape directory
"$cmake" -E tar cf upload.zip --format=zip upload
"$tools/mkprofile" -o upload-zip.form --form bundle --file "all.zip=all.zip" --file "gone.zip=snapshot.tar.xz"
rm metrics.json
# Logs as text.
for i in {1..40}; do echo "$((99 - i)).5 $i $((i + 1)) I T1: text $i"; done >hilog.txt
printf '12-31 10:00:00.5 7 8 E T2: \377\nbad\n' >>hilog.txt
printf '{"domain_":"P","name_":"POWER_IDE_CPU","time_":12000,"tag_":"PowerStats","LOAD":[3,4.5]}\n{"domain_":"Q","name_":"X","a":"b"}\n' >events.txt
# Recordings in a directory, each for itself.
mkdir -p recordings/sub
cp snapshot.heapsnapshot all.zip recordings
gzip -9nc profile.cpuprofile >recordings/sub/profile.gz
echo "no recording" >recordings/readme.txt
ln -s nowhere recordings/gone
# A recording in parts, for -D: the last one is empty, number 2 is missing.
mkdir split
"$tools/mkhtrace" -o split/hiprofiler_data_20240102_030405_1.htrace --chunk-size 300 --snapshot snapshot.heapsnapshot
"$tools/mkhtrace" -o split/hiprofiler_data_20240102_030405_3.htrace --snapshot snapshot.heapsnapshot
"$tools/mkhtrace" -o split/hiprofiler_data_20240102_030405_arkts.htrace --config pid=77,type=timeline \
    --timeline timeline.heaptimeline
: >split/hiprofiler_data_20240102_030405_4.htrace
# Some tens of ms: long enough to be killed in the middle, in MB rather than KB.
"$tools/mkhtrace" -o large.htrace --config pid=77,type=snapshot \
    --snapshot synth:nodes=20000,edges=80000,strings=4000
touch made
