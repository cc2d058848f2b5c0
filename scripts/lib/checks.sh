# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# Compile the objects that a series touches, and compare what the compiler says.
# To be sourced after source.sh and build.sh.
#
# Input (globals that the sourcing script sets):  TOP, BASE, SERIES_DIR, CACHE, ARCH, JOBS, AGAIN, LIST,
#         CONFIGS

# Files that do not change, but use what the series changes: the callers of
# lru_gen_*_memcg(), and a user of rculist_nulls.h.
readonly USERS_OF_SERIES=(mm/memcontrol.c io_uring/io-wq.c)

# touched_sources TREE: the C files of the series (as it is in TREE), and users.
touched_sources() {
	local file
	{
		files_of_patches | grep '\.c$'
		printf '%s\n' "${USERS_OF_SERIES[@]}"
	} | sort -u | while IFS= read -r file; do
		[[ ! -f $1/$file ]] || printf '%s\n' "$file"
	done
}

# touched_objects TREE CONFIG: those of touched_sources that CONFIG (a .config)
# builds.
touched_objects() {
	local file object option
	while IFS= read -r file; do
		object=${file%.c}.o
		# obj-$(CONFIG_X) += a.o b.o; with anything else it is always built
		option=$(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$1/${file%/*}/Makefile" |
			sed -nE "s/^obj-\\\$\\((CONFIG_[A-Za-z0-9_]+)\\).*=(.*[[:space:]])?${object##*/}([[:space:]].*)?\$/\1/p" | head -n 1)
		if [[ -z $option ]] || grep -qx "$option=[ym]" "$2"; then
			printf '%s\n' "$object"
		fi
	done < <(touched_sources "$1")
}

# messages LOG: the warnings and errors in it, without what a changed line
# elsewhere changes (line numbers, offsets), sorted.
messages() {
	grep -iE '(warning|error): ' "$1" | grep -v '^make' |
		sed -E 's/:[0-9]+(:[0-9]+)?: /: /; s/\+0x[0-9a-f]+/+X/g' | sort || true
}

# compile_objects LOG VARIABLE... -- OBJECT...: LOG gets what is said about these
# objects alone.  Remove them first for all to be said again.  Needs TREE and OUT.
compile_objects() {
	local log=$1 vars=() object
	shift
	while [[ $1 != -- ]]; do
		vars+=("$1")
		shift
	done
	shift
	make_args
	MAKE_ARGS+=("${vars[@]}" "-j$JOBS" -s)
	# its own messages (tools that are built for the host) depend on what was
	# built before
	make "${MAKE_ARGS[@]}" prepare </dev/null >"$log" 2>&1 || return 1
	make -k "${MAKE_ARGS[@]}" "$@" </dev/null >"$log" 2>&1 || return 1
	for object; do
		[[ -f $OUT/$object ]] || { echo "error: no $object was made" >>"$log"; return 1; }
	done
}

# remove_objects OBJECT...: in OUT.
remove_objects() {
	local object
	for object; do
		rm -f -- "$OUT/$object"
	done
}

# What sparse is called as.  Its 0.6.4 does not know the keyword that newer trees
# use (they then refuse to call it); the qualifiers do not matter to it.
readonly SPARSE="sparse -D__typeof_unqual__=__typeof__"

# The trees, the series in PATCH_FILES, and in the file STAMPS what all results
# depend on.  One check at a time has the trees' check-* folders.
prepare_check() {
	local dir
	need jq:jq make:make gcc:gcc ccache:ccache
	kernel apply -q
	load_manifest
	load_series
	mkdir -p -- "$CACHE/check/${SERIES_DIR##*/}"
	lock_dir "$(kernel path tree --unpatched).check"
	dir=$(mktemp -d)
	CLEANUP_PATHS+=("$dir")
	STAMPS=$dir/stamps
	{
		cat -- "$(kernel path tree).stamp" "$(kernel path tree --unpatched).from" \
			"$TOP/scripts/configs/$ARCH"*.config "$TOP/scripts/configs/checks.config" \
			"$TOP/Kconfig.fragment" "$TOP/scripts/lib/checks.sh" "$TOP/scripts/lib/build.sh"
		gcc --version | head -n 1
	} >"$STAMPS"
}

# use_tree [OPTION]...: TREE and OUT of scripts/kernel with these options.
use_tree() {
	TREE=$(kernel path tree "$@")
	OUT=$(kernel path build "$@")
}

# --- configs --------------------------------------------------------------

# sparse in these two: others differ in what the compiler sees only
readonly SPARSE_CONFIGS=(on off)

list_configs() {
	local file
	for file in "$TOP"/scripts/configs/checks/*.config; do
		file=${file##*/}
		# NAME-6.12.config stands in for NAME.config with that base
		[[ $file =~ -[0-9]+\.[0-9]+\.config$ ]] || printf '%s\n' "${file%.config}"
	done
}

config_file() { # NAME
	local dir=$TOP/scripts/configs/checks series
	series=$(manifest .series)
	if [[ -f $dir/$1-$series.config ]]; then
		printf '%s\n' "$dir/$1-$series.config"
	else
		printf '%s\n' "$dir/$1.config"
	fi
}

