# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Build and run the KUnit tests of a patched tree.  To be sourced after build.sh.
#
# Input (globals that the sourcing script sets):  TOP, BASE
# Output: KUNIT_PATCHED (the tree of scripts/kernel), KUNIT_TREE (our copy of it),
#         KUNIT_OUT (its build folder), KUNIT_LOG (what the last step said)

KUNIT_SUITE=lru_gen_memcg

# A copy, linked where it can be, so that mutants can be put on it and the trees of
# scripts/kernel stay what they are.
kunit_tree() {
	local file new
	need python3:python3 jq:jq gcc:gcc make:make flex:flex bison:bison bc:bc ccache:ccache \
		/usr/include/stdio.h:libc6-dev
	"$TOP/scripts/kernel" apply --quiet --base "$BASE"
	KUNIT_PATCHED=$("$TOP/scripts/kernel" path tree --base "$BASE")
	KUNIT_TREE=${KUNIT_PATCHED%/*}/kunit-${KUNIT_PATCHED##*/}
	KUNIT_OUT=$KUNIT_TREE/out-kunit
	KUNIT_LOG=$KUNIT_TREE.log
	CACHE=$("$TOP/scripts/kernel" path cache --base "$BASE")
	make_options

	lock_dir "$KUNIT_TREE"
	new=$KUNIT_TREE.new
	if [[ ! -d $KUNIT_TREE ]]; then
		need_space "${KUNIT_TREE%/*}" 1500 "the KUnit build"
		rm -rf -- "$new"
		mkdir -- "$new"
		find "$KUNIT_PATCHED" -mindepth 1 -maxdepth 1 ! -name 'out-*' -exec cp -al -t "$new" -- {} +
		mv -T -- "$new" "$KUNIT_TREE"
	fi
	# all that any series touched, or a mutant that was interrupted
	sort -u -- "$KUNIT_PATCHED.files" <(cat -- "$KUNIT_TREE.files" 2>/dev/null) >"$KUNIT_TREE.files.new"
	mv -- "$KUNIT_TREE.files.new" "$KUNIT_TREE.files"
	while IFS= read -r file; do
		if [[ ! -f $KUNIT_PATCHED/$file ]]; then
			rm -f -- "${KUNIT_TREE:?}/$file"
		elif ! cmp -s -- "$KUNIT_PATCHED/$file" "$KUNIT_TREE/$file"; then
			mkdir -p -- "$(dirname -- "$KUNIT_TREE/$file")"
			rm -f -- "$KUNIT_TREE/$file"
			cp --preserve=mode -- "$KUNIT_PATCHED/$file" "$KUNIT_TREE/$file"
		fi
	done <"$KUNIT_TREE.files"
	[[ -f $KUNIT_TREE/mm/tests/.kunitconfig ]] ||
		die "the series $BASE has no KUnit tests (no mm/tests/.kunitconfig)"
}

# kunit VERB [ARG]...: the kernel's own tool
kunit() {
	cd -- "$KUNIT_TREE" && python3 tools/testing/kunit/kunit.py "$@"
}

kunit_build() {
	local option args=()
	for option in "${MAKE_OPTIONS[@]}"; do
		args+=(--make_options "$option")
	done
	kunit build --arch=um --kunitconfig=mm/tests --build_dir="$KUNIT_OUT" --jobs "$(nproc)" "${args[@]}"
}

# kunit_exec GLOB [ARG]...: run the tests that GLOB matches; ARGs go to kunit.py
kunit_exec() {
	local glob=$1
	shift
	kunit exec --arch=um --build_dir="$KUNIT_OUT" --timeout 300 "$@" "$glob"
}
