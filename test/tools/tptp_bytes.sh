#!/bin/sh
# The worked examples of the TPTP format: what mktptp writes is compared with their bytes.
#
# usage: tptp_bytes.sh MKTPTP
set -eu
mktptp=$1
# shellcheck source=bytes_lib.sh
. "$(dirname "$0")/bytes_lib.sh"

time=38cbc9058b827f27 # 2846137023130618680 ticks at 2.4 GHz: 1185890426.304424450 s
z8=0000000000000000

"$mktptp" -o a --worked
is header "$(hex a 0 12)" 30544246010001010c000000
is encoding "$(hex a 12 12)" 01000c0000005554462d3800
is frequency "$(hex a 24 14)" 02000e00000000180d8f00000000
is threadStart "$(hex a 38 74)" "f1034a000000${z8}0100000000000000${time}73797374656d0000\
${z8}01000000000000005265666572656e63652048616e646c6572000000"
is classDef "$(hex a 112 132)" "f303840000000000000000000000080000000000000038cbc9058b827f270000\
00000000000000000000008119000000000000546f6f6c427574746f6e2e6a61\
76610000000000000000000000821900000000000043482e6966612e64726177\
2e7374616e646172642e546f6f6c427574746f6e000000000000000000000000\
00000000"
is methodDef "$(hex a 244 83)" "f403530000007061696e7400284c6a61\
76612f6177742f47726170686963733b\
29560000000000007b00000000000000\
81000000000000000000000000000000\
0081190000000000007b190000000000\
000000"
is methodEntry "$(hex a 327 84)" "f70354000000${z8}0800000000000000${time}\
7b19000000000000f0100000${z8}8119000000000000${z8}${z8}20000000000000000000"
is methodExit "$(hex a 411 85)" "f80355000000${z8}080000000000000018aace058b827f27\
f010000000650400000000007b19000000000000${z8}${z8}${z8}8119000000000000000000"
is objAlloc "$(hex a 496 90)" "f6035a000000${z8}0800000000000000${time}00\
${z8}591b00000000000030000000000000007d000000000000007b19000000000000${z8}8119000000000000000000"
is monWait "$(hex a 586 88)" "0804580000000800000000000000${time}591b000000000000e803000000000000\
020000006a6176612e6c616e672e4f626a6563742e7761697400612e422e72756e00e5010000000000001100000000000000"
is skipped "$(hex a 674 60)" "20003c0000000000000001000000b17b931ed0abd1410000000001000000\
5265666572656e63652048616e646c65720073797374656d000000000000"
size a 734

# The other byte order, sizes without the head, system messages without sizes.
"$mktptp" -o b --worked --endian big --size exclusive --system unsized
is "big header" "$(hex b 0 12)" 30544246010001000000000c
is "big encoding" "$(hex b 12 8)" 00015554462d3800
is "big frequency" "$(hex b 20 10)" 0002000000008f0d1800
is "big threadStart" "$(hex b 30 30)" "03f100000044${z8}0000000000000001277f828b05c9cb38"
size b 666

# Layouts B, counted arrays.
"$mktptp" -o c --worked --entry B --exit B --arrays counted
is "entry B" "$(hex c 327 6)$(hex c 369 32)" "f70364000000${z8}${z8}${z8}8119000000000000"
is "exit B" "$(hex c 427 6)$(hex c 509 10)" "f8035c000000${z8}0000"
is "counted" "$(hex c 647 12)$(hex c 685 12)" "02000000020000006a61766102000000e501000000000000"

# XML.
"$mktptp" -o d --form xml --worked --close yes
cat >want <<'XML'
<?xml version="1.0"?>
<TRACE>
<threadStart threadId="1" time="1185890426.304424450" groupName="system" objIdRef="1" threadName="Reference Handler"/>
<classDef threadIdRef="8" time="1185890426.304424450" classId="6529" sourceName="ToolButton.java" objIdRef="6530" name="CH.ifa.draw.standard.ToolButton"/>
<methodDef name="paint" signature="(Ljava/awt/Graphics;)V" startLineNumber="123" endLineNumber="129" classIdRef="6529" methodId="6523"/>
<methodEntry threadIdRef="8" time="1185890426.304424450" methodIdRef="6523" ticket="4336" classIdRef="6529" stackDepth="32"/>
<methodExit threadIdRef="8" time="1185890426.304557450" ticket="4336" threadCpuTime="0.000120000" methodIdRef="6523" classIdRef="6529"/>
<objAlloc threadIdRef="8" time="1185890426.304424450" objId="7001" size="48" line="125" methodIdRef="6523" classIdRef="6529"/>
<monWait threadIdRef="8" time="1185890426.304424450" objIdRef="7001" timeout="1000">
<annotation name="stackMethods"><value>java.lang.Object.wait</value><value>a.B.run</value></annotation>
<annotation name="stackLines"><value>485</value><value>17</value></annotation></monWait>
</TRACE>
XML
tr -d '\n' <want >want.line
tr -d '\n' <d >got.line
cmp want.line got.line || failed=1
"$mktptp" -o e --form xml --worked --xml-encoding UTF-16BE --bom --close yes
tail -c +3 e | tr -d '\000\n' | cmp - want.line || failed=1
is bom "$(hex e 0 4)" feff003c

# The same options give the same bytes; damage changes them where it was asked for.
"$mktptp" -o f --calls 200
"$mktptp" -o g --calls 200
cmp f g || failed=1
"$mktptp" -o g --calls 200 --seed 2
! cmp -s f g || failed=1
"$mktptp" -o h --worked --patch 0:ff --insert 12:aabb --remove 24:14 --cut 112
is patch "$(hex h 0 4) $(hex h 12 14) $(hex h 26 2)" 'ff544246 aabb01000c0000005554462d3800 f103'
size h 100
"$mktptp" -o h --worked --break 0:drop --break 1:unknown --break 2:twice --break 3:half
is "dropped, unknown" "$(hex h 38 6)" 4b0484000000
is twice "$(hex h 170 6)$(hex h 253 6)" f40353000000f40353000000
size h 378
"$mktptp" -o h --worked --break 0:size-small --break 1:size-large --break 2:size-less --break 3:longer
is sizes "$(hex h 38 6) $(hex h 112 6) $(hex h 244 6) $(hex h 327 6)" 'f10303000000 f303ffffff7f f4034e000000 f7035c000000'

# Mistakes are reported.
for bad in --nonsense "--form none" "--calls x" "--break 3" "--break 3:nothing" "--cut 5 --cut 3" "--endian middle"; do
    # shellcheck disable=SC2086
    if "$mktptp" -o m $bad 2>err || [ "$(wc -l <err)" -ne 1 ]; then
        echo "$bad: no message, or no failure"
        failed=1
    fi
done
exit "$failed"
