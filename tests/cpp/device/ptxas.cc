#include "device/ptxas.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/backend.h"

namespace msjit::testing {
namespace {

std::string text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? text : "";
}

// .version, .target and .address_size stand once, at the start.
std::string without_header(const std::string& ptx) {
  const size_t last = ptx.find(".address_size");
  return last == std::string::npos ? ptx : ptx.substr(ptx.find('\n', last));
}

}  // namespace

std::string find_ptxas() {
  std::vector<std::string> folders;
  std::istringstream path(text_of("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.push_back(folder);
  const std::string home = text_of("CUDA_HOME");
  if (!home.empty()) folders.push_back(home + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  folders.emplace_back(MSJIT_TESTS_DIR "/../build/deps/bin");
  for (const std::string& folder : folders)
    if (std::string file = folder + "/ptxas"; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

std::string ptx_of(const KernelSpec& spec, const std::string& name, int arch, std::string* error) {
  const Backend* backend = load_backend(error);
  std::string ptx;
  if (!backend || !backend->compile_ptx({&spec, name.c_str(), arch}, &ptx, error)) return {};
  return ptx;
}

std::string assemble(const std::vector<std::string>& kernels, int arch) {
  if (kernels.empty()) return {};
  std::string folder = "/tmp/msjit-ptx-XXXXXX";
  if (!mkdtemp(folder.data())) return "no temporary directory";
  const std::string file = folder + "/kernels.ptx", log = folder + "/log";
  std::ofstream out(file);
  out << kernels[0];
  for (size_t i = 1; i < kernels.size(); ++i) out << without_header(kernels[i]);
  out.close();
  // Well-formedness is asked for, not speed.
  const std::string command = find_ptxas() + " -O0 -arch=sm_" + std::to_string(arch) +
                              " -o /dev/null " + file + " >" + log + " 2>&1";
  const int status = std::system(command.c_str());
  std::stringstream messages;
  messages << std::ifstream(log).rdbuf();
  std::remove(file.c_str());
  std::remove(log.c_str());
  rmdir(folder.c_str());
  return status == 0 ? std::string() : "ptxas failed: " + messages.str().substr(0, 2000);
}

}  // namespace msjit::testing
