#include "launcher/start.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "guards/py/ref.h"

namespace msjit::launcher {
namespace {

constexpr int kBroken = 1, kMisused = 2;  // exit statuses, as python's

std::vector<std::string> g_options;
PyObject* (*g_posix_init)() = nullptr;

// Nothing of the program has run yet, so nothing needs finalizing.
[[noreturn]] void end(int status, const std::string& text) {
  std::FILE* out = status ? stderr : stdout;
  std::fprintf(out, "%s%s\n", status ? "msjit-python: " : "", text.c_str());
  std::fflush(out);
  _exit(status);
}

std::string text_of(PyObject* object) {
  const Ref text = Ref::steal(object ? PyObject_Str(object) : nullptr);
  const char* characters = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!characters) PyErr_Clear();
  return characters ? characters : "";
}

// Ends the process with the pending exception.
[[noreturn]] void fail(const std::string& looked_in) {
  const bool misused = PyErr_ExceptionMatches(PyExc_ValueError);
  const bool missing = PyErr_ExceptionMatches(PyExc_ImportError);
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const std::string what = text_of(value);
  if (misused) end(kMisused, what + "\n`msjit-python -X msjit=help` explains them.");
  if (!missing) end(kBroken, "msjit cannot be started: " + text_of(type) + ": " + what);
  end(kBroken, "msjit cannot be imported: " + what + "\nIt was looked for in sys.path and in" +
                   looked_in +
                   ".\nInstall it for this interpreter (`pip install` in its source tree), or "
                   "leave out -X msjit and MSJIT_AUTO.");
}

// --- where the package is ------------------------------------------------------------------------

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string real_executable() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, size > 0 ? size : 0);
}

// Folders that may hold the package. `site` has not added the environment's packages to sys.path
// yet. In an environment, and where pip puts scripts, they lie in lib/ beside the folder of the
// executable. An environment made by this launcher may have no msjit. Then the package beside the
// real executable serves, or the one built together with it (MSJIT_PACKAGE_DIR).
std::vector<std::string> package_folders() {
  std::vector<std::string> folders;
  const std::string version = std::string(PY_VERSION, std::strrchr(PY_VERSION, '.'));
  for (const std::string& executable : {text_of(PySys_GetObject("executable")), real_executable()})
    for (const char* name : {"/site-packages", "/dist-packages"}) {
      const std::string folder = folder_of(folder_of(executable)) + "/lib/python" + version + name;
      const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
      if (executable[0] == '/' && !known) folders.push_back(folder);
    }
  if (*MSJIT_PACKAGE_DIR) folders.emplace_back(MSJIT_PACKAGE_DIR);
  return folders;
}

Ref text_list(const std::vector<std::string>& texts) {
  Ref list = Ref::steal(PyList_New(0));
  for (const std::string& text : texts) {
    const Ref item = Ref::steal(PyUnicode_DecodeFSDefault(text.c_str()));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return {};
  }
  return list;
}

// Imports msjit.launcher, with these folders at the end of sys.path during the import.
Ref import_package(const std::vector<std::string>& folders) {
  const Ref added = text_list(folders);
  const Ref path = Ref::share(PySys_GetObject("path"));
  if (!added || !path || !PyList_Check(path.get())) return {};
  const Py_ssize_t size = PyList_GET_SIZE(path.get());
  if (PyList_SetSlice(path.get(), size, size, added.get()) < 0) return {};
  Ref module = Ref::steal(PyImport_ImportModule("msjit.launcher"));
  if (!module) return {};
  if (PyList_SetSlice(path.get(), size, size + PyList_GET_SIZE(added.get()), nullptr) < 0)
    return {};
  return module;
}

// --- what is called ------------------------------------------------------------------------------

void start() {
  const std::vector<std::string> folders = package_folders();
  std::string looked_in;
  for (const std::string& folder : folders) looked_in += "\n  " + folder;
  const Ref module = import_package(folders);
  const Ref options = module ? text_list(g_options) : Ref();
  if (!options) fail(looked_in);
  const Ref said = Ref::steal(PyObject_CallMethod(module.get(), "start", "O", options.get()));
  if (!said) fail(looked_in);
  if (!said.is(Py_None)) end(0, text_of(said.get()));
}

void expect_program() {
  const Ref module = Ref::steal(PyImport_ImportModule("msjit.launcher"));
  if (!module || !Ref::steal(PyObject_CallMethod(module.get(), "expect_program", nullptr)))
    PyErr_WriteUnraisable(module.get());
}

// --- when: around the import of `site` -----------------------------------------------------------

// A module object is the first finder on sys.meta_path until `site` is looked for. Then it acts as
// the loader of `site`, by way of the real one below, until `site` is executed.
Ref& g_site_loader = *new Ref;  // never destroyed: the interpreter ends before C++ destructors run

