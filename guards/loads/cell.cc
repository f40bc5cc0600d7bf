// What a cell of a closure holds.
#include "guards/memo.h"

namespace msjit {
namespace {

PyObject* find(const Source&, PyObject* base, const Slots&) { return PyCell_GET(base); }

Trust trust(const Source&, PyObject* base, Trust, PyObject* object, MemoBuilder& memo) {
  memo.word(&reinterpret_cast<PyCellObject*>(base)->ob_ref);
  return memo.by_pointer(object);
}

}  // namespace

const LoadKind load::cell_contents = {.name = "cell_contents", .find = find, .trust = trust};

}  // namespace msjit
