# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# Kernel trees: get one from Debian's signed packages or from a user's folder,
# and put a patch series on it.  To be sourced after common.sh.
#
# Input (globals that the sourcing script sets):  CACHE, BASE, SERIES_DIR, SOURCE, UNPATCHED
# Output: SRC_HOME (folder that holds the trees; its lock is held after fetch),
#         TREE (the one asked for)

# --- the series' manifest -------------------------------------------------

MANIFEST=
PATCH_FILES=()

load_manifest() {
	MANIFEST=$SERIES_DIR/manifest.json
	[[ -r $MANIFEST ]] || die "no $MANIFEST (is --base right? there are: $(list_bases))"
	jq -e '.base.version and .base.package and .base.package_version and .base.suite
		and .base.tarball and (.patches | type == "array")' "$MANIFEST" >/dev/null 2>&1 ||
		die "$MANIFEST: not a manifest (needs base.version, .package, .package_version, .suite, .tarball, and patches)"
}

manifest() { jq -r "$1" "$MANIFEST"; }

list_bases() {
	local dir names=()
	for dir in "$TOP"/kernel-patches/*/; do
		[[ -d $dir ]] && names+=("$(basename -- "$dir")")
	done
	printf '%s' "${names[*]:-none}"
}

# The patches in the order of the quilt file, each checked against the
# manifest: a patch that was edited must not be taken for the tested one.
load_series() {
	local line file want got
	PATCH_FILES=()
	[[ -r $SERIES_DIR/series ]] || die "no $SERIES_DIR/series"
	while read -r line _; do
		[[ -z $line || $line == \#* ]] && continue
		file=$SERIES_DIR/$line
		[[ -r $file ]] || die "$SERIES_DIR/series names $line, which is not there"
		want=$(jq -r --arg f "$line" '.patches[] | select(.file == $f) | .sha256' "$MANIFEST")
		[[ -n $want ]] || die "$line is in $SERIES_DIR/series but not in its manifest.json"
		got=$(sha256sum -- "$file")
		[[ ${got%% *} == "$want" ]] ||
			die "$file does not have the sha256 that manifest.json says (edited? then update the manifest)"
		PATCH_FILES+=("$file")
	done <"$SERIES_DIR/series"
	((${#PATCH_FILES[@]} == $(manifest '.patches | length'))) ||
		die "$SERIES_DIR/series and its manifest.json do not list the same patches"
}

# version_of TREE -> 7.3.4
version_of() {
	awk '$2 == "=" && ($1 == "VERSION" || $1 == "PATCHLEVEL" || $1 == "SUBLEVEL") { v[$1] = $3 }
	     $1 == "NAME" { exit }
	     END { print v["VERSION"] "." v["PATCHLEVEL"] "." (v["SUBLEVEL"] == "" ? 0 : v["SUBLEVEL"]) }' "$1/Makefile"
}

# check_tree TREE NAME: is it an unpatched kernel tree of this series?
check_tree() {
	local version
	[[ -f $1/Makefile && -f $1/mm/vmscan.c && -f $1/Kbuild ]] ||
		die "$2: not a kernel source tree"
	version=$(version_of "$1")
	[[ ${version%.*} == "$(manifest .series)" ]] ||
		die "$2: is kernel $version, but these patches are for $(manifest .series) (see --base)"
	! grep -q LRU_GEN_MEMCG_TAIL_CACHE "$1/mm/Kconfig" ||
		die "$2: already patched (mm/Kconfig has LRU_GEN_MEMCG_TAIL_CACHE); give an unpatched tree"
}

# --- fetch ----------------------------------------------------------------

fetch() {
	if [[ -n $SOURCE ]]; then
		fetch_user_tree
	else
		fetch_debian
	fi
}

fetch_debian() {
	local version link
	version=$(manifest .base.version)
	link=$CACHE/src/$version
	mkdir -p -- "$CACHE/src" "$CACHE/dl" "$CACHE/log"
	# a link when the archive had only another point release
	if [[ -f $link/unpatched.from ]]; then
		SRC_HOME=$(realpath -- "$link")
		lock_dir "$SRC_HOME"
		return 0
	fi
	need apt-get:apt dpkg:dpkg tar:tar xz:xz-utils
	lock_dir "$CACHE/src/fetch"
	if [[ ! -f $link/unpatched.from ]]; then
		download_and_unpack
	fi
	unlock_dir
	SRC_HOME=$(realpath -- "$link")
	lock_dir "$SRC_HOME"
}

# A private apt: neither the host's sources nor its lists are used or changed,
# and no root is needed.  apt checks the archive's signature and the package's
# checksum.
download_and_unpack() {
	local package version suites suite archive apt_dir log deb tmp found real_version
	package=$(manifest .base.package)
	version=$(manifest .base.package_version)
	# one or more: a release and its updates need not serve the same versions
	read -ra suites <<<"$(manifest .base.suite)"
	log=$CACHE/log/fetch-$package.log
	: >"$log"

	deb=$CACHE/dl/${package}_${version//:/%3a}_all.deb
	if [[ ! -f $deb ]]; then
		need_space "$CACHE" 2700 "a kernel tree"
		[[ -r /usr/share/keyrings/debian-archive-keyring.gpg ]] ||
			need /usr/share/keyrings/debian-archive-keyring.gpg:debian-archive-keyring
		apt_dir=$CACHE/apt/$(IFS=+; printf '%s' "${suites[*]}")
		mkdir -p -- "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
		for suite in "${suites[@]}"; do
			archive=http://deb.debian.org/debian
			[[ $suite != *-security ]] || archive=http://deb.debian.org/debian-security
			printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
				"$archive" "$suite"
		done >"$apt_dir/sources.list"
		local opts=(
			-o "Dir::Etc::SourceList=$apt_dir/sources.list"
			-o Dir::Etc::SourceParts=/dev/null
			-o Dir::Etc::Preferences=/dev/null
			-o Dir::Etc::PreferencesParts=/dev/null
			-o "Dir::State::Lists=$apt_dir/lists"
			-o "Dir::Cache=$apt_dir/cache"
			-o Acquire::Languages=none
			-o Acquire::Retries=2
			-o APT::Update::Error-Mode=any
			-o "APT::Sandbox::User=$(id -un)"
		)
		show_cmd apt-get "${opts[@]}" update
		step "read Debian's ${suites[*]}" "$log" apt-get -q "${opts[@]}" update || {
			tail -n 5 -- "$log" | sed 's/^/  | /' >&2
			die "cannot reach Debian's archive (${suites[*]}; no network?); log: $log"
		}
		# word splitting of madison's "pkg | version | source" lines
		found=$(apt-cache "${opts[@]}" madison "$package" 2>>"$log" |
			awk -F' *[|] *' '{ print $2 }')
		if ! grep -qxF -- "$version" <<<"$found"; then
			[[ -n $found ]] || die "Debian's ${suites[*]} has no package $package (see --source PATH)"
			# newest first
			version=$(sort -rV <<<"$found" | head -n 1)
			note "$package $(manifest .base.package_version) is no longer served by ${suites[*]}: taking $version"
			deb=$CACHE/dl/${package}_${version//:/%3a}_all.deb
		fi
		if [[ ! -f $deb ]]; then
			tmp=$CACHE/dl/.tmp.$$
			CLEANUP_PATHS+=("$tmp")
			mkdir -p -- "$tmp"
			show_cmd apt-get "${opts[@]}" download "$package=$version"
			step "download $package $version" "$log" \
				apt_download "$tmp" "${opts[@]}" download "$package=$version" ||
				step_failed "download of $package $version" "$log"
			mv -- "$tmp"/*.deb "$deb"
			rm -rf -- "$tmp"
			forget_path "$tmp"
		fi
	fi

	need_space "$CACHE" 2500 "a kernel tree"
	tmp=$CACHE/src/.tmp.$$
	CLEANUP_PATHS+=("$tmp")
	rm -rf -- "$tmp"
	mkdir -p -- "$tmp/deb" "$tmp/unpatched"
	show_cmd dpkg -x "$deb" "$tmp/deb"
	step "unpack package" "$log" dpkg -x "$deb" "$tmp/deb" || {
		rm -f -- "$deb"
		step_failed "unpacking $deb (removed; run again)" "$log"
	}
	[[ -f $tmp/deb/$(manifest .base.tarball) ]] ||
		die "$package $version has no $(manifest .base.tarball)"
	show_cmd tar -C "$tmp/unpatched" --strip-components=1 -xf "$tmp/deb/$(manifest .base.tarball)"
	step "unpack tree" "$log" tar -C "$tmp/unpatched" --strip-components=1 \
		-xf "$tmp/deb/$(manifest .base.tarball)" || step_failed "unpacking the tree" "$log"
	rm -rf -- "$tmp/deb"
	check_tree "$tmp/unpatched" "$package $version"
	real_version=$(version_of "$tmp/unpatched")
	printf '%s %s\n' "$package" "$version" >"$tmp/unpatched.from"
	if [[ ! -e $CACHE/src/$real_version ]]; then
		mv -T -- "$tmp" "$CACHE/src/$real_version"
	fi
	rm -rf -- "$tmp"
	forget_path "$tmp"
	if [[ $real_version != "$(manifest .base.version)" ]]; then
		ln -sfnT -- "$real_version" "$CACHE/src/$(manifest .base.version)"
	fi
}

apt_download() {
	cd -- "$1" && shift && apt-get -q "$@"
}

# A copy of the user's tree, which is only read.  .git is left out; build
# products would make the kernel refuse O=, so mrproper runs on the copy.
fetch_user_tree() {
	local log tmp size out
	SOURCE=$(realpath -- "$SOURCE")
	[[ -d $SOURCE ]] || die "--source $SOURCE: not a folder"
	check_tree "$SOURCE" "--source $SOURCE"
	mkdir -p -- "$CACHE/src" "$CACHE/log"
	SRC_HOME=$(source_home)
	lock_dir "$SRC_HOME"
	# a changed file or folder (names that come or go change their folder)
	if [[ -f $SRC_HOME/unpatched.from ]] &&
	   [[ -z $(find "$SOURCE" -name .git -prune -o -newer "$SRC_HOME/unpatched.from" -print -quit) ]]; then
		return 0
	fi
	need tar:tar make:make gcc:gcc
	log=$CACHE/log/copy-${SRC_HOME##*/}.log
	: >"$log"
	size=$(du -sm --exclude=.git -- "$SOURCE" | cut -f1)
	need_space "$CACHE" $((size + 300)) "a copy of $SOURCE"
	tmp=$CACHE/src/.tmp.$$
	CLEANUP_PATHS+=("$tmp")
	rm -rf -- "$tmp"
	mkdir -p -- "$tmp/unpatched"
	# its time is that of the start: a change during the copy shows next time
	printf 'source %s\n' "$SOURCE" >"$tmp/unpatched.from"
	show_cmd tar -C "$SOURCE" --exclude=.git -cf - . '|' tar -C "$tmp/unpatched" -xf -
	step "copy $SOURCE" "$log" copy_tree "$SOURCE" "$tmp/unpatched" ||
		step_failed "copying $SOURCE" "$log"
	if [[ -e $tmp/unpatched/.config || -d $tmp/unpatched/include/config ]]; then
		show_cmd make -C "$tmp/unpatched" mrproper
		step "clean the copy" "$log" make -C "$tmp/unpatched" mrproper ||
			step_failed "make mrproper in the copy" "$log"
	fi
	if [[ -d $SRC_HOME/unpatched ]]; then
		# keep build outputs: mtimes are the user's, so make rebuilds what changed
		for out in "$SRC_HOME"/unpatched/out-*/; do
			[[ -d $out ]] && mv -- "${out%/}" "$tmp/unpatched/"
		done
		mkdir -- "$tmp/patched.outs"
		for out in "$SRC_HOME"/patched/out-*/; do
			[[ -d $out ]] && mv -- "${out%/}" "$tmp/patched.outs/"
		done
		rm -rf -- "$SRC_HOME"
	fi
	mv -T -- "$tmp" "$SRC_HOME"
	forget_path "$tmp"
}

