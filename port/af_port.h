// SPDX-License-Identifier: MIT
/// The port: what the examples need from a machine. lib/ needs none of it.
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
/// on a narrower counter extends it, and then has to be read at least once while that counter goes round. A machine
/// without a clock returns 0 always: speeds are then shown as 0.
uint64_t af_port_ticks(void);

/// Ticks a second, at least 1, constant while the program runs.
uint32_t af_port_ticks_per_second(void);

// --------------------------------------------------------------------------------------------------------- workers

/// How the library's operations are carried out best on this processor: a table of lib/af_kernels.h, or NULL for the
/// plain loops. The results are the same bits. A program puts it into struct af_model.
struct af_kernels;
const struct af_kernels *af_port_kernels(void);

/// Pieces that af_port_run() runs at the same time: the number last set, at most what the machine has and AF_WORKERS
/// allows; at first all of these. A machine with one processor has 1.
size_t af_port_workers(void);
void af_port_set_workers(size_t n_workers);

/// Runs pieces 0 to n_pieces - 1 and returns when all are done: a `run` of lib/af_arena.h's struct af_runner. `context`
/// is not used. Each piece gets `work`, its number, and a worker number that no other running piece has. One call at a
/// time. The smallest port calls them one after another.
void af_port_run(void *context, void (*piece)(void *work, size_t number, size_t worker), void *work, size_t n_pieces);

// -------------------------------------------------------------------------------------------------------- watchdog

/// Feeds the watchdog. Programs call it between two slices of their work and nowhere else, so a slice that does not end
/// resets the machine. Where there is no watchdog, it does nothing.
void af_port_feed_watchdog(void);

// ------------------------------------------------------------------------------------------------------- protection

/// Makes n bytes read-only until the next reset, and what lies behind them in the same unit of the machine's
/// protection: weights that training has made, say, or that a loader has put into memory. True if a write there is now
/// refused: the port tries it. False, with nothing changed, where the machine has no means or `address` is not aligned
/// to its unit; on ARMv7-M that is the next power of two of n_bytes, and an eighth of it behind the end.
bool af_port_protect(const void *address, size_t n_bytes);

// ------------------------------------------------------------------------------------------------------------ seed

/// A seed for runs that ask for a new one: from a hardware generator, or fixed where there is none (the port's README
/// says which). Programs print the seed, so that every run can be repeated.
uint64_t af_port_seed(void);

// --------------------------------------------------------------------------------------------------------- console

/// Writes n characters to the console and returns when they are handed over. A machine without a console drops them.
void af_port_write(const char *text, size_t n);

// --------------------------------------------------------------------------------------------------------- storage

/// Facts of the storage for checkpoints: flash, or a file that behaves like it. All sizes are in bytes.
struct af_port_storage {
    uint32_t n_bytes;       // whole size; 0: this machine has none, and the calls below are never made
    uint32_t erase_bytes;   // an erase covers this many, aligned; a divisor of n_bytes
    uint32_t program_bytes; // a program covers a multiple of this, aligned; a divisor of erase_bytes
    bool reads_erased;      // whether erased bytes can be read
};
struct af_port_storage af_port_storage(void);

/// Chooses the storage by name, before any other call of it: a file on a host, made anew, erased, if it is not there or
/// empty. False if it cannot be opened, or is something else than a storage, or another process has it; `reason` then
/// gets a few words. A machine whose storage has no name returns whether it has one.
bool af_port_storage_open(const char *name, const char **reason);

/// Reads, programs, erases. `offset` and `n_bytes` stay inside the storage and are aligned as above; reads need no
/// alignment. A byte is programmed once after an erase, and no caller asks for more. lib/ hands over `data` aligned like
/// a uint64_t.
///
/// What may be answered is what struct af_storage (lib/af_checkpoint.h) says, in short: erased bytes read as they like
/// (flash has 0xFF, EEPROM and some flash 0) or, with reads_erased false, cannot be read; false from a read, also from one
/// that came short or whose error correction gave up, says that these bytes cannot be read, and the others may well be;
/// what may succeed at a second try, the port tries again; false from the others says that they failed, and what was to
/// be written is unspecified.
bool af_port_read(uint32_t offset, void *data, uint32_t n_bytes);
bool af_port_program(uint32_t offset, const void *data, uint32_t n_bytes);
bool af_port_erase(uint32_t offset, uint32_t n_bytes);

/// Returns when all that was programmed and erased so far survives a power cut. Flash: at once. False: it may not.
bool af_port_sync(void);

#ifdef __cplusplus
}
#endif
#endif
