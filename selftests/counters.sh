#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each switch does what it says, seen through the counters in /proc/vmstat, under
# requests of reclaim-bench ($1: its path).  Exits 4 (skip) without the feature.

set -euo pipefail

bench=${1:?usage: counters.sh PATH-OF-reclaim-bench}
vm=/proc/sys/vm
[[ -e $vm/lru_gen_memcg_tail_cache ]] || { echo "no $vm/lru_gen_memcg_tail_cache"; exit 4; }
failed=0

declare -A saved=()
for knob in tail_cache skip_young resched; do
	saved[$knob]=$(cat "$vm/lru_gen_memcg_$knob")
done
restore() {
	local knob
	for knob in "${!saved[@]}"; do
		echo "${saved[$knob]}" >"$vm/lru_gen_memcg_$knob" || true
	done
}
trap restore EXIT

# Deltas of the counters over a run with the three switches at $1 $2 $3.
declare -A delta=()
measure() {
	local name value
	echo "$1" >$vm/lru_gen_memcg_tail_cache
	echo "$2" >$vm/lru_gen_memcg_skip_young
	echo "$3" >$vm/lru_gen_memcg_resched
	declare -gA before=()
	while read -r name value; do before[$name]=$value; done < <(grep ^lru_gen_memcg_ /proc/vmstat)
	"$bench" --memcgs 200 --workers 4 --requests 3 >/dev/null
	delta=()
	while read -r name value; do
		delta[${name#lru_gen_memcg_}]=$((value - before[$name]))
	done < <(grep ^lru_gen_memcg_ /proc/vmstat)
}

check() { # NAME CONDITION
	if (($2)); then
		echo "ok - $1"
	else
		echo "not ok - $1: expected $2, got rotate=${delta[rotate]} skip_young=${delta[skip_young]} walk=${delta[walk]} visit=${delta[visit]} restart=${delta[restart]}"
		failed=1
	fi
}

measure 0 0 0
check 'all off: memcgs are visited and rotated' 'delta[visit] > 200 && delta[rotate] > 200'
check 'all off: insertions walk' 'delta[walk] > 200'
check 'all off: no rotation is skipped' 'delta[skip_young] == 0'
measure 1 0 0
check 'tail_cache=1: nothing walks' 'delta[walk] == 0 && delta[rotate] > 200'
check 'tail_cache=1 alone: no rotation is skipped' 'delta[skip_young] == 0'
measure 1 1 1
check 'all on: nothing walks' 'delta[walk] == 0'
check 'all on: redundant rotations are skipped' 'delta[skip_young] > 0'
exit "$failed"
