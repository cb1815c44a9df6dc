// SPDX-License-Identifier: MIT
/// Checkpoints: the state of training in flash or in a file, so that a power cut at any moment costs no bit.
///
/// The storage has two slots. A save erases one and writes it, and only then gives the other one up; each checkpoint's
/// number is one higher than any there. Promised, if the storage keeps what `program` and `sync` have confirmed, so
/// that `read` returns it:
///  - Once a save has returned AF_OK, a load gives that state or one saved later: complete, with every bit, whatever
///    power cuts come in between, also during later saves and loads.
///  - After a cut in a save, a load gives the state before that save or the saved state. Never a mixture.
///  - Any 1, 2 or 3 wrong bits in a page are noticed, other damage but for one case in 2^32.
///  - A page that cannot be read is a bad page and nothing worse. With one program unit, anywhere, that is damaged or
///    cannot be read, a load gives the newest checkpoint or the one before it, and the next save succeeds.
/// Not promised: that what is saved is undamaged. Where weights in RAM are sealed (af_seal.h), a whole pass of
/// af_verify() that begins after the save's last slice shows that what was saved is what was sealed.
/// promise: power-cuts, wrong-bits-noticed
///
/// Format, version 1. A slot is a row of pages of 256 bytes; all numbers are stored lowest byte first, reals as their
/// IEEE-754 patterns. So an image is the same on every machine. float and double differ in the configuration digest.
/// promise: image-same-everywhere
///
///     page          bytes    content
///     every one     0        number of the page, 32 bits
///                   252      CRC-32C of bytes 0 to 251, 32 bits; that of page 0 begins with 0, that of any other page
///                            continues from page 0's: no page of another save or another place is taken for it
///     0             4        "AFCP"                   32   number of the checkpoint, 64 bits, from 1 on
///                   8        version of the format    40   1 - beta1^step, a real in 8 bytes
///                   12       configuration digest     48   1 - beta2^step, a real in 8 bytes
///                   16       number of parameters     56   stream of the training data: state, high word first,
///                   20       bytes of a real               increment, likewise, half word, whether it is pending
///                   24       1: with stream, 0: none  96   note of the program, 64 bytes
///                   28       step                     160  bytes of a program unit, if more than a page; or 0
///                                                     164  0
///     1 to 3 n      4        reals: n pages of weights, n of first moments, n of second moments; what is left of each
///                            last page is 0
///     3 n + 1       4        number of the checkpoint, 64 bits; CRC-32C over the CRCs of pages 1 to 3 n; 0
///     3 n + 2                the same again
///
/// Pages follow each other without a gap. If a program unit is more than a page, pages 0 to 3 n fill units, and each of
/// the last two pages begins a unit of its own; the rest of a unit is programmed with zeros and ignored.
///
/// The last two pages are the commit. All other pages are confirmed before the first of them is programmed, and the
/// first before the second. A cut while a page is programmed can leave bits that read 0 at one time and 1 at another.
/// So one commit page is enough to load a checkpoint, but only the second one proves that the first is steady, and only
/// then may a whole checkpoint in the other slot be erased. A save that finds the newer of two checkpoints without its
/// second commit page replaces that one.
///
/// A save reads both slots, erases all sectors of one, and programs its units in order, reading each back. It always
/// erases the sectors itself, whatever they seem to hold: an interrupted erase may look complete. Bytes behind the last
/// page are ignored. A slot whose header has another version or configuration is never overwritten: a program that no
/// longer needs it erases it. A slot without a whole checkpoint, for whatever other reason, is overwritten.
///
/// A load accepts only what a save can have written: numbers that training can produce, the bias corrections of that
/// very step, zeros where zeros belong. It reads and checks everything twice, so that it copies what was checked.
///
/// At start-up, whatever the arena holds:
///
///     af_train_reset(&model);                                 no step is open
///     status = af_checkpoint_load(&model, &info, &storage);
///     if (status == AF_ERR_NO_CHECKPOINT)                     the first start, or a cut in the very first save
///         ... draw weights, seed the stream; any other status but AF_OK is for the program to decide
#ifndef AF_CHECKPOINT_H
#define AF_CHECKPOINT_H

