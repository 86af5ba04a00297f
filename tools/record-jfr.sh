#!/usr/bin/env bash
# record-jfr.sh OUT.jfr [CHUNK [PROGRAM [ARGUMENT...]]]: records tools/PROGRAM.java (RecordJfr) with the JDK that is installed. With CHUNK, the
# largest chunk in MiB.
# The settings leave out what fills small recordings: flags, modules, environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
event() {
    printf '  <event name="%s"><setting name="enabled">true</setting>' "$1"
    shift
    while [ $# -gt 0 ]; do
        printf '<setting name="%s">%s</setting>' "${1%%=*}" "${1#*=}"
        shift
    done
    printf '</event>\n'
}
{
    printf '<?xml version="1.0" encoding="UTF-8"?>\n<configuration version="2.0" label="test">\n'
    event jdk.ExecutionSample "period=10 ms"
    event jdk.NativeMethodSample "period=10 ms"
    event jdk.ObjectAllocationSample stackTrace=true "throttle=300/s"
    event jdk.ObjectAllocationInNewTLAB stackTrace=true
    for e in JavaMonitorEnter JavaMonitorWait ThreadPark ThreadSleep SocketRead SocketWrite FileRead FileWrite; do
        event "jdk.$e" stackTrace=true "threshold=1 ms"
    done
    event jdk.JavaExceptionThrow stackTrace=true
    event jdk.OldObjectSample stackTrace=true "cutoff=0 ns"
    for e in CPULoad ThreadCPULoad ThreadContextSwitchRate ExceptionStatistics ClassLoaderStatistics; do
        event "jdk.$e" "period=100 ms"
    done
    for e in GCHeapSummary GCPhasePause GarbageCollection Compilation ThreadStart ThreadEnd JVMInformation OSInformation InitialSystemProperty \
        ActiveRecording ActiveSetting Shutdown; do
        event "jdk.$e"
    done
    printf '</configuration>\n'
} >"$scratch/test.jfc"
program=${3:-RecordJfr}
javac -d "$scratch" "$here/$program.java"
java -Xmx200m -Xlog:jfr+startup=error -XX:FlightRecorderOptions=maxchunksize="${2:-12}m" \
    -XX:StartFlightRecording="filename=$scratch/out.jfr,settings=$scratch/test.jfc,dumponexit=true" -cp "$scratch" "$program" "${@:4}"
mv "$scratch/out.jfr" "$out"
