// The backend: IR to an object in memory, straight through the target's code generator.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <mutex>

#include "codegen/backend.h"
#include "codegen/llvm/emit.h"
#include "codegen/object_loader.h"

namespace msjit::llvm_backend {
namespace {

std::string print_ir(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

bool generate(llvm::Module& module, llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (host_target().machine->addPassesToEmitFile(passes, stream, nullptr, type)) return false;
  passes.run(module);
  return true;
}

bool fail(std::string* error, std::string text) {
  *error = std::move(text);
  return false;
}

bool generate_object(const BackendRequest& request, llvm::SmallVectorImpl<char>* object,
                     std::string* error) {
  const HostTarget& host = host_target();
  llvm::LLVMContext context;
  llvm::Module module(request.name, context);
  module.setTargetTriple(host.machine->getTargetTriple().str());
  module.setDataLayout(host.machine->createDataLayout());
  llvm::Function* function = emit_kernel(module, *request.spec, kKernelSymbol, host);
  if (request.ir) *request.ir = print_ir(module);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyFunction(*function, &stream)) return fail(error, "malformed IR: " + broken);
  if (request.asm_text) {
    llvm::SmallVector<char, 0> text;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    if (generate(*copy, llvm::CodeGenFileType::AssemblyFile, text))
      request.asm_text->assign(text.begin(), text.end());
  }
  if (!generate(module, llvm::CodeGenFileType::ObjectFile, *object))
    return fail(error, "no object emitter");
  return true;
}

bool compile(const BackendRequest& request, std::string* object, std::string* error) {
  static std::mutex mutex;  // the target machine serves one module at a time
  std::lock_guard lock(mutex);
  if (!host_target().machine)
    return fail(error, "no code generator for this machine: " + host_target().description);
  llvm::SmallVector<char, 0> bytes;
  if (!generate_object(request, &bytes, error)) return false;
  object->assign(bytes.begin(), bytes.end());
  return true;
}

const char* target() { return host_target().description.c_str(); }

constexpr Backend kBackend{kBackendAbi, compile, target};

}  // namespace
}  // namespace msjit::llvm_backend

extern "C" __attribute__((visibility("default"))) const msjit::Backend* msjit_backend() {
  return &msjit::llvm_backend::kBackend;
}
