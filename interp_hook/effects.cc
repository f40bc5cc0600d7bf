// What a region changed of existing objects, done at its exit: text printed, then one change after
// the other.
#include <Python.h>
#include <structmember.h>

#include <algorithm>

#include "guards/last_reference.h"
#include "guards/py/error.h"
#include "guards/py/objects.h"
#include "guards/py/set_table.h"
#include "guards/py/tables.h"
#include "interp_hook/entry.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

// What an object has under a name that PyObject_GenericSetAttr replaces.
PyObject* attribute(PyObject* object, PyObject* name) {
  if (PyObject* item = instance_item(object, name, PyObject_Hash(name))) return item;
  PyObject* const found = _PyType_Lookup(Py_TYPE(object), name);
  if (!found || Py_TYPE(found) != &PyMemberDescr_Type) return nullptr;
  const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(found)->d_member;
  const bool holds = member->type == T_OBJECT || member->type == T_OBJECT_EX;
  return holds ? object_at(object, static_cast<int>(member->offset)) : nullptr;
}

bool any_dies_with_code(PyObject* table) {
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(table, &at, nullptr, &value);)
    if (dies_with_code(value)) return true;
  return false;
}

bool replaces_finalizer(const Effect& effect, PyObject* target) {
  switch (effect.kind) {
    case EffectKind::kSetAttr:
    case EffectKind::kDelAttr: return dies_with_code(attribute(target, effect.name.get()));
    case EffectKind::kCellContents: return dies_with_code(PyCell_GET(target));
    case EffectKind::kSetGlobal:
      return dies_with_code(
          _PyDict_GetItem_KnownHash(target, effect.name.get(), PyObject_Hash(effect.name.get())));
    case EffectKind::kDictItems: return any_dies_with_code(target);
    case EffectKind::kListItems:
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(target); ++i)
        if (dies_with_code(PyList_GET_ITEM(target, i))) return true;
      return false;
    case EffectKind::kPrint:
    case EffectKind::kListAppend:
    case EffectKind::kWriteTensor:
    case EffectKind::kReplaceTensor:
    case EffectKind::kSetItems: break;  // the items of such sets are held
  }
  return false;
}

}  // namespace

bool replaces_finalizer(const Entry& entry, PyObject* const* registers) {
  for (const Effect& effect : entry.effects) {
    if (effect.target < 0) continue;
    const Recipe& target = entry.recipes[effect.target];
    PyObject* const object = target.kind == RecipeKind::kRegister ? registers[target.index]
                             : target.kind == RecipeKind::kConst  ? target.object.get()
                                                                  : nullptr;
    if (object && replaces_finalizer(effect, object)) return true;
  }
  return false;
}

bool writes_tensor(const Effect& effect) {
  return effect.kind == EffectKind::kWriteTensor || effect.kind == EffectKind::kReplaceTensor;
}

bool may_write_tensors(const Entry& entry, PyObject* const* registers) {
  using Read = std::pair<const StorageImpl*, SourceId>;
  std::vector<Read> reads;  // by their memory
  for (SourceId input : entry.inputs)
    if (input != kNoSource) reads.emplace_back(tensor_of(registers[input]).storage().get(), input);
  std::ranges::sort(reads);
  for (const Effect& effect : entry.effects) {
    if (!writes_tensor(effect)) continue;
    const SourceId target = entry.recipes[effect.target].index;
    const Tensor& tensor = tensor_of(registers[target]);
    const Storage& memory = tensor.storage();
    if (is_tracked(tensor) || memory->read_only || is_state(tensor) != effect.state) return false;
    const auto known = [&](const Read& read) {
      return read.second == target ||
             std::find(effect.same.begin(), effect.same.end(), read.second) != effect.same.end();
    };
    auto read = std::ranges::lower_bound(reads, memory.get(), {}, &Read::first);
    for (; read != reads.end() && read->first == memory.get(); ++read)
      if (!known(*read)) return false;
  }
  return true;
}

