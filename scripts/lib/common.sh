# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts share: messages, elapsed time, logged steps with progress,
# clean-up, requirements.  To be sourced; the caller runs with
# "set -euo pipefail" and may set QUIET=1 (only errors and warnings are said).

PROG=${0##*/}
: "${QUIET:=0}"

# --- messages: all on stderr, so that stdout stays the product's ----------

note() { ((QUIET)) || printf '%s: %s\n' "$PROG" "$*" >&2; }
warn() { printf '%s: warning: %s\n' "$PROG" "$*" >&2; }

# die MESSAGE [EXIT_CODE]
die() {
	printf '%s: %s\n' "$PROG" "$1" >&2
	exit "${2:-1}"
}

usage_error() {
	printf '%s: %s\n' "$PROG" "$1" >&2
	printf "Try '%s --help'.\n" "$PROG" >&2
	exit 2
}

# The exact command, in a form that can be pasted into a shell.
show_cmd() {
	((QUIET)) && return 0
	local word line='+'
	for word; do
		if [[ $word =~ ^[A-Za-z0-9_./:=,@%+~-]+$ ]]; then
			line+=" $word"
		else
			line+=" '${word//\'/\'\\\'\'}'"
		fi
	done
	printf '%s\n' "$line" >&2
}

# elapsed SECONDS -> 1:05 or 1:02:03
elapsed() {
	local s=$1
	if ((s >= 3600)); then
		printf '%d:%02d:%02d' $((s / 3600)) $((s / 60 % 60)) $((s % 60))
	else
		printf '%d:%02d' $((s / 60)) $((s % 60))
	fi
}

# What a kernel's log says when something went wrong.  Whole words: a log has "installed".
readonly KERNEL_COMPLAINT='WARNING:|BUG:|\bOops|general protection fault|\bstalls?\b|\blockup\b|blocked for more than|Kernel panic'

# --- clean-up -------------------------------------------------------------
# Everything that must not outlive the script: process groups that we
# started, and paths.  One trap, so that users of this file do not overwrite
# each other's.

CLEANUP_PGIDS=()
CLEANUP_PATHS=()
CLEANUP_FUNCS=()

cleanup_all() {
	local rc=$? item
	trap - EXIT
	trap '' INT TERM HUP
	for item in "${CLEANUP_PGIDS[@]}"; do
		kill_group "$item"
	done
	for item in "${CLEANUP_FUNCS[@]}"; do
		"$item" || true
	done
	unlock_dir
	if ((${#CLEANUP_PATHS[@]})); then
		rm -rf -- "${CLEANUP_PATHS[@]}" || true
	fi
	exit "$rc"
}

install_cleanup() {
	trap cleanup_all EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
}

# End a process group that we started: ask, wait up to 3 s, then force.
kill_group() {
	local i
	kill -TERM -- "-$1" 2>/dev/null || return 0
	for ((i = 0; i < 30; i++)); do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL -- "-$1" 2>/dev/null || true
}

forget_pgid() {
	local item keep=()
	for item in "${CLEANUP_PGIDS[@]}"; do
		[[ $item == "$1" ]] || keep+=("$item")
	done
	CLEANUP_PGIDS=("${keep[@]}")
}

forget_path() {
	local item keep=()
	for item in "${CLEANUP_PATHS[@]}"; do
		[[ $item == "$1" ]] || keep+=("$item")
	done
	CLEANUP_PATHS=("${keep[@]}")
}

# --- steps ----------------------------------------------------------------

# step TITLE LOG COMMAND...: run COMMAND (a program or a shell function) with
# its output in LOG; on a terminal TITLE and the elapsed time tick meanwhile.
# Returns COMMAND's status.  Says nothing about a failure: step_failed does.
step() {
	local title=$1 log=$2 pid rc=0 start=$SECONDS
	shift 2
	# a group of its own, so that Ctrl-C ends it through our trap, children too
	set -m
	("$@") </dev/null >>"$log" 2>&1 &
	pid=$!
	set +m
	CLEANUP_PGIDS+=("$pid")
	if [[ -t 2 ]] && ! ((QUIET)); then
		while kill -0 "$pid" 2>/dev/null; do
			printf '\r%s: %s %s ' "$PROG" "$title" \
			       "$(elapsed $((SECONDS - start)))" >&2
			sleep 0.5
		done
		printf '\r\033[K' >&2
	fi
	wait "$pid" || rc=$?
	forget_pgid "$pid"
	((rc)) || note "$title: done in $(elapsed $((SECONDS - start)))"
	return "$rc"
}

# step_failed TITLE LOG: the last lines and where the rest is, then exit 1.
step_failed() {
	if [[ -s $2 ]]; then
		tail -n 15 -- "$2" | sed 's/^/  | /' >&2
	fi
	die "$1 failed; log: $2"
}

# --- requirements ---------------------------------------------------------

# missing_packages CMD:PACKAGE...: prints the packages whose CMD is not there.
# A CMD that begins with / is a file that must exist (a header, for example).
missing_packages() {
	local item cmd
	for item; do
		cmd=${item%%:*}
		case $cmd in
		/*) [[ -e $cmd ]] || printf '%s\n' "${item#*:}" ;;
		*) PATH=$PATH:/usr/sbin:/sbin type -P "$cmd" >/dev/null || printf '%s\n' "${item#*:}" ;;
		esac
	done | sort -u
}

# need CMD:PACKAGE...: as root on Debian installs what is missing, by exact
# name; otherwise one line that names the one command, and exit 4.
need() {
	local packages log apt
	mapfile -t packages < <(missing_packages "$@")
	((${#packages[@]})) || return 0
	apt=(apt-get install -y --no-install-recommends "${packages[@]}")
	if ! type -P apt-get >/dev/null || [[ ! -e /etc/debian_version ]]; then
		die "missing: Debian's packages ${packages[*]} (install your system's equivalents)" 4
	fi
	if ((EUID != 0)); then
		die "missing packages; run as root: ${apt[*]}" 4
	fi
	log=$(mktemp "${TMPDIR:-/tmp}/apt-install.XXXXXX")
	if ! apt-cache show --no-all-versions -- "${packages[@]}" >/dev/null 2>&1; then
		show_cmd apt-get update
		step "apt-get update" "$log" apt-get update ||
			die "cannot install ${packages[*]}: apt-get update failed (no network?); log: $log" 4
	fi
	show_cmd "${apt[@]}"
	if ! DEBIAN_FRONTEND=noninteractive step "install ${packages[*]}" "$log" "${apt[@]}"; then
		# lists may be older than the archive: refresh once
		step "apt-get update" "$log" apt-get update || true
		DEBIAN_FRONTEND=noninteractive step "install ${packages[*]}" "$log" "${apt[@]}" || {
			tail -n 5 -- "$log" | sed 's/^/  | /' >&2
			die "cannot install; try: ${apt[*]}; log: $log" 4
		}
	fi
	rm -f -- "$log"
	mapfile -t packages < <(missing_packages "$@")
	((${#packages[@]} == 0)) || die "installed, but still missing what should be in: ${packages[*]}" 4
}

# need_space DIR MEGABYTES WHAT: exit 1 with one line when DIR has less free.
need_space() {
	local free
	free=$(df -Pm -- "$1" | awk 'NR == 2 { print $4 }')
	if ((free < $2)); then
		die "no space for $3: $1 has $free MB free, $2 MB are needed (free some, or --cache DIR elsewhere)"
	fi
}

# --- one user of a folder at a time ---------------------------------------
# mkdir is atomic everywhere; the pid inside tells a lock of the dead.

LOCK_HELD=

lock_dir() {
	local lock=$1.lock pid said=0
	while ! mkdir -- "$lock" 2>/dev/null; do
		[[ -d ${lock%/*} ]] || die "cannot create $lock"
		[[ -w ${lock%/*} ]] || die "cannot write to ${lock%/*}"
		pid=$(cat "$lock/pid" 2>/dev/null || true)
		if [[ -n $pid && ! -d /proc/$pid ]]; then
			# rename first: only one of several waiters can win
			if mv -T -- "$lock" "$lock.dead.$$" 2>/dev/null; then
				rm -rf -- "$lock.dead.$$"
			fi
			continue
		fi
		if ((!said)); then
			said=1
			note "waiting for process ${pid:-?}, which works in $1"
		fi
		sleep 0.5
	done
	LOCK_HELD=$lock
	echo $$ >"$lock/pid"
}

unlock_dir() {
	[[ -n $LOCK_HELD ]] || return 0
	rm -rf -- "$LOCK_HELD"
	LOCK_HELD=
}
