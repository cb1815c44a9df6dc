// SPDX-License-Identifier: MIT
/// The port: what the examples need from a machine. lib/ needs nothing of it.
///
/// Every board has one folder here that defines these functions; `make PORT=name` links it. template/ is the smallest
/// port that links, to copy and fill in. host/ serves Linux and other POSIX systems.
#ifndef AF_PORT_H
#define AF_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------------------------- clock

/// A monotonic clock, in ticks since an arbitrary start. Never goes back; wraps at 2^64, which no run reaches. A port
/// with a narrower counter extends it; the program then has to call this at least once per round of the counter. A
/// machine without a clock always returns 0: speeds are then shown as 0.
uint64_t af_port_ticks(void);

/// Ticks a second, at least 1, constant while the program runs.
uint32_t af_port_ticks_per_second(void);

// --------------------------------------------------------------------------------------------------------- workers

/// The best table of lib/af_kernels.h for this processor, or NULL for the plain loops. All give the same bits. A
/// program puts it into struct af_model.
struct af_kernels;
const struct af_kernels *af_port_kernels(void);

/// How many pieces af_port_run() runs at the same time: the number last set, at first as many as possible, and at most
/// AF_WORKERS and the number of processors.
size_t af_port_workers(void);
void af_port_set_workers(size_t n_workers);

/// Runs pieces 0 to n_pieces - 1 and returns when all are done: the `run` of struct af_runner (lib/af_arena.h).
/// `context` is not used. Each piece gets `work`, its number, and a worker number that no other running piece has.
/// Calls SHALL NOT overlap. The smallest port runs the pieces one after another.
void af_port_run(void *context, void (*piece)(void *work, size_t number, size_t worker), void *work, size_t n_pieces);

// -------------------------------------------------------------------------------------------------------- watchdog

/// Feeds the watchdog. Programs call it between two slices of their work and nowhere else, so a slice that does not end
/// resets the machine. Where there is no watchdog, it does nothing.
void af_port_feed_watchdog(void);

// ------------------------------------------------------------------------------------------------------- protection

/// Makes n_bytes read-only until the next reset, say trained weights or those that a loader has put into memory; also
/// the bytes behind them in the same unit of the machine's protection. True if a write there is now refused, which the
/// port tries. False, with nothing changed, if the machine has no protection or `address` is not aligned to its unit.
/// On ARMv7-M the alignment is the next power of two of n_bytes, and an eighth of it the unit at the end.
bool af_port_protect(const void *address, size_t n_bytes);

// ------------------------------------------------------------------------------------------------------------ seed

/// A seed for runs that ask for a new one: from a hardware generator, or fixed where there is none (the port's README
/// says which). Programs print the seed, so that every run can be repeated.
uint64_t af_port_seed(void);

// --------------------------------------------------------------------------------------------------------- console

/// Writes n characters to the console and returns when they are handed over. A machine without a console drops them.
void af_port_write(const char *text, size_t n);

// --------------------------------------------------------------------------------------------------------- storage

/// The storage for checkpoints: flash, or a file that behaves like it. All sizes are in bytes.
struct af_port_storage {
    uint32_t n_bytes;       // whole size; 0: there is no storage, and the functions below are never called
    uint32_t erase_bytes;   // an erase covers this many, aligned; a divisor of n_bytes
    uint32_t program_bytes; // a program covers a multiple of this, aligned; a divisor of erase_bytes
    bool reads_erased;      // whether erased bytes can be read
};
struct af_port_storage af_port_storage(void);

/// Chooses the storage by name, before any other call of it: on a host a file, created in the erased state if it does
/// not exist or is empty. False if it cannot be opened, is not a storage, or is used by another process; `reason` then
/// gets a few words. A machine whose storage has no name returns true if it has a storage.
bool af_port_storage_open(const char *name, const char **reason);

/// Reads, programs, erases. `offset` and `n_bytes` stay inside the storage and are aligned as above; reads need no
/// alignment. Callers program a byte at most once after an erase. lib/ passes `data` aligned like a uint64_t.
///
/// Answers are those of struct af_storage (lib/af_checkpoint.h), in short:
///  - erased bytes read as anything (flash 0xFF, EEPROM and some flash 0) or, with reads_erased false, cannot be read;
///  - a read returns false if these bytes cannot be read, also if it came short or error correction gave up; other
///    bytes may still be readable. If a second try may succeed, the port makes it;
///  - program and erase return false if they failed; the content that they were to write is then unspecified.
bool af_port_read(uint32_t offset, void *data, uint32_t n_bytes);
bool af_port_program(uint32_t offset, const void *data, uint32_t n_bytes);
bool af_port_erase(uint32_t offset, uint32_t n_bytes);

/// Returns when all that was programmed and erased so far survives a power cut. Flash: at once. False: it may not.
bool af_port_sync(void);

#ifdef __cplusplus
}
#endif
#endif
