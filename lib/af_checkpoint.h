// SPDX-License-Identifier: MIT
/// Checkpoints: the state of training in flash or in a file, so that a power cut at any moment costs no bit.
///
/// The storage has two slots. A save erases one, writes it, and only then is the other one given up; each checkpoint
/// has a number one higher than the last. Promised, if the storage keeps what `program` and `sync` have confirmed:
///  - From the first save that has returned AF_OK on, a load gives that state or one that was saved later: whole, with
///    every bit, whatever power cuts came in between, during later saves and loads too.
///  - After a cut in a save, a load gives the state before that save or the saved state. Never a mixture.
///  - Any 1, 2 or 3 wrong bits in a page are noticed, other damage but for one case in 2^32.
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
///     0             4        "AFCP"                   32   number of the checkpoint, 64 bits: 1, 2, 3, ...
///                   8        version of the format    40   1 - beta1^step, a real in 8 bytes
///                   12       configuration digest     48   1 - beta2^step, a real in 8 bytes
///                   16       number of parameters     56   stream of the training data: state, high word first,
///                   20       bytes of a real               increment, likewise, half word, whether it is pending
///                   24       1: with stream, 0: none  96   note of the program, 64 bytes
///                   28       step                     160  0
///     1 to 3 n      4        reals: n pages of weights, n of first moments, n of second moments; what is left of each
///                            last page is 0
///     3 n + 1       4        number of the checkpoint, 64 bits; CRC-32C over the CRCs of pages 1 to 3 n; 0
///     3 n + 2                the same again
///
/// The last two pages are the commit. All others are confirmed before the first of them is programmed, and that one
/// before the second. A cut while a page is programmed can leave bits that read 0 at one time and 1 at another; so one
/// commit page is enough for a checkpoint to be loaded, but only the second one proves that the first is steady, and
/// only then is the other slot ever erased, if that holds a whole checkpoint. A save that finds the newest of two
/// without its second commit page replaces that one.
///
/// What a save does: read both slots, erase all sectors of one, program its pages in order, reading each back. Sectors
/// are always erased in the same save, whatever they seem to hold: an interrupted erase may look complete. Bytes behind
/// the last page are not looked at. A slot whose header is of another version or configuration is never overwritten:
/// a program that gives it up erases it.
///
/// At start-up, whatever the arena holds:
///
///     af_train_reset(&model);                                 no step is open
///     status = af_checkpoint_load(&model, &info, &storage);
///     if (status == AF_ERR_NO_CHECKPOINT)                     the first start, or a cut in the very first save
///         ... draw weights, seed the stream; any other status but AF_OK wants a decision of the program
#ifndef AF_CHECKPOINT_H
#define AF_CHECKPOINT_H

#include "af_train.h"

#if AF_TRAINING

