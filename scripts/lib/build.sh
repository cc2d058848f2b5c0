# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Configure and build a kernel tree.  To be sourced after source.sh.
#
# Input (globals that the sourcing script sets):  TREE, ARCH, UNPATCHED, OPTION_OFF, FRAGMENTS, JOBS, CACHE
# Output: OUT (build folder inside the tree), IMAGE

# The build folder's name tells all that changes its configuration, unless
# OUT_NAME gives another.
set_out() {
	local name=$ARCH file
	((OPTION_OFF && !UNPATCHED)) && name+=-off
	for file in "${FRAGMENTS[@]}"; do
		file=$(basename -- "$file")
		name+=-${file%.config}
	done
	name=${OUT_NAME:-$name}
	# a direct sub-folder: the kernel then uses relative paths, and ccache
	# takes an object of one tree for the same object of the other
	OUT=$TREE/out-$name
	case $ARCH in
	x86_64) IMAGE=$OUT/arch/x86/boot/bzImage ;;
	um) IMAGE=$OUT/linux ;;
	esac
}

# What every build gets, in MAKE_OPTIONS and the environment.  A fixed time, user and
# host make builds of the same source the same, and keep version.o from being built anew.
make_options() {
	MAKE_OPTIONS=(
		"CC=ccache gcc" "HOSTCC=ccache gcc"
		KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_USER=test KBUILD_BUILD_HOST=test
	)
	export CCACHE_DIR=$CACHE/ccache CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-3G}
	# the environment must not change what is built
	unset MAKEFLAGS MAKELEVEL KCONFIG_CONFIG KBUILD_OUTPUT ARCH_FLAGS CROSS_COMPILE LLVM
	unset KCFLAGS KCPPFLAGS KAFLAGS
}

# What every make call in $TREE gets.
make_args() {
	make_options
	MAKE_ARGS=(-C "$TREE" "O=${OUT##*/}" "ARCH=$ARCH" "${MAKE_OPTIONS[@]}")
}

need_build_tools() {
	need gcc:gcc make:make flex:flex bison:bison bc:bc ccache:ccache \
	     /usr/include/stdio.h:libc6-dev
}

