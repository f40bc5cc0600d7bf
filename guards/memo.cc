#include "guards/memo.h"

#include <algorithm>
#include <cstring>

#include "guards/cache.h"
#include "guards/py/compat_layout.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "kernels/core/immortal.h"
#include "kernels/core/out_of_memory.h"

namespace msjit {

// --- checking ------------------------------------------------------------------------------------

bool Memo::recheck(size_t index) {
  const auto found = table_of_.find(index);
  if (found == table_of_.end()) return false;
  const Table& table = tables_[found->second];
  if (table.string_keys && !compat::has_only_string_keys(table.dict)) return false;
  for (const Lookup& lookup : table.lookups)
    if (host::call(host::checked, _PyDict_GetItem_KnownHash, table.dict, lookup.key, lookup.hash) !=
        lookup.found)
      return false;
  words_[index].value = *words_[index].at;
  return true;
}

// The first word whose value has changed. There is one branch a word, because only an unchanged
// word proves that the memory of the next one is alive.
[[gnu::noinline, gnu::aligned(64)]] const Memo::Word* Memo::first_changed(const Word* word,
                                                                          const Word* end) {
  constexpr int kBlock = 8;
  for (; end - word >= kBlock; word += kBlock) {
#pragma GCC unroll 8
    for (int i = 0; i < kBlock; ++i)
      if (*word[i].at != word[i].value) [[unlikely]]
        return word + i;
  }
  while (word != end && *word->at == word->value) ++word;
  return word;
}

bool Memo::words_hold() {
  const Word* const begin = words_.data();
  const Word* const end = begin + words_.size();
  for (const Word* word = begin; (word = first_changed(word, end)) != end; ++word)
    if (!recheck(static_cast<size_t>(word - begin))) return false;
  return true;
}

int Memo::check(const GuardSet& set, const Slots& slots, PyObject** registers) {
  bool holds = slots.globals == globals_ && slots.builtins == builtins_;
  for (const Root& root : roots_)
    holds &= (root.stack ? slots.stack : slots.locals)[root.index].get() == root.object;
  if (!holds || !words_hold()) {
    ++stale_;
    return kStale;
  }
  stale_ = 0;
  for (const auto& [id, object] : registers_) registers[id] = object;
  for (int32_t step : steps_)
    if (!set.run_step(set.steps_[step], slots, registers)) return step;
  return -1;
}

namespace {

std::vector<std::shared_ptr<Memo>>& unsettled_memos() {
  static constinit Immortal<std::vector<std::shared_ptr<Memo>>> memos;
  return memos.value;
}

}  // namespace

void Memo::update(const GuardSet& set, const Slots& slots, PyObject** registers,
                  std::shared_ptr<Memo>* memo) {
  constexpr size_t kWorthwhile = 6;  // with fewer steps a memo is no faster
  if (set.steps_.size() < kWorthwhile) return;
  const int stale = *memo ? (*memo)->stale_ : 0;
  if (stale & (stale - 1)) return;  // remade after 1, 2, 4, 8... misses in a row
  auto fresh = std::make_shared<Memo>();
  fresh->stale_ = stale;
  if (!MemoBuilder(set, slots, registers, fresh.get()).build()) {
    fresh = std::make_shared<Memo>();  // never holds, so that the next ones are made ever later
    fresh->stale_ = std::max(stale, 1);
  }
  std::swap(*memo, fresh);
  if ((*memo)->unsettled_.empty()) return;
  unsettled_memos().push_back(*memo);
  RegionRun::leave_work();
}

namespace {

constexpr uint64_t kNobodyDied = 0;

// CPython calls this while an object dies, with its weak reference.
PyObject* note_death(PyObject* deaths, PyObject*) noexcept {
  PyCell_Set(deaths, Py_None);
  return Ref::none().release();
}

}  // namespace

void Memo::settle_all() {
  while (!unsettled_memos().empty())
    for (const auto& memo : std::exchange(unsettled_memos(), {})) memo->settle();
}

// Replaces the references to tensors by weak references. These tell a compared address from that of
// a later tensor. Making them may run Python code, which may use the memo, so the references are
// dropped last. If there is no memory for it, the memo never holds again.
void Memo::settle() {
  const std::vector<Ref> tensors = std::exchange(unsettled_, {});
  bool watched = false;
  if (finishes([&] { watched = watch_deaths(tensors); }) && watched) return;
  PyErr_Clear();
  words_[deaths_].value = !kNobodyDied;
}

bool Memo::watch_deaths(const std::vector<Ref>& tensors) {
  static PyMethodDef method = {"note_death", note_death, METH_O, nullptr};
  const Ref deaths = Ref::steal(PyCell_New(nullptr));
  const Ref on_death = Ref::steal(deaths ? PyCFunction_New(&method, deaths.get()) : nullptr);
  if (!on_death) return false;
  held_.reserve(held_.size() + 1 + tensors.size());
  held_.push_back(deaths);
  for (const Ref& tensor : tensors) {
    Ref weak = Ref::steal(PyWeakref_NewRef(tensor.get(), on_death.get()));
    if (!weak) return false;
    held_.push_back(std::move(weak));
  }
  words_[deaths_].at =
      reinterpret_cast<const uint64_t*>(&reinterpret_cast<PyCellObject*>(deaths.get())->ob_ref);
  return true;
}

int64_t Memo::bytes() const {
  return static_cast<int64_t>(sizeof *this + words_.size() * sizeof(Word) +
                              registers_.size() * sizeof registers_[0] + steps_.size() * 4);
}

// --- building ------------------------------------------------------------------------------------

void MemoBuilder::word(const void* address) {
  if (!word_at_.emplace(address, memo_->words_.size()).second) return;
  const auto* at = static_cast<const uint64_t*>(address);
  memo_->words_.push_back({at, *at});
}

void MemoBuilder::type_of(PyObject* object) { word(&object->ob_type); }

void MemoBuilder::class_version(PyTypeObject* type) {
  word(&type->tp_flags);  // says whether the tag is valid
  word(&type->tp_version_tag);
}

bool MemoBuilder::dict_version(PyObject* dict) {
  const void* version = compat::dict_version(dict);
  if (!version) return false;
  word(version);
  memo_->table_of_.erase(word_at_[version]);  // no change at all is allowed
  return true;
}

// The lookups to repeat when the version of this dictionary has changed; null when no change at all
// is allowed.
Memo::Table* MemoBuilder::table_of(PyObject* dict, const void* version) {
  const bool known = word_at_.count(version) != 0;
  word(version);
  const size_t at = word_at_[version];
  if (!known) {
    memo_->table_of_[at] = static_cast<int>(memo_->tables_.size());
    memo_->tables_.push_back({dict, {}, false});
  }
  const auto it = memo_->table_of_.find(at);
  return it == memo_->table_of_.end() ? nullptr : &memo_->tables_[it->second];
}

// An instance and its dictionary share the storage of values only while the dictionary has no keys
// beyond those of the class. While they do, a value keeps its place.
bool MemoBuilder::shared_lookup(PyObject* dict, PyObject* key) {
  if (!PyUnicode_CheckExact(key)) return false;
  word(&reinterpret_cast<PyDictObject*>(dict)->ma_values);
  word(compat::shared_value(dict, key));
  return true;
}

bool MemoBuilder::dict_lookup(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* found) {
  if (compat::shares_values(dict)) return shared_lookup(dict, key);
  const void* version = compat::dict_version(dict);
  if (!version) return false;
  if (Memo::Table* table = table_of(dict, version)) table->lookups.push_back({key, hash, found});
  return true;
}

bool MemoBuilder::string_keys(PyObject* dict) {
  if (!compat::has_only_string_keys(dict)) return false;
  if (const void* version = compat::dict_version(dict)) {
    if (Memo::Table* table = table_of(dict, version)) table->string_keys = true;
    return true;
  }
  word(&reinterpret_cast<PyDictObject*>(dict)->ma_values);  // shared keys are always strings
  return true;
}

bool MemoBuilder::instance_dict_of(PyObject* object, PyObject** dict) {
  PyObject** slot = instance_dict_slot(object);
  *dict = nullptr;
  if (!slot) return true;
  word(slot);
  *dict = *slot;
  return true;
}

bool MemoBuilder::own_values(PyObject* object) {
  const compat::OwnValues own = compat::own_values(object);
  if (own.items) word(own.place);
  return own.items;
}

bool MemoBuilder::own_lookup(PyObject* object, PyObject* key) {
  if (!PyUnicode_CheckExact(key) || !own_values(object)) return false;
  word(compat::own_value(compat::own_values(object), key));
  return true;
}

// An object's class can be replaced by another class that is not static and has the same layout.
// For a tensor these are the classes derived from Tensor. While `type` is the only one there is
// none to change to.
bool MemoBuilder::only_tensor_class(PyTypeObject* type) {
  auto* const classes = static_cast<PyObject*>(g_tensor_type.tp_subclasses);
  if (!classes || type->tp_subclasses || !compat::dict_version(classes)) return false;
  PyObject* reference = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(classes, &i, nullptr, &reference);) {
    PyObject* other = reinterpret_cast<PyWeakReference*>(reference)->wr_object;
    if (other != Py_None && other != reinterpret_cast<PyObject*>(type)) return false;
  }
  word(&g_tensor_type.tp_subclasses);
  dict_version(classes);  // its version changes before `type` is freed
  word(&type->tp_subclasses);
  return true;
}

