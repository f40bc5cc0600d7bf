#include "guards/open_sizes.h"

#include "guards/py/objects.h"

namespace msjit {

bool small_int(PyObject* object, int64_t* value) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return !overflow && *value <= kLargestOpenInt && *value >= -kLargestOpenInt;
}

void OpenSizes::load(PyObject* const* registers, int64_t* sizes) const {
  for (size_t i = 0; i < symbols.size(); ++i) {
    PyObject* object = registers[symbols[i].source];
    if (symbols[i].dim >= 0)
      sizes[i] = tensor_of(object).meta().shape[symbols[i].dim];
    else
      small_int(object, &sizes[i]);
  }
}

int OpenSizes::failing(const int64_t* sizes, bool skip_keyed) const {
  const std::span<const int64_t> all(sizes, symbols.size());
  for (size_t i = 0; i < relations.size(); ++i) {
    if (skip_keyed && (relations[i].symbols() & ~key) == 0) continue;
    if (!relations[i].holds(all)) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> OpenSizes::describe_all() const {
  std::vector<std::string> lines;
  for (const SizeRelation& relation : relations) lines.push_back(relation.text(names));
  return lines;
}

}  // namespace msjit
