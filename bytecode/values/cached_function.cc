#include "bytecode/values/cached_function.h"

#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "guards/last_reference.h"
#include "guards/py/cached_calls.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

// A logger, which the logging module keeps for good. Its class compares by identity.
bool is_logger(PyObject* object) {
  static constinit LibraryType logger("logging", "Logger");
  return Py_TYPE(object) == logger.get() && is_single(object);
}

// A tuple of the arguments; empty where one is neither a plain value nor a logger.
Ref plain_arguments(Executor& x, Args args) {
  Ref tuple = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(args.size()))));
  for (size_t i = 0; i < args.size(); ++i) {
    Ref value = x.look(args[i]) ? constant_object(args[i]) : Ref();
    const bool plain = value && is_key_value(value.get());
    if (!plain && args[i]->object && is_logger(args[i]->object.get()) && x.heap().pin(args[i]))
      value = args[i]->object;
    else if (!plain)
      return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), value.release());
  }
  return tuple;
}

// Whether a key of the cache is equal to this one.
bool fits_key(PyObject* candidate, PyObject* key) {
  if (candidate == key) return true;
  if (is_key_value(candidate)) return host::equal_values(candidate, key);
  if (!PyTuple_Check(candidate) || !PyTuple_Check(key) || Py_SIZE(candidate) != Py_SIZE(key))
    return false;
  for (Py_ssize_t i = 0; i < Py_SIZE(key); ++i) {
    PyObject *const item = PyTuple_GET_ITEM(candidate, i), *const given = PyTuple_GET_ITEM(key, i);
    if (item != given && !(is_key_value(item) && host::equal_values(item, given))) return false;
  }
  return true;
}

// The key of a call with positional arguments: a single int or str itself, else the tuple.
Borrowed cached_key(const Ref& args) {
  if (PyTuple_GET_SIZE(args.get()) != 1) return args;
  PyObject* const only = PyTuple_GET_ITEM(args.get(), 0);
  return PyLong_CheckExact(only) || PyUnicode_CheckExact(only) ? Borrowed(only) : Borrowed(args);
}

bool repeat_calls(PyObject* function, const Effect& effect, const Objects& objects) {
  for (int32_t args : effect.values)
    if (!Ref::steal(
            host::call(host::program, PyObject_Call, function, objects[args].get(), nullptr)))
      return false;
  return true;
}

constexpr EffectKind effect_cached_calls = {.apply = repeat_calls};

}  // namespace

bool call_cached(Executor& x, const SymRef& function, Args args, PyObject* names, SymRef* out,
                 bool* known) {
  PyObject* const object = function->object.get();
  *known = function->source != kNoSource && object && is_cached_function(object);
  if (!*known) return true;
  const std::string what = fmt::format("a cached function ({})", describe(*function));
  const Ref given = names ? Ref() : plain_arguments(x, args);
  if (!given || x.in_arm()) return x.fail(BreakReason::kCallUnknown, what);
  const Borrowed key = cached_key(given);
  PyObject* kept = nullptr;
  Py_ssize_t place = 0;
  const auto fits = [&](PyObject* candidate) { return fits_key(candidate, key.get()); };
  if (!find_cached(object, fits, &kept, &place))
    return x.fail_for_now(BreakReason::kCallUnknown, what + " with new arguments");
  PyObject* const result = cached_result(object, kept, place);
  if (!result) return x.fail(BreakReason::kCallUnknown, what);
  const SourceId id = x.heap().guards().add_source(
      load::cached_result, function->source, static_cast<int>(place), Ref::share(kept),
      fmt::format("{}({})", x.heap().guards().source(function->source).text, host::text_of(kept)));
  *out = x.heap().from_source(id, result);
  function->entries.emplace_back(make_const(given), sym_none());
  function->changed = true;
  return true;
}

bool replay_cached(ExitBuilder& exit, const SymRef& function, int target) {
  std::vector<SymRef> calls;
  for (const auto& [args, none] : function->entries) calls.push_back(args);
  return calls.empty() || exit.write({&effect_cached_calls, target, {}, {}}, calls);
}

}  // namespace msjit
