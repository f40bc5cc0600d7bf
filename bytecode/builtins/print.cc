// print() and write() of a file: an effect, replayed in program order at the region's exit. The
// arguments are converted to text at once, because a list may change after the call. Only tensors
// and open numbers are converted at the exit, when their values are known.
#include <algorithm>
#include <array>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/values/computed.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

// Whether write() and flush() of a file are methods written in C.
bool writes_in_c(Executor& x, const SymRef& file) {
  if (!x.look(file) || file->kind != SymKind::kObject || !file->object) return false;
  PyTypeObject* const type = Py_TYPE(file->object.get());
  for (const char* name : {"write", "flush"}) {
    const Ref text = interned_text(name);
    PyObject* const method = host::find_on_class(type, text.get());
    const bool plain = method && Py_TYPE(method) == &PyMethodDescr_Type;
    if (!plain || x.heap().instance_attr(file, text.get())) return false;
  }
  return type->tp_getattro == PyObject_GenericGetAttr;
}

// Whether all streams below a file are CPython's own. A program may have put a stream of its own
// there.
bool hands_on_in_c(Executor& x, const SymRef& file) {
  static constinit LibraryType ends[] = {{"_io", "BytesIO"}, {"_io", "FileIO"}};
  static constinit LibraryType buffers[] = {{"_io", "BufferedWriter"}, {"_io", "BufferedRandom"}};
  static PyObject* const names[] = {special_name("buffer"), special_name("raw")};
  PyTypeObject* const type = type_of(*file);
  for (PyObject* const name : names) {
    PyObject* const found = host::find_on_class(type, name);
    if (!found) continue;
    const SymRef below = is_object_member(type, found) ? x.heap().member(file, found) : SymRef();
    if (!below || !writes_in_c(x, below)) return false;
    const auto is_one = [&](LibraryType& known) { return type_of(*below) == known.get(); };
    return std::ranges::any_of(ends, is_one) ||
           (std::ranges::any_of(buffers, is_one) && hands_on_in_c(x, below));
  }
  return true;
}

// A text file of CPython, whose write() and flush() run no code of the program.
bool is_plain_file(Executor& x, const SymRef& file) {
  return writes_in_c(x, file) && hands_on_in_c(x, file);
}

// The file that a print() writes to, from its `file`, which may be null; null in `out` means
// sys.stdout.
bool output_of(Executor& x, const SymRef& file, SymRef* out) {
  PyObject* const sys = loaded_module("sys");
  static PyObject* const stdout_name = special_name("stdout");
  if (!sys || (file && !x.look(file))) return false;
  const SymRef module = x.heap().from_constant(Ref::share(sys), "sys");
  if (!x.look(module)) return false;
  const SymRef output = x.heap().instance_attr(module, stdout_name);
  if (!file || file->is_const(Py_None) || file == output) return output && is_plain_file(x, output);
  *out = file;
  return is_plain_file(x, file);
}

// Whether the text of a value is only known at the exit. A tensor made in the region is printed as
// it is now, because x[...] = value may give it another value later.
bool has_value_later(const Executor& x, const SymRef& value, SymRef* out) {
  *out = value;
  if (is_shown_later(x, value)) return true;
  if (value->is_tensor() && !value->object && value->source == kNoSource)
    *out = make_past_tensor(value->tensor);
  return value->is_tensor() || value->kind == SymKind::kSize || value->kind == SymKind::kNumber;
}

// A copy of a list, tuple or dict that holds tensors, whose text is made when these have their
// values.
bool shown_later(Executor& x, const SymRef& value, int depth, SymRef* out) {
  constexpr int kMaxDepth = 8;  // a list may hold itself
  if (!is_shown_later(x, value) && !x.look_number(value)) return false;
  if (has_value_later(x, value, out)) return true;
  if (to_python(x, value)) return true;
  const bool dict = value->kind == SymKind::kDict && x.heap().dict_all(value);
  const bool sequence = value->kind == SymKind::kList || value->kind == SymKind::kTuple;
  if (depth > kMaxDepth || value->cls || (!dict && !sequence))
    return x.fail(BreakReason::kCallUnknown, "print of " + describe(*value));
  *out = make_sym(value->kind);
  for (const SymRef& item : std::vector<SymRef>(value->items)) {
    (*out)->items.emplace_back();
    if (!shown_later(x, item, depth + 1, &(*out)->items.back())) return false;
  }
  for (const auto& [key, item] : value->entries) {
    (*out)->entries.emplace_back(key, nullptr);
    if (!shown_later(x, item, depth + 1, &(*out)->entries.back().second)) return false;
  }
  return true;
}

