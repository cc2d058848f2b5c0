# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# Each patch alone, and what the series costs in bytes.  To be sourced after
# checks.sh.

# --- bisect ---------------------------------------------------------------

# part_of_series N DIR: the first N patches as a series of its own.
part_of_series() {
	local file
	rm -rf -- "$2"
	mkdir -p -- "$2"
	jq --argjson n "$1" '.patches |= .[:$n]' "$MANIFEST" >"$2/manifest.json"
	: >"$2/series"
	for file in "${PATCH_FILES[@]:0:$1}"; do
		cp -- "$file" "$2/"
		printf '%s\n' "${file##*/}" >>"$2/series"
	done
}

# bisect_state DIR on|off LOG: compiles the objects of the series in DIR; what is
# said is in LOG.new, and in LOG.log why it failed.
bisect_state() {
	local dir=$1 state=$2 log=$3 objects want=y
	local args=(--base "$dir" --out "bisect-$state" --config "$TOP/scripts/configs/checks.config")
	if [[ $state == off ]]; then
		args+=(--option-off)
		want=n
	fi
	TREE=$("$TOP/scripts/kernel" path tree "${args[@]}")
	OUT=$("$TOP/scripts/kernel" path build "${args[@]}")
	# The first patch of a state is configured in full and all is compiled, later
	# ones add to it: what they do not touch has been looked at.
	if [[ ! -f $log.configured ]]; then
		"$TOP/scripts/kernel" config -q "${args[@]}" >"$log.log" 2>&1 || return 1
		mapfile -t objects < <(touched_objects "$TREE" "$OUT/.config")
		remove_objects "${objects[@]}"
		: >"$log.configured"
	fi
	# a symbol may be new
	if ! cmp -s -- "$TREE/mm/Kconfig" "$log.Kconfig"; then
		make_args
		make "${MAKE_ARGS[@]}" -s olddefconfig </dev/null >"$log.log" 2>&1 || return 1
		cp -- "$TREE/mm/Kconfig" "$log.Kconfig"
	fi
	if grep -q '^CONFIG_LRU_GEN_MEMCG_TAIL_CACHE=y' "$OUT/.config"; then
		[[ $want == y ]] || { echo "error: the option is on" >"$log.log"; return 1; }
	else
		[[ $want == n ]] || { echo "error: the option is off" >"$log.log"; return 1; }
	fi
	mapfile -t objects < <(touched_objects "$TREE" "$OUT/.config")
	compile_objects "$log.log" W=1 -- "${objects[@]}" || return 1
	messages "$log.log" >"$log.new"
}

