#include "bytecode/counters.h"

#include <string>
#include <unordered_set>

#include "guards/py/text.h"

namespace msjit {
namespace {

constexpr size_t kMaxCounters = 1024;

// By name, because class objects come and go.
std::unordered_set<std::string>& counters() {
  static auto& kept = *new std::unordered_set<std::string>;
  return kept;
}

std::string key(PyTypeObject* type, PyObject* name) {
  return std::string(type->tp_name) + "." + utf8_text(name);
}

}  // namespace

void add_counter(PyTypeObject* type, PyObject* name) {
  if (counters().size() < kMaxCounters) counters().insert(key(type, name));
}

bool is_counter(PyTypeObject* type, PyObject* name) {
  return has_counters() && counters().count(key(type, name)) > 0;
}

bool has_counters() { return !counters().empty(); }

}  // namespace msjit