#include "af_train.h"

#if AF_TRAINING

#ifdef __cplusplus
extern "C" {
#endif

/// The port's storage of checkpoints. Slot 0 begins at offset 0, slot 1 at slot_bytes. All calls stay inside these two,
/// pass `context`, and come one at a time, from the functions below only. `data` is aligned like a uint64_t and belongs
/// to the port until it returns. A call SHALL NOT call back into the same model or save.
///
/// What a port may answer, and what lib/ does then (suites power-cuts and checkpoint):
///  - `read`, true: all n_bytes are in `data`. After a short read, return false. Erased bytes may read as 0xFF or as
///    anything else; bytes whose program or erase was interrupted may do so too, and differ at each read.
///  - `read`, false: these bytes cannot be read (an error that ECC cannot correct, a program or an erase that was
///    interrupted, an erased unit of a flash that cannot read one); `data` may hold anything. Their page counts as
///    damaged and other pages are still read, so a load may give an older checkpoint. If a second try may succeed, the
///    port SHALL make it itself.
///  - `program`, `erase`, `sync`, false: it failed, and the content that it was to write is unspecified. The save ends;
///    the next one erases the slot anew. lib/ neither tries twice nor replaces a bad sector by another one.
///  - `program`, `erase`, `sync`, true: it is done, or will be before the next `sync` returns true. `erase` and `sync`
///    are trusted; what `program` has written is read back, page by page.
///
/// How lib/ calls: it programs a unit at most once after an erase, in ascending order; it may erase sectors that are
/// erased already, and read any bytes, also ones that were never written.
struct af_storage {
    /// Reads n_bytes, AF_CHECKPOINT_PAGE_BYTES, from a multiple of them.
    bool (*read)(void *context, uint32_t offset, void *data, uint32_t n_bytes);
    /// Programs n_bytes at a multiple of them: program_bytes, or AF_CHECKPOINT_PAGE_BYTES if that is more.
    bool (*program)(void *context, uint32_t offset, const void *data, uint32_t n_bytes);
    /// Erases n_bytes, erase_bytes, at a multiple of them.
    bool (*erase)(void *context, uint32_t offset, uint32_t n_bytes);
    /// Returns when everything programmed and erased so far survives a power cut. NULL if program and erase themselves
    /// return only then, as for flash.
    bool (*sync)(void *context);
    void *context;
    uint32_t slot_bytes;    // at least AF_CHECKPOINT_BYTES_FOR(program_bytes), a multiple of erase_bytes, below 2^31
    uint32_t erase_bytes;   // a multiple of program_bytes
    uint32_t program_bytes; // 1, 2, 4, ... 256; or a multiple of 256 up to AF_STORAGE_UNIT
    /// True if erased bytes can be read. If then neither slot's first page can be read, find and load return
    /// AF_ERR_STORAGE: the storage does not answer. If false, such a storage may as well be new: AF_ERR_NO_CHECKPOINT.
    bool reads_erased;
};

#define AF_CHECKPOINT_PAGE_BYTES 256
/// Bytes of the program that a checkpoint carries: its position in a data set, its settings.
#define AF_CHECKPOINT_NOTE_BYTES 64

/// Size of a checkpoint, for `#if` and for the partition table of a board: AF_CHECKPOINT_BYTES with program units of
/// 256 bytes or less, AF_CHECKPOINT_BYTES_FOR(program_bytes) with any. A save erases so much, rounded up to whole
/// sectors, and programs AF_CHECKPOINT_PAGES pages, or fewer units.
#define AF_CHECKPOINT_PAGE_REALS  ((AF_CHECKPOINT_PAGE_BYTES - 8) / AF_REAL_BYTES)
#define AF_CHECKPOINT_PLANE_PAGES ((AF_N_PARAMS + AF_CHECKPOINT_PAGE_REALS - 1) / AF_CHECKPOINT_PAGE_REALS)
#define AF_CHECKPOINT_PAGES       (3 * AF_CHECKPOINT_PLANE_PAGES + 3)
#define AF_CHECKPOINT_BYTES       (AF_CHECKPOINT_PAGES * AF_CHECKPOINT_PAGE_BYTES)
#define AF_CHECKPOINT_UNIT(program_bytes)                                                                              \
    ((program_bytes) > AF_CHECKPOINT_PAGE_BYTES ? (program_bytes) : AF_CHECKPOINT_PAGE_BYTES)
#define AF_CHECKPOINT_BYTES_FOR(program_bytes)                                                                         \
    (((AF_CHECKPOINT_BYTES - 2 * AF_CHECKPOINT_PAGE_BYTES + AF_CHECKPOINT_UNIT(program_bytes) - 1) /                   \
          AF_CHECKPOINT_UNIT(program_bytes) +                                                                          \
      2) *                                                                                                             \
     AF_CHECKPOINT_UNIT(program_bytes))

/// The part of page 0 that a save keeps: from the step to the note.
#define AF_CHECKPOINT_KEPT_BYTES (68 + AF_CHECKPOINT_NOTE_BYTES)

/// What one slot holds, as far as it has been read. Private to the functions below.
struct af_checkpoint_slot {
    uint64_t sequence;   // number of its checkpoint
    uint32_t header_crc; // that of page 0
    uint32_t sum;        // over the CRCs of its data pages, as the commit has it
    uint32_t sum_so_far; // over those read so far
    uint32_t step;
    uint32_t n_read;  // pages read
    uint32_t unit;    // bytes of a program unit, at least a page's: where the commit stands
    af_status status; // AF_OK, AF_ERR_CHECKPOINT_CONTENT: a whole checkpoint; else the reason why there is none
    bool is_readable; // page 0 could be read
    bool is_possible; // nothing so far that a save cannot have written
    bool is_committed;
    bool is_sealed; // the second commit page is there
};

/// A save in progress, in the caller's memory: AF_STORAGE_UNIT and less than 300 bytes. All bytes 0: no save in
/// progress.
struct af_checkpoint {
    uint64_t run; // identifies the state that is saved: af_progress.run
    struct af_checkpoint_slot slot[2];
    uint32_t header_crc; // of page 0, once it is made
    uint32_t sum;        // over the CRCs of the data pages so far
    uint32_t cursor;     // bytes erased, or units programmed, so far
    uint8_t target;      // slot that is written
    uint8_t stage;
    uint8_t header[AF_CHECKPOINT_KEPT_BYTES]; // of page 0, as it was when the save began
    uint64_t unit[AF_STORAGE_UNIT / 8];       // the current page or program unit: aligned bytes
};

/// What a storage holds: the checkpoint that a load would give.
struct af_checkpoint_info {
    uint64_t sequence;
    uint32_t step;
    uint8_t slot;
    uint8_t note[AF_CHECKPOINT_NOTE_BYTES];
};

/// Begins a save of weights, moments, step, corrections and the stream of the training data, with `note`
/// [AF_CHECKPOINT_NOTE_BYTES] (NULL: zeros). Does not call the storage. Copies stream, step and note now; weights and
/// moments are read while the save goes on. Abandons a save that is in progress in `save`. Errors, with nothing
/// changed: AF_ERR_NULL; AF_ERR_ALIGN; AF_ERR_ORDER if a training step is open or a load broke off; AF_ERR_STORAGE_SIZE
/// if the storage's sizes break the rules of struct af_storage; the codes of af_float_check(); AF_ERR_RANGE if training
/// cannot have left this step, these corrections or this stream of the training data (state->data_stream); 2^32 - 1
/// steps are one too many. A stream that was never seeded, all bytes 0, is saved as that of seed 0, which it becomes
/// with the first draw. Cost: the corrections are computed again, two operations for each step until they no longer
/// change: 16,600 steps in float, 36,000 in double.
af_status af_checkpoint_begin(struct af_checkpoint *save, const struct af_storage *storage,
                              const struct af_model *model, const uint8_t *note);
// promise: impossible-state-unsaved

/// Does the next slice: reads one page, erases one sector, or programs one unit and reads it back. Returns AF_MORE
/// until the checkpoint is complete, then AF_OK. Between slices training may go on up to the update: af_train_begin(),
/// _load(), _slice(), _accumulate(), but not _end() and _update(). Storage and model SHALL be those of
/// af_checkpoint_begin(), and nothing else SHALL write weights and moments: not the program, not af_init_weights().
/// Errors end the save. The newest checkpoint is then the one before it or, if only the last page failed, the saved
/// one: AF_ERR_NULL; AF_ERR_ALIGN; AF_ERR_ORDER if no save is in progress, or if the model was updated, reset or loaded
/// since it began; AF_ERR_STORAGE if an erase, a program or a sync failed, or what was programmed does not read back;
/// AF_ERR_NOT_FINITE if a weight or a moment is infinite or NaN (or a moment is one that training cannot produce);
/// AF_ERR_CHECKPOINT_VERSION, AF_ERR_CHECKPOINT_CONFIG, AF_ERR_CHECKPOINT_CONTENT or AF_ERR_CHECKPOINT_TWINS if a slot
/// must not be overwritten; AF_ERR_RANGE if there is no higher number for a checkpoint; the codes of af_float_check().
/// Cost: 2 KiB of table look-ups and at most three calls of the storage, for a unit of several pages as often as it has
/// pages; for a slot's first page the corrections, as in begin; half a KiB of stack.
af_status af_checkpoint_slice(struct af_checkpoint *save, const struct af_storage *storage,
                              const struct af_model *model);
// promise: save-while-training, update-ends-save, storage-failures-named
// promise: foreign-slot-kept

/// A whole save: begin, then all slices. Errors as there. Stack: a struct af_checkpoint and that of a slice.
af_status af_checkpoint_save(const struct af_storage *storage, const struct af_model *model, const uint8_t *note);

/// Finds the newest whole checkpoint and describes it. Reads both slots completely, but stops reading a slot once it is
/// known to hold no whole checkpoint. Errors, with nothing written: AF_ERR_NULL; AF_ERR_STORAGE_SIZE; AF_ERR_STORAGE if
/// the storage does not answer (struct af_storage, reads_erased), or if the first page, read again for the note, was
/// different or unreadable and there is no other checkpoint; AF_ERR_NO_CHECKPOINT if neither slot holds a whole one,
/// but AF_ERR_CHECKPOINT_VERSION or AF_ERR_CHECKPOINT_CONFIG if then a slot begins with a header of another version or
/// configuration; AF_ERR_CHECKPOINT_CONTENT if all check sums of the newest are right but it holds what no save writes:
/// a number that training cannot produce, bias corrections of another step, something else than zeros where zeros
/// belong; AF_ERR_CHECKPOINT_TWINS if both slots hold different checkpoints with the same number; the codes of
/// af_float_check().
af_status af_checkpoint_find(struct af_checkpoint_info *info, const struct af_storage *storage);
// promise: newest-checkpoint-found, twins-refused

/// Loads the newest whole checkpoint into weights, moments and state, and describes it (`info` may be NULL). Checks all
/// of it before anything is written. Gradients and workspace stay; packed weights are made anew by af_train_begin(), as
/// after training. Errors, with nothing changed: those of af_checkpoint_find(); AF_ERR_ALIGN; AF_ERR_ORDER if a
/// training step is open, or seems to be because the arena was not initialised: see above. AF_ERR_CHECKPOINT_LOST: the
/// bytes read again to be copied were different or unreadable, and the other slot has no checkpoint or failed in the
/// same way. Weights and moments then belong to no run. The phase AF_TRAIN_LOST makes af_train_begin(), af_forward(),
/// af_decode_open() and af_checkpoint_begin() refuse them (AF_ERR_ORDER) until a load succeeds, or weights are new and
/// af_train_reset() was called; decoding in a memory of the program's own does not notice. Cost: both slots are read
/// once and the newest once more; the corrections of both as in af_checkpoint_begin(); 0.8 KiB of stack.
af_status af_checkpoint_load(const struct af_model *model, struct af_checkpoint_info *info,
                             const struct af_storage *storage);
// promise: checkpoint-checked-first, lost-load-refused

#ifdef __cplusplus
}
#endif
#endif
#endif
