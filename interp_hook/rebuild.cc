#include "interp_hook/rebuild.h"

#include "guards/py/set_table.h"

namespace msjit {
namespace {

PyObject* argument(const Recipe& recipe, const std::vector<Ref>& objects, size_t i) {
  return recipe.args[i] < 0 ? nullptr : objects[recipe.args[i]].get();
}

Ref tuple(const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref made = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(recipe.args.size())));
  for (size_t i = 0; made && i < recipe.args.size(); ++i)
    PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i),
                     Ref(objects[recipe.args[i]]).release());
  return made;
}

// An instance of a subclass of tuple, made by tuple's own __new__.
Ref named_tuple(const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref items = tuple(recipe, objects);
  Ref args = items ? Ref::steal(PyTuple_Pack(1, items.get())) : Ref();
  auto* cls = reinterpret_cast<PyTypeObject*>(recipe.object.get());
  return args ? Ref::steal(PyTuple_Type.tp_new(cls, args.get(), nullptr)) : Ref();
}

Ref list(const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref made = Ref::steal(PyList_New(static_cast<Py_ssize_t>(recipe.args.size())));
  for (size_t i = 0; made && i < recipe.args.size(); ++i)
    PyList_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), Ref(objects[recipe.args[i]]).release());
  return made;
}

Ref dict(const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref made;
  if (!recipe.object)
    made = Ref::steal(PyDict_New());
  else
    made = Ref::steal(PyObject_CallFunctionObjArgs(
        recipe.object.get(), recipe.number ? argument(recipe, objects, 0) : nullptr, nullptr));
  for (size_t i = static_cast<size_t>(recipe.number); made && i < recipe.args.size(); i += 2)
    if (PyObject_SetItem(made.get(), objects[recipe.args[i]].get(),
                         objects[recipe.args[i + 1]].get()) < 0)
      return {};
  return made;
}

// An iterator that has already given `taken` items.
Ref advanced(Ref iterator, int64_t taken) {
  for (int64_t i = 0; iterator && i < taken; ++i) {
    Ref item = Ref::steal(PyIter_Next(iterator.get()));
    if (!item) break;
  }
  return PyErr_Occurred() ? Ref() : iterator;
}

// A list may get its items only later, by an effect: its iterator is told where it stands.
Ref sequence_iterator(const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref made = Ref::steal(PyObject_GetIter(argument(recipe, objects, 0)));
  if (!made || recipe.number == 0) return made;
  Ref set = Ref::steal(
      PyObject_CallMethod(made.get(), "__setstate__", "L", static_cast<long long>(recipe.number)));
  return set ? made : Ref();
}

Ref dict_iterator(const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref view = Ref::steal(
      PyObject_CallMethodObjArgs(argument(recipe, objects, 0), recipe.object.get(), nullptr));
  return view ? advanced(Ref::steal(PyObject_GetIter(view.get())), recipe.number) : Ref();
}

// Compilers from 3.10 on leave annotations as a flat tuple: name, value, ...
Ref annotations_dict(PyObject* annotations) {
  if (!PyTuple_Check(annotations)) return Ref::share(annotations);
  Ref made = Ref::steal(PyDict_New());
  for (Py_ssize_t i = 0; made && i + 1 < PyTuple_GET_SIZE(annotations); i += 2)
    if (PyDict_SetItem(made.get(), PyTuple_GET_ITEM(annotations, i),
                       PyTuple_GET_ITEM(annotations, i + 1)) < 0)
      return {};
  return made;
}

Ref function(const Recipe& recipe, const std::vector<Ref>& objects) {
  enum { kGlobals, kName, kDefaults, kKwDefaults, kAnnotations, kClosure };
  Ref made = Ref::steal(PyFunction_NewWithQualName(
      recipe.object.get(), argument(recipe, objects, kGlobals), argument(recipe, objects, kName)));
  if (!made) return {};
  if (PyObject* o = argument(recipe, objects, kDefaults))
    if (PyFunction_SetDefaults(made.get(), o) < 0) return {};
  if (PyObject* o = argument(recipe, objects, kKwDefaults))
    if (PyFunction_SetKwDefaults(made.get(), o) < 0) return {};
  if (PyObject* o = argument(recipe, objects, kAnnotations)) {
    if (PyFunction_Check(o)) {
      compat::set_annotate(made.get(), Ref::share(o));
    } else {
      Ref notes = annotations_dict(o);
      if (!notes || PyFunction_SetAnnotations(made.get(), notes.get()) < 0) return {};
    }
  }
  if (PyObject* o = argument(recipe, objects, kClosure))
    if (PyFunction_SetClosure(made.get(), o) < 0) return {};
  return made;
}

