#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Training with checkpoints: a run that is killed again and again ends in the bits and the log of the run that was not;
# Ctrl-C saves; what cannot be resumed, and what is somebody else's, is refused with one line and left as it is.
#
#   test/check_resume.sh [NAME]
# promise: resume-same-bits
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh

make -s >"$out/make.log" 2>&1 || { cat "$out/make.log"; fail build "make fails"; finish; }
reversal=${BUILD:-build}/host/reversal
steps=60
kept=$out/resume
rm -rf "$kept"
mkdir -p "$kept"

train() { # NAME OPTION...: a run whose files begin with NAME
    local name=$1
    shift
    timeout 120 $reversal train --quiet --steps $steps --weights "$kept/$name.weights" --csv "$kept/$name.csv" "$@" \
        >"$kept/$name.out" 2>"$kept/$name.err"
}

is_same_run() { # NAME: the weights and the log are those of the whole run
    cmp -s "$kept/whole.weights" "$kept/$1.weights" &&
        cmp -s <(grep -v '^#' "$kept/whole.csv") <(grep -v '^#' "$kept/$1.csv")
}

train whole || fail whole "a run without checkpoints fails"

# ---- killed at moments that no one chose
if wanted killed; then
    n_kills=0
    n_resumed=0
    status=1
    for try in $(seq 200); do
        $reversal train --quiet --steps $steps --weights "$kept/killed.weights" --csv "$kept/killed.csv" \
            --checkpoint "$kept/killed" --checkpoint-every 7 --resume >/dev/null 2>"$kept/killed.err" &
        pid=$!
        # Early kills at first, then later and later ones, so that the run gets on.
        sleep "0.$(printf %03d $((50 + RANDOM % (100 + 10 * try) % 950)))"
        if kill -KILL $pid 2>/dev/null; then
            n_kills=$((n_kills + 1))
        fi
        wait $pid 2>/dev/null
        status=$?
        [ $status -eq 137 ] || break
        ! grep -qsa AFCP "$kept/killed" || n_resumed=$((n_resumed + 1))
    done
    if [ $status -ne 0 ]; then
        fail killed "after $n_kills kills the run ends with status $status: $(cat "$kept/killed.err")"
    elif ! is_same_run killed; then
        fail killed "after $n_kills kills the run ends in other bits or another log"
    elif [ $n_resumed -eq 0 ]; then
        fail killed "no kill came after a checkpoint"
    else
        ok "killed ($n_kills times, $n_resumed of them after a checkpoint)"
    fi
fi

# ---- Ctrl-C
for signal in INT TERM; do
    wanted "interrupted-$signal" || continue
    env --default-signal=$signal timeout --preserve-status -s $signal 1 $reversal train --quiet --steps 100000 \
        --weights "$kept/$signal.weights" --csv "$kept/$signal.csv" --checkpoint "$kept/$signal" --checkpoint-every 100000 \
        2>"$kept/$signal.err"
    status=$?
    step=$(sed -n 's/.*interrupted after step \([0-9]*\), which is saved.*/\1/p' "$kept/$signal.err")
    if [ $status -ne $((128 + $(kill -l $signal))) ] || [ -z "$step" ] || [ "$(wc -l <"$kept/$signal.err")" -ne 1 ]; then
        fail "interrupted-$signal" "status $status, stderr says '$(tr '\n' ';' <"$kept/$signal.err")'"
        continue
    fi
    if [ "$step" -ge $steps ]; then # a fast machine: train the whole run as far as this one has to go
        steps=$((step + 20))
        train whole
    fi
    if ! train "$signal" --checkpoint "$kept/$signal" --resume; then
        fail "interrupted-$signal" "it does not go on: $(cat "$kept/$signal.err")"
    elif ! is_same_run "$signal"; then
        fail "interrupted-$signal" "it goes on to other bits or another log"
    else
        ok "interrupted-$signal"
    fi
done