bool printable(Executor& x, const SymRef& value, SymRef* out) {
  if (!is_shown_later(x, value) && !x.look_number(value)) return false;
  if (has_value_later(x, value, out)) return true;
  Ref known = to_python(x, value);
  Ref text = known ? Ref::steal(host::call(host::values, PyObject_Str, known.get())) : Ref();
  if (!text) {
    PyErr_Clear();
    bool object = false;
    if (!text_of_object(x, value, true, out, &object)) return false;
    return object || shown_later(x, value, 0, out);
  }
  *out = make_const(std::move(text));
  return true;
}

// All lines of a region go to one file.
bool add_line(Executor& x, Heap::Printed line) {
  std::vector<Heap::Printed>& lines = x.heap().printed();
  if (!lines.empty() && lines.back().file != line.file)
    return x.fail(BreakReason::kUnsupported, "print to a second file");
  return lines.push_back(std::move(line)), true;
}

bool model_print(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords given(args, names);
  Heap::Printed line;
  for (const char* key : {"sep", "end", "flush"}) {
    const SymRef value = given.take(key);
    if (!value) continue;
    Ref known = to_python(x, value);
    if (!known ||
        !(known.get() == Py_None || PyBool_Check(known.get()) || PyUnicode_CheckExact(known.get())))
      return wrong_arguments(x, "print");
    if (!line.keywords) line.keywords = allocated(Ref::steal(PyDict_New()));
    if (host::call(host::values, PyDict_SetItemString, line.keywords.get(), key, known.get()) < 0)
      return x.raise_python("print()");
  }
  const SymRef file = given.take("file");
  if (!given.empty() || !output_of(x, file, &line.file)) return wrong_arguments(x, "print");
  for (const SymRef& value : given.positional) {
    line.values.emplace_back();
    if (!printable(x, value, &line.values.back())) return false;
  }
  *out = sym_none();
  return add_line(x, std::move(line));
}

// Notes a line that is written as it is, without the text and end that print() adds.
bool write_raw(Executor& x, const SymRef& file, std::vector<SymRef> values, bool flush) {
  Heap::Printed line;
  line.values = std::move(values);
  line.keywords = allocated(Ref::steal(PyDict_New()));
  const Ref nothing = allocated(Ref::steal(PyUnicode_FromStringAndSize(nullptr, 0)));
  const auto set = [&](const char* key, PyObject* value) {
    return host::call(host::values, PyDict_SetItemString, line.keywords.get(), key, value) == 0;
  };
  if (!set("end", nothing.get()) || !set("flush", flush ? Py_True : Py_False))
    return x.raise_python("write()");
  if (!output_of(x, file, &line.file))
    return x.fail(BreakReason::kCallUnknown, "a write to " + describe(*file));
  return add_line(x, std::move(line));
}

// The classes of CPython's text files.
std::array<PyTypeObject*, 2> text_files() {
  static constinit LibraryType text("_io", "TextIOWrapper"), memory("_io", "StringIO");
  return {text.get(), memory.get()};
}

// file.write(text), which gives the number of its characters.
bool model_write(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "write", args, names, 2, 2)) return false;
  const SymRef& text = args[1];
  const bool later = is_shown_later(x, text);
  if (!later && !x.look(text)) return false;
  if (x.strict() || type_of(*text) != &PyUnicode_Type) return wrong_arguments(x, "write");
  bool known = !later;
  if (!later) *out = sym_int(PyUnicode_GET_LENGTH(text->object.get()));
  if (!known && !computed_length(x, text, out, &known)) return false;
  return write_raw(x, args[0], {text}, false);
}

bool model_flush(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "flush", args, names, 1, 1)) return false;
  PyTypeObject* const type = type_of(*args[0]);
  if (!std::ranges::any_of(text_files(), [&](auto* t) { return t && PyType_IsSubtype(type, t); }))
    return x.fail(BreakReason::kCallUnknown, "flush() of " + describe(*args[0]));
  return write_raw(x, args[0], {}, true) && (*out = sym_none(), true);
}

constexpr ModelRow kFileMethods[] = {{"write", model_write}, {"flush", model_flush}};

const ModelRow kPrintModels[] = {{"print", model_print}};

}  // namespace

BuiltinModel file_method(PyTypeObject* owner, const char* name) {
  static constinit LibraryType base("_io", "_IOBase");  // StringIO has its flush()
  const auto is_one = [&](PyTypeObject* type) { return type == owner; };
  return owner == base.get() || std::ranges::any_of(text_files(), is_one)
             ? find_row(kFileMethods, name)
             : nullptr;
}

const ModelTable models_print = {"builtins", kPrintModels, {}};

}  // namespace msjit
