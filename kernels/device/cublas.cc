#include "kernels/device/cublas.h"

#include <dlfcn.h>

#include <climits>
#include <initializer_list>

#include "kernels/device/library.h"

namespace msjit {
namespace {

// From cublas_api.h and library_types.h, which are not needed to build.
constexpr int kNormal = 0, kTransposed = 1, kDefaultAlgorithm = -1;
constexpr int kCompute32 = 68, kCompute64 = 70;

int type_code(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return 0;
    case DType::kFloat64: return 1;
    case DType::kFloat16: return 2;
    case DType::kBFloat16: return 14;
    default: return -1;
  }
}

bool fits_int(std::initializer_list<int64_t> numbers) {
  for (int64_t n : numbers)
    if (n > INT_MAX) return false;
  return true;
}

}  // namespace

Status Cublas::open() {
  if (tried_) return {};
  tried_ = true;
  // cuBLAS needs libcublasLt of its own release. Opening it here finds it when only Python packages
  // have it.
  const char* const needed[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};
  const char* const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
  open_library(needed);
  void* const library = open_library(names);
  if (!library) return {};
  const auto create = reinterpret_cast<int (*)(void**)>(dlsym(library, "cublasCreate_v2"));
  set_stream_ = reinterpret_cast<decltype(set_stream_)>(dlsym(library, "cublasSetStream_v2"));
  const auto gemm = reinterpret_cast<decltype(gemm_)>(dlsym(library, "cublasGemmStridedBatchedEx"));
  if (!create || !set_stream_ || !gemm) return {};
  if (const int code = create(&handle_))
    return runtime_error("[cublas] handle, got status {}, expected 0", code);
  gemm_ = gemm;
  return {};
}

// cuBLAS expects columns where we have rows, so it computes the transposed product with operands
// exchanged.
Status Cublas::run(const DeviceProduct& p, DeviceStream stream) {
  std::lock_guard lock(mutex_);
  MSJIT_OK(open());
  const int type = type_code(p.dtype);
  if (!gemm_ || type < 0 || !fits_int({p.m, p.n, p.k, p.lda, p.ldb, p.batch}))
    return not_implemented_error("[cublas] matrix product, got {} of {}, expected libcublas",
                                 p.batch, dtype_name(p.dtype));
  if (const int code = set_stream_(handle_, stream.handle))
    return runtime_error("[cublas] stream, got status {}, expected 0", code);
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool wide = p.dtype == DType::kFloat64;
  const void* alpha = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* beta = p.accumulates ? alpha : wide ? static_cast<const void*>(&wide_zero) : &zero;
  const int code =
      gemm_(handle_, p.transpose_b ? kTransposed : kNormal, p.transpose_a ? kTransposed : kNormal,
            static_cast<int>(p.n), static_cast<int>(p.m), static_cast<int>(p.k), alpha, p.b, type,
            static_cast<int>(p.ldb), p.stride_b, p.a, type, static_cast<int>(p.lda), p.stride_a,
            beta, p.c, type, static_cast<int>(p.n), p.m * p.n, static_cast<int>(p.batch),
            wide ? kCompute64 : kCompute32, kDefaultAlgorithm);
  if (code) return runtime_error("[cublas] matrix product, got status {}, expected 0", code);
  return {};
}

}  // namespace msjit
