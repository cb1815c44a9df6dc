// SPDX-License-Identifier: MIT
/// The port's storage as lib/af_checkpoint.h wants it: two slots, each half of it.
#ifndef PORT_STORAGE_H
#define PORT_STORAGE_H

#include "af_checkpoint.h"

/// Slots, sizes and calls of the port. Of a machine without storage the slots have 0 bytes, which af_checkpoint_find()
/// and the other functions refuse.
struct af_storage port_storage(void);

#endif
