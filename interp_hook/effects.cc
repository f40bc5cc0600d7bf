// Applies the effects of a region at its exit: prints its text, then makes its changes of existing
// objects one after the other.
#include <Python.h>

#include <algorithm>

#include "guards/last_reference.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "interp_hook/entry.h"
#include "kernels/cpu/layout.h"
#include "kernels/eager/tape.h"

namespace msjit {

bool writes_tensor(const Effect& effect) {
  return effect.kind == &effect_write_tensor || effect.kind == &effect_replace_tensor;
}

bool may_write_tensors(const Entry& entry, PyObject* const* registers) {
  using Read = std::pair<const StorageImpl*, SourceId>;
  std::vector<Read> reads;  // sorted by memory
  for (SourceId input : entry.inputs)
    if (input != kNoSource) reads.emplace_back(tensor_of(registers[input]).storage().get(), input);
  std::ranges::sort(reads);
  for (const Effect& effect : entry.effects) {
    if (!writes_tensor(effect)) continue;
    const SourceId target = entry.recipes[effect.target].index;
    const Tensor& tensor = tensor_of(registers[target]);
    const Storage& memory = tensor.storage();
    if (is_tracked(tensor) || memory->read_only || is_state(tensor) != effect.state) return false;
    if (shares_tracked(registers[target])) return false;
    if (layout::overlaps_itself(tensor)) return false;  // a write to one element is one to others
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
    return value.kind == &recipe_output && is_tracked(outputs[value.index]);
  });
}

namespace {

// Whether this tensor alone uses its memory, fills it, and nobody else has the memory's address.
bool owns_memory(const Tensor& tensor) {
  const Storage& memory = tensor.storage();
  return memory.unique() && !memory->deleter && !memory->scratch && memory->exports.load() == 0 &&
         tensor.contiguous() && tensor.data() == memory->data;
}

// Instead of a copy: swaps the memory of the tensor with that of the value, which nobody uses
// later.
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
  if (!take_memory(tensor, value))
    if (Status copied = copy_elements(value, tensor); !copied.ok())
      return raise(copied.error()), false;
  tensor.bump_version();
  return true;
}

bool write_in_place(PyObject* object, const Effect& effect, const Objects& objects) {
  return write_tensor(object, objects[effect.values[0]].get(), false);
}

bool write_by_replacing(PyObject* object, const Effect& effect, const Objects& objects) {
  return write_tensor(object, objects[effect.values[0]].get(), true);
}

bool set_global(PyObject* globals, const Effect& effect, const Objects& objects) {
  if (effect.values.empty()) {
    if (host::call(host::checked, PyDict_DelItem, globals, effect.name.get()) == 0) return true;
    if (!PyErr_ExceptionMatches(PyExc_KeyError)) return false;
    PyErr_Clear();  // it was set and deleted inside the region
    return true;
  }
  return host::call(host::checked, PyDict_SetItem, globals, effect.name.get(),
                    objects[effect.values[0]].get()) == 0;
}

void drop_global(PyObject* globals, const Effect& effect, Departure* departure) {
  PyObject* const name = effect.name.get();
  departure->drop(host::call(host::checked, _PyDict_GetItem_KnownHash, globals, name,
                             host::call(host::values, PyObject_Hash, name)));
}

// All that a region prints is printed at once, before the other changes.
bool printed_before(PyObject*, const Effect&, const Objects&) { return true; }

// The text that one print() writes. Its keywords are constants whose types the capture has checked.
Ref printed_text(const Effect& effect, const Objects& objects) {
  PyObject* keywords = effect.name.get();
  const auto given = [&](const char* name, const char* otherwise) {
    PyObject* value = keywords ? host::find_name(keywords, name) : nullptr;
    return value && value != Py_None ? Ref::share(value)
                                     : Ref::steal(PyUnicode_FromString(otherwise));
  };
  Ref parts = Ref::steal(PyList_New(0));
  for (const int32_t value : effect.values) {
    const Ref text =
        parts ? Ref::steal(host::call(host::program, PyObject_Str, objects[value].get())) : Ref();
    if (!text || PyList_Append(parts.get(), text.get()) < 0) return {};
  }
  const Ref separator = given("sep", " "), end = given("end", "\n");
  if (!parts || !separator || !end || !PyUnicode_Check(separator.get()) ||
      !PyUnicode_Check(end.get()))
    return {};
  const Ref line =
      Ref::steal(host::call(host::checked, PyUnicode_Join, separator.get(), parts.get()));
  return line ? Ref::steal(host::call(host::checked, PyUnicode_Concat, line.get(), end.get()))
              : Ref();
}

// Writes all text of a region at once, so that a failure leaves nothing half done. A region prints
// to one file only.
bool print_all(const Entry& entry, const Objects& objects) {
  Ref texts = Ref::steal(PyList_New(0));
  const Effect* last = nullptr;
  bool flush = false;
  for (const Effect& effect : entry.effects) {
    if (effect.kind != &effect_print) continue;
    const Ref text = texts ? printed_text(effect, objects) : Ref();
    if (!text || PyList_Append(texts.get(), text.get()) < 0) return false;
    PyObject* asked = effect.name.get() ? host::find_name(effect.name.get(), "flush") : nullptr;
    flush |= asked && host::call(host::values, PyObject_IsTrue, asked) == 1;
    last = &effect;
  }
  if (!last) return true;
  const Ref nothing = Ref::steal(PyUnicode_FromString(""));
  const Ref text =
      nothing ? Ref::steal(host::call(host::checked, PyUnicode_Join, nothing.get(), texts.get()))
              : Ref();
  const Ref output =
      last->target < 0 ? Ref::share(PySys_GetObject("stdout")) : objects[last->target];
  if (!text || !output || PyFile_WriteObject(text.get(), output.get(), Py_PRINT_RAW) < 0)
    return false;
  return !flush ||
         Ref::steal(host::call(host::program, PyObject_CallMethod, output.get(), "flush", nullptr));
}

// Whether the file itself refused the text, and would again. Any other exception comes from a
// signal handler.
bool is_of_output() {
  PyObject* const type = PyErr_Occurred();
  return type == PyExc_OSError || type == PyExc_BrokenPipeError ||
         PyErr_GivenExceptionMatches(type, PyExc_ValueError);
}

}  // namespace

const EffectKind effect_print = {.apply = printed_before};
const EffectKind effect_set_global = {.apply = set_global, .drops = drop_global};
const EffectKind effect_write_tensor = {.apply = write_in_place};
const EffectKind effect_replace_tensor = {.apply = write_by_replacing};

bool apply_effects(const Entry& entry, EntryRun* run, bool* untouched) {
  const Objects& objects = run->objects;
  *untouched = !run->pending.still_holds();
  if (!*untouched && !print_all(entry, objects)) {
    if (!is_of_output()) return false;
    PyErr_Clear();
    *untouched = true;
  }
  if (*untouched) {
    if (entry.draws) set_random_state(run->random);
    replay_calls(std::move(run->calls));
    run->drawn.take_back();
    return false;
  }
  if (Status status = run->pending.commit(); !status.ok()) {
    raise(status.error());
    return false;
  }
  for (const Effect& effect : entry.effects) {
    PyObject* const target = effect.target < 0 ? nullptr : objects[effect.target].get();
    if (!effect.kind->apply(target, effect, objects)) return false;
  }
  return true;
}

}  // namespace msjit