# ---- a longer run goes on from the end of a shorter one
if wanted longer; then
    all=$steps
    steps=5
    train longer --checkpoint "$kept/longer"
    steps=$all
    if train longer --checkpoint "$kept/longer" --resume && is_same_run longer; then
        ok longer
    else
        fail longer "$(cat "$kept/longer.err")"
    fi
fi

# ---- what is refused
steps=6
train base --checkpoint "$kept/base" --checkpoint-every 3 || fail base "a run with checkpoints fails"
cp "$kept/base" "$kept/base.kept"

guarded=("$kept/base" "$kept/base.log")
as_it_is() { # NAME: the files that have to stay, and the names of all but what a run of that name prints
    cksum "${guarded[@]}" 2>&1
    find "$kept" ! -name "$1.out" ! -name "$1.err" -printf '%p %y\n' | LC_ALL=C sort
}

refuses() { # NAME PATTERN OPTION...: status 2, one line, and nothing made or changed
    local name=$1 pattern=$2 before status
    shift 2
    wanted "$name" || return 0
    before=$(as_it_is "$name")
    train "$name" "$@"
    status=$?
    if [ $status -ne 2 ] || [ "$(wc -l <"$kept/$name.err")" -ne 1 ] || ! grep -qE -- "$pattern" "$kept/$name.err"; then
        fail "$name" "status $status, stderr says '$(tr '\n' ';' <"$kept/$name.err")'"
    elif [ "$before" != "$(as_it_is "$name")" ]; then
        fail "$name" "it changed or made a file: $(diff <(echo "$before") <(as_it_is "$name") | tr '\n' ';')"
    else
        ok "$name"
    fi
}
refuses not-resumed 'checkpoint of step 6: go on with --resume' --checkpoint "$kept/base"
refuses other-batch 'other settings: --batch 64' --checkpoint "$kept/base" --resume --batch 32
refuses other-seed 'other settings' --checkpoint "$kept/base" --resume --seed-weights 2
refuses other-rate 'other settings: .* --learning-rate 0\.003 --weight-decay 0\.01$' --checkpoint "$kept/base" --resume \
    --learning-rate 0.001
refuses resume-without-file '--checkpoint FILE' --resume
refuses every-without-file '--checkpoint FILE' --checkpoint-every 3
refuses every-0 'checkpoint-every' --checkpoint "$kept/base" --checkpoint-every 0
refuses foreign-file 'no storage of checkpoints' --checkpoint README.md
refuses folder 'directory' --checkpoint "$kept"
refuses no-such-folder 'No such file' --checkpoint "$kept/none/x"
refuses device 'no storage of checkpoints' --checkpoint /dev/full
refuses same-as-weights 'cannot both be' --checkpoint "$kept/same-as-weights.weights"
refuses same-as-log 'cannot both be' --checkpoint "$kept/same-as-log.csv"
steps=5
refuses fewer-steps 'has 6 steps already' --checkpoint "$kept/base" --resume
steps=6
if wanted another-process; then
    # A run that holds the storage for a while.
    $reversal train --quiet --steps 100000 --weights "$kept/holder.weights" --csv "$kept/holder.csv" --checkpoint "$kept/base" \
        --checkpoint-every 100000 --resume >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 100); do # until it has the lock
        sleep 0.1
        train another-process --checkpoint "$kept/base" --resume
        grep -q 'another process uses it' "$kept/another-process.err" && break
    done
    refuses another-process 'another process uses it' --checkpoint "$kept/base" --resume
    kill -KILL $pid
    wait $pid 2>/dev/null
    cp "$kept/base.kept" "$kept/base"
fi
mv "$kept/base.log" "$kept/base.log.kept"
refuses no-journal 'does not hold the log' --checkpoint "$kept/base" --resume
sed 's/^3,/4,/' "$kept/base.log.kept" >"$kept/base.log"
refuses changed-journal 'does not hold the log' --checkpoint "$kept/base" --resume
head -n 4 "$kept/base.log.kept" >"$kept/base.log"
refuses short-journal 'does not hold the log' --checkpoint "$kept/base" --resume
cp "$kept/base.log.kept" "$kept/base.log"

