#!/bin/sh
# What mkhtrace wraps, the independent reader takes out again, byte for byte: every chunk size, both
# ways of escaping, every shape of the envelope.
#
# usage: roundtrip.sh MKHTRACE PYTHON TESTDIR
set -eu
mkhtrace=$1
python=$2
testdir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$mkhtrace" -o a.json --emit heapsnapshot \
    --synthetic nodes=60,edges=240,strings=160,seed=5,utf8=1,trace=10,samples=5,locations=20
"$mkhtrace" -o b.json --emit heapsnapshot \
    --synthetic nodes=60,edges=240,strings=40,seed=6,arkts=1,compact=1
"$mkhtrace" -o t.json --emit timeline --synthetic nodes=60,edges=240,strings=80,seed=7,order=sorted
"$mkhtrace" -o p.json --emit cpuprofile --synthetic-profile nodes=50,samples=300,negative=1,arkts=1
"$mkhtrace" -o q.json --emit cpuprofile --synthetic-profile nodes=9,samples=20,reverse=1,wide=1
"$python" -c 'import json, sys
for f in sys.argv[1:]: json.load(open(f, encoding="utf-8"))' a.json b.json t.json p.json q.json

once() { # chunk size, further options
    size=$1
    shift
    rm -rf out
    mkdir out
    "$mkhtrace" -o s.htrace "$@" --chunk-size "$size" --config pid=1734,type=snapshot,cpu=1 \
        --snapshot a.json --plugin cpu-plugin_config:100 --snapshot b.json \
        --snapshot "$testdir/data/tiny/strings.heapsnapshot" --profile p.json \
        --section hiperf:1000 --section segments --profile-envelope viewer --profile q.json
    "$mkhtrace" -o t.htrace "$@" --chunk-size "$size" --config type=timeline --timeline t.json
    "$python" "$testdir/check/unpack.py" s.htrace out >names
    "$python" "$testdir/check/unpack.py" t.htrace out >>names
    cmp out/Snapshot0.heapsnapshot a.json
    cmp out/Snapshot1.heapsnapshot b.json
    cmp out/Snapshot2.heapsnapshot "$testdir/data/tiny/strings.heapsnapshot"
    cmp out/Timeline.heaptimeline t.json
    cmp out/Profile0.cpuprofile p.json
    cmp out/Profile1.cpuprofile q.json
}

for size in 1 7 100 4096 1m 1-9; do
    once $size
    once "$size" --escape-unicode --seed 3
done
once 50 --order 1,7,2,3,4,5,6 --padded-varints --explicit-zeros --segment-version 1.02
once 50 --plugin-name js-memory --sha256 --noise 3 --no-progress --extra 8801018a0102abcd

# The sorted order and the parts do not change what is in a heap.
"$mkhtrace" -o v8.json --emit heapsnapshot --synthetic nodes=999,edges=5000,trace=9,locations=30
"$mkhtrace" -o sorted.json --emit heapsnapshot \
    --synthetic nodes=999,edges=5000,trace=9,locations=30,order=sorted
"$python" - <<'EOF'
import json
a = json.load(open("v8.json"))
b = json.load(open("sorted.json"))
assert a == b and list(a) != list(b) and list(b) == sorted(b)
n = a["nodes"]
assert len(n) == 999 * 7 and len(a["edges"]) == 5000 * 3 and sum(n[4::7]) == 5000
assert len(set(n[2::7])) == 999 and all(t % 7 == 0 and t < len(n) for t in a["edges"][2::3])
assert max(n[1::7]) < len(a["strings"])
EOF

# The viewer's form: one message with sorted keys, all edges, some nodes.
"$mkhtrace" -o v.htrace --data-in-object --keep-nodes 2,10 --snapshot v8.json
"$python" - "$testdir/check" <<'EOF'
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import htrace
whole = json.load(open("v8.json"))
r = htrace.load("v.htrace")
(ts, raw), _ = r.messages
m = json.loads(raw)
chunk = m["params"]["chunk"]
assert list(m) == ["params"] and list(chunk) == sorted(chunk) and b": " not in raw[:2000]
assert chunk["nodes"] == whole["nodes"][14:84] and chunk["edges"] == whole["edges"]
assert chunk["snapshot"] == whole["snapshot"] and chunk["strings"] == whole["strings"]
EOF
