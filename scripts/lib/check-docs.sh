# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# Do the texts say what the kernel does?  The one source is the patched tree's
# code: the switches and their defaults are those of mm/vmscan.c, the counters
# those of mm/vmstat.c.  To be sourced after checks.sh.

DOC_FAULTS=0

fault() {
	printf '%s\n' "$*"
	DOC_FAULTS=$((DOC_FAULTS + 1))
}

# same WHAT WANT GOT: two lists, a line each, in any order.
same() {
	local difference
	difference=$(diff <(sort <<<"$2") <(sort <<<"$3") | sed -n 's/^</  missing:/p; s/^>/  not in the code:/p' || true)
	[[ -z $difference ]] || fault "$1:"$'\n'"$difference"
}

# switches_of_code FILE: "NAME DEFAULT", a line each.
switches_of_code() {
	awk '
		match($0, /DEFINE_STATIC_KEY_(TRUE|FALSE)\(lru_gen_memcg_[a-z_]+\)/) {
			name = substr($0, RSTART, RLENGTH)
			key = name ~ /TRUE/
			gsub(/.*\(|\)/, "", name)
			value[name] = key
		}
		/\.procname/ && /lru_gen_memcg/ { split($0, part, "\""); proc = part[2] }
		/\.data/ && proc { data = $0; gsub(/.*&|\.key.*/, "", data) }
		/\.proc_handler/ && proc {
			if ($0 !~ /proc_do_static_key/ || data != proc || !(proc in value))
				print proc " unknown"
			else
				print proc " " value[proc]
			proc = ""
		}' "$1"
}

counters_of_code() { grep -oE '"lru_gen_memcg_[a-z_]+"' "$1" | tr -d '"' || true; }

# section FILE TITLE: its text on one line, without the title.
section() {
	awk -v title="$2" '
		{ line[NR] = $0 }
		END {
			for (i = 1; i < NR; i++)
				if (line[i] == title && line[i + 1] ~ /^=+$/ && length(line[i + 1]) == length(title))
					break
			for (i += 2; i <= NR && line[i + 1] !~ /^(=+|-+)$/; i++)
				printf "%s ", line[i]
		}' "$1" | tr -s ' '
}

# Which texts name something that is not there?
stray_names() { # FILE...
	local file name
	for file; do
		while IFS= read -r name; do
			grep -qx -- "$name" <<<"$NAMES" || fault "$file: $name is neither a switch nor a counter"
		done < <(grep -oE 'lru_gen_memcg_[a-z]+(_[a-z]+)*' "$file" | sort -u)
	done
}

