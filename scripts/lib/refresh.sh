# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# Bring a series onto a new point release of its kernel.  To be sourced after
# source.sh.
#
# Input (globals that the sourcing script sets):  TOP, BASE, SERIES_DIR, SOURCE, NEW_VERSION, CACHE

# new_tree: the unpatched tree of the new release, in NEW_TREE.
new_tree() {
	local ask=$1/ask link=$CACHE/src/${NEW_VERSION%%-*}
	if [[ -n $SOURCE ]]; then
		NEW_TREE=$(realpath -- "$SOURCE")
		check_tree "$NEW_TREE" "--source $SOURCE"
	else
		# what scripts/kernel does for a series of that release
		mkdir -- "$ask"
		# fetch takes what there is instead, and leaves a link: not wanted here
		[[ ! -L $link ]] || rm -f -- "$link"
		jq --arg version "${NEW_VERSION%%-*}" --arg package_version "$NEW_VERSION" \
			'.base.version = $version | .base.package_version = $package_version | .patches = []' \
			"$MANIFEST" >"$ask/manifest.json"
		"$TOP/scripts/kernel" fetch --base "$ask" --cache "$CACHE"
		NEW_TREE=$("$TOP/scripts/kernel" path tree --unpatched --base "$ask" --cache "$CACHE")
		[[ ! -L $link ]] || rm -f -- "$link"
		grep -qxF -- "$(manifest .base.package) $NEW_VERSION" "$NEW_TREE.from" ||
			die "$(manifest .base.package) $NEW_VERSION is not served; there is: $(cat -- "$NEW_TREE.from")"
	fi
	[[ $(version_of "$NEW_TREE") == "${NEW_VERSION%%-*}" ]] ||
		die "--version $NEW_VERSION: but $NEW_TREE is kernel $(version_of "$NEW_TREE")"
}

# commit_files TREE REPO MESSAGE: what the series touches, as it is in TREE.
commit_files() {
	local file
	while IFS= read -r file; do
		rm -f -- "$2/$file"
		[[ -f $1/$file ]] || continue
		mkdir -p -- "$2/$(dirname -- "$file")"
		cp -- "$1/$file" "$2/$file"
	done < <(files_of_patches)
	git_in "$2" add -A -f .
	git_in "$2" commit -q --allow-empty -m "$3"
}

# Nothing of the user's git configuration may matter.
git_in() { # REPO ARGUMENT...
	env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \
		git -C "$1" -c core.hooksPath=/dev/null -c user.name=refresh -c user.email=refresh@localhost "${@:2}"
}

# Says which patch and which files, and ends.
conflict() { # REPO LOG
	local number files
	[[ -f $1/.git/rebase-apply/next ]] || step_failed "git am" "$2"
	number=$(cat -- "$1/.git/rebase-apply/next")
	files=$({
		git_in "$1" diff --name-only --diff-filter=U
		# a patch that could not even be tried as a merge
		sed -nE 's/^error: (patch failed: )?([^: ]+)(:[0-9]+|: (does not exist|already exists|patch does not).*)$/\2/p' "$2"
	} | sort -u | tr '\n' ' ')
	git_in "$1" diff 2>/dev/null | grep -E -m 40 '^(diff|@@|[ +-])' | sed 's/^/  | /' >&2 || true
	die "$(basename -- "${PATCH_FILES[number - 1]}") conflicts in ${files:-(see the log) }with kernel ${NEW_VERSION%%-*}: nothing was changed; log: $2"
}

refresh() {
	local tmp repo log old old_commit new_commit patch names=() first file fresh
	need git:git jq:jq
	load_series
	((${#PATCH_FILES[@]})) || die "$SERIES_DIR/series names no patch"
	log=$CACHE/log/refresh-${SERIES_DIR##*/}.log
	: >"$log"
	tmp=$(mktemp -d)
	CLEANUP_PATHS+=("$tmp")
	new_tree "$tmp"

	# the old release lets git merge where the new one moved or changed lines
	"$TOP/scripts/kernel" fetch --base "$SERIES_DIR" --cache "$CACHE"
	old=$("$TOP/scripts/kernel" path tree --unpatched --base "$SERIES_DIR" --cache "$CACHE")
	[[ $(version_of "$old") == "$(manifest .base.version)" ]] ||
		warn "kernel $(manifest .base.version) is no longer to be had: without it patches can be applied, but not merged"

	repo=$tmp/repo
	mkdir -- "$repo"
	git_in "$repo" init -q
	# as the kernel's own .gitattributes, which Debian's package is without: the
	# functions that hunks are headed with
	printf '*.%s diff=cpp\n' c h >"$repo/.git/info/attributes"
	commit_files "$old" "$repo" old
	old_commit=$(git_in "$repo" rev-parse HEAD)
	commit_files "$NEW_TREE" "$repo" new
	new_commit=$(git_in "$repo" rev-parse HEAD)
	show_cmd git -C "$repo" am -3 "${PATCH_FILES[@]}"
	git_in "$repo" am -3 "${PATCH_FILES[@]}" >>"$log" 2>&1 || conflict "$repo" "$log"
	for patch in "${PATCH_FILES[@]}"; do
		names+=("${patch##*/}")
	done
	# git am says no more than "already applied" and goes on
	[[ $(git_in "$repo" rev-list --count "$new_commit..HEAD") == "${#names[@]}" ]] ||
		die "kernel ${NEW_VERSION%%-*} has one of the patches already: take it out of the series first; nothing was changed; log: $log"

	fresh=$(mktemp -d "$(dirname -- "$SERIES_DIR")/.refresh.XXXXXX")
	CLEANUP_PATHS+=("$fresh")
	chmod --reference="$SERIES_DIR" "$fresh"
	# what else is kept with the series
	cp -a -- "$SERIES_DIR/." "$fresh/"
	rm -f -- "$fresh"/*.patch
	"$TOP/scripts/series" --tree "$repo" --range "$new_commit..HEAD" --base "$(manifest .series)" --to "$fresh" \
		--version "${NEW_VERSION%%-*}" --package "$(manifest .base.package)" \
		--package-version "$NEW_VERSION" --suite "$(manifest .base.suite)"
	[[ $(cat -- "$fresh/series") == "$(printf '%s\n' "${names[@]}")" ]] ||
		die "the patches' file names changed: $(diff "$SERIES_DIR/series" "$fresh/series" | grep '^[<>]' | tr '\n' ' ')"

	# the range goes on to begin where it did if the old release takes them too
	first=$(manifest .base.version)
	git_in "$repo" checkout -q -f "$old_commit"
	for file in "${names[@]}"; do
		git_in "$repo" apply --index --whitespace=nowarn "$fresh/$file" >>"$log" 2>&1 || {
			first=${NEW_VERSION%%-*}
			break
		}
	done
	[[ $first != "$(manifest .base.version)" ]] || first=$(manifest .tested.first)
	jq --arg first "$first" '.tested.first = $first' "$fresh/manifest.json" >"$tmp/manifest.json"
	cp -- "$tmp/manifest.json" "$fresh/manifest.json"

	local changed=0
	for file in "${names[@]}"; do
		cmp -s -- "$SERIES_DIR/$file" "$fresh/$file" || changed=$((changed + 1))
	done
	mv -T -- "$SERIES_DIR" "$fresh.before"
	mv -T -- "$fresh" "$SERIES_DIR"
	forget_path "$fresh"
	rm -rf -- "$fresh.before"
	note "refresh: $SERIES_DIR is for $(manifest .base.version) ($(manifest .base.package_version)) now; $changed of ${#names[@]} patches changed; log: $log"
	note "next: scripts/test --base $BASE"
}