bool gives_history(const Entry& entry, std::span<const Tensor> outputs) {
  return std::any_of(entry.effects.begin(), entry.effects.end(), [&](const Effect& effect) {
    if (!effect.recorded) return false;
    const Recipe& value = entry.recipes[effect.values[0]];
    return value.kind == RecipeKind::kOutput && is_tracked(outputs[value.index]);
  });
}

namespace {

// Whether nobody else has the memory of a tensor, nor its address, and it holds the tensor alone.
bool owns_memory(const Tensor& tensor) {
  const Storage& memory = tensor.storage();
  return memory.unique() && !memory->deleter && !memory->scratch && memory->exports.load() == 0 &&
         tensor.contiguous() && tensor.data() == memory->data;
}

// Gives the tensor the memory of a value that is not used any more, in the place of a copy.
bool take_memory(const Tensor& tensor, const Tensor& value) {
  if (!owns_memory(tensor) || !owns_memory(value) || tensor.dtype() != value.dtype() ||
      !(tensor.shape() == value.shape()))
    return false;
  TensorImpl *to = tensor.impl(), *from = value.impl();
  from->storage->version = to->storage->version;
  std::swap(to->storage, from->storage);
  std::swap(to->data, from->data);
  return true;
}

// `from`: null where the value has been written already.
bool write_tensor(PyObject* object, PyObject* from, bool replaces) {
  if (!from) return true;
  const Tensor &tensor = tensor_of(object), &value = tensor_of(from);
  if (replaces) {
    const Meta meta = tensor.impl()->meta;  // the value may be a weak scalar
    replace_contents(object, value);
    tensor.impl()->meta = meta;
    return true;
  }
  if (!take_memory(tensor, value) && value.numel()) copy_strided(value, tensor);
  tensor.bump_version();
  return true;
}

bool replace_list(PyObject* list, const Effect& effect, const std::vector<Ref>& objects) {
  Ref fresh = Ref::steal(PyList_New(static_cast<Py_ssize_t>(effect.values.size())));
  if (!fresh) return false;
  for (size_t i = 0; i < effect.values.size(); ++i)
    PyList_SET_ITEM(fresh.get(), static_cast<Py_ssize_t>(i),
                    Ref(objects[effect.values[i]]).release());
  return PyList_SetSlice(list, 0, PyList_Size(list), fresh.get()) == 0;
}

bool append_to_list(PyObject* list, const Effect& effect, const std::vector<Ref>& objects) {
  for (int32_t value : effect.values)
    if (PyList_Append(list, objects[value].get()) < 0) return false;
  return true;
}

bool replace_dict(PyObject* dict, const Effect& effect, const std::vector<Ref>& objects) {
  std::vector<PyObject*> items;
  for (int32_t value : effect.values) items.push_back(objects[value].get());
  return fill_table(dict, items.data(), static_cast<Py_ssize_t>(items.size()));
}

// What one print() writes. Its keywords are constants whose kinds the capture has looked at.
Ref printed_text(const Effect& effect, const std::vector<Ref>& objects) {
  PyObject* keywords = effect.name.get();
  const auto given = [&](const char* name, const char* otherwise) {
    PyObject* value = keywords ? PyDict_GetItemString(keywords, name) : nullptr;
    return value && value != Py_None ? Ref::share(value)
                                     : Ref::steal(PyUnicode_FromString(otherwise));
  };
  Ref parts = Ref::steal(PyList_New(0));
  for (const int32_t value : effect.values) {
    const Ref text = parts ? Ref::steal(PyObject_Str(objects[value].get())) : Ref();
    if (!text || PyList_Append(parts.get(), text.get()) < 0) return {};
  }
  const Ref separator = given("sep", " "), end = given("end", "\n");
  if (!parts || !separator || !end || !PyUnicode_Check(separator.get()) ||
      !PyUnicode_Check(end.get()))
    return {};
  const Ref line = Ref::steal(PyUnicode_Join(separator.get(), parts.get()));
  return line ? Ref::steal(PyUnicode_Concat(line.get(), end.get())) : Ref();
}

// All that a region prints, written at once, so that a failure leaves nothing behind.
bool print_all(const Entry& entry, const std::vector<Ref>& objects) {
  Ref texts = Ref::steal(PyList_New(0));
  bool any = false, flush = false;
  for (const Effect& effect : entry.effects) {
    if (effect.kind != EffectKind::kPrint) continue;
    const Ref text = texts ? printed_text(effect, objects) : Ref();
    if (!text || PyList_Append(texts.get(), text.get()) < 0) return false;
    PyObject* asked =
        effect.name.get() ? PyDict_GetItemString(effect.name.get(), "flush") : nullptr;
    flush |= asked && PyObject_IsTrue(asked) == 1;
    any = true;
  }
  if (!any) return true;
  const Ref nothing = Ref::steal(PyUnicode_FromString(""));
  const Ref text = nothing ? Ref::steal(PyUnicode_Join(nothing.get(), texts.get())) : Ref();
  const Ref output = Ref::share(PySys_GetObject("stdout"));
  if (!text || !output || PyFile_WriteObject(text.get(), output.get(), Py_PRINT_RAW) < 0)
    return false;
  return !flush || Ref::steal(PyObject_CallMethod(output.get(), "flush", nullptr));
}

// Whether writing failed by itself, and would again; anything else was raised by a signal handler.
bool is_of_output() {
  PyObject* const type = PyErr_Occurred();
  return type == PyExc_OSError || type == PyExc_BrokenPipeError ||
         PyErr_GivenExceptionMatches(type, PyExc_ValueError);
}

}  // namespace

