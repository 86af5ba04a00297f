#!/bin/sh
# Worked bytes: what mkhtrace writes is compared with bytes computed by hand from the format.
#
# usage: bytes.sh MKHTRACE
set -eu
mkhtrace=$1
# shellcheck source=bytes_lib.sh
. "$(dirname "$0")/bytes_lib.sh"

# Header: magic, length, version, segments; type and the six clocks from 56 on.
"$mkhtrace" -o a --clocks boot=1,real=2,realcoarse=3,mono=4,monocoarse=5,monoraw=0x0102030405060708 \
    --data-type 1024 --plugin-version 1.02 --duration 258 --config pid=1734,type=none,cpu=1
size a 1067
is magic "$(hex a 0 8)" 4f484f5350524f46
is length "$(hex a 8 8)" 2b04000000000000
is version-segments "$(hex a 16 8)" 0000010002000000
is type "$(hex a 56 4)" 00040000
is clocks "$(hex a 60 32)" 0100000000000000020000000000000003000000000000000400000000000000
is clocks-tail "$(hex a 92 16)" 05000000000000000807060504030201
is plugin-version "$(hex a 236 8)" 312e303200000000
is duration "$(hex a 244 8)" 0201000000000000
# Segment: length; field 1 "arkts-plugin_config"; field 3: pid 1734, type -1, cpu 1.
is segment "$(hex a 1024 43)" \
    270000000a1361726b74732d706c7567696e5f636f6e6669671a1008c60d10ffffffffffffffffff013001

# A message at 2.000000003 s; zero and missing fields; order and padding.
"$mkhtrace" -o b --no-clocks --message '{}@2000000003'
is message "$(hex b 1024 30)" 180000000a0c61726b74732d706c7567696e1a040a027b7d28023003
"$mkhtrace" -o b --no-clocks --message '{}@2000000000'
is no-nsec "$(hex b 1024 30)" 160000000a0c61726b74732d706c7567696e1a040a027b7d2802
"$mkhtrace" -o b --missing-time --message '{}@2000000003'
is no-time "$(hex b 1024 30)" 140000000a0c61726b74732d706c7567696e1a040a027b7d
"$mkhtrace" -o b --order 7,3,6,5,1 --padded-varints --explicit-zeros --segment-version 1 \
    --plugin-name x --message '{}@2000000000'
is shape "$(hex b 1024 40)" \
    1c0000003a81808000311a878080000a828080007b7d300028020a8180800078

# Chunks: the quote and the backslash are escaped, a pair may be split.
printf '"\\\360\237\230\200\n' >text
"$mkhtrace" -o c --no-progress --no-end --chunk-size 3 --escape-unicode --snapshot text
is chunks "$(grep -a -o '"chunk":"[^}]*"}}' c | tr '\n' ' ')" \
    '"chunk":"\"\\\ud83d"}} "chunk":"\ude00\n"}} '
"$mkhtrace" -o c --no-progress --no-end --chunk-size 3 --snapshot text
is raw-utf8 "$(od -An -v -tx1 c | tr -d ' \n' | grep -o '3a225c225c5cf0227d7d.*' | cut -c1-20)" \
    3a225c225c5cf0227d7d

# The viewer's broken profile.
printf '{"a":1}' >profile
"$mkhtrace" -o d --profile-marks 0 --profile-envelope viewer --profile profile
is viewer "$(grep -a -o '{"id".*"' d)" '{"id":3, "result":{"profile":{"a":1}}"'

# Lengths.
for l in 1024 auto auto+5 auto-1 old 0; do
    "$mkhtrace" -o e --length $l --segment 00 --segment 0102
    printf '%s=%s ' $l "$(hex e 8 4)" >>lengths
done
is lengths "$(cat lengths)" \
    '1024=00040000 auto=0b040000 auto+5=10040000 auto-1=0a040000 old=13040000 0=00000000 '

# Sections, segments, raw bytes, damage.
"$mkhtrace" -o f --segment aa --raw bb --zero-run 2 --section hiperf:5 --section ebpf:3 \
    --section segments --segment cc
is sections "$(hex f 8 4) $(hex f 1024 8) $(hex f 1032 8) $(hex f 1088 4) $(hex f 2061 8)" \
    '08040000 01000000aabb0000 4f484f5350524f46 01000000 4f484f5350524f46'
is ebpf "$(hex f 2117 4) $(dd if=f bs=1 skip=2169 count=13 2>/dev/null)" 'e8030000 hiebpf-plugin'
"$mkhtrace" -o g --drop-segment 1 --segment aa --segment bb --segment cc
is drop "$(hex g 1024 20)" 01000000aa01000000cc
"$mkhtrace" -o g --swap 1 --segment aa --segment bb --segment cc
is swap "$(hex g 1024 20)" 01000000aa01000000cc01000000bb
"$mkhtrace" -o g --swap 1 --segment aa --segment bb
is swap-last "$(hex g 1024 20)" 01000000aa01000000bb
"$mkhtrace" -o g --repeat-segment 0 --segment aa --segment bb
is repeat "$(hex g 1024 20)" 01000000aa01000000aa01000000bb
"$mkhtrace" -o g --no-header --flip 0 --flip 15 --truncate -1 --raw 00010203
is damage "$(hex g 0 9)" 018102
"$mkhtrace" -o - --segment aabb >h
is stdout "$(hex h 8 4) $(hex h 1024 8)" '06040000 02000000aabb'
"$mkhtrace" -o i --sha256 --raw 616263
is sha256 "$(hex i 24 32)" ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad

# The same description gives the same bytes.
"$mkhtrace" -o j --damage 7,1 --snapshot synth:nodes=100,seed=3
"$mkhtrace" -o k --damage 7,1 --snapshot synth:nodes=100,seed=3
"$mkhtrace" -o l --damage 8,1 --snapshot synth:nodes=100,seed=3
cmp j k
if cmp -s j l; then
    echo "two seeds, the same damage"
    failed=1
fi

# Mistakes are reported.
for bad in --nonsense "--snapshot /nonexistent" "--config colour=red" "--length x" "--segment 0" \
    "--snapshot synth:colour=red" "--order 9"; do
    # shellcheck disable=SC2086
    if "$mkhtrace" -o m $bad 2>err || [ "$(wc -l <err)" -ne 1 ]; then
        echo "$bad: no message, or no failure"
        failed=1
    fi
done
exit $failed
