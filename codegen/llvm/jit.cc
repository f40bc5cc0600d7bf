// The backend: IR to machine code in memory. Straight through the target's code generator and the
// run-time linker: a kernel needs no symbol tables, lazy stubs or dependence tracking, and each is
// freed on its own.
#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/RTDyldMemoryManager.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <sys/mman.h>

#include <mutex>

#include "codegen/backend.h"
#include "codegen/llvm/emit.h"
#include "codegen/object_cache.h"

namespace msjit::llvm_backend {
namespace {

constexpr size_t kPage = 4096;
constexpr const char* kSymbol = "msjit_kernel";

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// The sections of one kernel in a mapping of its own: code pages first, then read-only data.
class KernelMemory final : public llvm::RTDyldMemoryManager {
 public:
  ~KernelMemory() override {
    if (base_) munmap(base_, bytes_);
  }
  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(uintptr_t code, llvm::Align, uintptr_t ro, llvm::Align, uintptr_t rw,
                              llvm::Align) override {
    code_bytes_ = round_up(code + kSlack, kPage);
    bytes_ = code_bytes_ + round_up(ro + rw + kSlack, kPage);
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    base_ = at == MAP_FAILED ? nullptr : static_cast<uint8_t*>(at);
    data_used_ = code_bytes_;
  }
  uint8_t* allocateCodeSection(uintptr_t size, unsigned align, unsigned, llvm::StringRef) override {
    return take(&code_used_, code_bytes_, size, align);
  }
  uint8_t* allocateDataSection(uintptr_t size, unsigned align, unsigned, llvm::StringRef,
                               bool) override {
    return take(&data_used_, bytes_, size, align);
  }
  bool finalizeMemory(std::string* error) override {
    if (base_ && mprotect(base_, code_bytes_, PROT_READ | PROT_EXEC) == 0) return false;
    if (error) *error = "code pages could not be made executable";
    return true;
  }
  void registerEHFrames(uint8_t*, uint64_t, size_t) override {}
  void deregisterEHFrames() override {}
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kSlack = 1024;  // alignment of the sections
  uint8_t* take(size_t* used, size_t limit, size_t size, size_t align) {
    *used = round_up(*used, std::max<size_t>(align, 16));
    if (!base_ || *used + size > limit) return nullptr;
    uint8_t* at = base_ + *used;
    *used += size;
    return at;
  }
  uint8_t* base_ = nullptr;
  size_t bytes_ = 0, code_bytes_ = 0, code_used_ = 0, data_used_ = 0;
};

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

bool link(llvm::StringRef object, CompiledCode* code, std::string* error) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, kSymbol));
  if (!file) return fail(error, llvm::toString(file.takeError()));
  auto memory = std::make_unique<KernelMemory>();
  llvm::RuntimeDyld linker(*memory, *memory);
  linker.loadObject(**file);
  if (linker.hasError()) return fail(error, linker.getErrorString().str());
  linker.finalizeWithMemoryManagerLocking();
  if (linker.hasError()) return fail(error, linker.getErrorString().str());
  code->fn = reinterpret_cast<FusedFn>(linker.getSymbol(kSymbol).getAddress());
  if (!code->fn) return fail(error, "the kernel's symbol is missing");
  code->code_bytes = static_cast<int64_t>(memory->bytes());
  code->handle = memory.release();
  return true;
}

bool generate_object(const BackendRequest& request, llvm::SmallVectorImpl<char>* object,
                     std::string* error) {
  const HostTarget& host = host_target();
  llvm::LLVMContext context;
  llvm::Module module(request.name, context);
  module.setTargetTriple(host.machine->getTargetTriple().str());
  module.setDataLayout(host.machine->createDataLayout());
  llvm::Function* function = emit_kernel(module, *request.spec, kSymbol, host);
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

// The target and this library's own contents: both decide what code a spec becomes.
const std::string& identity() {
  static const auto* text = [] {
    Dl_info info;
    bool found = dladdr(reinterpret_cast<const void*>(&generate_object), &info) && info.dli_fname;
    uint64_t hash = found ? file_hash(info.dli_fname) : 0;
    const HostTarget& host = host_target();
    return new std::string(fmt::format("{} {} {:016x} {}", host.description,
                                       host.machine->getTargetFeatureString().str(), hash,
                                       LLVM_VERSION_STRING));
  }();
  return *text;
}

bool compile(const BackendRequest& request, CompiledCode* code, std::string* error) {
  static std::mutex mutex;  // the target machine serves one module at a time
  std::lock_guard lock(mutex);
  if (!host_target().machine)
    return fail(error, "no code generator for this machine: " + host_target().description);
  bool shown = request.ir || request.asm_text;
  std::string key =
      object_cache_enabled() ? object_cache_key(*request.spec, identity()) : std::string();
  if (!key.empty() && !shown) {
    std::string ignored;
    auto stored = object_cache_load(key);
    if (stored && link(*stored, code, &ignored)) return true;
  }
  llvm::SmallVector<char, 0> object;
  if (!generate_object(request, &object, error)) return false;
  llvm::StringRef bytes(object.data(), object.size());
  if (!key.empty()) object_cache_store(key, {bytes.data(), bytes.size()});
  return link(bytes, code, error);
}

void release(const CompiledCode& code) { delete static_cast<KernelMemory*>(code.handle); }

const char* target() { return host_target().description.c_str(); }

constexpr Backend kBackend{kBackendAbi, compile, release, target};

}  // namespace
}  // namespace msjit::llvm_backend

extern "C" __attribute__((visibility("default"))) const msjit::Backend* msjit_backend() {
  return &msjit::llvm_backend::kBackend;
}
