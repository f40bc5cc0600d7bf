// MISSING: a dict, or the instance dictionary of an object, lacks a key, so that a lookup falls
// through to the class (or a dict membership test stays false). `object` is the key, number its
// hash.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* key = step.object.address();
  return !(is_table(object) ? _PyDict_GetItem_KnownHash(object, key, step.number)
                            : instance_item(object, key, step.number));
}

std::string key_text(const GuardStep& step) {
  Ref repr = Ref::steal(PyObject_Repr(step.object.address()));
  const char* text = repr ? PyUnicode_AsUTF8(repr.get()) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return step.version ? fmt::format("{} not in {}", key_text(step), source)
                      : fmt::format("{} not in vars({})", key_text(step), source);
}

bool watch(const GuardStep& step, PyObject* object, MemoBuilder& memo) {
  PyObject* dict = object;
  if (!is_table(object)) {
    if (memo.own_lookup(object, step.object.address())) return true;
    memo.instance_dict_of(object, &dict);
    if (!dict) return true;
  }
  return memo.dict_lookup(dict, step.object.address(), step.number, nullptr);
}

}  // namespace

const GuardKind guard::missing = {
    .name = "missing", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
