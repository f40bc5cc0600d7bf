// ImportFinder(include, exclude, observer): a meta path finder that calls observer(code) when the
// code of a module is loaded. It does so for names that include(name) matches and exclude(name)
// does not. It leaves the search itself to the other finders, and replaces `get_code` of the loader
// they return. All this is C code without Python frames, so tracebacks and trace functions see a
// plain import.
#include "pylib/ext/import_finder.h"

#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "pylib/ext/boundary.h"

namespace msjit {
namespace {

template <class T>
T* as(PyObject* object) {
  return reinterpret_cast<T*>(object);
}

Ref attribute(PyObject* object, const char* name) {
  Ref found = Ref::steal(host::call(host::program, PyObject_GetAttrString, object, name));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return found;
}

// --- get_code of a loader ------------------------------------------------------------------------

// Replaces the method get_code of a loader until its first call. Two of them are equal when their
// observers are, so that comparisons of loaders and specs give what they would give without them.
struct ObservedLoad {
  PyObject_HEAD PyObject* get_code;
  PyObject* loader;
  PyObject* observer;
};
PyTypeObject observed_load_type = {PyVarObject_HEAD_INIT(nullptr, 0) "msjit.ObservedLoad",
                                   sizeof(ObservedLoad)};

Ref load(PyObject* self, PyObject* args, PyObject* keywords) {
  const Ref get_code = Ref::share(as<ObservedLoad>(self)->get_code);
  const Ref loader = Ref::share(as<ObservedLoad>(self)->loader);
  const Ref observer = Ref::share(as<ObservedLoad>(self)->observer);
  if (!get_code) return {};
  Ref code = Ref::steal(host::call(host::program, PyObject_Call, get_code.get(), args, keywords));
  if (!code) return {};
  if (attribute(loader.get(), "get_code").is(self) &&
      host::call(host::program, PyObject_SetAttrString, loader.get(), "get_code", nullptr) < 0)
    PyErr_Clear();
  PyObject* const seen[] = {code.get()};
  if (code.is(Py_None)) return code;
  return host::call(host::program, compat::vectorcall, observer.get(), seen, 1, nullptr) ? code
                                                                                         : Ref();
}

Ref compare_loads(PyObject* a, PyObject* b, int how) {
  const bool both = Py_TYPE(a) == &observed_load_type && Py_TYPE(b) == &observed_load_type;
  if (!both || (how != Py_EQ && how != Py_NE)) return Ref::share(Py_NotImplemented);
  const bool same = as<ObservedLoad>(a)->observer == as<ObservedLoad>(b)->observer;
  return Ref::share(same == (how == Py_EQ) ? Py_True : Py_False);
}

int traverse_load(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(as<ObservedLoad>(self)->get_code);
  Py_VISIT(as<ObservedLoad>(self)->loader);
  Py_VISIT(as<ObservedLoad>(self)->observer);
  return 0;
}

int clear_load(PyObject* self) noexcept {
  Ref::steal(std::exchange(as<ObservedLoad>(self)->get_code, nullptr)).reset();
  Ref::steal(std::exchange(as<ObservedLoad>(self)->loader, nullptr)).reset();
  Ref::steal(std::exchange(as<ObservedLoad>(self)->observer, nullptr)).reset();
  return 0;
}

// Loaders that are classes (for built-in and frozen modules) serve many modules, so they are left
// alone. So are loaders on which no attribute can be set.
bool observe(PyObject* loader, PyObject* observer) {
  if (PyType_Check(loader)) return true;
  const Ref get_code = attribute(loader, "get_code");
  const Ref owner = get_code ? attribute(get_code.get(), "__self__") : Ref();
  if (PyErr_Occurred()) return false;
  if (!owner.is(loader)) return true;
  const Ref made = Ref::steal(observed_load_type.tp_alloc(&observed_load_type, 0));
  if (!made) return false;
  as<ObservedLoad>(made.get())->get_code = Ref(get_code).release();
  as<ObservedLoad>(made.get())->loader = new_reference(loader);
  as<ObservedLoad>(made.get())->observer = new_reference(observer);
  if (host::call(host::program, PyObject_SetAttrString, loader, "get_code", made.get()) == 0)
    return true;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
  PyErr_Clear();
  return true;
}

// --- the finder ----------------------------------------------------------------------------------

struct ImportFinder {
  PyObject_HEAD PyObject* include;
  PyObject* exclude;
  PyObject* observer;
  PyObject* busy;  // names being looked for; another finder may search the whole path recursively
};
PyTypeObject finder_type = {PyVarObject_HEAD_INIT(nullptr, 0) "msjit.ImportFinder",
                            sizeof(ImportFinder)};

Ref new_finder(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *include = nullptr, *exclude = nullptr, *observer = nullptr;
  if (!PyArg_ParseTuple(args, "OOO:ImportFinder", &include, &exclude, &observer)) return {};
  Ref made = Ref::steal(type->tp_alloc(type, 0));
  if (!made) return {};
  auto* finder = as<ImportFinder>(made.get());
  finder->include = new_reference(include);
  finder->exclude = new_reference(exclude);
  finder->observer = new_reference(observer);
  finder->busy = PySet_New(nullptr);
  return finder->busy ? made : Ref();
}

// Whether a pattern's match(name) finds something; -1 with an exception set.
int answers(PyObject* match, PyObject* name) {
  PyObject* const args[] = {name};
  const Ref found = host::call(host::program, compat::vectorcall, match, args, 1, nullptr);
  return found ? !found.is(Py_None) : -1;
}

Ref matches(PyObject* self, PyObject* name) {
  const int included = answers(as<ImportFinder>(self)->include, name);
  if (included <= 0) return included < 0 ? Ref() : Ref::share(Py_False);
  const int excluded = answers(as<ImportFinder>(self)->exclude, name);
  return excluded < 0 ? Ref() : Ref::share(excluded ? Py_False : Py_True);
}

// Asks the other finders in turn. A finder without find_spec, as they were before PEP 451, ends the
// search: the import system knows how to ask it.
Ref find_elsewhere(PyObject* self, PyObject* const* args) {
  PyObject* path = PySys_GetObject("meta_path");
  if (!path || !PyList_Check(path)) return Ref::none();
  const Ref finders = Ref::steal(PyList_GetSlice(path, 0, PyList_GET_SIZE(path)));
  for (Py_ssize_t i = 0; finders && i < PyList_GET_SIZE(finders.get()); ++i) {
    PyObject* finder = PyList_GET_ITEM(finders.get(), i);
    if (finder == self) continue;
    const Ref find = attribute(finder, "find_spec");
    if (!find) return PyErr_Occurred() ? Ref() : Ref::none();
    Ref spec = host::call(host::program, compat::vectorcall, find.get(), args, 3, nullptr);
    if (!spec || !spec.is(Py_None)) return spec;
  }
  return finders ? Ref::none() : Ref();
}

Ref find_observed(PyObject* self, PyObject* const* args) {
  Ref spec = find_elsewhere(self, args);
  if (!spec || spec.is(Py_None)) return spec;
  const Ref loader = attribute(spec.get(), "loader");
  if (!loader) return PyErr_Occurred() ? Ref() : spec;
  return observe(loader.get(), as<ImportFinder>(self)->observer) ? spec : Ref();
}

Ref find_spec(PyObject* self, const Args& args) {
  static const char* const names[] = {"name", "path", "target", nullptr};
  PyObject* values[] = {nullptr, nullptr, nullptr};
  if (!parse_args(args, "find_spec", names, 1, values)) return {};
  for (PyObject*& value : values) value = value ? value : Py_None;
  PyObject* busy = as<ImportFinder>(self)->busy;
  if (!busy) return Ref::none();  // it has been collected
  const int known = host::call(host::checked, PySet_Contains, busy, values[0]);
  const Ref wanted = known == 0 ? matches(self, values[0]) : Ref();
  if (!wanted.is(Py_True)) return PyErr_Occurred() ? Ref() : Ref::none();
  if (host::call(host::checked, PySet_Add, busy, values[0]) < 0) return {};
  Ref spec = find_observed(self, values);
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  if (host::call(host::checked, PySet_Discard, busy, values[0]) < 0) PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return spec;
}

Ref invalidate_caches(PyObject*) { return Ref::none(); }

int traverse_finder(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(as<ImportFinder>(self)->include);
  Py_VISIT(as<ImportFinder>(self)->exclude);
  Py_VISIT(as<ImportFinder>(self)->observer);
  Py_VISIT(as<ImportFinder>(self)->busy);
  return 0;
}

int clear_finder(PyObject* self) noexcept {
  auto* finder = as<ImportFinder>(self);
  for (PyObject** part : {&finder->include, &finder->exclude, &finder->observer, &finder->busy})
    Ref::steal(std::exchange(*part, nullptr)).reset();
  return 0;
}

template <int (*Clear)(PyObject*)>
void dealloc(PyObject* self) noexcept {
  PyObject_GC_UnTrack(self);
  Clear(self);
  Py_TYPE(self)->tp_free(self);
}

PyMethodDef finder_methods[] = {
    method<find_spec>("find_spec",
                      "find_spec(name, path=None, target=None)\n--\n\nSpec of the other finders, "
                      "with a loader that tells the observer."),
    method1<matches>("matches", "matches(name)\n--\n\nTrue when the module `name` is observed."),
    method0<invalidate_caches>("invalidate_caches", "Nothing is cached here."),
    {nullptr}};

}  // namespace

bool add_import_finder(PyObject* module) {
  observed_load_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
  observed_load_type.tp_call = entry<load>;
  observed_load_type.tp_richcompare = entry<compare_loads>;
  observed_load_type.tp_traverse = traverse_load;
  observed_load_type.tp_clear = clear_load;
  observed_load_type.tp_dealloc = dealloc<clear_load>;
  finder_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
  finder_type.tp_doc = "A meta path finder that tells an observer of the code of modules.";
  finder_type.tp_new = entry<new_finder>;
  finder_type.tp_methods = finder_methods;
  finder_type.tp_traverse = traverse_finder;
  finder_type.tp_clear = clear_finder;
  finder_type.tp_dealloc = dealloc<clear_finder>;
  return PyType_Ready(&observed_load_type) == 0 && PyType_Ready(&finder_type) == 0 &&
         compat::add_object(module, "ImportFinder",
                            Ref::share(reinterpret_cast<PyObject*>(&finder_type))) == 0;
}

}  // namespace msjit