Ref attribute(PyObject* object, const char* name) {
  return Ref::steal(PyObject_GetAttrString(object, name));
}

// Asks the finders on sys.meta_path for the spec of `site`.
Ref find_site() {
  const Ref path = Ref::share(PySys_GetObject("meta_path"));
  for (Py_ssize_t i = 0; path && i < PySequence_Size(path.get()); ++i) {
    const Ref finder = Ref::steal(PySequence_GetItem(path.get(), i));
    Ref spec = finder ? Ref::steal(PyObject_CallMethod(finder.get(), "find_spec", "sOO", "site",
                                                       Py_None, Py_None))
                      : Ref();
    if (!spec || !spec.is(Py_None)) return spec;
  }
  return Ref::none();
}

PyObject* find_spec(PyObject* self, PyObject* args, PyObject*) noexcept {
  PyObject* name = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (!name || !PyUnicode_Check(name) || PyUnicode_CompareWithASCIIString(name, "site") != 0)
    return new_reference(Py_None);
  PyObject* path = PySys_GetObject("meta_path");
  const Py_ssize_t at = path ? PySequence_Index(path, self) : -1;
  if (at < 0 || PySequence_DelItem(path, at) < 0) return nullptr;
  start();
  Ref spec = find_site();
  if (!spec || spec.is(Py_None)) return spec.release();
  g_site_loader = attribute(spec.get(), "loader");
  if (!g_site_loader || PyObject_SetAttrString(spec.get(), "loader", self) < 0) return nullptr;
  return spec.release();
}

PyObject* create_module(PyObject*, PyObject* spec) noexcept {
  return PyObject_CallMethod(g_site_loader.get(), "create_module", "O", spec);
}

PyObject* exec_module(PyObject*, PyObject* module) noexcept {
  const Ref loader = std::exchange(g_site_loader, Ref());
  const Ref spec = attribute(module, "__spec__");
  if (!spec || PyObject_SetAttrString(spec.get(), "loader", loader.get()) < 0 ||
      PyObject_SetAttrString(module, "__loader__", loader.get()) < 0)
    return nullptr;
  Ref result = Ref::steal(PyObject_CallMethod(loader.get(), "exec_module", "O", module));
  if (result) expect_program();
  return result.release();
}

PyMethodDef g_finder_functions[] = {
    {"find_spec", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(find_spec)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"create_module", create_module, METH_O, nullptr},
    {"exec_module", exec_module, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

bool add_finder() {
  PyObject* path = PySys_GetObject("meta_path");
  const Ref finder = Ref::steal(PyModule_New("msjit_start"));
  return path && PyList_Check(path) && finder &&
         PyModule_AddFunctions(finder.get(), g_finder_functions) == 0 &&
         PyList_Insert(path, 0, finder.get()) == 0;
}

// --- when, without `site` ------------------------------------------------------------------------

// Without `site` every import may be one of the program itself. So a trace function waits for the
// program's first frame instead.
int on_event(PyObject*, struct _frame* frame, int event, PyObject*) noexcept {
  if (event != PyTrace_CALL) return 0;
  PyObject* program = PyDict_GetItemString(PyImport_GetModuleDict(), "__main__");
  const Ref globals = attribute(reinterpret_cast<PyObject*>(frame), "f_globals");
  if (!program || !globals.is(PyModule_GetDict(program))) return 0;
  PyEval_SetTrace(nullptr, nullptr);
  start();
  expect_program();
  return 0;
}

bool has_site() {
  PyObject* flags = PySys_GetObject("flags");
  const Ref no_site = flags ? attribute(flags, "no_site") : Ref();
  return !no_site || !PyObject_IsTrue(no_site.get());
}

bool wait_for_start() {
  if (has_site()) return add_finder();
  PyEval_SetTrace(on_event, nullptr);
  return true;
}

// Replaces the init function of the built-in module `posix`, which every interpreter imports right
// after it has made sys.meta_path. Sub-interpreters import it again; only the first call counts.
PyObject* init_posix() noexcept {
  static bool done = false;
  if (!std::exchange(done, true) && !wait_for_start()) return nullptr;
  return g_posix_init();
}

}  // namespace

void arrange_start(std::vector<std::string> options) {
  g_options = std::move(options);
  for (_inittab* entry = PyImport_Inittab; entry->name; ++entry)
    if (std::strcmp(entry->name, "posix") == 0)
      g_posix_init = std::exchange(entry->initfunc, init_posix);
  if (!g_posix_init) end(kBroken, "this libpython has no built-in module posix: " MSJIT_LIBPYTHON);
}

}  // namespace msjit::launcher