// Of a class derived from `object`, dict or OrderedDict, as the __new__ of that base makes it.
Ref instance(const Recipe& recipe) {
  auto* cls = reinterpret_cast<PyTypeObject*>(recipe.object.get());
  PyTypeObject* base = cls;
  while (base->tp_flags & Py_TPFLAGS_HEAPTYPE) base = base->tp_base;
  Ref none = Ref::steal(PyTuple_New(0));
  return none ? Ref::steal(base->tp_new(cls, none.get(), nullptr)) : Ref();
}

Ref call(PyTypeObject* type, const Recipe& recipe, const std::vector<Ref>& objects) {
  Ref args = tuple(recipe, objects);
  return args ? Ref::steal(PyObject_Call(reinterpret_cast<PyObject*>(type), args.get(), nullptr))
              : Ref();
}

// Methods of builtin types bind to objects of a type of their own.
Ref method(PyObject* function, PyObject* self) {
  PyTypeObject* const type = Py_TYPE(function);
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type)
    return Ref::steal(
        type->tp_descr_get(function, self, reinterpret_cast<PyObject*>(Py_TYPE(self))));
  return Ref::steal(PyMethod_New(function, self));
}

}  // namespace

Ref rebuild(const Recipe& recipe, const std::vector<Ref>& objects) {
  const Ref object = Ref::share(recipe.object.get());  // a collection may free it meanwhile
  if (recipe.object && !object) return {};
  switch (recipe.kind) {
    case RecipeKind::kConst: return Ref::share(recipe.object.get());
    case RecipeKind::kTuple:
      return recipe.object ? named_tuple(recipe, objects) : tuple(recipe, objects);
    case RecipeKind::kList: return list(recipe, objects);
    case RecipeKind::kSet: return clone_set(PyTuple_GET_ITEM(recipe.object.get(), 0));
    case RecipeKind::kDict: return dict(recipe, objects);
    case RecipeKind::kSlice:
      return Ref::steal(PySlice_New(argument(recipe, objects, 0), argument(recipe, objects, 1),
                                    argument(recipe, objects, 2)));
    case RecipeKind::kMethod:
      return method(argument(recipe, objects, 0), argument(recipe, objects, 1));
    case RecipeKind::kBuiltinMethod:
      return Ref::steal(PyObject_GetAttr(argument(recipe, objects, 0), recipe.object.get()));
    case RecipeKind::kCell:
      return Ref::steal(PyCell_New(recipe.args.empty() ? nullptr : argument(recipe, objects, 0)));
    case RecipeKind::kFunction: return function(recipe, objects);
    case RecipeKind::kSequenceIterator: return sequence_iterator(recipe, objects);
    case RecipeKind::kCallMethod:
      return Ref::steal(
          PyObject_CallMethodObjArgs(argument(recipe, objects, 0), recipe.object.get(), nullptr));
    case RecipeKind::kDictIterator: return dict_iterator(recipe, objects);
    case RecipeKind::kConstantIterator:
      return advanced(Ref::steal(PyObject_GetIter(recipe.object.get())), recipe.number);
    case RecipeKind::kZip: return call(&PyZip_Type, recipe, objects);
    case RecipeKind::kMap: return call(&PyMap_Type, recipe, objects);
    case RecipeKind::kFilter: return call(&PyFilter_Type, recipe, objects);
    case RecipeKind::kEnumerate: {
      Ref start = Ref::steal(PyLong_FromLongLong(recipe.number));
      return start ? Ref::steal(PyObject_CallFunctionObjArgs(
                         reinterpret_cast<PyObject*>(&PyEnum_Type), argument(recipe, objects, 0),
                         start.get(), nullptr))
                   : Ref();
    }
    case RecipeKind::kReversed:
      return advanced(call(&PyReversed_Type, recipe, objects), recipe.number);
    case RecipeKind::kSuper: return call(&PySuper_Type, recipe, objects);
    case RecipeKind::kPartial: {
      Ref function = Ref::steal(PyTuple_Pack(1, argument(recipe, objects, 0)));
      Ref all = function
                    ? Ref::steal(PySequence_Concat(function.get(), argument(recipe, objects, 1)))
                    : Ref();
      return all ? Ref::steal(
                       PyObject_Call(recipe.object.get(), all.get(), argument(recipe, objects, 2)))
                 : Ref();
    }
    case RecipeKind::kInstance: return instance(recipe);
    case RecipeKind::kRegister:
    case RecipeKind::kOutput:
    case RecipeKind::kScalar:
    case RecipeKind::kSize:
    case RecipeKind::kNumber: break;
  }
  PyErr_SetString(PyExc_SystemError, "[msjit] recipe without a rebuild");
  return {};
}

}  // namespace msjit
