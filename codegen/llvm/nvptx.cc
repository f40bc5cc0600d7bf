// NVPTX: the target machine, and the annotations that it needs on a kernel.
#include <llvm/IR/Constants.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

#include "codegen/device_kernel.h"
#include "codegen/llvm/device_emit.h"
#include "codegen/llvm/target.h"

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace msjit::llvm_backend {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";
constexpr const char* kIsa = "+ptx78";  // the first with sm_90; drivers of CUDA 11.8 and later

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> device_machine(int arch, std::string* error) {
  initialize();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, *error);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // as on the host
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(kTriple, "sm_" + std::to_string(arch), kIsa, options, {}, {},
                                  llvm::CodeGenOptLevel::Default));
}

void mark_kernel(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  const auto note = [&](const char* key, int value) {
    llvm::Type* number = llvm::Type::getInt32Ty(context);
    llvm::Metadata* parts[] = {llvm::ValueAsMetadata::get(&function),
                               llvm::MDString::get(context, key),
                               llvm::ConstantAsMetadata::get(
                                   llvm::ConstantInt::get(number, static_cast<uint64_t>(value)))};
    function.getParent()
        ->getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(llvm::MDNode::get(context, parts));
  };
  note("kernel", 1);
  note("maxntidx", kBlockThreads);
}

}  // namespace msjit::llvm_backend