void MemoBuilder::tensor_class(PyObject* tensor) {
  PyTypeObject* const type = Py_TYPE(tensor);
  if (type != &g_tensor_type && !only_tensor_class(type)) type_of(tensor);
}

void MemoBuilder::tensor_metas() { word(&tensor_meta_changes); }

// Slots of the frame are compared before all words.
void MemoBuilder::root(bool stack, int index, PyObject* object) {
  memo_->roots_.push_back({stack, index, object});
}

namespace {

bool is_held_value(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
         PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || PyBool_Check(o) || o == Py_None ||
         o == Py_Ellipsis || is_numpy_scalar(o);
}

}  // namespace

bool MemoBuilder::is_stable(PyObject* o) {
  return PyFunction_Check(o) || PyModule_Check(o) || PyType_Check(o) || PyCell_Check(o) ||
         PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyDict_CheckExact(o) ||
         PyCFunction_Check(o) || is_op(o) ||
         (!is_tensor(o) && (Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) && has_attributes(o));
}

Trust MemoBuilder::by_pointer(PyObject* object) {
  if (is_held_value(object)) {
    memo_->held_.push_back(Ref::share(object));
    return Trust::kExact;
  }
  return is_stable(object) ? Trust::kPointer : Trust::kNone;
}

Trust MemoBuilder::changing_lookup(PyObject* dict, const Source& source, PyObject* found) {
  const Trust trust = by_pointer(found);
  if (trust == Trust::kNone) return Trust::kNone;
  return dict_lookup(dict, source.key.address(), source.hash, found) ? trust : Trust::kNone;
}

