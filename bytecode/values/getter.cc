#include "bytecode/values/getter.h"

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

PyTypeObject* item_getter() {
  static constinit LibraryType type("operator", "itemgetter");
  return type.get();
}

PyTypeObject* attribute_getter() {
  static constinit LibraryType type("operator", "attrgetter");
  return type.get();
}

PyTypeObject* getter_type(const SymValue& value) {
  return reinterpret_cast<PyTypeObject*>(value.cls.get());
}

// The attribute under a name with dots.
bool dotted(Executor& x, const SymRef& object, const SymRef& name, SymRef* out) {
  std::string_view rest = utf8_text(name->object.get());
  *out = object;
  for (bool more = true; more;) {
    const size_t dot = rest.find('.');
    more = dot != rest.npos;
    const Ref part = interned_text(std::string(rest.substr(0, dot)));
    if (!x.get_attr(SymRef(*out), part.get(), out)) return false;
    if (more) rest.remove_prefix(dot + 1);
  }
  return true;
}

// The item or attribute under each of `keys`; of one key that itself, of several a tuple.
bool get_all(Executor& x, PyTypeObject* type, const std::vector<SymRef>& keys, Args args,
             PyObject* names, SymRef* out) {
  if (!positional(x, type->tp_name, args, names, 1, 1)) return false;
  std::vector<SymRef> found(keys.size());
  for (size_t i = 0; i < keys.size(); ++i)
    if (!(type == item_getter() ? x.subscript(args[0], keys[i], &found[i])
                                : dotted(x, args[0], keys[i], &found[i])))
      return false;
  *out = found.size() == 1 ? found[0] : make_items(SymKind::kTuple, std::move(found));
  return true;
}

bool make_getter(Executor& x, PyTypeObject* type, Args args, PyObject* names, SymRef* out) {
  constexpr size_t kMost = 64;
  if (!positional(x, type->tp_name, args, names, 1, kMost)) return false;
  for (const SymRef& key : args) {
    if (!x.look(key)) return false;
    const bool text = key->kind == SymKind::kConst && PyUnicode_CheckExact(key->object.get());
    if (type == attribute_getter() && !text) return wrong_arguments(x, type->tp_name);
  }
  *out = make_items(SymKind::kGetter, args);
  (*out)->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  return true;
}

bool getter_truth(Executor&, const SymRef&, bool* out) { return *out = true; }

bool getter_call(Executor& x, const SymRef& getter, std::vector<SymRef> args, PyObject* names,
                 SymRef* out) {
  return get_all(x, getter_type(*getter), getter->items, args, names, out);
}

Ref build_getter(const Recipe& recipe, const Objects& objects) {
  return build_call(reinterpret_cast<PyTypeObject*>(recipe.object.get()), recipe, objects);
}

int getter_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made = made_by(build_getter);
  made.object = value->cls;
  return exit.add(std::move(made), value->items);
}

}  // namespace

bool model_itemgetter(Executor& x, Args args, PyObject* names, SymRef* out) {
  return make_getter(x, item_getter(), args, names, out);
}

bool model_attrgetter(Executor& x, Args args, PyObject* names, SymRef* out) {
  return make_getter(x, attribute_getter(), args, names, out);
}

// Its keys are what __reduce__() says. Nothing can change them.
bool call_getter(Executor& x, const SymRef& getter, Args args, PyObject* names, SymRef* out,
                 bool* known) {
  PyObject* const object = getter->object.get();
  *known = false;
  if (!object || getter->source == kNoSource) return true;
  PyTypeObject* const type = Py_TYPE(object);
  if (type != item_getter() && type != attribute_getter()) return true;
  if (x.heap().guards().source(getter->source).handed_in()) return true;
  const Ref made =
      Ref::steal(host::call(host::checked, PyObject_CallMethod, object, "__reduce__", nullptr));
  const SymRef keys = made && PyTuple_Check(made.get()) && PyTuple_GET_SIZE(made.get()) == 2
                          ? from_python(Ref::share(PyTuple_GET_ITEM(made.get(), 1)))
                          : nullptr;
  PyErr_Clear();
  const std::vector<SymRef>* const items = keys ? x.heap().items(keys) : nullptr;
  if (!items) return true;
  x.heap().guard_identity(getter);
  *known = true;
  return get_all(x, type, std::vector<SymRef>(*items), args, names, out);
}

const ValueKind value_getter = {.name = "getter",
                                .type = getter_type,
                                .truth = getter_truth,
                                .call = getter_call,
                                .rebuild = getter_rebuild};

}  // namespace msjit
