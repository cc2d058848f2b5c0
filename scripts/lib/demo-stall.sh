# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# scripts/demo --stall: does the kernel report a stall or a soft lockup while it
# reclaims next to many memory cgroups?  To be sourced by scripts/demo.
#
# Input (globals that the sourcing script sets): BASE, OUT, SMP, MEMCGS, WORKERS, ROUNDS

# What the kernel says when a CPU does not come to rest.
STALL_REPORT='rcu.*detected (expedited )?stall|self-detected stall|soft lockup'
# Sooner than the defaults of 21 s (RCU) and 20 s (soft lockup), for the runs to be short.
STALL_APPEND='rcupdate.rcu_cpu_stall_timeout=10 watchdog_thresh=5'
# begin no request after this; those begun are cut off after twice as long
STALL_SECONDS=100

# stall_run ARM ROUND: one boot; appends a line of JSON to $OUT/stall.jsonl
stall_run() {
	local arm=$1 round=$2 console=$OUT/stall-$1-$2.log start=$SECONDS rc=0 reports
	kernel boot -q --smp "$SMP" --mem "$(guest_mem "$MEMCGS")" --append "$STALL_APPEND" \
		--timeout $((STALL_SECONDS * 2 + 600)) --console "$console" -- \
		"$BENCH/reclaim-bench" --memcgs "$MEMCGS" --workers "$WORKERS" --requests 3 --arms "$arm" \
		--time-limit "$STALL_SECONDS" --hard-cap $((STALL_SECONDS * 2)) \
		>"$OUT/stall-run" 2>"$OUT/stall-run.err" || rc=$?
	if ((rc)); then
		tail -n 5 -- "$OUT/stall-run.err" >&2
		die "arm $arm, round $round: the guest ended with $rc; console: $console" "$rc"
	fi
	reports=$(grep -acE "$STALL_REPORT" "$console" || true)
	jq -c --argjson reports "$reports" --arg base "$BASE" --argjson seconds $((SECONDS - start)) \
		--argjson round "$round" '{kind: "stall", base: $base, arm, round: $round, memcgs, workers,
			requests_per_s, max_ms, requests_cut_off, reports: $reports, seconds: $seconds}' \
		"$OUT/stall-run" >>"$OUT/stall.jsonl"
	note "arm $arm, round $round: $reports reports, $(elapsed $((SECONDS - start)))"
}

# Exit status 0: control was reported in each round, all on in none.
stall() {
	local round
	note "stalls: $ROUNDS boots an arm, up to $((STALL_SECONDS * 2)) s each and what the boots take"
	: >"$OUT/stall.jsonl"
	for ((round = 1; round <= ROUNDS; round++)); do
		stall_run control "$round"
		stall_run all "$round"
	done
	rm -f -- "$OUT/stall-run" "$OUT/stall-run.err"
	echo "Reports of stalls and soft lockups, $MEMCGS memcgs, $WORKERS workers ($STALL_APPEND)"
	jq -r '[.arm, .round, .reports, (.requests_per_s * 1000 | round / 1000), (.max_ms // 0 | round),
		.requests_cut_off] | @tsv' "$OUT/stall.jsonl" |
		awk 'BEGIN { f = "  %-8s %5s %8s %8s %9s %8s\n"; printf f, "arm", "round", "reports", "req/s", "max ms", "cut off" }
			{ printf f, $1, $2, $3, $4, $5, $6 }'
	note "lines: $OUT/stall.jsonl, consoles: $OUT/stall-*.log"
	jq -es 'all(.[] | select(.arm == "all"); .reports == 0) and
		all(.[] | select(.arm == "control"); .reports > 0)' "$OUT/stall.jsonl" >/dev/null ||
		die "not as expected: a report in each control run, and none with all on"
}
