# SPDX-License-Identifier: MIT
# Register tiles (lib/af_tile.c): their compiler options, and on the host a table for each level of x86-64.

# These options let the compiler vectorise the loops over exp and erf. They change no bit.
TILE := -O3 -fno-trapping-math
# Otherwise clang gathers the rows of layer norm, whose sums run side by side, into vectors: three times as slow.
ifneq ($(findstring clang,$(shell $(CC) --version)),)
TILE += -fno-slp-vectorize
endif

$(OUT)/lib/af_tile.o: LIBFLAGS += $(TILE)

$(OUT)/lib/af_tile_%.o: lib/af_tile.c $(HEADERS) $(OUT)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(LIBFLAGS) $(TILE) -march=x86-64-$* -mprefer-vector-width=512 -DAF_TILE_TABLE=af_kernels_tile_$* -DAF_TILE_NAME='"tile $*"' -c $< -o $@