bool apply_effects(const Entry& entry, EntryRun* run, bool* untouched) {
  const std::vector<Ref>& objects = run->objects;
  *untouched = !run->pending.still_holds();
  if (!*untouched && !print_all(entry, objects)) {
    if (!is_of_output()) return false;
    PyErr_Clear();
    *untouched = true;
  }
  if (*untouched) {
    if (entry.draws) set_random_state(run->random);
    return false;
  }
  if (Status status = run->pending.commit(); !status.ok()) {
    raise(status.error());
    return false;
  }
  for (const Effect& effect : entry.effects) {
    if (effect.kind == EffectKind::kPrint) continue;
    PyObject* target = objects[effect.target].get();
    bool done = false;
    switch (effect.kind) {
      case EffectKind::kSetAttr:
        done = PyObject_GenericSetAttr(target, effect.name.get(),
                                       objects[effect.values[0]].get()) == 0;
        break;
      case EffectKind::kPrint: break;
      case EffectKind::kDelAttr:
        done = PyObject_GenericSetAttr(target, effect.name.get(), nullptr) == 0;
        if (!done && PyErr_ExceptionMatches(PyExc_AttributeError)) {
          PyErr_Clear();  // it was set and deleted inside the region
          done = true;
        }
        break;
      case EffectKind::kWriteTensor:
      case EffectKind::kReplaceTensor:
        done = write_tensor(target, objects[effect.values[0]].get(),
                            effect.kind == EffectKind::kReplaceTensor);
        break;
      case EffectKind::kListItems: done = replace_list(target, effect, objects); break;
      case EffectKind::kListAppend: done = append_to_list(target, effect, objects); break;
      case EffectKind::kSetItems:
        done = assign_set(target, PyTuple_GET_ITEM(effect.name.get(), 0));
        break;
      case EffectKind::kSetGlobal:
        done = PyDict_SetItem(target, effect.name.get(), objects[effect.values[0]].get()) == 0;
        break;
      case EffectKind::kDictItems: done = replace_dict(target, effect, objects); break;
      case EffectKind::kCellContents:
        done = PyCell_Set(target, objects[effect.values[0]].get()) == 0;
        break;
    }
    if (!done) return false;
  }
  return true;
}

}  // namespace msjit
