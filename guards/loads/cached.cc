// What functools.lru_cache remembers under a key. A guard has checked that the base is such a
// function.
#include "guards/py/cached_calls.h"
#include "guards/source.h"

namespace msjit {
namespace {

PyObject* find(const Source& source, PyObject* base, const Slots&) {
  return cached_result(base, source.key.address(), source.index);
}

}  // namespace

const LoadKind load::cached_result = {.name = "cached result", .find = find};

}  // namespace msjit
