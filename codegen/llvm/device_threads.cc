#include "codegen/llvm/device_threads.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "codegen/emulation.h"
#include "codegen/llvm/device_emit.h"

namespace msjit::llvm_backend {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

void DeviceThreads::enter(const std::string& kernel_name) {
  const auto special = [&](intrinsic::ID id) {
    return b_.CreateZExt(b_.CreateIntrinsic(id, {}, {}), b_.getInt64Ty());
  };
  thread_ = special(intrinsic::nvvm_read_ptx_sreg_tid_x);
  block_ = special(intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  num_blocks_ = special(intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  const bool columns = shape_.kind == DeviceShape::kColumns;
  const uint64_t across = columns ? kWarpThreads : static_cast<uint64_t>(shape_.folders);
  Value* low = b_.CreateAnd(thread_, across - 1);
  Value* high = b_.CreateUDiv(thread_, b_.getInt64(across));
  folder_ = columns ? high : low;
  value_ = columns ? low : high;
  if (shape_.folders <= kWarpThreads && !columns) return;
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  auto* type = llvm::ArrayType::get(b_.getInt64Ty(), kEmulatedSharedBytes / sizeof(int64_t));
  shared_ = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                     llvm::UndefValue::get(type), kernel_name + "_shared", nullptr,
                                     llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  shared_->setAlignment(llvm::Align(8));
}

Value* DeviceThreads::combine(ReduceKind kind, DType dtype, Value* own) {
  if (shape_.kind == DeviceShape::kPoints || shape_.folders == 1) return own;
  if (shape_.kind == DeviceShape::kColumns) return fold_shared(kind, dtype, own);
  Value* warp = fold_warp(kind, dtype, own);
  return shape_.folders > kWarpThreads ? fold_shared(kind, dtype, warp) : warp;
}

// Exchanges between lanes that are 16, 8, ... apart. In the end all lanes take the first lane's
// result: among several NaNs they may have chosen different ones.
Value* DeviceThreads::fold_warp(ReduceKind kind, DType dtype, Value* own) {
  Value* acc = own;
  for (int mask = kWarpThreads / 2; mask >= 1; mask /= 2)
    acc = scalar_.fold(kind, dtype, acc, shuffle(intrinsic::nvvm_shfl_sync_bfly_i32, acc, mask));
  return shuffle(intrinsic::nvvm_shfl_sync_idx_i32, acc, 0);
}

// Values are exchanged in pieces of 32 bits.
Value* DeviceThreads::shuffle(intrinsic::ID id, Value* value, int32_t lane) {
  const auto exchange = [&](Value* piece) -> Value* {
    return b_.CreateIntrinsic(id, {},
                              {b_.getInt32(~0u), piece, b_.getInt32(static_cast<uint32_t>(lane)),
                               b_.getInt32(kWarpThreads - 1)});
  };
  llvm::Type* type = value->getType();
  llvm::Type* bits = b_.getIntNTy(type->getPrimitiveSizeInBits());
  Value* raw = b_.CreateBitCast(value, bits);
  if (bits->getIntegerBitWidth() <= 32) {
    Value* got = exchange(b_.CreateZExt(raw, b_.getInt32Ty()));
    return b_.CreateBitCast(b_.CreateTrunc(got, bits), type);
  }
  Value* low = exchange(b_.CreateTrunc(raw, b_.getInt32Ty()));
  Value* high = exchange(b_.CreateTrunc(b_.CreateLShr(raw, 32), b_.getInt32Ty()));
  Value* both = b_.CreateOr(b_.CreateShl(b_.CreateZExt(high, bits), 32), b_.CreateZExt(low, bits));
  return b_.CreateBitCast(both, type);
}

Value* DeviceThreads::slot(Value* index) {
  return b_.CreateInBoundsGEP(b_.getInt64Ty(), shared_, index);
}

void DeviceThreads::barrier() { b_.CreateIntrinsic(intrinsic::nvvm_barrier0, {}, {}); }

// Through shared memory. For a row, each warp writes its value; for columns, each warp writes one
// value per column. The second barrier keeps the memory unchanged until all threads have read it.
Value* DeviceThreads::fold_shared(ReduceKind kind, DType dtype, Value* own) {
  const bool columns = shape_.kind == DeviceShape::kColumns;
  llvm::Type* type = own->getType();
  llvm::Type* stored = type->isIntegerTy(1) ? b_.getInt8Ty() : type;
  Value* mine = columns ? thread_ : b_.CreateUDiv(thread_, b_.getInt64(kWarpThreads));
  // All lanes of a warp write the same value of a row.
  b_.CreateStore(stored == type ? own : b_.CreateZExt(own, stored), slot(mine));
  barrier();
  Value* acc = nullptr;
  for (int i = 0; i < kBlockThreads / kWarpThreads; ++i) {
    const auto at = static_cast<uint64_t>(columns ? i * kWarpThreads : i);
    Value* index = columns ? b_.CreateAdd(value_, b_.getInt64(at)) : b_.getInt64(at);
    Value* read = b_.CreateLoad(stored, slot(index));
    if (stored != type) read = b_.CreateTrunc(read, type);
    acc = acc ? scalar_.fold(kind, dtype, acc, read) : read;
  }
  barrier();
  return acc;
}

}  // namespace msjit::llvm_backend