# check_config CONFIGURATION SLOT: one line, and more when it failed.
check_config() {
	local name=$1 slot=$2 dir=$CACHE/check/${SERIES_DIR##*/} stamp start=$SECONDS said=0 objects new
	local fragments=("$TOP/scripts/configs/checks.config" "$(config_file "$name")")
	local config_args=(--out "check-$slot" --config "${fragments[0]}" --config "${fragments[1]}")
	local vars=(W=1) with='W=1' log=$dir/$name
	stamp=$({ cat -- "$STAMPS" "${fragments[@]}"; sparse --version; } | sha256sum)
	if ((!AGAIN)) && [[ $(cat -- "$log.stamp" 2>/dev/null) == "$stamp" ]]; then
		printf '# %s: ok, %s (up to date)\n' "$name" "$(cat -- "$log.result")"
		return 0
	fi
	rm -f -- "$log.stamp" "$log.result"
	if [[ " ${SPARSE_CONFIGS[*]} " == *" $name "* ]]; then
		vars+=(C=1 "CHECK=$SPARSE")
		with+=' and sparse'
	fi

	kernel config -q "${config_args[@]}" >"$log.log" 2>&1 || {
		config_failed "$name" "is no configuration of this kernel" "$log.log"
		return 1
	}
	use_tree --out "check-$slot"
	mapfile -t objects < <(touched_objects "$TREE" "$OUT/.config")
	remove_objects "${objects[@]}"
	compile_objects "$log.log" "${vars[@]}" -- "${objects[@]}" || {
		config_failed "$name" "does not compile" "$log.log"
		return 1
	}
	messages "$log.log" >"$log.new"
	: >"$log.old"
	# the unpatched tree is asked only when there is something to compare
	if [[ -s $log.new ]]; then
		said=$(wc -l <"$log.new")
		kernel config -q --unpatched "${config_args[@]}" >"$log.log.unpatched" 2>&1 || {
			config_failed "$name" "is no configuration of the unpatched kernel" "$log.log.unpatched"
			return 1
		}
		use_tree --unpatched --out "check-$slot"
		mapfile -t objects < <(touched_objects "$TREE" "$OUT/.config")
		remove_objects "${objects[@]}"
		compile_objects "$log.log.unpatched" "${vars[@]}" -- "${objects[@]}" || {
			config_failed "$name" "does not compile without the patches" "$log.log.unpatched"
			return 1
		}
		messages "$log.log.unpatched" >"$log.old"
	fi
	new=$(comm -23 "$log.new" "$log.old")
	if [[ -n $new ]]; then
		config_failed "$name" "new messages" <(printf '%s\n' "$new")
		return 1
	fi
	printf '%d objects, %s%s\n' "${#objects[@]}" "$with" \
		"$( ((!said)) || echo ", $said messages as without the patches")" >"$log.result"
	printf '%s\n' "$stamp" >"$log.stamp"
	printf '# %s: ok, %s (%s)\n' "$name" "$(cat -- "$log.result")" "$(elapsed $((SECONDS - start)))"
}

# config_failed NAME WHY FILE: with the lines of FILE that tell most.
config_failed() {
	local lines
	lines=$(grep -iE -A 3 '(warning|error|lost): |error:' "$3" | head -n 20) || lines=$(tail -n 5 "$3")
	printf '# %s: FAILED, %s\n%s\n' "$1" "$2" "$lines"
}

# One worker: configurations that no other took.
config_worker() { # SLOT DIR
	local name rc=0
	for name in "${CONFIGS[@]}"; do
		mkdir -- "$2/$name" 2>/dev/null || continue
		check_config "$name" "$1" || rc=1
	done
	return "$rc"
}

configs() {
	local dir name slot pid pids=() slots rc=0
	if ((LIST)); then
		list_configs
		return 0
	fi
	((${#CONFIGS[@]})) || mapfile -t CONFIGS < <(list_configs)
	for name in "${CONFIGS[@]}"; do
		[[ -f $TOP/scripts/configs/checks/$name.config ]] ||
			usage_error "no configuration '$name' (see --list)"
	done
	need sparse:sparse
	prepare_check
	dir=$(mktemp -d)
	CLEANUP_PATHS+=("$dir")
	# Most of a configuration is make's own single-threaded work, so two at a
	# time; one folder each for all that a worker does keeps make's tools.
	slots=$((JOBS < ${#CONFIGS[@]} ? JOBS : ${#CONFIGS[@]}))
	# groups of their own, so that Ctrl-C ends them through our trap
	set -m
	for ((slot = 0; slot < slots; slot++)); do
		(trap - EXIT INT TERM HUP; config_worker "$slot" "$dir") </dev/null &
		pids+=("$!")
		CLEANUP_PGIDS+=("$!")
	done
	set +m
	for pid in "${pids[@]}"; do
		wait "$pid" || rc=1
		forget_pgid "$pid"
	done
	return "$rc"
}