# The fragments that make up the configuration, later ones win.
list_fragments() {
	local file
	printf '%s\n' "$TOP/scripts/configs/$ARCH.config"
	# what only this kernel series has
	file=$TOP/scripts/configs/$ARCH-$(manifest .series).config
	[[ ! -f $file ]] || printf '%s\n' "$file"
	if ((!UNPATCHED && !OPTION_OFF)); then
		[[ -r $TOP/Kconfig.fragment ]] || die "no $TOP/Kconfig.fragment"
		printf '%s\n' "$TOP/Kconfig.fragment"
	fi
	((${#FRAGMENTS[@]} == 0)) || printf '%s\n' "${FRAGMENTS[@]}"
}

config() {
	local log stamp stamp_tiny files file names=() n=0
	set_out
	list_fragments >/dev/null
	mapfile -t files < <(list_fragments)
	stamp=$({
		cat -- "${files[@]}" "$SRC_HOME/unpatched.from"
		((UNPATCHED)) || cat -- "$TREE.stamp"
		gcc --version 2>/dev/null | head -n 1
		echo "${files[*]##*/}"
	} | sha256sum | cut -d' ' -f1)
	if [[ -f $OUT/.config && $(cat -- "$OUT/.config.stamp" 2>/dev/null) == "$stamp" ]]; then
		return 0
	fi
	need_build_tools
	make_args
	log=$CACHE/log/config-$(log_tag).log
	: >"$log"
	mkdir -p -- "$OUT"
	rm -rf -- "$OUT/.config.stamp" "$OUT/.fragments"
	mkdir -- "$OUT/.fragments"
	# merge_config.sh cannot take paths with spaces: give it copies
	for file in "${files[@]}"; do
		n=$((n + 1))
		names+=(".fragments/$n.config")
		cp -- "$file" "$OUT/.fragments/$n.config"
	done

	# it depends on the tree alone, so a folder that is configured again has it
	stamp_tiny=$({
		cat -- "$SRC_HOME/unpatched.from"
		((UNPATCHED)) || cat -- "$TREE.stamp"
		gcc --version | head -n 1
	} | sha256sum | cut -d' ' -f1)
	if [[ $(cat -- "$OUT/.tinyconfig.stamp" 2>/dev/null) == "$stamp_tiny" ]]; then
		cp -- "$OUT/.tinyconfig" "$OUT/.config"
	else
		show_cmd make "${MAKE_ARGS[@]}" tinyconfig
		step "tinyconfig" "$log" make "${MAKE_ARGS[@]}" tinyconfig || step_failed "make tinyconfig" "$log"
		cp -- "$OUT/.config" "$OUT/.tinyconfig"
		printf '%s\n' "$stamp_tiny" >"$OUT/.tinyconfig.stamp"
	fi
	note "fragments: ${files[*]}"
	show_cmd cd "$OUT"
	show_cmd ../scripts/kconfig/merge_config.sh -m .config "${names[@]}"
	step "merge_config.sh" "$log" merge_config "${names[@]}" || step_failed "merge_config.sh" "$log"
	show_cmd make "${MAKE_ARGS[@]}" olddefconfig
	step "olddefconfig" "$log" make "${MAKE_ARGS[@]}" olddefconfig || step_failed "make olddefconfig" "$log"
	check_lost "$log" "${files[@]}"
	printf '%s\n' "$stamp" >"$OUT/.config.stamp"
	note "config: $OUT/.config; log: $log"
}

merge_config() {
	cd -- "$OUT" && KCONFIG_CONFIG=.config ../scripts/kconfig/merge_config.sh -m .config "$@"
}

# An option that was asked for and did not make it (a dependency is missing,
# or this kernel does not know it) would make every later result a lie.
check_lost() {
	local log=$1 lost
	shift
	lost=$(awk '
		function option(line,  a) {
			if (line ~ /^CONFIG_[A-Za-z0-9_]+=/) {
				name = substr(line, 1, index(line, "=") - 1)
				value = substr(line, index(line, "=") + 1)
				sub(/[ \t]+(#.*)?$/, "", value)
				return 1
			}
			if (line ~ /^# CONFIG_[A-Za-z0-9_]+ is not set/) {
				split(line, a, " ")
				name = a[2]
				value = "n"
				return 1
			}
			return 0
		}
		FNR == 1 { files++ }
		!option($0) { next }
		files == 1 { have[name] = value; next }
		{
			if (!(name in want))
				order[++count] = name
			want[name] = value
			from[name] = FILENAME
		}
		END {
			for (i = 1; i <= count; i++) {
				name = order[i]
				got = (name in have) ? have[name] : "n"
				if (got != want[name])
					printf "%s=%s asked for in %s, but the configuration has %s\n", \
					       name, want[name], from[name], got
			}
		}' "$OUT/.config" "$@")
	[[ -n $lost ]] || return 0
	die "option lost: ${lost//$'\n'/$'\n'option lost: }"$'\n'"log: $log"
}

build() {
	local log target stamp start=$SECONDS
	case $ARCH in
	x86_64) target=bzImage ;;
	um) target=linux ;;
	esac
	stamp=$(cat -- "$OUT/.config.stamp")
	if [[ -f $IMAGE && $(cat -- "$OUT/.build.stamp" 2>/dev/null) == "$stamp" ]]; then
		return 0
	fi
	need_build_tools
	# only some configurations need these
	if grep -q '^CONFIG_OBJTOOL=y' "$OUT/.config"; then
		need /usr/include/gelf.h:libelf-dev
	fi
	if grep -q '^CONFIG_DEBUG_INFO_BTF=y' "$OUT/.config"; then
		need pahole:dwarves /usr/include/gelf.h:libelf-dev
	fi
	if grep -qE '^CONFIG_(SYSTEM_TRUSTED_KEYRING|MODULE_SIG)=y' "$OUT/.config"; then
		need openssl:openssl /usr/include/openssl/opensslv.h:libssl-dev
	fi
	need_space "$TREE" 700 "a build"
	make_args
	log=$CACHE/log/build-$(log_tag).log
	rm -f -- "$OUT/.build.stamp"
	note "building $ARCH kernel $(version_of "$TREE") in $OUT; log: $log"
	show_cmd make "${MAKE_ARGS[@]}" "-j$JOBS" "$target"
	: >"$log"
	step "build $ARCH $(tree_kind)" "$log" make "${MAKE_ARGS[@]}" "-j$JOBS" "$target" ||
		step_failed "build" "$log"
	[[ -f $IMAGE ]] || die "build made no $IMAGE; log: $log"
	printf '%s\n' "$stamp" >"$OUT/.build.stamp"
	note "image: $IMAGE ($(($(stat -Lc %s -- "$IMAGE") / 1024)) KiB, $(elapsed $((SECONDS - start))))"
}

tree_kind() {
	if ((UNPATCHED)); then
		echo unpatched
	elif ((OPTION_OFF)); then
		echo "patched, option off"
	else
		echo patched
	fi
}

# 7.3.4-patched-out-x86_64: the part of a log's name that tells the build
log_tag() { printf '%s-%s-%s' "${SRC_HOME##*/}" "${TREE##*/}" "${OUT##*/out-}"; }