#ifdef __cplusplus
extern "C" {
#endif

/// Where checkpoints are kept, as the port has it. Slot 0 begins at offset 0, slot 1 at slot_bytes. All calls stay
/// inside these two and hand `context` on. A call that returns false has failed, and what it was to write is
/// unspecified.
struct af_storage {
    /// Reads n_bytes, 256, from a multiple of 256. Of an interrupted program or erase any bytes may come.
    bool (*read)(void *context, uint32_t offset, void *data, uint32_t n_bytes);
    /// Programs n_bytes, 256, at a multiple of 256, each once after an erase.
    bool (*program)(void *context, uint32_t offset, const void *data, uint32_t n_bytes);
    /// Erases erase_bytes at a multiple of them.
    bool (*erase)(void *context, uint32_t offset, uint32_t n_bytes);
    /// Returns when everything programmed and erased so far survives a power cut. NULL if program and erase themselves
    /// return only then, as for flash.
    bool (*sync)(void *context);
    void *context;
    uint32_t slot_bytes;    // at least AF_CHECKPOINT_BYTES, a multiple of erase_bytes, at most 2^31 - 1
    uint32_t erase_bytes;   // a multiple of program_bytes
    uint32_t program_bytes; // 1, 2, 4, ... 256
};

#define AF_CHECKPOINT_PAGE_BYTES 256
/// Bytes of the program that a checkpoint carries: its position in a data set, its settings.
#define AF_CHECKPOINT_NOTE_BYTES 64

/// Size of a checkpoint, for `#if` and for the partition table of a board. A save erases AF_CHECKPOINT_BYTES, rounded
/// up to whole sectors, and programs AF_CHECKPOINT_PAGES pages.
#define AF_CHECKPOINT_PAGE_REALS  ((AF_CHECKPOINT_PAGE_BYTES - 8) / AF_REAL_BYTES)
#define AF_CHECKPOINT_PLANE_PAGES ((AF_N_PARAMS + AF_CHECKPOINT_PAGE_REALS - 1) / AF_CHECKPOINT_PAGE_REALS)
#define AF_CHECKPOINT_PAGES       (3 * AF_CHECKPOINT_PLANE_PAGES + 3)
#define AF_CHECKPOINT_BYTES       (AF_CHECKPOINT_PAGES * AF_CHECKPOINT_PAGE_BYTES)

/// What one slot holds, as far as it has been read. For the functions below.
struct af_checkpoint_slot {
    uint64_t sequence;   // number of its checkpoint
    uint32_t header_crc; // that of page 0
    uint32_t sum;        // over the CRCs of its data pages: what the commit says
    uint32_t sum_so_far; // and what has been found
    uint32_t step;
    uint32_t n_read;  // pages looked at
    af_status status; // AF_OK, AF_ERR_CHECKPOINT_CONTENT: a whole checkpoint; any other: none, and why
    bool is_possible; // no number so far that training cannot produce
    bool is_committed;
    bool is_sealed; // the second commit page is there
};

/// A save under way: less than 400 bytes of the caller's. Cleared to 0 it is one that is over.
struct af_checkpoint {
    uint8_t header[AF_CHECKPOINT_PAGE_BYTES]; // page 0, as it was when the save began
    struct af_checkpoint_slot slot[2];
    uint32_t sum;    // over the CRCs of the data pages so far
    uint32_t cursor; // bytes erased, or pages programmed, so far
    uint16_t run;    // whose state is saved: af_progress.run
    uint8_t target;  // slot that is written
    uint8_t stage;
};

/// What a storage holds: the checkpoint that a load would give.
struct af_checkpoint_info {
    uint64_t sequence;
    uint32_t step;
    uint8_t slot;
    uint8_t note[AF_CHECKPOINT_NOTE_BYTES];
};

/// Begins a save of weights, moments, step, corrections and the stream of the training data, with `note`
/// [AF_CHECKPOINT_NOTE_BYTES] (NULL: zeros). Calls nothing of the storage. Stream, step and note are taken now; weights
/// and moments while the save goes on. A save that was under way in `save` is given up.
/// Errors, with nothing changed: AF_ERR_NULL; AF_ERR_ALIGN; AF_ERR_ORDER if a training step is open or a load broke
/// off; AF_ERR_STORAGE_SIZE if the storage's sizes are not as struct af_storage says; AF_ERR_RANGE if step, corrections
/// or stream are none that training can leave: the stream has to be seeded (af_numpy_seed()) also where a program never
/// draws from it, or AF_STREAMS be 0.
af_status af_checkpoint_begin(struct af_checkpoint *save, const struct af_storage *storage,
                              const struct af_model *model, const uint8_t *note);
// promise: impossible-state-unsaved

/// Does the next slice: reads one page, erases one sector, or programs one page and reads it back. Returns AF_MORE
/// until the checkpoint is complete, then AF_OK. Between slices training may go on up to the update: af_train_begin(),
/// _load(), _slice(), _accumulate(), but not _end() and _update(). Storage and model SHALL be those of
/// af_checkpoint_begin(), and nothing else SHALL write weights and moments: not the program, not af_init_weights().
/// Errors end the save and leave the newest checkpoint that was there:
/// AF_ERR_NULL; AF_ERR_ALIGN; AF_ERR_ORDER if no save is under way, or if since it began the model has made an update,
/// was reset or was loaded; AF_ERR_STORAGE if a call failed or reads back something else than was programmed;
/// AF_ERR_NOT_FINITE if a weight or a moment is infinite or NaN (or a moment is one that training cannot produce);
/// AF_ERR_CHECKPOINT_VERSION, AF_ERR_CHECKPOINT_CONFIG, AF_ERR_CHECKPOINT_CONTENT or AF_ERR_CHECKPOINT_TWINS if what is
/// there must not be overwritten; AF_ERR_RANGE if there is no higher number for a checkpoint.
/// Cost: 2 KiB of table look-ups and at most three calls of the storage; three quarters of a KiB of stack.
af_status af_checkpoint_slice(struct af_checkpoint *save, const struct af_storage *storage,
                              const struct af_model *model);
// promise: save-while-training, update-ends-save, storage-failures-named
// promise: foreign-slot-kept

/// A whole save: begin, and slices to the end. Errors as there.
af_status af_checkpoint_save(const struct af_storage *storage, const struct af_model *model, const uint8_t *note);

/// Finds the newest whole checkpoint and says which it is. All of both slots is read.
/// Errors, with nothing written: AF_ERR_NULL; AF_ERR_STORAGE_SIZE; AF_ERR_STORAGE; AF_ERR_NO_CHECKPOINT if neither slot
/// holds a whole one; where that is so and a slot begins with a header of another version or configuration,
/// AF_ERR_CHECKPOINT_VERSION or AF_ERR_CHECKPOINT_CONFIG; AF_ERR_CHECKPOINT_CONTENT if all check sums of the newest are
/// right but it holds a number that training cannot produce; AF_ERR_CHECKPOINT_TWINS if both slots have one of the
/// same number, but not the same one.
af_status af_checkpoint_find(struct af_checkpoint_info *info, const struct af_storage *storage);
// promise: newest-checkpoint-found, twins-refused

/// Loads the newest whole checkpoint into weights, moments and state, and says which it was (`info` may be NULL). All
/// of it is checked before anything is written. Gradients and workspace stay; packed weights are made anew by
/// af_train_begin(), as after training.
/// Errors, with nothing changed: those of af_checkpoint_find(); AF_ERR_ALIGN; AF_ERR_ORDER if a training step is open,
/// or seems to be in an arena that nothing was written to yet: see above.
/// AF_ERR_CHECKPOINT_LOST: the storage gave other bytes, or none, when it was read again to be copied. Weights and
/// moments are then no state of any run. The phase AF_TRAIN_LOST makes af_train_begin(), af_forward(), af_decode_open()
/// and af_checkpoint_begin() refuse them (AF_ERR_ORDER) until a load succeeds or weights are new and af_train_reset()
/// was called; decoding in a memory of the program's own does not know of it.
/// Cost: both slots are read once and the newest once more; a KiB of stack.
af_status af_checkpoint_load(const struct af_model *model, struct af_checkpoint_info *info,
                             const struct af_storage *storage);
// promise: checkpoint-checked-first, lost-load-refused

#ifdef __cplusplus
}
#endif
#endif
#endif
