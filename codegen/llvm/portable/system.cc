// What LLVM's static libraries ask of a system and an older one, or one without these packages, has
// not. Linked into wheels alone (MSJIT_STATIC_LLVM).
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#define HIDDEN __attribute__((visibility("hidden")))

extern "C" {

// glibc has it from 2.36 on. LLVM takes names of temporary files from it.
HIDDEN uint32_t arc4random() noexcept {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

// LLVM can compress debug sections of the objects it writes. msjit's objects have none and nothing
// asks for it, so zlib and zstd need not be there; a call would be a bug of msjit.
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
