// A CUDA driver without a GPU, for the tests of the code that calls one: memory is the host's, work
// is done at once, and launches only look at what they are given. MSJIT_STUB_CUDA="name=value,..."
// says how it differs from a driver that works: version, init, count, major.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kNotFound = 500, kInvalidPtx = 218;

int setting(const char* name, int otherwise) {
  const char* all = std::getenv("MSJIT_STUB_CUDA");
  const char* at = all ? std::strstr(all, (std::string(name) + "=").c_str()) : nullptr;
  return at ? std::atoi(at + std::strlen(name) + 1) : otherwise;
}

int move(void* to, const void* from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return 0;
}
void* host(uint64_t address) { return reinterpret_cast<void*>(address); }

int handle(void** out) {
  static char place;
  *out = &place;
  return 0;
}

}  // namespace

extern "C" {
int cuInit(unsigned) { return setting("init", 0); }
int cuDriverGetVersion(int* version) {
  *version = setting("version", 12040);
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "stub error";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = setting("count", 1);
  return 0;
}
int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, "Stub GPU", static_cast<size_t>(size));
  return 0;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 75 ? setting("major", 8) : which == 76 ? 0 : 4;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) { return handle(context); }
int cuCtxSetCurrent(void* context) { return context ? 0 : kInvalidValue; }
int cuMemAlloc_v2(uint64_t* memory, size_t bytes) {
  if (bytes == 0) return kInvalidValue;
  if (bytes > (size_t{1} << 30)) return kOutOfMemory;
  *memory = reinterpret_cast<uint64_t>(std::malloc(bytes));
  return 0;
}
int cuMemFree_v2(uint64_t memory) {
  std::free(host(memory));
  return 0;
}
int cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
  if (bytes == 0 || flags != 3) return kInvalidValue;
  *memory = std::malloc(bytes);
  return 0;
}
int cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void*) {
  return move(host(to), from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void*) {
  return move(to, host(from), bytes);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void*) {
  return move(host(to), host(from), bytes);
}
int cuStreamCreate(void** stream, unsigned) { return handle(stream); }
int cuStreamDestroy_v2(void*) { return 0; }
int cuStreamSynchronize(void*) { return 0; }
int cuStreamWaitEvent(void*, void* event, unsigned) { return event ? 0 : kInvalidValue; }
int cuEventCreate(void** event, unsigned) { return handle(event); }
int cuEventRecord(void* event, void*) { return event ? 0 : kInvalidValue; }
int cuEventQuery(void*) { return 0; }
int cuEventSynchronize(void*) { return 0; }
int cuEventDestroy_v2(void*) { return 0; }
int cuModuleLoadData(void** module, const void* text) {
  const bool is_ptx = std::strstr(static_cast<const char*>(text), ".version 7.8") != nullptr;
  return is_ptx ? handle(module) : kInvalidPtx;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return module && !std::strcmp(name, "msjit_kernel") ? handle(function) : kNotFound;
}
int cuModuleUnload(void*) { return 0; }
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                   unsigned, unsigned, void*, void** parameters, void**) {
  return function && blocks > 0 && threads == 256 && parameters && parameters[0] ? 0
                                                                                 : kInvalidValue;
}
}
