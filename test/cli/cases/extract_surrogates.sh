# shellcheck shell=bash
# A pair of surrogates that chunks cut in two comes out as the four bytes that it was, also when the chunks cut its
# escapes; one without a partner comes out as it stood.
cat >smile.heapsnapshot <<'EOF'
{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","object"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element"],"string_or_number","node"]},"node_count":1,"edge_count":0},
"nodes":[1,0,1,16,0],
"edges":[],
"strings":["😀😀 and 😀"]}
EOF
for size in 1 2 3 5 7 100; do
    for escape in '' --escape-unicode; do
        rm -rf out
        mkdir out
        # shellcheck disable=SC2086
        mkhtrace -o t.htrace $escape --chunk-size $size --config pid=1,type=snapshot --snapshot smile.heapsnapshot
        ts t.htrace -s -o out --quiet || fail "exit $?"
        cmp out/t.htrace.*.heapsnapshot smile.heapsnapshot || fail "chunks of $size $escape"
    done
done
chunk() { printf '{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"%s"}}' "$1"; }
mkhtrace -o t.htrace --config pid=1,type=snapshot --message "$(chunk 'a\ud83d')" --message "$(chunk '\ude00b\ud83d')" \
    --message "$(chunk 'c\ud83d')" --message '{"id":2,"result":{}}'
rm -rf out
mkdir out
ts t.htrace -s -o out --quiet || fail "exit $?"
od -An -c out/*
