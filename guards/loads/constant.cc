// An object that the capture knows: the source's key. Entries do not keep it alive (pin.h).
#include "guards/memo.h"

namespace msjit {
namespace {

PyObject* find(const Source& source, PyObject*, const Slots&) { return source.key.get(); }

Trust trust(const Source& source, PyObject*, Trust, PyObject*, MemoBuilder& memo) {
  if (PyObject* const* life = source.key.life()) memo.word(life);
  return Trust::kExact;
}

}  // namespace

const LoadKind load::constant = {
    .name = "constant", .find = find, .trust = trust, .can_fail = false};

}  // namespace msjit