check_texts() {
	local sysctl_rst=Documentation/admin-guide/sysctl/vm.rst mm_rst=Documentation/admin-guide/mm/multigen_lru.rst
	local docs=$TOP/sysctl-docs name default text line
	while read -r name default; do
		[[ $default != unknown ]] || {
			fault "mm/vmscan.c: $name is no static key of its name: this check does not know its range and default"
			continue
		}
		text=$(section "$TREE/$sysctl_rst" "$name")
		if [[ -z $text ]]; then
			fault "$sysctl_rst: no section $name"
			continue
		fi
		[[ $text == *"$default (the default):"* ]] || fault "$sysctl_rst: $name: does not say '$default (the default):'"
		[[ $text == *" $((1 - default)):"* ]] || fault "$sysctl_rst: $name: does not say what $((1 - default)) does"
		[[ $text == *"Available only when CONFIG_LRU_GEN_MEMCG_TAIL_CACHE is set"* ]] ||
			fault "$sysctl_rst: $name: does not say when it is available"
		grep -q "vm\.$name\b" "$TREE/mm/Kconfig" || fault "mm/Kconfig: does not name vm.$name"
		grep -q "\`\`$name\`\`" "$TREE/$mm_rst" || fault "$mm_rst: does not name $name"
		if [[ ! -f $docs/$name.md ]]; then
			fault "sysctl-docs/$name.md: not there"
			continue
		fi
		{ IFS= read -r line; IFS= read -r text; } <"$docs/$name.md"
		[[ $line == "# vm.$name" ]] || fault "sysctl-docs/$name.md: its title is not '# vm.$name'"
		[[ $text == "0 or 1, default $default."* ]] ||
			fault "sysctl-docs/$name.md: does not begin with '0 or 1, default $default.'"
	done <<<"$SWITCHES"
	grep -q 'switches take 0 and 1,' "$TREE/$sysctl_rst" || fault "$sysctl_rst: does not say that the switches take 0 and 1"

	same "$sysctl_rst, the list of files" "$SWITCH_NAMES" \
		"$(sed -nE 's/^- (lru_gen_memcg_[a-z_]+) +\(only if CONFIG_LRU_GEN_MEMCG_TAIL_CACHE=y\)$/\1/p' "$TREE/$sysctl_rst")"
	same "$mm_rst, the table of counters" "$COUNTERS" \
		"$(sed -nE 's/^(lru_gen_memcg_[a-z_]+) .*/\1/p' "$TREE/$mm_rst")"
	same "sysctl-docs/counters.md" "$COUNTERS" \
		"$(sed -nE 's/^\| `(lru_gen_memcg_[a-z_]+)` .*/\1/p' "$docs/counters.md")"
	same "sysctl-docs/README.md, the table" "$SWITCH_NAMES" \
		"$(sed -nE 's/^\| \[vm\.([a-z_]+)\]\(\1\.md\).*/\1/p' "$docs/README.md")"
	same "sysctl-docs/60-lru-gen-memcg.conf" "$SWITCHES" \
		"$(sed -nE 's/^-vm\.([a-z_]+) = (.*)/\1 \2/p' "$docs/60-lru-gen-memcg.conf")"
	text=$(sort -u <<<"${SWITCHES//lru_gen_memcg_*([a-z_]) /}")
	tr '\n' ' ' <"$docs/README.md" | grep -q "sysctls, each 0 or 1, default ${text//$'\n'/ or }," ||
		fault "sysctl-docs/README.md: does not say 'each 0 or 1, default ${text//$'\n'/ or }'"
	stray_names "$TOP/README.md" "$docs"/*.md "$docs"/*.conf
	# the whole of these is about the kernel's own names
	stray_names "$TREE/$sysctl_rst" "$TREE/$mm_rst"
}

# What the guest is asked: names, defaults, what is taken and what is refused.
# shellcheck disable=SC2016
readonly GUEST_QUESTIONS='
cd /proc/sys/vm || exit 1
for f in lru_gen_memcg_*; do
	default=$(cat "$f")
	taken=
	for v in -1 0 1 2; do
		if echo "$v" 2>/dev/null >"$f" && [ "$(cat "$f")" = "$v" ]; then taken="$taken $v"; fi
	done
	echo "$default" >"$f"
	echo "switch $f $default takes$taken"
done
sed -n "s/^\(lru_gen_memcg_[a-z_]*\) .*/counter \1/p" /proc/vmstat'

check_guest() {
	local said
	said=$(kernel boot -q --arch x86_64 --timeout 120 -- sh -c "$GUEST_QUESTIONS") || {
		fault "the guest did not answer"
		return 0
	}
	same "the running kernel, switches" "$(sed 's/.*/switch & takes 0 1/' <<<"$SWITCHES")" "$(grep ^switch <<<"$said" || true)"
	same "the running kernel, counters" "$(sed 's/^/counter /' <<<"$COUNTERS")" "$(grep ^counter <<<"$said" || true)"
}

docs() {
	shopt -s extglob
	kernel apply -q
	TREE=$(kernel path tree)
	SWITCHES=$(switches_of_code "$TREE/mm/vmscan.c")
	COUNTERS=$(counters_of_code "$TREE/mm/vmstat.c")
	SWITCH_NAMES=$(cut -d' ' -f1 <<<"$SWITCHES")
	NAMES=$(printf '%s\n' "$SWITCH_NAMES" "$COUNTERS")
	# nothing found is not "all the same"
	[[ -n $SWITCHES && -n $COUNTERS ]] || die "no switches or no counters in $TREE/mm"
	check_texts
	((!GUEST)) || check_guest
	((!DOC_FAULTS)) || { echo "$DOC_FAULTS faults"; return 1; }
	printf '# %d switches, %d counters: the same in the code, in Documentation/, in sysctl-docs/%s\n' \
		"$(wc -l <<<"$SWITCHES")" "$(wc -l <<<"$COUNTERS")" "$( ((!GUEST)) || echo " and in the running kernel")"
}