# Where the copy of --source is kept.
source_home() {
	local path
	path=$(realpath -- "$SOURCE")
	printf '%s/src/%s-%s\n' "$CACHE" "$(version_of "$path")" "$(printf '%s' "$path" | sha256sum | cut -c1-8)"
}

copy_tree() {
	set -o pipefail
	tar -C "$1" --exclude=.git -cf - . | tar -C "$2" -xf -
}

# --- apply ----------------------------------------------------------------

# Files that a patch touches, also those that it adds, removes or renames.
# A deleted line may look like a header: such a name just is not in the tree.
files_of_patches() {
	((${#PATCH_FILES[@]})) || return 0
	sed -n -E 's#^--- a/([^\t]*).*#\1#p; s#^\+\+\+ b/([^\t]*).*#\1#p; s#^(rename|copy) (from|to) ##p' \
		"${PATCH_FILES[@]}" | sort -u
}

# A series from elsewhere must not fight with ours over one tree.
tree_name() {
	if ((UNPATCHED)); then
		echo unpatched
	elif [[ $SERIES_DIR == "$TOP/kernel-patches/"* ]]; then
		echo patched
	else
		printf 'patched-%s\n' "$(printf '%s' "$SERIES_DIR" | sha256sum | cut -c1-8)"
	fi
}

# The series is applied to copies of the files that it touches, and only what
# differs then replaces the tree's files: a failure leaves the tree as it was,
# and what did not change keeps its time, so that a build stays incremental.
apply() {
	local unpatched=$SRC_HOME/unpatched stamp log tmp file out patch
	TREE=$SRC_HOME/$(tree_name)
	((!UNPATCHED)) || return 0
	load_series
	stamp=$(cat -- "${PATCH_FILES[@]}" /dev/null | sha256sum | cut -d' ' -f1)
	if [[ -d $TREE && $(cat -- "$TREE.stamp" 2>/dev/null) == "$stamp" ]]; then
		return 0
	fi
	need git:git
	log=$CACHE/log/apply-${SRC_HOME##*/}.log
	: >"$log"
	tmp=$SRC_HOME/.tmp.$$
	CLEANUP_PATHS+=("$tmp")
	rm -rf -- "$tmp"
	mkdir -p -- "$tmp/scratch"

	# what the previous series touched goes back too
	files_of_patches >"$tmp/files.new"
	sort -u -- "$tmp/files.new" <(cat -- "$TREE.files" 2>/dev/null) >"$tmp/files"
	while IFS= read -r file; do
		[[ -f $unpatched/$file ]] || continue
		mkdir -p -- "$tmp/scratch/$(dirname -- "$file")"
		cp -p -- "$unpatched/$file" "$tmp/scratch/$file"
	done <"$tmp/files"
	for patch in "${PATCH_FILES[@]}"; do
		show_cmd git -C "$TREE" apply "$patch"
		# outside of any repository, else git skips paths that it ignores
		if ! env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE GIT_CEILING_DIRECTORIES="$tmp" \
		     git -C "$tmp/scratch" apply -v --whitespace=nowarn "$patch" >>"$log" 2>&1; then
			grep -m 3 '^error' "$log" | sed 's/^/  | /' >&2 || true
			die "$(basename -- "$patch") does not apply to kernel $(version_of "$unpatched") ($(cat -- "$SRC_HOME/unpatched.from")): these patches are made for $(manifest .base.version); log: $log"
		fi
	done
	if ((${#PATCH_FILES[@]})) && ! grep -q LRU_GEN_MEMCG_TAIL_CACHE "$tmp/scratch/mm/Kconfig" 2>/dev/null; then
		note "this series does not (yet) add CONFIG_LRU_GEN_MEMCG_TAIL_CACHE"
	fi

	if [[ ! -d $TREE ]]; then
		need_space "$CACHE" 300 "the patched tree"
		mkdir -- "$tmp/tree"
		show_cmd cp -al "$unpatched/." "$TREE/"
		step "make the patched tree" "$log" link_tree "$unpatched" "$tmp/tree" ||
			step_failed "making the patched tree" "$log"
		for out in "$SRC_HOME"/patched.outs/out-*/; do
			[[ -d $out ]] && mv -- "${out%/}" "$tmp/tree/"
		done
		rm -rf -- "$SRC_HOME/patched.outs"
		mv -T -- "$tmp/tree" "$TREE"
	fi
	# without its stamp the tree is redone if we are interrupted from here on
	rm -f -- "$TREE.stamp"
	cp -- "$tmp/files" "$TREE.files"
	while IFS= read -r file; do
		if [[ -f $tmp/scratch/$file ]]; then
			cmp -s -- "$tmp/scratch/$file" "$TREE/$file" && continue
			mkdir -p -- "$TREE/$(dirname -- "$file")"
			# a new file, new time: never write into one shared with unpatched
			rm -f -- "$TREE/$file"
			cp --preserve=mode -- "$tmp/scratch/$file" "$TREE/$file"
		else
			rm -f -- "$TREE/$file"
		fi
	done <"$tmp/files"
	cp -- "$tmp/files.new" "$TREE.files"
	printf '%s\n' "$stamp" >"$TREE.stamp"
	rm -rf -- "$tmp"
	forget_path "$tmp"
	note "apply: ${#PATCH_FILES[@]} patches on $(version_of "$TREE"); log: $log"
}

# Hard links; build outputs of the unpatched tree are not part of it.
link_tree() {
	find "$1" -mindepth 1 -maxdepth 1 ! -name 'out-*' -exec cp -al -t "$2" -- {} +
}
