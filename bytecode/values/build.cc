#include "bytecode/values/build.h"

#include "guards/py/host_call.h"

namespace msjit {
namespace {

Ref plain_tuple(const Recipe& recipe, const Objects& objects) {
  Ref made = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(recipe.args.size())));
  for (size_t i = 0; made && i < recipe.args.size(); ++i)
    PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i),
                     Ref(objects[recipe.args[i]]).release());
  return made;
}

// Makes an instance of a subclass of tuple by tuple's own __new__.
Ref named_tuple(const Recipe& recipe, const Objects& objects) {
  Ref items = plain_tuple(recipe, objects);
  Ref args = items ? Ref::steal(PyTuple_Pack(1, items.get())) : Ref();
  auto* cls = reinterpret_cast<PyTypeObject*>(recipe.object.get());
  return args ? Ref::steal(host::call(host::checked, PyTuple_Type.tp_new, cls, args.get(), nullptr))
              : Ref();
}

}  // namespace

Ref build_tuple(const Recipe& recipe, const Objects& objects) {
  return recipe.object ? named_tuple(recipe, objects) : plain_tuple(recipe, objects);
}

Ref build_list(const Recipe& recipe, const Objects& objects) {
  Ref made = Ref::steal(PyList_New(static_cast<Py_ssize_t>(recipe.args.size())));
  for (size_t i = 0; made && i < recipe.args.size(); ++i)
    PyList_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), Ref(objects[recipe.args[i]]).release());
  return made;
}

Ref build_attribute(const Recipe& recipe, const Objects& objects) {
  return Ref::steal(host::call(host::program, PyObject_GetAttr, argument(recipe, objects, 0),
                               recipe.object.get()));
}

Ref build_method_call(const Recipe& recipe, const Objects& objects) {
  return Ref::steal(host::call(host::program, PyObject_CallMethodObjArgs,
                               argument(recipe, objects, 0), recipe.object.get(), nullptr));
}

Ref build_call(PyTypeObject* type, const Recipe& recipe, const Objects& objects) {
  const Ref args = plain_tuple(recipe, objects);
  return args ? Ref::steal(host::call(host::program, PyObject_Call,
                                      reinterpret_cast<PyObject*>(type), args.get(), nullptr))
              : Ref();
}

}  // namespace msjit
