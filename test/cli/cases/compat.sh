# shellcheck shell=bash
# --compat: the values that the format's description says of the reference. --syscalls.
mkhtrace -o sampled.htrace --clocks boot=1000000000,real=11000000000,mono=1000000000 \
  --time 12000000000 --plugin cpu-plugin:=0a00180721000000000000f83f29000000000000e03f310000000000000040 \
  --time 13000000000 --plugin cpu-plugin:=0a00180821000000000000004029000000000000e83f310000000000000640 \
  --time 12000000000 --plugin diskio-plugin:=0800100020e80728f403 \
  --time 15000000000 --plugin diskio-plugin:=08e80710f40320c00c28bc05 \
  --time 12000000000 --plugin network-plugin:=120a18e807200a28f4033005 \
  --time 14000000000 --plugin network-plugin:=120a18b81720142884073009 \
  --time 15000000000 --plugin network-plugin:=120a18d00f20152884073009 \
  --time 13000000000 --plugin process-plugin:=0a2a08141203617070180120e8072a0d09000000000000084010031850320208643a09288080808014308040 \
  --time 14000000000 --plugin memory-plugin:=0a4c08141203617070180162410a04383030301204383030311a0472772d73220d2f6465762f6173686d656d2f7828043004380241000000000000e03f480e500058056006680770087800800101
cat >calls.ftrace <<'END'
# tracer: nop
      app-20    (   20) [000] d..3 1.000000010: sys_enter: NR 63 (3, 7f0010, 10)
      app-20    (   20) [000] d..3 1.000000020: sys_exit: NR 63 = 10
      app-20    (   20) [000] d..3 1.000000030: sys_enter: NR 64 (1, 7f0010, 10)
      app-20    (   20) [000] d..3 1.000000050: sys_exit: NR 64 = -11
      app-20    (   20) [000] d..3 1.000000060: sched_wakeup: comm=svc pid=30 prio=120 target_cpu=001
      app-20    (   20) [002] d..3 1.000000070: clock_set_rate: gpu state=700 cpu_id=2
no event
END
# Headers are left out: the rows of one statement a line.
ask() { ts "$1" -q "$2" --output=tsv | tail -n +2; }
for way in "" --compat; do
  echo "-- ${way:-default}"
  code ts sampled.htrace -e sampled.db --force --quiet ${way:+"$way"}
  ask sampled.db 'SELECT total_load FROM cpu_usage'
  ask sampled.db 'SELECT round(rd_speed, 3), round(wr_speed, 3) FROM diskio'
  ask sampled.db "SELECT ts, rx_speed, tx_speed FROM network"
  ask sampled.db 'SELECT disk_reads, disk_writes FROM live_process'
  ask sampled.db 'SELECT shared_clean, shared_dirty, private_clean, private_dirty FROM smaps'
  ask sampled.db 'SELECT thread_count FROM process WHERE pid = 20'
  code ts calls.ftrace -e calls.db --force --quiet ${way:+"$way"}
  ask calls.db 'SELECT syscall_number, dur, ret FROM syscall'
  ask calls.db 'SELECT raw.name, t.tid FROM raw JOIN thread t USING (itid)'
  ask calls.db 'SELECT cpu FROM clock_event_filter'
  ask calls.db "SELECT event_name, stat_type, count FROM stat WHERE count > 0 AND event_name IN ('sys_enter', 'other') ORDER BY 1"
done
for list in 64 63,64 none all 5; do
  echo "-- --syscalls=$list"
  code ts calls.ftrace -e calls.db --force --quiet --compat --syscalls="$list"
  ask calls.db 'SELECT syscall_number, dur, ret FROM syscall'
  ask calls.db "SELECT seen, imported, lost, skipped FROM import_count WHERE item = 'ftrace_events:sys_exit'"
done
for list in "" "3," ",3" x "3,,4" 12345678901; do
  code ts calls.ftrace -e calls.db --force --syscalls="$list"
done
code ts calls.ftrace -e calls.db --force --syscalls=1 --syscalls=2
code ts calls.db --analyze=stack_totals --compat
