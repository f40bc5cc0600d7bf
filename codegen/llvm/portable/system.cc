// Functions that LLVM's static libraries need and that may be missing: on older systems, or where
// zlib and zstd are not installed. Linked into wheels only (MSJIT_STATIC_LLVM).
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#define HIDDEN __attribute__((visibility("hidden")))

extern "C" {

// In glibc from 2.36 on. LLVM uses it for names of temporary files.
HIDDEN uint32_t arc4random() noexcept {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

// LLVM can compress debug sections of the objects it writes. msjit's objects have no debug sections
// and never ask for it, so zlib and zstd are not needed. A call would be a bug of msjit.
#define NEVER_CALLED(name) \
  HIDDEN void name() { abort(); }
NEVER_CALLED(ZSTD_CCtx_setParameter)
NEVER_CALLED(ZSTD_compress2)
NEVER_CALLED(ZSTD_compressBound)
NEVER_CALLED(ZSTD_createCCtx)
NEVER_CALLED(ZSTD_freeCCtx)
NEVER_CALLED(ZSTD_isError)
NEVER_CALLED(compress2)
NEVER_CALLED(compressBound)
NEVER_CALLED(crc32)
NEVER_CALLED(uncompress)
}
