# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153
#
# Boot a built kernel and run one command in it.  To be sourced after build.sh.
#
# Input (globals that the sourcing script sets):  TREE, OUT, IMAGE, ARCH, CACHE, SMP, MEM, APPEND, ACCEL, TIMEOUT, SWAP,
#         CONSOLE, COMMAND

# What came of a guest, set by run_guest:
# GUEST_RESULT  exited (GUEST_STATUS is the command's exit code), died, hung,
#               or unstarted (the emulator itself refused)
GUEST_RESULT=
GUEST_STATUS=0
GUEST_PID=

# The command's own codes end at 123, so that these two are never ambiguous.
readonly EXIT_HUNG=124 EXIT_DIED=125

need_boot_tools() {
	need mount:mount mkswap:util-linux setsid:util-linux
	case $ARCH in
	x86_64) need qemu-system-x86_64:qemu-system-x86 ;;
	esac
}

# write_job FOLDER COMMAND...: what guest-init needs.
write_job() {
	local job=$1
	shift
	cp -- "$TOP/scripts/guest-init" "$job/init"
	chmod 755 "$job/init"
	local job_arch=$ARCH job_cwd=$PWD job_swap=$SWAP job_cmd=("$@") job_show
	# outer folders first: an inner one is then there already
	mapfile -t job_show < <(printf '%s\n' "$TOP" "$CACHE" "$PWD" | awk '{ print length, $0 }' |
		sort -n | cut -d' ' -f2-)
	# a program given by its path must be there as well
	[[ $1 != /* ]] || job_show+=("$1")
	declare -p job_arch job_cwd job_swap job_cmd job_show >"$job/job"
}

# run_guest ACCEL TIMEOUT CONSOLE OUT_FD ERR_FD COMMAND...
# ACCEL is kvm, tcg or icount, and without meaning for um.
run_guest() {
	local accel=$1 timeout=$2 console=$3 out_fd=$4 err_fd=$5
	local job out_copier err_copier status_fd deadline word code emulator_rc=0 settle=0
	shift 5
	job=$(mktemp -d "$CACHE/boot/XXXXXXXX")
	CLEANUP_PATHS+=("$job")
	mkdir -- "$job/share" "$job/uml"
	write_job "$job" "$@"
	: >"$console"
	ln -s -- "$console" "$job/console"
	GUEST_RESULT=
	GUEST_STATUS=0
	deadline=$((SECONDS + timeout))

	start_guest_"$ARCH" "$job" "$accel" "$out_fd" "$err_fd"

	# read -t is the clock here: no process per tick
	while kill -0 "$GUEST_PID" 2>/dev/null; do
		word='' code=''
		if [[ $ARCH == um ]]; then
			read -r -t 0.2 -u "$status_fd" word code || true
		else
			read -r -t 0.1 -u "$status_fd" || true
			[[ ! -s $job/share/status ]] || read -r word code <"$job/share/status" || word=''
			# QEMU then stays, paused
			if [[ -s $job/emulator.log ]] && grep -q 'KVM internal error' "$job/emulator.log"; then
				GUEST_RESULT=unstarted
				break
			fi
		fi
		if [[ $word == exit && -z $GUEST_RESULT ]]; then
			GUEST_RESULT=exited
			GUEST_STATUS=$code
			# it has handed over everything; powering off is a courtesy
			settle=$((SECONDS + 5))
		fi
		if [[ -n $GUEST_RESULT ]]; then
			((SECONDS < settle)) || break
		elif ((SECONDS >= deadline)); then
			GUEST_RESULT=hung
			break
		fi
	done
	if kill -0 "$GUEST_PID" 2>/dev/null; then
		kill_group "$GUEST_PID"
	fi
	wait "$GUEST_PID" 2>/dev/null || emulator_rc=$?
	forget_pgid "$GUEST_PID"
	if [[ -z $GUEST_RESULT ]]; then
		# between our last look and its end
		if [[ $ARCH == um ]]; then
			read -r -t 0.2 -u "$status_fd" word code || true
		elif [[ -s $job/share/status ]]; then
			read -r word code <"$job/share/status" || true
		fi
		if [[ ${word:-} == exit ]]; then
			GUEST_RESULT=exited
			GUEST_STATUS=$code
		elif [[ $ARCH == x86_64 && $emulator_rc != 0 && ! -s $console ]]; then
			GUEST_RESULT=unstarted
		else
			GUEST_RESULT=died
		fi
	fi
	exec {status_fd}>&-
	wait "$out_copier" "$err_copier" 2>/dev/null || true
	if [[ $GUEST_RESULT == unstarted && -s $job/emulator.log ]]; then
		sed 's/^/  | /' "$job/emulator.log" >&2
	fi
	rm -rf -- "$job"
	forget_path "$job"
}

# --- x86_64: QEMU ---------------------------------------------------------

# Output comes back through files on a second 9p share: a 9p write has reached
# the host's file when it returns, so nothing is lost with the guest.  (Data in
# a virtio-serial queue is: the guest cannot wait for it to drain.)
start_guest_x86_64() {
	local job=$1 accel=$2 out_fd=$3 err_fd=$4 cpu cmd clock=()
	: >"$job/share/out"
	: >"$job/share/err"
	mkfifo -- "$job/clock"
	exec {status_fd}<>"$job/clock"
	case $accel in
	kvm) accel=kvm cpu=host ;;
	icount) accel=tcg,thread=single cpu=max clock=(-icount shift=0,sleep=off) ;;
	*) accel=tcg,thread=multi cpu=max ;;
	esac
	# shellcheck disable=SC2054
	cmd=(
		qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot
		-accel "$accel" -cpu "$cpu" -smp "$SMP" -m "$MEM" "${clock[@]}"
		-kernel "$IMAGE"
		-serial "file:$job/console"
		-fsdev "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"
		-device virtio-9p-pci,fsdev=root,mount_tag=/dev/root
		-fsdev "local,id=job,path=$job/share,security_model=none"
		-device virtio-9p-pci,fsdev=job,mount_tag=job
		-append "console=ttyS0 root=/dev/root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=512000,cache=loose ro init=$job/init panic=-1 mitigations=off no_timer_check${APPEND:+ $APPEND}"
	)
	show_cmd "${cmd[@]}"
	launch "$job/emulator.log" "$job/emulator.log" "${cmd[@]}"
	tail -c +1 -f -s 0.1 --pid="$GUEST_PID" -- "$job/share/out" 1>&"$out_fd" 2>/dev/null &
	out_copier=$!
	tail -c +1 -f -s 0.1 --pid="$GUEST_PID" -- "$job/share/err" 1>&"$err_fd" 2>/dev/null &
	err_copier=$!
}

# launch STDOUT STDERR COMMAND...: in a group of its own, so that the
# terminal's Ctrl-C reaches it through us only.
launch() {
	local out=$1 err=$2
	shift 2
	set -m
	"$@" </dev/null >>"$out" 2>>"$err" &
	GUEST_PID=$!
	set +m
	CLEANUP_PGIDS+=("$GUEST_PID")
}

# kvm or tcg.  /dev/kvm being there says little: inside some virtual machines
# it opens and then does not run a kernel.  So boot this image once, with a
# deadline, and keep the verdict beside it.
choose_accel() {
	local verdict key console
	[[ $ARCH == x86_64 ]] || return 0
	case $ACCEL in
	tcg | icount)
		note "accelerator: TCG (emulation), as asked"
		return 0
		;;
	kvm)
		[[ -r /dev/kvm && -w /dev/kvm ]] || die "--accel kvm: /dev/kvm cannot be opened"
		note "accelerator: KVM, as asked"
		return 0
		;;
	esac
	if [[ ! -r /dev/kvm || ! -w /dev/kvm ]]; then
		ACCEL=tcg
		note "accelerator: TCG (emulation; /dev/kvm cannot be opened)"
		return 0
	fi
	key="$(stat -Lc '%s %Y' -- "$IMAGE") $(uname -r)"
	verdict=$(grep -sF -- "$key" "$OUT/kvm-verdict" || true)
	if [[ -z $verdict ]]; then
		note "accelerator: trying KVM with this kernel"
		console=$CACHE/log/kvm-try-$(log_tag).log
		local SWAP='' APPEND='' MEM=512M
		QUIET=1 run_guest kvm 20 "$console" "$NULL_FD" "$NULL_FD" /bin/true 2>/dev/null
		if [[ $GUEST_RESULT == exited && $GUEST_STATUS == 0 ]]; then
			verdict="kvm $key"
		else
			verdict="tcg $key"
		fi
		printf '%s\n' "$verdict" >"$OUT/kvm-verdict"
	fi
	ACCEL=${verdict%% *}
	case $ACCEL in
	kvm) note "accelerator: KVM" ;;
	*) note "accelerator: TCG (emulation; /dev/kvm is there but does not run this kernel)" ;;
	esac
}

# --- UML ------------------------------------------------------------------

start_guest_um() {
	local job=$1 out_fd=$3 err_fd=$4 cmd guest_out guest_err words shm need_kb
	mkfifo -- "$job/out" "$job/err" "$job/status"
	# both ends: neither we nor the guest then waits for the other to open
	exec {guest_out}<>"$job/out" {guest_err}<>"$job/err" {status_fd}<>"$job/status"
	cat <"$job/out" 1>&"$out_fd" {guest_out}>&- {guest_err}>&- &
	out_copier=$!
	cat <"$job/err" 1>&"$err_fd" {guest_out}>&- {guest_err}>&- &
	err_copier=$!
	cmd=("$IMAGE" "mem=$MEM")
	if grep -q '^CONFIG_SMP=y' "$OUT/.config"; then
		# several CPUs need the seccomp mode
		cmd+=("ncpus=$SMP" seccomp=on)
	else
		((SMP == 1)) || note "this UML kernel has one CPU"
		! grep -q '"seccomp="' "$TREE/arch/um/os-Linux/start_up.c" || cmd+=(seccomp=auto)
	fi
	cmd+=(
		"uml_dir=$job/uml" umid=guest
		root=/dev/root rootfstype=hostfs rootflags=/ ro "init=$job/init"
		con=null stderr=1 ssl=null
		"ssl0=null,fd:$guest_out" "ssl1=null,fd:$guest_err" "ssl2=null,fd:$status_fd"
		panic=-1
	)
	read -ra words <<<"$APPEND" || true
	cmd+=("${words[@]}")
	show_cmd "${cmd[@]}"
	# UML's memory is a file: in /dev/shm if that is large enough
	shm=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
	need_kb=$(($(numfmt --from=iec "$MEM") / 1024))
	if ((${shm:-0} < need_kb)); then
		note "/dev/shm has less than $MEM free: the guest's memory is a file in the cache folder"
		TMPDIR=$job launch "$job/console" "$job/console" "${cmd[@]}"
	else
		launch "$job/console" "$job/console" "${cmd[@]}"
	fi
	# the copiers see the end when the guest, the last writer, is gone
	exec {guest_out}>&- {guest_err}>&-
}

# --- the verb -------------------------------------------------------------

boot() {
	local console rc start bad
	need_boot_tools
	mkdir -p -- "$CACHE/boot"
	if [[ -n $CONSOLE ]]; then
		console=$(realpath -m -- "$CONSOLE")
	else
		console=$CACHE/log/console-$(log_tag)-$(date +%Y%m%d-%H%M%S)-$$.log
		prune_consoles
	fi
	: >"$console" || die "--console: cannot write $console"
	exec {NULL_FD}>/dev/null {OUT_FD}>&1 {ERR_FD}>&2
	choose_accel
	note "booting; console: $console"
	start=$SECONDS
	run_guest "$ACCEL" "$TIMEOUT" "$console" "$OUT_FD" "$ERR_FD" "${COMMAND[@]}"

	bad=$(grep -m 1 -aE "$KERNEL_COMPLAINT" "$console" | tr -d '\r' || true)
	case $GUEST_RESULT in
	exited)
		rc=$GUEST_STATUS
		[[ -z $bad ]] || warn "the guest's kernel complained: $bad (console: $console)"
		if ((rc == EXIT_HUNG || rc == EXIT_DIED)); then
			note "the command exited with $rc, given as 123 because $rc means a failed guest here ($(elapsed $((SECONDS - start))))"
			rc=123
		elif ((rc)); then
			note "the command exited with $rc ($(elapsed $((SECONDS - start))))"
		else
			note "the command succeeded ($(elapsed $((SECONDS - start))))"
		fi
		exit "$rc"
		;;
	unstarted)
		die "the emulator did not start the guest"
		;;
	hung)
		show_console "$console"
		printf '%s: the guest did not finish within %s s (hang?)%s; console: %s\n' \
			"$PROG" "$TIMEOUT" "${bad:+; $bad}" "$console" >&2
		exit "$EXIT_HUNG"
		;;
	died)
		show_console "$console"
		if grep -qa 'Kernel panic' "$console"; then
			printf '%s: the guest panicked: %s; console: %s\n' "$PROG" \
				"$(grep -a -m 1 -o 'Kernel panic.*' "$console" | tr -d '\r')" "$console" >&2
		elif grep -qa 'guest-init: setup failed' "$console"; then
			printf '%s: %s; console: %s\n' "$PROG" \
				"$(grep -a -m 1 -o 'setup failed.*' "$console" | tr -d '\r')" "$console" >&2
		else
			printf '%s: the guest ended without an exit code; console: %s\n' "$PROG" "$console" >&2
		fi
		exit "$EXIT_DIED"
		;;
	esac
}

show_console() {
	tail -n 25 -- "$1" | tr -d '\r' | sed 's/^/  | /' >&2
}

# Keep the newest console logs of boots that named none.
prune_consoles() {
	local files
	mapfile -t files < <(find "$CACHE/log" -maxdepth 1 -name 'console-*' -printf '%T@ %p\n' |
		sort -rn | tail -n +60 | cut -d' ' -f2-)
	((${#files[@]} == 0)) || rm -f -- "${files[@]}"
}
