# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153,SC2164
#
# The tests that scripts/check and scripts/kernel refresh are behind.  To be
# sourced by scripts/test.

# Lines of theirs that begin with "# " are shown also when they pass.
test_configs() { "$TOP/scripts/check" configs --base "$BASE"; }
test_bisect() { "$TOP/scripts/check" bisect --base "$BASE"; }
test_size() { "$TOP/scripts/check" size --base "$BASE"; }
test_docs() { "$TOP/scripts/check" docs --base "$BASE"; }

# A next point release as small as it can be: what the series touches.
small_release() { # TREE SERIES RELEASE
	local file
	rm -rf -- "$3"
	mkdir -p -- "$3/mm"
	while IFS= read -r file; do
		[[ ! -f $1/$file ]] || (cd -- "$1" && cp --parents -- "$file" "$3")
	done < <(sed -n 's/^--- a\///p' "$2"/*.patch | sort -u; printf '%s\n' Makefile Kbuild mm/vmscan.c)
	sed -i -E '/^SUBLEVEL/s/=.*/= 990/' "$3/Makefile"
}

# refuses WORDS COMMAND...: fails with a line that has all the words.
refuses() {
	local words=$1 word out rc=0
	shift
	out=$("$@" 2>&1) || rc=$?
	((rc)) || { printf 'not refused: %s\n' "$*"; return 1; }
	for word in $words; do
		[[ $out == *"$word"* ]] || { printf "no '%s' in:\n%s\n" "$word" "$out"; return 1; }
	done
}

test_refresh() {
	need git:git jq:jq
	kernel fetch
	local dir old new series last version first_patch
	dir=$(mktemp -d)
	# shellcheck disable=SC2064
	trap "rm -rf -- '$dir'" EXIT
	old=$(kernel path tree --unpatched)
	new=$dir/new
	series=$dir/series/$BASE
	version=$BASE.990-1
	fresh_series() {
		rm -rf -- "$dir/series"
		mkdir -- "$dir/series"
		cp -a -- "$TOP/kernel-patches/$BASE" "$series"
		echo kept >"$series/other"
		small_release "$old" "$series" "$new"
	}
	refresh() { "$TOP/scripts/kernel" refresh --base "$series" --source "$new" --version "$version"; }
	# what must be so after each success
	refreshed() { # FIRST
		[[ $(jq -c '[.base.version, .base.package_version, .tested.first, .tested.last]' "$series/manifest.json") == \
			"[\"$BASE.990\",\"$version\",\"$1\",\"$BASE.990\"]" ]] || { cat "$series/manifest.json"; return 1; }
		[[ $(jq -r '.base.package, .base.suite, .base.tarball, .series' "$series/manifest.json") == \
			"$(jq -r '.base.package, .base.suite, .base.tarball, .series' "$TOP/kernel-patches/$BASE/manifest.json")" ]]
		cmp "$series/series" "$TOP/kernel-patches/$BASE/series"
		(cd -- "$series" && jq -r '.patches[] | "\(.sha256)  \(.file)"' manifest.json | sha256sum --check --quiet)
		[[ $(cat "$series/other") == kept && $(ls -A "$dir/series") == "$BASE" ]]
		cp -a -- "$new" "$dir/applied"
		cat "$series"/[0-9]*.patch | GIT_CEILING_DIRECTORIES=$dir git -C "$dir/applied" apply --verbose 2>"$dir/log"
		refuse_lines offset "$dir/log"
		grep -q LRU_GEN_MEMCG_TAIL_CACHE "$dir/applied/mm/Kconfig"
		rm -rf -- "$dir/applied"
	}
	# nothing is changed, or left behind
	unchanged() {
		rm "$series/other"
		diff -r "$series" "$TOP/kernel-patches/$BASE"
		[[ $(ls -A "$dir/series") == "$BASE" ]]
	}
	first_patch=$(head -n 1 "$TOP/kernel-patches/$BASE/series")
	last=$(jq -r .tested.first "$TOP/kernel-patches/$BASE/manifest.json")

	# nothing that matters is new: the same patches for another release
	fresh_series
	refresh
	refreshed "$last"
	cat "$series"/*.patch | cmp - <(cat "$TOP/kernel-patches/$BASE/"*.patch)
	echo "# same files: same patches"

	# lines have moved
	fresh_series
	sed -i '1i /* one */\n/* two */\n/* three */' "$new/mm/vmscan.c"
	refresh
	refreshed "$last"
	echo "# moved lines: written anew"

	# a context line is another: a merge
	fresh_series
	sed -i '/^static void lru_gen_rotate_memcg(/,/int seg;/s/int seg;/int seg = 0;/' "$new/mm/vmscan.c"
	! cmp -s "$new/mm/vmscan.c" "$old/mm/vmscan.c"
	refresh
	refreshed "$BASE.990"
	echo "# changed context: merged"

	# the very lines that the series changes are others
	fresh_series
	sed -i '/hlist_nulls_add_tail_rcu(&lruvec->lrugen.list/s/tail_rcu/end_rcu/' "$new/mm/vmscan.c"
	! cmp -s "$new/mm/vmscan.c" "$old/mm/vmscan.c"
	refuses "0002- conflicts mm/vmscan.c nothing" refresh
	unchanged
	echo "# conflict: named, nothing changed"

	# a file that is gone
	fresh_series
	rm "$new/mm/vmstat.c"
	refuses "0006- mm/vmstat.c nothing" refresh
	unchanged
	echo "# missing file: named, nothing changed"

	# the release has a patch already
	fresh_series
	GIT_CEILING_DIRECTORIES=$dir git -C "$new" apply "$series/$first_patch"
	refuses "already nothing" refresh
	unchanged
	echo "# patch in the release: said, nothing changed"

	fresh_series
	version=$BASE.991-1
	refuses "$BASE.991-1 $BASE.990" refresh
	refuses "needs --version" "$TOP/scripts/kernel" refresh --base "$series" --source "$new"
	unchanged
}
