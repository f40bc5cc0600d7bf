#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include "codegen/llvm/target.h"

namespace msjit::llvm_backend {
namespace {

// Loop strength reduction takes a third of the compile time and finds nothing to improve in these
// loops, whose addresses are computed explicitly. The target machine has no switch for it except
// the command-line option.
void skip_strength_reduction() {
  auto& options = llvm::cl::getRegisteredOptions();
  auto it = options.find("disable-lsr");
  if (it == options.end()) return;
  if (it->second->getNumOccurrences() == 0) it->second->addOccurrence(0, "disable-lsr", "true");
}

HostTarget make_host() {
  skip_strength_reduction();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  HostTarget host;
  std::string triple = llvm::sys::getProcessTriple(), error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    host.description = error;
    return host;
  }
  std::string cpu = llvm::sys::getHostCPUName().str(), features;
  llvm::StringMap<bool> available = llvm::sys::getHostCPUFeatures();
  for (const auto& entry : available)
    features +=
        (features.empty() ? "" : ",") + std::string(entry.second ? "+" : "-") + entry.first().str();
  auto has = [&](const char* name) { return available.lookup(name); };
  if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq")) {
    host.vector_bytes = 64;
    host.masked_memory = true;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion =
      llvm::FPOpFusion::Strict;  // results equal the eager kernels' bit for bit
  host.machine.reset(target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_,
                                                 llvm::CodeModel::Small,
                                                 llvm::CodeGenOptLevel::Default,
                                                 /*JIT=*/true));
  host.description = cpu + ", " + std::to_string(host.vector_bytes) + "-byte vectors";
  return host;
}

}  // namespace

const HostTarget& host_target() {
  static const HostTarget* host = new HostTarget(make_host());
  return *host;
}

}  // namespace msjit::llvm_backend
