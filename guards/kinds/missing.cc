// MISSING: a dict, or the attributes of an object, lack a key. So a lookup goes on to the class, or
// a membership test is false. `object` is the key, `number` its hash.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/host_call.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* key = step.object.address();
  return !(is_table(object)
               ? host::call(host::checked, _PyDict_GetItem_KnownHash, object, key, step.number)
               : instance_item(object, key, step.number));
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  const std::string key = host::text_of(step.object.address());
  return step.version ? fmt::format("{} not in {}", key, source)
                      : fmt::format("{} not in vars({})", key, source);
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
