#!/bin/sh
# The worked examples of the Flare format: what mkflare writes is compared with their bytes.
#
# usage: flare_bytes.sh MKFLARE
set -eu
mkflare=$1
# shellcheck source=bytes_lib.sh
. "$(dirname "$0")/bytes_lib.sh"

for name in mini early grown; do
    "$mkflare" --fixture=$name $name
done

# A: a series in the layout of the code, every byte.
f=mini/thread_132_cpu_time.fts
size $f 128
is "$f header" "$(hex $f 0 36)" \
    54534853001a0302000000140000016d0061b45f0000016d0061b6170000000554534453
is "$f slots 0-10" "$(hex $f 36 44)" "$(printf '%088d' 0)"
is "$f slots 11-21" "$(hex $f 80 44)" "0002bf20$(printf '%080d' 0)"
is "$f slot 22" "$(hex $f 124 4)" 00005014
is "$f sum" "$(sha256sum $f | cut -c1-8)" b2d54473

# B: stacks and their index. The order of the properties in a header is random.
f=mini/thread_132_stack.fidx
size $f 250
is "$f begin" "$(hex $f 0 7)" 5449485300c008
is "$f entries" "$(hex $f 198 52)" "54494453\
00000000000000ca00000001000001b500000001000002aa0000000b0000039f0000000c0000049c0000001600000587"
f=mini/thread_132_stack.fdata
size $f 1667
is "$f first" "$(hex $f 198 18)" 5445445300e97b226964223a3133322c226e
is "$f payload" "$(dd if=$f bs=1 skip=204 count=233 2>/dev/null)" '{"id":132,"name":"main",'\
'"priority":0,"daemon":false,"state":"","cpu_time":1000000000,"cpu_time_delta":0,'\
'"sample_time":1567669466207,"sample_count":1,"stacktrace":[547216208,547216200],"duration":0,'\
'"self_duration":0,"self_cpu_time":0}'
is "$f lengths" "$(hex $f 435 4)$(hex $f 680 4)$(hex $f 925 4)$(hex $f 1178 4)$(hex $f 1413 4)" \
    307d00f3307d00f3307d00fb307d00e9307d00fa

# C: names of methods and their index.
f=mini/method_info.fidx
size $f 238
is "$f entries" "$(hex $f 202 36)" \
    00000000209ddb48000000ca00000000209ddb50000000e200000000209ddb58000000f3
f=mini/method_info.fdata
size $f 259
is "$f records" "$(dd if=$f bs=1 skip=202 2>/dev/null | tr '\000-\037' '.')" \
    ..java.lang.Thread.run\(\)..app.Main.loop\(\)..app.Db.query\(\)
is "$f lengths" "$(hex $f 202 2)$(hex $f 226 2)$(hex $f 243 2)" 0016000f000e

# D: a series in the layout of the document, every byte.
f=early/thread_132_cpu_time.fts
size $f 38
is "$f" "$(hex $f 0 38)" \
    54534853001602020000016d0061b45f0000016d0061b4af00000004000005dc00004e20ffff
is "$f sum" "$(sha256sum $f | cut -c1-8)" 82d68a16

# E: headers without padding, payloads of the first days.
f=early/thread_132_stack.fidx
size $f 128
is "$f length" "$(hex $f 4 2)" 0066
is "$f entries" "$(hex $f 108 20)" 544944530000000000000070000000020000008e
f=early/thread_132_stack.fdata
size $f 148
is "$f records" "$(hex $f 108 40)" "54454453001c2a320d0a3a3534373231363230380d0a3a3534373231363230300d\
0a00042a300d0a"

# F: an index whose header grew over its first entry.
f=grown/thread_132_stack.fidx
size $f 136
is "$f length" "$(hex $f 4 2)" 006a
is "$f from 112" "$(hex $f 112 24)" 5449445300000070000000060000008e00000007000000ac
size grown/thread_132_stack.fdata 202

# The same options give the same bytes; damage on demand changes them.
"$mkflare" --threads=2 --seconds=3 one
"$mkflare" --threads=2 --seconds=3 two
diff -r one two || failed=1
"$mkflare" --threads=2 --seconds=3 --damage=flip-data --damage=cut-index three
cmp -s one/thread_10_stack.fdata three/thread_10_stack.fdata && failed=1
cmp -s one/thread_10_stack.fidx three/thread_10_stack.fidx && failed=1
cmp one/thread_10_cpu_time.fts three/thread_10_cpu_time.fts || failed=1
exit "$failed"
