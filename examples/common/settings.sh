#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiler options with a macro AF_... that nobody reads: a misspelt setting. The compiler cannot know.
#
#   settings.sh OPTION...    prints one sentence and returns 1 if there is such an option
set -u
cd "$(dirname "$0")/../.." || exit

# What files ask for: settings, and what is chosen for a single file.
known=$(grep -hoE '(#ifn?def |defined\()AF_[A-Za-z0-9_]+' lib/*.[ch] port/*/*.[ch] | sed 's/.*AF_/AF_/' | grep -v '_H$' | sort -u)

for option in "$@"; do
    [[ $option == -DAF_* ]] || continue
    name=${option#-D}
    name=${name%%=*}
    grep -qxF -- "$name" <<<"$known" && continue
    # The nearest one, by the number of letters that are changed, added or left out.
    nearest=$(awk -v a="$name" '
        function least(x, y) { return x < y ? x : y }
        {
            for (j = 0; j <= length($0); j++) row[j] = j # both begin with AF_
            for (i = 1; i <= length(a); i++) {
                before = row[0]
                row[0] = i
                for (j = 1; j <= length($0); j++) {
                    here = before + (substr(a, i, 1) != substr($0, j, 1))
                    before = row[j]
                    row[j] = least(here, 1 + least(row[j - 1], row[j]))
                }
            }
            if (NR == 1 || row[length($0)] < best) {
                best = row[length($0)]
                name = $0
            }
        }
        END { if (3 * best <= length(a) - 3) print name }' <<<"$known")
    echo "there is no setting $name${nearest:+: did you mean $nearest?} (lib/af_config.h has them all)"
    exit 1
done
