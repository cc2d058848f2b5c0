#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the tests of this folder one by one, and looks at the kernel's log after
# each.  See --help.

set -euo pipefail

usage() {
	cat <<'END'
Usage: run.sh [OPTION]... [-t TEST]...

Runs all tests, or those that -t names, as root, and prints TAP.  A test fails
also when the kernel's log has a warning, a lockdep, KASAN or UBSAN report, a
stall, a lockup or a hung task that came while it ran.
  -l, --list           list the tests: PROGRAM:NAME
  -t, --test TEST      PROGRAM, PROGRAM:NAME, or a pattern of these as
                       'sysctl_test:knob.tail_cache*' (repeatable)
  --dir DIR            where the built programs are (default: this folder)
  --long               full size (minutes)
  --expect VALUES      what the kernel was booted with, as 'tail_cache=0 resched=0';
                       switches not named: their default ('' for all)
  --require-feature    a kernel without the switches is a failure, not a skip
  -v, --verbose        also the output of tests that pass
  -h, --help           this text

Exit: 0 passed (or some skipped), 1 one failed, 2 wrong usage, 4 none could run.
END
}

usage_error() {
	echo "run.sh: $1 (see --help)" >&2
	exit 2
}

dir=$(dirname -- "${BASH_SOURCE[0]}")
list=0 verbose=0 require=0 patterns=()
while (($#)); do
	case $1 in
	-h | --help) usage; exit 0 ;;
	-l | --list) list=1 ;;
	-t | --test) (($# > 1)) || usage_error "$1 needs a value"; patterns+=("$2"); shift ;;
	--dir) (($# > 1)) || usage_error "$1 needs a value"; dir=$2; shift ;;
	--long) export LRU_GEN_MEMCG_LONG=1 ;;
	--expect) (($# > 1)) || usage_error "$1 needs a value"; export LRU_GEN_MEMCG_EXPECT=$2; shift ;;
	--require-feature) require=1 ;;
	-v | --verbose) verbose=1 ;;
	*) usage_error "unknown argument '$1'" ;;
	esac
	shift
done

# For the tests of this script: the device that takes a mark for the log, and
# the command that prints the log.
kmsg=${LRU_GEN_MEMCG_KMSG:-/dev/kmsg}
read -ra print_log <<<"${LRU_GEN_MEMCG_DMESG:-dmesg}"

# all that a kernel says about itself when something is wrong
complaints='WARNING:|BUG:|\bOops\b|kernel BUG|Kernel panic|general protection fault|cut here'
complaints+='|KASAN|KCSAN|KFENCE:|KMSAN|UBSAN'
complaints+='|possible (circular|recursive) locking|inconsistent lock state|lock held when returning'
complaints+='|suspicious RCU usage|possible irq lock inversion|irq-safe -> irq-unsafe'
complaints+='|\bstalls? on CPUs|self-detected stall|detected stalls|detected expedited stalls|rcu_tasks.*stall'
complaints+='|soft lockup|hard LOCKUP|blocked for more than|scheduling while atomic'
complaints+='|sleeping function called|list_(add|del) corruption|refcount_t:|unable to handle'

shopt -s nullglob
tests=()
for program in "$dir"/*_test; do
	[[ -f $program && -x $program ]] || continue
	names=$("$program" --names) || { echo "run.sh: $program --names failed" >&2; exit 1; }
	while read -r name; do
		tests+=("${program##*/}:$name")
	done <<<"$names"
done
if ((${#tests[@]} == 0)); then
	echo "run.sh: no test programs in $dir; build them: make -C $(dirname -- "${BASH_SOURCE[0]}") KDIR=/path/to/linux O=$dir" >&2
	exit 4
fi

selected=()
for pattern in "${patterns[@]}"; do
	found=0
	for test in "${tests[@]}"; do
		# unquoted: it is a pattern
		# shellcheck disable=SC2053
		if [[ $test == $pattern || ${test%%:*} == $pattern ]]; then
			selected+=("$test")
			found=1
		fi
	done
	((found)) || usage_error "no test '$pattern'; -l lists them"
done
((${#patterns[@]})) || selected=("${tests[@]}")

if ((list)); then
	printf '%s\n' "${selected[@]}"
	exit 0
fi

out=$(mktemp)
log=$(mktemp)
pid=
# the program puts the switches back when it is told to end
cleanup() {
	local rc=$?
	if [[ -n $pid ]] && kill -TERM "$pid" 2>/dev/null; then
		wait "$pid" || true
	fi
	rm -f -- "$out" "$log"
	exit "$rc"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

echo "TAP version 13"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 4
}
((EUID == 0)) || [[ -n ${LRU_GEN_MEMCG_KMSG:-} ]] || skip_all "needs root"
"${print_log[@]}" >/dev/null 2>&1 || skip_all "cannot read the kernel's log with '${print_log[*]}'"
[[ -w $kmsg ]] || skip_all "cannot write to $kmsg"

# What the log has since MARK, in $log; all of it when the mark is gone already.
log_since() {
	"${print_log[@]}" 2>/dev/null | tr -d '\000' |
		awk -v mark="$1" '
			{ lines[++n] = $0 }
			index($0, mark) { n = 0; found = 1 }
			END {
				if (!found) print "run.sh: the mark is gone from the log: this is all of it"
				for (i = 1; i <= n; i++) print lines[i]
			}' >"$log"
}

indent() { sed 's/^/#   /' "$1"; }

echo "1..${#selected[@]}"
n=0 passed=0 failed=0 skipped=0 bad=()
for test in "${selected[@]}"; do
	n=$((n + 1)) rc=0 why='' skip=''
	mark="lru_gen_memcg selftest $$ $n: $test"
	echo "$mark" >>"$kmsg"
	"$dir/${test%%:*}" -r "${test#*:}" >"$out" 2>&1 </dev/null &
	pid=$!
	wait "$pid" || rc=$?
	pid=
	log_since "$mark"
	if grep -qaE -- "$complaints" "$log"; then
		why="the kernel complained: $(grep -m 1 -aE -- "$complaints" "$log")"
	elif ((rc == 4)); then
		skip=$(sed -n 's/.*# SKIP *//p' "$out" | head -n 1)
		skip=${skip:-the program says so}
	elif ((rc > 128)); then
		why="ended by signal $((rc - 128))"
	elif ((rc)); then
		why="exit code $rc"
	elif ! grep -qaE '^(not )?ok ' "$out"; then
		why="it ran no test"
	elif grep -qaE '^not ok ' "$out"; then
		why="it failed with exit code 0"
	else
		skip=$(sed -n 's/^ok .*# SKIP *//p' "$out" | head -n 1)
	fi
	if [[ -n $skip && $require == 1 && $skip == *'without CONFIG_LRU_GEN_MEMCG_TAIL_CACHE'* ]]; then
		why="$skip (--require-feature)"
	fi
	if [[ -n $why ]]; then
		failed=$((failed + 1))
		bad+=("$test: $why")
		indent "$out"
		if [[ $why == 'the kernel'* ]]; then indent "$log"; fi
		echo "not ok $n - $test # $why"
	else
		if ((verbose)); then indent "$out"; fi
		if [[ -n $skip ]]; then
			skipped=$((skipped + 1))
			echo "ok $n - $test # SKIP $skip"
		else
			passed=$((passed + 1))
			echo "ok $n - $test"
		fi
	fi
done
((${#bad[@]} == 0)) || printf '# failed: %s\n' "${bad[@]}"
echo "# $passed passed, $failed failed, $skipped skipped"
((failed == 0)) || exit 1
((passed)) || exit 4
