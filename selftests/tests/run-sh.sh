#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of run.sh, with test programs and a kernel log that are made up here.
# Prints TAP; needs no root and no kernel with the feature.

set -euo pipefail

run=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/../run.sh")
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
mkdir "$dir/bin"
n=0 failed=0

# What the made-up program does is in these files.
cat >"$dir/bin/fake_test" <<END
#!/bin/bash
case \$1 in
--names) printf '%s\n' global.first knob.a_0.second knob.a_1.second; exit 0 ;;
esac
echo "\$2" >>"$dir/ran"
cat "$dir/say" >>"$dir/log"
[[ ! -e $dir/hang ]] || { trap 'echo put back >"$dir/restored"; exit 143' TERM; : >"$dir/hanging"; while :; do sleep 0.05; done; }
cat "$dir/output"
exit "\$(cat "$dir/code")"
END
chmod +x "$dir/bin/fake_test"

# reset: one program whose tests pass, and a log with an old complaint in it
reset() {
	rm -f -- "$dir/hang" "$dir/hanging" "$dir/restored" "$dir/ran"
	: >"$dir/say"
	echo 'ok 1 it' >"$dir/output"
	echo 0 >"$dir/code"
	echo '[    0.1] WARNING: CPU: 0 of before the tests' >"$dir/log"
}

run_sh() { # ARG...
	rc=0
	LRU_GEN_MEMCG_KMSG=$dir/log LRU_GEN_MEMCG_DMESG="$dir/dmesg" \
		"$run" --dir "$dir/bin" "$@" >"$dir/out" 2>&1 || rc=$?
}
cat >"$dir/dmesg" <<END
#!/bin/bash
cat "$dir/log"
END
chmod +x "$dir/dmesg"
check() { # NAME EXPECTED-CODE PATTERN
	n=$((n + 1))
	if [[ $rc == "$2" ]] && grep -qE -- "$3" "$dir/out"; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1: expected exit $2 and '$3', got exit $rc and:"
		sed 's/^/#   /' "$dir/out"
	fi
}
echo "TAP version 13"

reset
run_sh -l
check "lists the tests" 0 '^fake_test:knob.a_1.second$'
run_sh
check "an old complaint in the log is not of a test" 0 '^# 3 passed, 0 failed, 0 skipped$'
run_sh -t fake_test:global.first
check "runs one" 0 '^1\.\.1$'
run_sh -t 'fake_test:knob.*'
check "runs those of a pattern" 0 '^1\.\.2$'
run_sh -t fake_test
check "runs a program" 0 '^1\.\.3$'
run_sh -t nothing
check "names a test that is not there" 2 "no test 'nothing'"
run_sh --wrong
check "names a wrong argument" 2 "unknown argument '--wrong'"
run_sh --help
check "has a help text" 0 '^Usage:'

while read -r line; do
	reset
	echo "[   12.3] $line" >"$dir/say"
	run_sh -t fake_test:global.first
	check "fails on: ${line:0:50}" 1 '^not ok 1 - fake_test:global.first # the kernel complained'
done <<'END'
WARNING: CPU: 1 PID: 77 at mm/vmscan.c:4390 lru_gen_rotate_memcg+0x1/0x2
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
BUG: KASAN: slab-use-after-free in shrink_many+0x1/0x2
BUG: unable to handle page fault for address: ffff888
UBSAN: array-index-out-of-bounds in mm/vmscan.c:1
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [x:1]
INFO: task run:12 blocked for more than 120 seconds.
BUG: sleeping function called from invalid context at mm/vmscan.c:1
BUG: scheduling while atomic: x/1/0x2
list_del corruption. next->prev should be 1, but was 2
Oops: 0000 [#1] PREEMPT SMP
------------[ cut here ]------------
END

while read -r line; do
	reset
	echo "[   12.3] $line" >"$dir/say"
	run_sh
	check "takes no offence at: ${line:0:50}" 0 '^# 3 passed'
done <<'END'
Installing knfsd (copyright (C) 1996 okir@monad.swb.de).
x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0
Memory cgroup out of memory: Killed process 12 (x)
debug: the word warning alone
END

reset
echo 'ok 1 it # SKIP no such thing' >"$dir/output"
run_sh
check "only skips: exit 4, with the reason" 4 '^ok 1 - fake_test:global.first # SKIP no such thing$'
echo 'ok 1 it # SKIP no x: this kernel is without CONFIG_LRU_GEN_MEMCG_TAIL_CACHE' >"$dir/output"
run_sh
check "without the feature: a skip" 4 '# 0 passed, 0 failed, 3 skipped'
run_sh --require-feature
check "without the feature, required: a failure" 1 '^# failed: fake_test:global.first: no x:'
reset
echo 4 >"$dir/code"
run_sh
check "exit code 4 is a skip" 4 '# 0 passed, 0 failed, 3 skipped'
reset
echo 1 >"$dir/code"
echo '# expected 1, got 2' >"$dir/output"
run_sh
check "a failing test: its output is shown" 1 '^#   # expected 1, got 2$'
check "a failing test: named at the end" 1 '^# failed: fake_test:knob.a_0.second: exit code 1$'
reset
: >"$dir/output"
run_sh
check "a program that runs nothing fails" 1 'it ran no test'
reset
echo 'not ok 1 it' >"$dir/output"
run_sh
check "a failure with exit code 0 fails" 1 'failed with exit code 0'
reset
echo 137 >"$dir/code"
run_sh -t fake_test:global.first
check "a signal is named" 1 'ended by signal 9'

# the log ran over: no mark in it any more, so its old complaint counts
reset
cat >"$dir/dmesg" <<END
#!/bin/bash
grep -v selftest "$dir/log"
END
run_sh -t fake_test:global.first
check "a log that ran over is read as a whole" 1 'the mark is gone'
printf '#!/bin/bash\nexit 1\n' >"$dir/dmesg"
run_sh
check "an unreadable log is named" 4 "SKIP cannot read the kernel's log"
printf '#!/bin/bash\ncat "%s/log"\n' "$dir" >"$dir/dmesg"

reset
: >"$dir/hang"
LRU_GEN_MEMCG_KMSG=$dir/log LRU_GEN_MEMCG_DMESG="$dir/dmesg" \
	"$run" --dir "$dir/bin" >"$dir/out" 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do
	[[ ! -e $dir/hanging ]] || break
	sleep 0.05
done
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
cat "$dir/restored" >>"$dir/out" || true
check "SIGTERM is passed on, and waited for" 143 '^put back$'

rm -- "$dir/bin/fake_test"
run_sh
check "without programs it says how to build them" 4 'make -C .* KDIR='

echo "1..$n"
exit "$failed"