// A later tensor could get a compared address. So the tensor is held, and after settle() watched by
// a weak reference.
Trust MemoBuilder::alive(PyObject* object) {
  if (!is_tensor(object)) return by_pointer(object);
  if (memo_->unsettled_.empty()) {
    memo_->deaths_ = memo_->words_.size();  // this word comes before every word in a tensor
    word(&kNobodyDied);
  }
  memo_->unsettled_.push_back(Ref::share(object));
  return Trust::kExact;
}

Trust MemoBuilder::trust_load(const Source& source, PyObject* object) {
  if (!source.kind->trust) return Trust::kNone;
  if (source.base < 0) return source.kind->trust(source, nullptr, Trust::kExact, object, *this);
  const Trust base_trust = trust_[source.base];
  if (base_trust == Trust::kNone) return Trust::kNone;
  return source.kind->trust(source, registers_[source.base], base_trust, object, *this);
}

bool MemoBuilder::covers(const GuardStep& step) {
  if (!step.kind->watch || trust_[step.target] == Trust::kNone) return false;
  if (step.other >= 0 && trust_[step.other] == Trust::kNone) return false;
  return step.kind->watch(step, registers_[step.target], *this);
}

bool MemoBuilder::build() {
  memo_->globals_ = slots_.globals;
  memo_->builtins_ = slots_.builtins;
  trust_.assign(set_.sources_.size(), Trust::kNone);
  for (size_t i = 0; i < set_.steps_.size(); ++i) {
    const GuardStep& step = set_.steps_[i];
    if (!step.kind) {
      const Source& source = set_.sources_[step.target];
      trust_[step.target] = trust_load(source, registers_[step.target]);
      if (trust_[step.target] == Trust::kNone) memo_->steps_.push_back(static_cast<int32_t>(i));
    } else if (!covers(step)) {
      memo_->steps_.push_back(static_cast<int32_t>(i));
    }
  }
  finish();
  return memo_->steps_.size() * 4 < set_.steps_.size() * 3;
}

// Keeps the registers that the caller reads, or a step that still runs.
void MemoBuilder::finish() {
  std::vector<bool> wanted(set_.sources_.size(), false);
  auto want = [&](SourceId id) {
    if (id >= 0 && trust_[id] != Trust::kNone) wanted[id] = true;
  };
  for (SourceId id : set_.used_) want(id);
  for (int32_t index : memo_->steps_) {
    const GuardStep& step = set_.steps_[index];
    if (step.kind) {
      want(step.target);
      want(step.other);
    } else {
      want(set_.sources_[step.target].base);
    }
  }
  for (size_t id = 0; id < wanted.size(); ++id)
    if (wanted[id]) memo_->registers_.emplace_back(static_cast<SourceId>(id), registers_[id]);
}

}  // namespace msjit
