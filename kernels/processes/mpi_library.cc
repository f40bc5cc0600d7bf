#include "kernels/processes/mpi_library.h"

#include <dlfcn.h>

namespace msjit {
namespace {

constexpr const char* kNames[] = {"libmpi.so.40", "libmpi.so", "libmpi.so.12", "libmpich.so.12"};

// Global, because Open MPI's plug-ins look up their functions among the global symbols.
void* open_any(std::string* name) {
  for (const char* candidate : kNames)
    if (void* library = dlopen(candidate, RTLD_NOW | RTLD_GLOBAL))
      return *name = candidate, library;
  return nullptr;
}

// The first line of the library's description of itself.
std::string version_of(void* library) {
  char text[8192] = "";
  int length = 0;
  const auto ask =
      reinterpret_cast<int (*)(char*, int*)>(dlsym(library, "MPI_Get_library_version"));
  if (!ask || ask(text, &length) != 0) return "a library that does not name itself";
  const std::string whole(text);
  return whole.substr(0, whole.find_first_of(",\n"));
}

struct Finder {
  void* library;
  std::string missing;
  void* operator()(const std::string& name) {
    void* found = dlsym(library, name.c_str());
    if (!found && missing.empty()) missing = name;
    return found;
  }
};

void find_dtypes(Finder& find, MpiHandle (&dtypes)[kNumDTypes]) {
  static constexpr std::pair<DType, const char*> kDTypes[] = {
      {DType::kBool, "uint8_t"},
      {DType::kUInt8, "uint8_t"},
      {DType::kInt8, "int8_t"},
      {DType::kInt16, "int16_t"},
      {DType::kInt32, "int32_t"},
      {DType::kInt64, "int64_t"},
      {DType::kFloat16, "uint16_t"},
      {DType::kBFloat16, "uint16_t"},
      {DType::kFloat32, "float"},
      {DType::kFloat64, "double"},
      {DType::kUInt16, "uint16_t"},
      {DType::kUInt32, "uint32_t"},
      {DType::kUInt64, "uint64_t"},
      {DType::kComplex64, "c_float_complex"},
      {DType::kComplex128, "c_double_complex"}};
  for (const auto& [dtype, name] : kDTypes)
    dtypes[static_cast<int>(dtype)] = find(std::string("ompi_mpi_") + name);
}

Result<const MpiLibrary*> open_library() {
  std::string name;
  void* library = open_any(&name);
  if (!library)
    return runtime_error(
        "[init] MPI library, got none, expected Open MPI's libmpi.so.40 (on Debian and Ubuntu: apt "
        "install openmpi-bin)");
  auto found = std::make_unique<MpiLibrary>();
  found->version = version_of(library);
  Finder find{library, {}};
  if (!dlsym(library, "ompi_mpi_comm_world"))
    return runtime_error("[init] MPI library, got {} ({}), expected Open MPI", found->version,
                         name);
#define MSJIT_MPI_FIND(function, ...) \
  found->function = reinterpret_cast<int (*)(__VA_ARGS__)>(find("MPI_" #function));
  MSJIT_MPI_FUNCTIONS(MSJIT_MPI_FIND)
#undef MSJIT_MPI_FIND
  found->world = find("ompi_mpi_comm_world");
  found->no_request = find("ompi_request_null");
  found->errors_return = find("ompi_mpi_errors_return");
  found->sum = find("ompi_mpi_op_sum");
  found->max = find("ompi_mpi_op_max");
  found->min = find("ompi_mpi_op_min");
  found->prod = find("ompi_mpi_op_prod");
  find_dtypes(find, found->dtypes);
  if (!find.missing.empty())
    return runtime_error("[init] MPI library, got {} ({}) without {}, expected Open MPI 3 or later",
                         found->version, name, find.missing);
  return found.release();  // for as long as the process lives
}

}  // namespace

Result<const MpiLibrary*> mpi_library() {
  static const MpiLibrary* opened = nullptr;
  if (!opened) {
    MSJIT_TRY(opened, open_library());
  }
  return opened;
}

}  // namespace msjit
