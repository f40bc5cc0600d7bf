// The backend: compiles IR to an object in memory or to PTX with the target's code generator,
// without optimisation passes.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <mutex>

#include "codegen/backend.h"
#include "codegen/llvm/device_emit.h"
#include "codegen/llvm/emit.h"
#include "codegen/llvm/emulate.h"
#include "codegen/object_loader.h"

namespace msjit::llvm_backend {
namespace {

std::string print_ir(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

bool generate(llvm::TargetMachine& machine, llvm::Module& module, llvm::CodeGenFileType type,
              llvm::SmallVectorImpl<char>& out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return false;
  passes.run(module);
  return true;
}

bool fail(std::string* error, std::string text) {
  *error = std::move(text);
  return false;
}

void set_machine(llvm::Module& module, const llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
}

// The host's target machine compiles one module at a time.
std::mutex& host_mutex() {
  static std::mutex mutex;
  return mutex;
}

bool generate_object(const BackendRequest& request, llvm::SmallVectorImpl<char>* object,
                     std::string* error) {
  const HostTarget& host = host_target();
  llvm::LLVMContext context;
  llvm::Module module(request.name, context);
  set_machine(module, *host.machine);
  llvm::Function* function = emit_kernel(module, *request.spec, kKernelSymbol, host);
  if (request.ir) *request.ir = print_ir(module);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyFunction(*function, &stream)) return fail(error, "malformed IR: " + broken);
  if (request.asm_text) {
    llvm::SmallVector<char, 0> text;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    if (generate(*host.machine, *copy, llvm::CodeGenFileType::AssemblyFile, text))
      request.asm_text->assign(text.begin(), text.end());
  }
  if (!generate(*host.machine, module, llvm::CodeGenFileType::ObjectFile, *object))
    return fail(error, "no object emitter");
  return true;
}

bool compile(const BackendRequest& request, std::string* object, std::string* error) {
  std::lock_guard lock(host_mutex());
  if (!host_target().machine)
    return fail(error, "no code generator for this machine: " + host_target().description);
  llvm::SmallVector<char, 0> bytes;
  if (!generate_object(request, &bytes, error)) return false;
  object->assign(bytes.begin(), bytes.end());
  return true;
}

// The kernel for a GPU, verified.
llvm::Function* emit_for_device(llvm::Module& module, const DeviceRequest& request,
                                const char* name, std::string* error) {
  llvm::Function* function = request.spec ? emit_device_kernel(module, *request.spec, name)
                                          : emit_routine(module, *request.routine, name);
  if (request.ir) *request.ir = print_ir(module);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (!llvm::verifyModule(module, &stream)) return function;
  fail(error, "malformed IR: " + broken);
  return nullptr;
}

bool compile_ptx(const DeviceRequest& request, std::string* ptx, std::string* error) {
  const auto machine = device_machine(request.arch, error);
  if (!machine) return false;
  llvm::LLVMContext context;
  llvm::Module module(request.name, context);
  set_machine(module, *machine);
  llvm::Function* kernel = emit_for_device(module, request, request.name, error);
  if (!kernel) return false;
  mark_kernel(*kernel);
  llvm::SmallVector<char, 0> text;
  if (!generate(*machine, module, llvm::CodeGenFileType::AssemblyFile, text))
    return fail(error, "no PTX emitter");
  ptx->assign(text.begin(), text.end());
  return true;
}

bool compile_emulated(const DeviceRequest& request, std::string* object, std::string* error) {
  std::lock_guard lock(host_mutex());
  const HostTarget& host = host_target();
  if (!host.machine) return fail(error, "no code generator for this machine: " + host.description);
  llvm::LLVMContext context;
  llvm::Module module(request.name, context);
  set_machine(module, *host.machine);
  llvm::Function* kernel = emit_for_device(module, request, "device_kernel", error);
  if (!kernel) return false;
  emulate(*kernel, kKernelSymbol);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(module, &stream)) return fail(error, "malformed IR: " + broken);
  llvm::SmallVector<char, 0> bytes;
  if (!generate(*host.machine, module, llvm::CodeGenFileType::ObjectFile, bytes))
    return fail(error, "no object emitter");
  object->assign(bytes.begin(), bytes.end());
  return true;
}

const char* target() { return host_target().description.c_str(); }

constexpr Backend kBackend{kBackendAbi, compile, target, compile_ptx, compile_emulated};

}  // namespace
}  // namespace msjit::llvm_backend

extern "C" __attribute__((visibility("default"))) const msjit::Backend* msjit_backend() {
  return &msjit::llvm_backend::kBackend;
}
