#!/usr/bin/env bash
# fleet-demo.sh: many recordings on a fresh Debian 12. Installs ClickHouse's server, starts two on loopback as an ordinary
# user, loads 50 recordings by two processes, asks five questions, takes a server away, and says what each showed. Writes to
# build/ and a temporary directory only; the servers end with it.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/demo-program.sh
. scripts/demo-program.sh

title "Installing ClickHouse (Debian's packages clickhouse-server and clickhouse-client)"
sudo=''
[ "$(id -u)" = 0 ] || sudo=sudo
if ! command -v clickhouse-server >/dev/null; then
    $sudo apt-get install -y --no-install-recommends clickhouse-server clickhouse-client >/dev/null 2>&1 || {
        echo "  Debian 12 has these packages; other systems need another server: docs/fleet.md"
        exit 1
    }
fi

# --- two servers ------------------------------------------------------------------------------------------------------

work=$(mktemp -d)
declare -a pids=()
end() {
    [ ${#pids[@]} = 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
declare -a as_user=()
if [ "$(id -u)" = 0 ]; then
    chown nobody: "$work"
    as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)
fi
chmod 755 "$work"
http=${TS_DEMO_PORT:-18123}
tcp=$((http + 1))

# Not 127.0.0.1: a server takes that address of the other one for its own, since their ports are the same.
configure() { # number
    local dir=$work/$1
    "${as_user[@]}" mkdir -p "$dir"/{data,tmp,schemas}
    cat >"$work/config-$1.xml" <<END
<yandex>
<logger><level>warning</level><log>$dir/log</log><errorlog>$dir/errors</errorlog></logger>
<listen_host>127.0.0.$(($1 + 1))</listen_host><http_port>$http</http_port><tcp_port>$tcp</tcp_port>
<interserver_http_port>$((http + 2))</interserver_http_port>
<path>$dir/data/</path><tmp_path>$dir/tmp/</tmp_path><format_schema_path>$dir/schemas/</format_schema_path>
<users_config>$work/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>67108864</mark_cache_size>
<remote_servers><demo>
<shard><replica><host>127.0.0.2</host><port>$tcp</port></replica></shard>
<shard><replica><host>127.0.0.3</host><port>$tcp</port></replica></shard>
</demo></remote_servers>
</yandex>
END
}
start() { # number
    (cd "$work" && exec "${as_user[@]}" clickhouse-server --config-file="$work/config-$1.xml" >/dev/null 2>&1) &
    pids[$1]=$!
    for _ in $(seq 100); do
        ! (exec 3<>"/dev/tcp/127.0.0.$(($1 + 1))/$http") 2>/dev/null || return 0
        sleep 0.2
    done
    echo "the server on 127.0.0.$(($1 + 1)) does not start"
    exit 1
}

title "Starting two servers on 127.0.0.2:$http and 127.0.0.3:$http, a cluster of two shards"
printf '<yandex><profiles><default></default></profiles><users><default><password></password><networks><ip>127.0.0.0/8</ip></networks><profile>default</profile><quota>default</quota></default></users><quotas><default></default></quotas></yandex>\n' >"$work/users.xml"
for n in 1 2; do
    configure "$n"
    start "$n"
done
echo "  they run as $(stat -c %U "/proc/${pids[1]}")"

at=http://127.0.0.2:$http/prof
run() {
    printf '%s$ trace_streamer %s%s\n' "$bold" "$*" "$plain"
    "$program" "$@"
}

# --- recordings -------------------------------------------------------------------------------------------------------

title "Making 50 recordings: ten of each of five builds"
mkdir "$work/heaps"
"$program" test/data/recording-snapshots.htrace.gz -s -o "$work/heaps" --quiet
for build_number in 1 2 3 4 5; do
    dir=$work/build-$build_number
    mkdir "$dir"
    # Other bytes are another recording: the same content is compressed with another effort.
    pack() { gzip -nc"$((build_number * 2 - 1))" >"$dir/$1.gz"; } # from standard input
    for name in timeline system cpuprofile; do
        gzip -dc "test/data/recording-$name.htrace.gz" | pack "$name.htrace"
    done
    gzip -dc test/data/kernel.htrace.gz | pack kernel.htrace
    gzip -dc test/data/work.jfr.gz | pack work.jfr
    gzip -dc test/data/work21.jfr.gz | pack work21.jfr
    gzip -dc test/data/Trace-page.json.gz | pack Trace-page.json
    pack sessions.heapprofile <test/data/sessions.heapprofile
    pack hiperf.data <test/data/hiperf.data
    # The last build has more objects in its heap.
    snapshot=0
    [ "$build_number" -lt 5 ] || snapshot=2
    pack app.heapsnapshot <"$(ls "$work"/heaps/*Snapshot$snapshot.heapsnapshot)"
done
# And one of its recordings was cut off.
gzip -dc test/data/recording-cpuprofile.htrace.gz | head -c 10000 | gzip -nc9 >"$work/build-5/cpuprofile.htrace.gz"
find "$work" -path '*build-*' -name '*.gz' | wc -l

title "Loading them by two processes at once"
run fleet init --at="$at" --cluster=demo
began=$(date +%s)
load() { # build
    find "$work/build-$1" -name '*.gz' -print0 | sort -z | xargs -0 -P2 -n5 \
        "$program" --to=clickhouse --at="$at" --label "build=$1" --analyze=stack_totals --threads=1 --quiet
}
for build_number in 1 2 3 4 5; do
    load "$build_number"
done
echo "  50 recordings in $(($(date +%s) - began)) s"
load 3 && echo "  those of build 3 again: each is already loaded, and nothing changes"

# --- questions --------------------------------------------------------------------------------------------------------

title "1. What is there?"
run fleet ask recordings --at="$at" --by=build --output=table --quiet
title "2. Which recordings lost data? One of build 5, which was cut off"
run fleet ask losses --at="$at" --by=build,recording --param severity=data_loss --output=table --quiet
title "3. Since which build is a class larger? Article, since build 5"
run fleet ask classes --at="$at" --by=build --param class=Article --output=table --quiet
title "4. How long is the runtime paused?"
run fleet ask pauses --at="$at" --by=build --output=table --quiet
title "5. Is build 5 worse than build 4? Exit code 9: a condition holds"
code=0
run diff build=4 build=5 --at="$at" --limit=5 --output=table --fail-if='self_size[Article]>+20%' || code=$?
echo "  exit code $code"
[ "$code" = 9 ]

title "A server goes away: an error, and never half an answer"
kill -9 "${pids[2]}"
wait "${pids[2]}" 2>/dev/null || true
code=0
run fleet ask recordings --at="$at" --by=build --quiet --retries=0 || code=$?
echo "  exit code $code"
[ "$code" = 4 ]
title "It comes back: all 50 recordings are there"
start 2
"$program" fleet list --at="$at" --output=tsv | tail -n +2 | wc -l
run fleet check --at="$at"
echo
echo "docs/fleet.md says more."
