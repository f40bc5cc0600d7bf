#include "guards/py/code_lines.h"

#include "guards/py/host_call.h"

namespace msjit {
namespace {

// From 3.10 on: co_lines() yields (start, end, line or None).
bool read_ranges(const Ref& ranges, std::vector<LineRange>* out) {
  Ref iterator = Ref::steal(host::call(host::checked, PyObject_GetIter, ranges.get()));
  if (!iterator) return false;
  while (Ref item = Ref::steal(host::call(host::checked, PyIter_Next, iterator.get()))) {
    PyObject* line = PyTuple_GET_ITEM(item.get(), 2);
    out->push_back({static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(item.get(), 0))),
                    line == Py_None ? -1 : static_cast<int>(PyLong_AsLong(line))});
  }
  return !PyErr_Occurred();
}

// Before: co_lnotab holds pairs of an offset increment and a signed line increment.
bool read_increments(PyCodeObject* code, const Ref& table, std::vector<LineRange>* out) {
  if (!table || !PyBytes_Check(table.get())) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(table.get()));
  const Py_ssize_t size = PyBytes_GET_SIZE(table.get()) & ~Py_ssize_t(1);
  int offset = 0, line = code->co_firstlineno;
  out->push_back({0, line});
  for (Py_ssize_t i = 0; i < size; i += 2) {
    offset += bytes[i];
    line += static_cast<signed char>(bytes[i + 1]);
    if (out->back().start != offset) out->push_back({offset, line});
    out->back().line = line;
  }
  return true;
}

}  // namespace

std::vector<LineRange> code_lines(PyCodeObject* code) {
  auto* object = reinterpret_cast<PyObject*>(code);
  std::vector<LineRange> lines;
  Ref ranges =
      Ref::steal(host::call(host::checked, PyObject_CallMethod, object, "co_lines", nullptr));
  if (!ranges) PyErr_Clear();
  const bool read =
      ranges
          ? read_ranges(ranges, &lines)
          : read_increments(
                code,
                Ref::steal(host::call(host::checked, PyObject_GetAttrString, object, "co_lnotab")),
                &lines);
  if (!read) {
    PyErr_Clear();
    lines.clear();
  }
  return lines;
}

}  // namespace msjit
