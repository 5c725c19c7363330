/* Compressed sections: SHF_COMPRESSED with zlib or zstd, and the older .zdebug_* spelling. */
#ifndef THRACE_LIB_SYMBOLIZE_UNPACK_H
#define THRACE_LIB_SYMBOLIZE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/symbolize/section.h"

enum packing { PACKED_NOT, PACKED_SHF, PACKED_ZDEBUG };

enum packing packing_of(const struct section *);

/* malloc'ed contents of at most limit bytes, or NULL: corrupt, larger than that, or in a form that is not built in. */
uint8_t *unpack(const struct section *, enum packing, uint64_t limit, size_t *len);

/* The same for a whole xz file in memory, whose size is not known beforehand (.gnu_debugdata). */
uint8_t *unpack_xz(const uint8_t *data, size_t len, size_t limit, size_t *out_len);

#endif
