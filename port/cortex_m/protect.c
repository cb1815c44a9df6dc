// SPDX-License-Identifier: MIT
// The memory protection unit: the guard below the stack, and one region that is read-only.
#include "af_port.h"
#include "cortex_m.h"

#define MPU_TYPE REGISTER(0xE000ED90U) // number of regions in bits 8 to 15
#define MPU_CTRL REGISTER(0xE000ED94U)
#define MPU_RNR  REGISTER(0xE000ED98U) // which region the next two are of
#define MPU_RBAR REGISTER(0xE000ED9CU)
#define MPU_RASR REGISTER(0xE000EDA0U) // ARMv7-M: attributes and size
#define MPU_RLAR REGISTER(0xE000EDA0U) // ARMv8-M: last address
#define MPU_MAIR REGISTER(0xE000EDC0U) // ARMv8-M: kinds of memory

enum { CTRL_ENABLE = 1, CTRL_DEFAULT_MAP_FOR_THE_REST = 4 };

// Defined by linker/sections.ld.
extern uint32_t stack_guard[], stack_limit[];

#define UNUSED __attribute__((unused)) // the function reads its registers

void protect_store(volatile uint32_t *at, uint32_t value);
void protect_on_fault(uint32_t *frame);

/// Nothing but a store of 2 bytes and the return, so that a fault can tell that it was this store and go on behind it.
__attribute__((naked, noinline)) void protect_store(UNUSED volatile uint32_t *const at, UNUSED const uint32_t value) {
    __asm volatile("str r1, [r0]\n"
                   "bx lr\n");
}

static volatile bool is_refused;

/// A memory management fault: expected if it comes from protect_store(), else as any other fault. Where the stack has
/// overflowed there is no frame to look at.
__attribute__((naked)) void protect_fault(void) {
    __asm volatile("mov r0, sp\n"
                   "ldr r1, =stack_limit\n"
                   "cmp r0, r1\n"
                   "bls.w start_fault\n"
                   "b.w protect_on_fault\n");
}

__attribute__((used)) void protect_on_fault(uint32_t *const frame) {
    enum { FRAME_PC = 6, STORE_BYTES = 2 };
    if (frame[FRAME_PC] != ((uintptr_t)protect_store & ~(uintptr_t)1)) {
        start_fault();
    }
    frame[FRAME_PC] += STORE_BYTES;
    SCB_CFSR = SCB_CFSR; // a bit is cleared by writing it
    is_refused = true;
}

static uint32_t n_regions(void) {
    return MPU_TYPE >> 8 & 0xFFU;
}

static void switch_on(void) {
    SCB_SHCSR |= SHCSR_MEMORY_FAULT;
    MPU_CTRL = CTRL_ENABLE | CTRL_DEFAULT_MAP_FOR_THE_REST;
    __asm volatile("dsb\n isb" : : : "memory");
}

void protect_nothing(void) {
    MPU_CTRL = 0;
    __asm volatile("dsb\n isb" : : : "memory");
}

#if __ARM_ARCH >= 8
enum { UNIT_BYTES = 32, READ_ONLY = 3 << 1, NEVER_EXECUTE = 1, NORMAL_MEMORY = 0xFF, REGION_ENABLE = 1 };

/// ARMv8-M: units of 32 bytes.
static bool set_region(const uintptr_t address, const size_t n_bytes) {
    if (address % UNIT_BYTES != 0 || n_bytes == 0) {
        return false;
    }
    MPU_MAIR = NORMAL_MEMORY;
    MPU_RNR = 0;
    MPU_RBAR = address | READ_ONLY | NEVER_EXECUTE;
    MPU_RLAR = ((address + n_bytes - 1) & ~(uintptr_t)(UNIT_BYTES - 1)) | REGION_ENABLE;
    return true;
}

/// The core looks at the limit of the stack by itself.
void protect_stack(void) {
    __asm volatile("msr msplim, %0" : : "r"(stack_limit));
}
#else
#define READ_ONLY (6U << 24)
#define NORMAL    (1U << 17) // cacheable, written through
#define NO_CODE   (1U << 28)
enum { N_PARTS = 8, LEAST_BITS = 8, REGION_ENABLE = 1 };

/// ARMv7-M: a power of two at its own alignment, in eight parts; those behind the end stay as they were.
static bool set_region(const uintptr_t address, const size_t n_bytes) {
    uint32_t bits = LEAST_BITS;
    while (bits < 31 && UINT32_C(1) << bits < n_bytes) {
        bits++;
    }
    const uint32_t size = UINT32_C(1) << bits;
    if (address % size != 0 || n_bytes > size) {
        return false;
    }
    const uint32_t part = size / N_PARTS;
    const uint32_t n_used = (uint32_t)((n_bytes + part - 1) / part);
    const uint32_t unused = 0xFFU << n_used & 0xFFU;
    MPU_RNR = 0;
    MPU_RBAR = address;
    MPU_RASR = NO_CODE | READ_ONLY | NORMAL | unused << 8 | (bits - 1) << 1 | REGION_ENABLE;
    return true;
}

/// 256 bytes below the stack that nothing may touch. A core without a protection unit goes without.
void protect_stack(void) {
    enum { GUARD_BITS = 8 };
    if (n_regions() > 1) {
        MPU_RNR = 1;
        MPU_RBAR = (uintptr_t)stack_guard;
        MPU_RASR = NO_CODE | (GUARD_BITS - 1) << 1 | REGION_ENABLE;
        switch_on();
    }
}
#endif

bool af_port_protect(const void *const address, const size_t n_bytes) {
    const uintptr_t at = (uintptr_t)address;
    if (n_regions() == 0 || !set_region(at, n_bytes)) {
        return false;
    }
    switch_on();
    is_refused = false;
    protect_store(&REGISTER(at), REGISTER(at));
    return is_refused;
}
