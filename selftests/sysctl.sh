#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each vm.lru_gen_memcg_* switch: both values, refusals; with --defaults (after a
# boot that changed none) also the default.  Needs root on a kernel with
# CONFIG_LRU_GEN_MEMCG_TAIL_CACHE=y; exits 4 (skip) without it.  Puts the values
# back.

set -euo pipefail

dir=/proc/sys/vm
failed=0
case ${1:-} in
'' | --defaults) ;;
*) echo "usage: sysctl.sh [--defaults]" >&2; exit 2 ;;
esac

check() { # NAME EXPECTED GOT
	if [[ $2 == "$3" ]]; then
		echo "ok - $1"
	else
		echo "not ok - $1: expected '$2', got '$3'"
		failed=1
	fi
}

# What the kernel made of a write: the value afterwards, and whether it took it.
write() { # FILE TEXT
	if printf '%b' "$2" 2>/dev/null >"$1"; then
		echo "accepted $(cat "$1")"
	else
		echo "refused $(cat "$1")"
	fi
}

knobs=(lru_gen_memcg_tail_cache lru_gen_memcg_skip_young lru_gen_memcg_resched)
declare -A saved=()
restore() {
	local knob
	for knob in "${!saved[@]}"; do
		echo "${saved[$knob]}" >"$dir/$knob" || true
	done
}
trap restore EXIT

for knob in "${knobs[@]}"; do
	file=$dir/$knob
	if [[ ! -e $file ]]; then
		echo "no $file: this kernel is without CONFIG_LRU_GEN_MEMCG_TAIL_CACHE"
		exit 4
	fi
	saved[$knob]=$(cat "$file")
	[[ -z ${1:-} ]] || check "$knob default" 1 "${saved[$knob]}"
	check "$knob mode" 644 "$(stat -c %a "$file")"
	check "$knob 0" 'accepted 0' "$(write "$file" '0\n')"
	check "$knob 1" 'accepted 1' "$(write "$file" '1\n')"
	check "$knob 0x0" 'accepted 0' "$(write "$file" '0x0\n')"
	check "$knob 01" 'accepted 1' "$(write "$file" '01\n')"
	for keep in 0 1; do
		echo "$keep" >"$file"
		for bad in '2\n' '-1\n' 'on\n' '1.5\n' '1x\n' '99999999999999999999\n'; do
			check "$knob refuses ${bad%\\n} at $keep" "refused $keep" "$(write "$file" "$bad")"
		done
	done
done
exit "$failed"
