#include "codegen/llvm/emulate.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/ReplaceConstant.h>

#include <cstddef>
#include <vector>

#include "codegen/emulation.h"
#include "codegen/llvm/device_emit.h"

namespace msjit::llvm_backend {
namespace {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

class Emulation {
 public:
  Emulation(llvm::Function& kernel, const char* name)
      : kernel_(kernel), module_(*kernel.getParent()), b_(kernel.getContext()) {
    llvm::Type* pointer = b_.getPtrTy();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer}, false);
    host_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
    host_->addFnAttr(llvm::Attribute::NoUnwind);
  }

  void run() {
    host_->splice(host_->end(), &kernel_);
    b_.SetInsertPoint(&host_->getEntryBlock(), host_->getEntryBlock().begin());
    load_parameters();
    replace_shared();
    std::vector<llvm::IntrinsicInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(*host_))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) calls.push_back(call);
    for (llvm::IntrinsicInst* call : calls) replace(*call);
    kernel_.eraseFromParent();
  }

 private:
  Value* thread() { return host_->getArg(1); }
  Value* field(llvm::Type* type, size_t offset) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), thread(), offset));
  }

  void load_parameters() {
    for (llvm::Argument& argument : kernel_.args()) {
      Value* slot =
          b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), host_->getArg(0), argument.getArgNo());
      argument.replaceAllUsesWith(
          b_.CreateLoad(argument.getType(), b_.CreateLoad(b_.getPtrTy(), slot)));
    }
  }

  void replace_shared() {
    for (llvm::GlobalVariable& global : llvm::make_early_inc_range(module_.globals())) {
      if (global.getAddressSpace() != kSharedSpace) continue;
      llvm::convertUsersOfConstantsToInstructions({&global});
      Value* memory = field(b_.getPtrTy(), offsetof(EmulatedThread, shared));
      global.replaceAllUsesWith(b_.CreateAddrSpaceCast(memory, global.getType()));
      global.eraseFromParent();
    }
  }

  // Calls a function of the EmulatedThread, which is passed as the first argument.
  Value* call(llvm::Type* result, size_t offset, std::vector<Value*> arguments) {
    std::vector<llvm::Type*> types = {b_.getPtrTy()};
    for (Value* argument : arguments) types.push_back(argument->getType());
    arguments.insert(arguments.begin(), thread());
    Value* function = field(b_.getPtrTy(), offset);
    return b_.CreateCall(llvm::FunctionType::get(result, types, false), function, arguments);
  }

  Value* replacement(llvm::IntrinsicInst& of) {
    llvm::Type* number = b_.getInt32Ty();
    switch (of.getIntrinsicID()) {
      case intrinsic::nvvm_read_ptx_sreg_tid_x:
        return field(number, offsetof(EmulatedThread, thread));
      case intrinsic::nvvm_read_ptx_sreg_ctaid_x:
        return field(number, offsetof(EmulatedThread, block));
      case intrinsic::nvvm_read_ptx_sreg_nctaid_x:
        return field(number, offsetof(EmulatedThread, num_blocks));
      case intrinsic::nvvm_barrier0:
        return call(b_.getVoidTy(), offsetof(EmulatedThread, barrier), {});
      case intrinsic::nvvm_shfl_sync_bfly_i32:
        return call(number, offsetof(EmulatedThread, exchange),
                    {of.getArgOperand(1), of.getArgOperand(2)});
      case intrinsic::nvvm_shfl_sync_idx_i32:
        return call(number, offsetof(EmulatedThread, broadcast),
                    {of.getArgOperand(1), of.getArgOperand(2)});
      default: return nullptr;  // plain maths
    }
  }

  void replace(llvm::IntrinsicInst& of) {
    b_.SetInsertPoint(&of);
    Value* value = replacement(of);
    if (!value) return;
    of.replaceAllUsesWith(value);
    of.eraseFromParent();
  }

  llvm::Function& kernel_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  llvm::Function* host_;
};

}  // namespace

void emulate(llvm::Function& kernel, const char* name) { Emulation(kernel, name).run(); }

}  // namespace msjit::llvm_backend