bisect() {
	local work part log state states n title new rc=0 bad start stamp
	prepare_check
	work=$CACHE/check/${SERIES_DIR##*/}
	part=$CACHE/check/bisect/${SERIES_DIR##*/}
	stamp=$({ cat -- "$STAMPS" "$TOP/scripts/lib/check-series.sh"; } | sha256sum)
	if ((!AGAIN)) && [[ $(cat -- "$work/bisect.stamp" 2>/dev/null) == "$stamp" ]]; then
		sed 's/$/ (up to date)/' "$work/bisect.result"
		return 0
	fi
	rm -f -- "$work/bisect"*
	: >"$work/bisect.result"
	for ((n = 0; n <= ${#PATCH_FILES[@]}; n++)); do
		start=$SECONDS
		title=unpatched
		((!n)) || title=${PATCH_FILES[n - 1]##*/}
		part_of_series "$n" "$part"
		"$TOP/scripts/kernel" apply -q --base "$part" || {
			printf '# %s: FAILED, does not apply\n' "$title"
			rc=1
			break
		}
		TREE=$("$TOP/scripts/kernel" path tree --base "$part")
		states=off
		if grep -q '^config LRU_GEN_MEMCG_TAIL_CACHE' "$TREE/mm/Kconfig"; then
			states+=' on'
		fi
		bad=0
		for state in $states; do
			log=$work/bisect-$state
			bisect_state "$part" "$state" "$log" || {
				config_failed "$title" "option $state: does not compile" "$log.log"
				bad=1
				continue
			}
			((n)) || cp -- "$log.new" "$work/bisect-unpatched"
			new=$(comm -23 "$log.new" "$work/bisect-unpatched")
			[[ -z $new ]] || {
				config_failed "$title" "option $state: new messages" <(printf '%s\n' "$new")
				bad=1
			}
		done
		if ((bad)); then
			rc=1
			# without it there is nothing to compare with
			((n)) || break
		else
			printf '# %s: ok, option %s (%s)\n' "$title" "${states/ / and }" \
				"$(elapsed $((SECONDS - start)))" | tee -a "$work/bisect.result"
		fi
	done
	((rc)) || printf '%s\n' "$stamp" >"$work/bisect.stamp"
	return "$rc"
}

# --- size -----------------------------------------------------------------

# The three kernels that are compared, and what scripts/kernel calls them.
readonly SIZE_KINDS=(unpatched off on)
declare -rA SIZE_ARGS=([unpatched]=--unpatched [off]=--option-off [on]='')

# sections FILE...: "text data" of all together; data includes bss.
sections() {
	size -- "$@" | awk 'NR > 1 { text += $1; data += $2 + $3 } END { print text + 0, data + 0 }'
}

struct_size() { # OBJECT STRUCT: 0 when there is none
	pahole -C "$2" "$1" 2>/dev/null | awk '/\/\* size: / { sub(",", "", $3); size = $3 } END { print size + 0 }'
}

# meter WHAT OLD NEW: what became larger or smaller, without headings.
meter() {
	printf '# bloat-o-meter, %s:\n' "$1"
	python3 "$TREE/scripts/bloat-o-meter" "$2" "$3" | sed 's/^/#   /'
}

# Prints the table; what is wrong follows it.
size_of_objects() {
	local kind dir log objects object name sizes=() struct text data growth rc=0 arg
	declare -A text_of=() data_of=() struct_of=()
	dir=$CACHE/check/${SERIES_DIR##*/}/size
	rm -rf -- "$dir"
	for kind in "${SIZE_KINDS[@]}"; do
		mkdir -p -- "$dir/$kind"
		log=$dir/$kind.log
		arg=${SIZE_ARGS[$kind]}
		kernel config -q ${arg:+"$arg"} --out check-0 >"$log" 2>&1 || {
			config_failed "$kind" "cannot be configured" "$log"
			return 1
		}
		use_tree ${arg:+"$arg"} --out check-0
		mapfile -t objects < <(touched_objects "$TREE" "$OUT/.config")
		remove_objects "${objects[@]}"
		compile_objects "$log" KCFLAGS=-g -- "${objects[@]}" || {
			config_failed "$kind" "does not compile" "$log"
			return 1
		}
		for object in "${objects[@]}"; do
			cp -- "$OUT/$object" "$dir/$kind/${object//\//-}"
		done
		read -r text_of[$kind] data_of[$kind] < <(sections "$dir/$kind"/*.o)
		for struct in lru_gen_folio lru_gen_memcg pglist_data; do
			struct_of[$kind,$struct]=$(struct_size "$dir/$kind/mm-vmscan.o" "$struct")
			((struct_of[$kind,$struct])) || { printf 'no struct %s in mm/vmscan.o\n' "$struct"; return 1; }
		done
	done
	printf '# bytes, %s: %14s %14s %14s\n' "$ARCH" "${SIZE_KINDS[@]}"
	printf '# %-22s %8d %14d %14d\n' \
		"text of ${#objects[@]} objects" "${text_of[unpatched]}" "${text_of[off]}" "${text_of[on]}" \
		"data and bss of them" "${data_of[unpatched]}" "${data_of[off]}" "${data_of[on]}"
	for struct in lru_gen_folio lru_gen_memcg pglist_data; do
		printf '# %-22s %8d %14d %14d\n' "struct $struct" "${struct_of[unpatched,$struct]}" \
			"${struct_of[off,$struct]}" "${struct_of[on,$struct]}"
		((struct_of[off,$struct] == struct_of[unpatched,$struct])) || {
			echo "struct $struct is of another size with the option off"
			rc=1
		}
	done
	meter "mm/vmscan.o, unpatched to option off" "$dir/unpatched/mm-vmscan.o" "$dir/off/mm-vmscan.o"
	meter "mm/vmscan.o, option off to on" "$dir/off/mm-vmscan.o" "$dir/on/mm-vmscan.o"
	growth=$((text_of[off] - text_of[unpatched]))
	((growth <= 64)) || { echo "option off adds $growth bytes of text (at most 64)"; rc=1; }
	growth=$((data_of[off] - data_of[unpatched]))
	((growth == 0)) || { echo "option off changes the data by $growth bytes"; rc=1; }
	growth=$((struct_of[on,lru_gen_folio] - struct_of[unpatched,lru_gen_folio]))
	((growth == 0)) || { echo "struct lru_gen_folio changes by $growth bytes"; rc=1; }
	return "$rc"
}

size_of_vmlinux() {
	local kind arg
	declare -A vmlinux=()
	for kind in "${SIZE_KINDS[@]}"; do
		arg=${SIZE_ARGS[$kind]}
		kernel build ${arg:+"$arg"} --jobs "$JOBS"
		vmlinux[$kind]=$(kernel path vmlinux ${arg:+"$arg"})
	done
	TREE=$(kernel path tree)
	printf '# vmlinux, %s:\n' "$ARCH"
	size -- "${vmlinux[@]}" | sed 's/^/#   /'
	meter "unpatched to option off" "${vmlinux[unpatched]}" "${vmlinux[off]}"
	meter "option off to on" "${vmlinux[off]}" "${vmlinux[on]}"
}

size_check() {
	need size:binutils pahole:dwarves python3:python3
	prepare_check
	local result=$CACHE/check/${SERIES_DIR##*/}/size stamp
	stamp=$({ cat -- "$STAMPS" "$TOP/scripts/lib/check-series.sh"; pahole --version; } | sha256sum)
	if ((AGAIN)) || [[ $(cat -- "$result.stamp" 2>/dev/null) != "$stamp" ]]; then
		rm -f -- "$result.stamp"
		size_of_objects >"$result.result" || { cat -- "$result.result"; return 1; }
		printf '%s\n' "$stamp" >"$result.stamp"
	fi
	cat -- "$result.result"
	((!VMLINUX)) || size_of_vmlinux
}
