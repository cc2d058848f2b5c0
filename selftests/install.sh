#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Puts these tests into a kernel tree.  See --help.

set -euo pipefail

name=lru_gen_memcg
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")

usage() {
	cat <<END
Usage: install.sh [--remove] TREE

Copies the tests to TREE/tools/testing/selftests/$name and adds them to the
TARGETS in the Makefile above it.  --remove takes both away again.
END
}

remove=0 tree=
while (($#)); do
	case $1 in
	-h | --help) usage; exit 0 ;;
	--remove) remove=1 ;;
	-*) echo "install.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
	*)
		[[ -z $tree ]] || { echo "install.sh: one TREE only (see --help)" >&2; exit 2; }
		tree=$1
		;;
	esac
	shift
done
[[ -n $tree ]] || { usage >&2; exit 2; }
selftests=$tree/tools/testing/selftests
[[ -f $selftests/lib.mk && -f $selftests/Makefile ]] || {
	echo "install.sh: $tree is not a kernel tree: no tools/testing/selftests/lib.mk there" >&2
	exit 2
}

# edit AWK-PROGRAM: the Makefile, replaced in one step and only when it differs
edit() {
	local new
	new=$(mktemp "$selftests/Makefile.XXXXXX")
	awk -v line="TARGETS += $name" "$1" "$selftests/Makefile" >"$new"
	if cmp -s -- "$new" "$selftests/Makefile"; then
		rm -f -- "$new"
	else
		chmod --reference="$selftests/Makefile" -- "$new"
		mv -- "$new" "$selftests/Makefile"
	fi
}

if ((remove)); then
	rm -rf -- "${selftests:?}/$name"
	# shellcheck disable=SC2016
	edit '$0 != line'
	exit 0
fi
mkdir -p -- "$selftests/$name"
cp -- "$here"/{Makefile,config,settings,.gitignore,run.sh} "$here"/*.[ch] "$selftests/$name/"
# the list is sorted; a tree whose list is not gets it at the first larger name
# shellcheck disable=SC2016
edit '
	$0 == line { next }
	!done && /^TARGETS \+= / && $0 > line { print line; done = 1 }
	{ print }'
grep -q "^TARGETS += $name\$" "$selftests/Makefile" || {
	echo "install.sh: found no place among the TARGETS of $selftests/Makefile" >&2
	exit 1
}
echo "installed; as root on a kernel to be tested:"
echo "    make -C $selftests TARGETS=$name run_tests"
