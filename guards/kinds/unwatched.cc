// UNWATCHED: no tool of sys.monitoring listens to an inlined code object. Such a tool would miss
// the events there.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/compat_monitoring.h"

namespace msjit {
namespace {

PyCodeObject* code_of(PyObject* object) { return reinterpret_cast<PyCodeObject*>(object); }

bool check(const GuardStep&, PyObject* object, PyObject* const*) {
  return !compat::has_listeners(code_of(object));
}

std::string describe(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("not sys.monitoring.get_local_events(..., {})", source);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  const void* const* place = compat::monitoring_of(code_of(object));
  if (!*place) memo.word(place);  // once made, it lives as long as the code
  for (size_t at = 0; *place && at < compat::kListenerBytes; at += sizeof(uint64_t))
    memo.word(static_cast<const char*>(*place) + at);
  return true;
}

}  // namespace

const GuardKind guard::unwatched = {
    .name = "unwatched", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