slot_bytes=$((8 * 1024 * 1024))
damage() { # FILE OFFSET: one byte of the storage
    printf '\125' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
if wanted one-slot-damaged; then
    # The first save went to slot 0, the second to slot 1: without it the run goes on from step 3.
    damage "$kept/base" $((slot_bytes + 1000))
    if train one-slot-damaged --checkpoint "$kept/base" --resume && cmp -s "$kept/base.weights" "$kept/one-slot-damaged.weights"; then
        ok one-slot-damaged
    else
        fail one-slot-damaged "$(cat "$kept/one-slot-damaged.err")"
    fi
fi

# ---- what was saved is lost, or was never there
guarded=("$kept/lost" "$kept/lost.log")
cp "$kept/base.kept" "$kept/lost"
cp "$kept/base.log.kept" "$kept/lost.log"
damage "$kept/lost" 1000
damage "$kept/lost" $((slot_bytes + 1000))
refuses both-slots-damaged 'no whole checkpoint any more' --checkpoint "$kept/lost" --resume
refuses both-slots-damaged-anew 'no whole checkpoint any more' --checkpoint "$kept/lost"

if wanted not-finite; then
    train not-finite --checkpoint "$kept/not-finite" --checkpoint-every 1 --learning-rate 1e6
    status=$?
    step=$(sed -n 's/.* step \([0-9]*\): AF_ERR_NOT_FINITE.*/\1/p' "$kept/not-finite.err")
    if [ $status -eq 1 ] && grep -q "keeps the checkpoint of step $((step - 1))\$" "$kept/not-finite.err"; then
        ok not-finite
    else
        fail not-finite "status $status, stderr says '$(tr '\n' ';' <"$kept/not-finite.err")'"
    fi
fi

# ---- other files
echo precious >"$kept/foreign.log"
echo 2,0.5,01234567 >"$kept/later.log"
head -c $((2 * slot_bytes)) "$kept/base.kept" >"$kept/unsigned"
{ cat "$kept/base.kept"; echo; } >"$kept/longer-storage"
ln -s nowhere "$kept/dangling"
mkfifo "$kept/pipe.log"
guarded=("$kept/foreign.log" "$kept/later.log" "$kept/unsigned" "$kept/longer-storage")
refuses foreign-journal 'foreign.log would be the log .* another file' --checkpoint "$kept/foreign"
refuses foreign-journal-resumed 'foreign.log would be the log .* another file' --checkpoint "$kept/foreign" --resume
refuses later-journal 'later.log would be the log .* another file' --checkpoint "$kept/later"
refuses unsigned-storage 'no storage of checkpoints' --checkpoint "$kept/unsigned"
refuses longer-storage 'no storage of checkpoints' --checkpoint "$kept/longer-storage"
refuses dangling-link 'a link to a file that is not there' --checkpoint "$kept/dangling"
refuses pipe-as-journal 'pipe.log, .* no regular file' --checkpoint "$kept/pipe"

# ---- a storage is made, and the making is cut short
calls=$out/storage_calls.so
# shellcheck disable=SC2086
gcc $house -O2 -shared -fPIC test/storage_calls.c -o "$calls" -ldl 2>"$out/calls.log" ||
    fail calls "$(head -n 1 "$out/calls.log")"
# Writes: of a new storage, of the erasing of a slot, and of its pages, the last two of which are the commit.
n_making=$((2 + 4096))
n_erases=313
n_pages=5001

cut_at() { # NAME WRITE LINES: killed there, the run then goes on or begins anew, with so many lines on stderr
    local name=cut-$1
    wanted "$name" || return 0
    { LD_PRELOAD=$calls CUT=$2 train "$name" --checkpoint "$kept/$name" --checkpoint-every 3 --resume; } 2>/dev/null
    if [ $? -ne 137 ]; then
        fail "$name" "the run is not cut: $(cat "$kept/$name.err")"
    elif [ -n "$(compgen -G "$kept/$name.[0-9]*")" ]; then
        fail "$name" "it left $(compgen -G "$kept/$name.[0-9]*")"
    elif ! train "$name" --checkpoint "$kept/$name" --checkpoint-every 3 --resume; then
        fail "$name" "it does not go on: $(cat "$kept/$name.err")"
    elif [ "$(grep -c 'starting anew' "$kept/$name.err")" -ne "$3" ] || [ "$(wc -l <"$kept/$name.err")" -ne "$3" ]; then
        fail "$name" "stderr says '$(tr '\n' ';' <"$kept/$name.err")'"
    elif ! cmp -s "$kept/base.weights" "$kept/$name.weights" || ! cmp -s "$kept/base.log.kept" "$kept/$name.log"; then
        fail "$name" "it goes on to other bits or another log"
    else
        ok "$name"
    fi
    rm -f "$kept/$name"
}
cut_at before-the-signature 1 0
cut_at before-the-storage 2 0
cut_at in-the-storage 2000 0
cut_at before-the-signature-is-whole $n_making 0
cut_at before-the-first-save $((n_making + 1)) 1
cut_at before-the-header $((n_making + n_erases + 1)) 1
cut_at in-the-first-save $((n_making + n_erases + 2000)) 1
cut_at before-the-commit $((n_making + n_erases + n_pages - 1)) 1
cut_at in-the-commit $((n_making + n_erases + n_pages)) 0

if wanted folder-synced; then
    # Before the commit of the first save.
    LD_PRELOAD=$calls FOLDER_LOG=$kept/folders train folder-synced --checkpoint "$kept/folder-synced"
    n_before=$(head -n 1 "$kept/folders" 2>/dev/null)
    n_before=${n_before:-0}
    if [[ $n_before -ge $n_making && $n_before -le $((n_making + n_erases + n_pages - 2)) ]]; then
        ok folder-synced
    else
        fail folder-synced "the folder is synced after '$n_before' writes"
    fi
fi
guarded=("$kept/base.kept")
export LD_PRELOAD=$calls LOCK_ERROR=37
refuses no-locks 'No locks available' --checkpoint "$kept/base.kept"
export -n LD_PRELOAD LOCK_ERROR

if wanted same-process-number; then
    # In a container the next start has the number of the one before.
    # shellcheck disable=SC2016
    if bash -c 'echo x >"$1.$$.new"; exec "$0" train --quiet --steps 1 --weights "$1.weights" --checkpoint "$1"' \
        $reversal "$kept/number" 2>"$kept/number.err"; then
        ok same-process-number
    else
        fail same-process-number "$(cat "$kept/number.err")"
    fi
fi

if wanted two-at-once; then
    wrong=
    for try in 1 2 3 4 5; do
        train first --checkpoint "$kept/together" --resume &
        train second --checkpoint "$kept/together" --resume
        second=$?
        wait $!
        first=$?
        [ $first -eq 0 ] || [ $second -eq 0 ] || wrong+="$try: both fail;"
        wrong+=$(cat "$kept/first.err" "$kept/second.err" | grep -v 'another process uses it')
        rm -f "$kept/together"*
    done
    nothing two-at-once "of two that begin together, one has the storage and the other says that it is in use" "$wrong"
fi

if wanted too-large; then
    # A limit that the storage does not fit into.
    (ulimit -f 1000 && train too-large --checkpoint "$kept/too-large")
    status=$?
    if [ $status -ne 2 ] || [ "$(grep -c 'too-large: File too large' "$kept/too-large.err")" -ne 1 ]; then
        fail too-large "status $status, stderr says '$(tr '\n' ';' <"$kept/too-large.err")'"
    else
        nothing too-large "it left files" "$(find "$kept" -name 'too-large*' ! -name '*.err' ! -name '*.out')"
    fi
fi

finish
