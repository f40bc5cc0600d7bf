#include "bytecode/heap.h"
#include "bytecode/drawn_numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "bytecode/library.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

bool Heap::lasts(const SymRef& value) const {
  return is_enum_type(Py_TYPE(value->object.get())) || !guards_.source(value->source).handed_in();
}

bool Heap::pin(const SymRef& value) {
  PyObject* object = value->object.get();
  if (value->kind == SymKind::kConst) return is_singleton(object) || is_identity_constant(object);
  const bool weak = object && PyType_SUPPORTS_WEAKREFS(Py_TYPE(object));
  if (value->source == kNoSource || !weak || !lasts(value) ||
      (value->kind != SymKind::kObject && value->kind != SymKind::kTensor))
    return false;
  guard_identity(value);
  return true;
}

bool Heap::pin_floats(const SymRef& tuple) {
  PyObject* const object = tuple->object.get();
  if (!object || !PyTuple_CheckExact(object) || tuple->cls) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
    if (!PyFloat_CheckExact(PyTuple_GET_ITEM(object, i))) return false;
  if (tuple->source == kNoSource) return tuple->kind == SymKind::kConst;
  if (!lasts(tuple)) return false;
  guard_identity(tuple);
  return true;
}

SymRef Heap::from_source(SourceId id, PyObject* object) {
  if (auto it = by_source_.find(id); it != by_source_.end()) return it->second;
  if (is_mutable(object)) {
    if (auto it = by_object_.find(object); it != by_object_.end()) {
      guards_.add(guard::same, id, {.other = it->second->source});
      return by_source_[id] = it->second;
    }
  }
  SymRef sym = make_sym(SymKind::kLazy);
  sym->source = id;
  sym->object = Ref::share(object);
  if (is_mutable(object)) {
    by_object_[object] = sym;
    mutables_.push_back(sym);
  }
  if (is_tensor(object)) tensors_.push_back(sym);
  return by_source_[id] = sym;
}

// A capture may also rely on a slot being empty.
SymRef Heap::unbound(const LoadKind& kind, int index, const std::string& name) {
  const SourceId id = guards_.add_source(kind, kNoSource, index, {}, "unbound " + name);
  guards_.add(guard::identity, id, {.object = Ref::none()});
  return null_sym();
}

SymRef Heap::from_local(int slot, const std::string& name) {
  PyObject* object = slots_.locals[slot];
  if (!object) return unbound(load::unbound_local, slot, name);
  return from_source(guards_.add_source(load::local, kNoSource, slot, {}, name), object);
}

SymRef Heap::from_stack(int index) {
  PyObject* object = slots_.stack[index];
  if (!object) return unbound(load::null_item, index, fmt::format("<stack {}>", index));
  return from_source(
      guards_.add_source(load::stack, kNoSource, index, {}, fmt::format("stack[{}]", index)),
      object);
}

SymRef Heap::from_constant(Ref object, const std::string& text) {
  PyObject* raw = object.get();
  const bool nameless = text.find('<') != std::string::npos;  // as <lambda> and <locals> do
  return from_source(guards_.add_source(load::constant, kNoSource, 0, std::move(object),
                                        nameless ? fmt::format("function('{}')", text) : text),
                     raw);
}

void Heap::guard_exact_type(const SymRef& value) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(value->object.get()));
  guards_.add(guard::type, value->source, {.object = Ref::share(type)});
}

void Heap::guard_identity(const SymRef& value) {
  if (guards_.source(value->source).kind == &load::constant) return;
  guards_.add(guard::identity, value->source, {.object = value->object});
}

bool Heap::realize_number(const SymRef& value) {
  if (value->kind == SymKind::kNumber) return true;
  if (value->kind != SymKind::kLazy || !PyFloat_CheckExact(value->object.get()) ||
      !sizes_->wants_float(guards_.source(value->source).text))
    return realize_open(value);
  guards_.add(guard::open_float, value->source);
  value->kind = SymKind::kNumber;
  value->number = std::make_shared<NumberNode>(
      NumberNode{NumberNode::Kind::kSource, value->source, value->object});
  return true;
}

// From here on the floats in the expression are constants.
void Heap::specialise_number(const SymRef& value) {
  std::vector<NumberExpr> parts = {value->number};
  while (!parts.empty()) {
    const NumberExpr part = std::move(parts.back());
    parts.pop_back();
    if (part->kind == NumberNode::Kind::kSource)
      guards_.add(guard::equal, part->source, {.object = part->object});
    if (part->size) sizes_->specialise(part->size);
    if (part->a) parts.push_back(part->a);
    if (part->b) parts.push_back(part->b);
  }
  value->kind = SymKind::kConst;
}

bool Heap::realize_open(const SymRef& value) {
  if (value->kind == SymKind::kSize) return true;
  if (value->kind == SymKind::kLazy && sizes_->open()) {
    const std::string& path = guards_.source(value->source).text;
    if (sizes_->wants_int(path, value->object.get()) && sizes_->open_int(value, path)) {
      guards_.add(guard::open_int, value->source);
      return true;
    }
  }
  return realize(value);
}

Val Heap::scalar_input(const SymRef& value) {
  if (!value->tensor) {
    scalars_.push_back({static_cast<int32_t>(inputs_.size()), value->size, value->number});
    inputs_.push_back(kNoSource);
  }
  return sizes_->scalar(value);
}

Val Heap::draw_input(const Draw& draw) {
  note_effect();
  ScalarInput input{static_cast<int32_t>(inputs_.size()), {}, {}};
  input.draw = static_cast<int>(draws_.size());
  draws_.push_back(draw);
  scalars_.push_back(std::move(input));
  inputs_.push_back(kNoSource);
  if (draw.kind == Draw::Kind::kCall) return sizes_->fixed_input(draw.meta);
  const DType dtype = draw.kind == Draw::Kind::kUnit ? DType::kFloat64 : DType::kInt64;
  return sizes_->fixed_input(Meta{dtype, true, {}});
}

namespace {

bool differs(const NumberNode& number, const Sizes& sizes, const GuardBuilder& guards) {
  std::unordered_set<const NumberNode*> nodes;
  add_nodes(number, &nodes);
  return std::ranges::any_of(nodes, [&](const NumberNode* node) {
    return node->size ? sizes.differs(node->size)
                      : node->kind == NumberNode::Kind::kSource &&
                            sizes.differs(guards.source(node->source).text);
  });
}

// Whether this is a number that has made capture after capture necessary: the region then ends
// before it is looked at.
bool differs(const SymValue& value, const Sizes& sizes, const GuardBuilder& guards) {
  if (value.kind == SymKind::kSize) return sizes.differs(value.size);
  if (value.kind == SymKind::kNumber) return differs(*value.number, sizes, guards);
  PyObject* const object = value.object.get();
  return value.kind == SymKind::kLazy &&
         (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || is_numpy_scalar(object)) &&
         sizes.differs(guards.source(value.source).text);
}

}  // namespace

bool Heap::realize(const SymRef& value) {
  if (differs(*value, *sizes_, guards_)) {
    error = "a number that differs between calls";
    return false;
  }
  if (value->kind == SymKind::kSize) sizes_->specialise(*value);
  if (value->kind == SymKind::kNumber) specialise_number(value);
  if (is_unknown(*value)) {
    error = describe(*value);
    return false;
  }
  if (value->kind != SymKind::kLazy) return true;
  return kind_to_read(value->object.get()).read(*this, value);
}

void Heap::note_value(const SymRef& tensor, const Val& value) {
  if (!is_exact_tensor(tensor->object.get())) parameters_.push_back(value.id());
}

void Heap::note_tensor_write(const SymRef& tensor, bool replaces, bool recorded) {
  note_effect();
  for (TensorWrite& write : tensor_writes_) {
    if (write.tensor->object == tensor->object) return;
  }
  tensor_writes_.push_back({tensor, replaces, recorded, {}});
}

void Heap::note_same_tensor(const SymRef& written, const SymRef& other) {
  for (TensorWrite& write : tensor_writes_) {
    if (write.tensor->object != written->object) continue;
    if (write.tensor == other ||
        std::find(write.same.begin(), write.same.end(), other->source) != write.same.end())
      continue;
    write.same.push_back(other->source);
    guards_.add(guard::same, other->source, {.other = write.tensor->source});
  }
}

// A tensor that the region has written to has the written value: `known`. False: the region has
// written to its memory otherwise.
bool Heap::read_written_tensor(const SymRef& value, bool* known) {
  PyObject* const object = value->object.get();
  const auto shares_memory = [&](const SymRef& written) {
    PyObject* const other = written->object.get();
    return other && tensor_of(other).storage().get() == tensor_of(object).storage().get();
  };
  for (const TensorWrite& write : tensor_writes_) {
    const SymRef& written = write.tensor;
    if (written->object.get() == object) {
      value->kind = SymKind::kTensor;
      value->tensor = written->tensor;
      value->changed = true;
      note_same_tensor(written, value);
      return *known = true;
    }
    error = "a tensor in memory that the region has written";
    if (shares_memory(written)) return false;
  }
  error = "a tensor that a branch has written, under another name";
  return std::ranges::none_of(
      renewed_, [&](const Renewed& renewed) { return shares_memory(renewed.tensor); });
}

// Guards the class of a tensor. False: the program has given it methods that a capture would have
// to call.
bool Heap::guard_tensor_class(PyObject* tensor) {
  if (const char* odd = odd_tensor_class_name()) {
    error = fmt::format("Tensor with a {} of the program's", odd);
    return false;
  }
  if (is_exact_tensor(tensor)) return true;
  PyTypeObject* const type = Py_TYPE(tensor);
  const char* const odd = odd_tensor_name(type);
  error = odd ? fmt::format("{} (tensor with its own {})", type->tp_name, odd) : type->tp_name;
  return !odd && guard_class_version(type);
}

bool Heap::read_tensor(const SymRef& value) {
  PyObject* const object = value->object.get();
  bool known = false;
  if (!read_written_tensor(value, &known)) return false;
  if (known) return true;
  if (!guard_tensor_class(object)) return false;
  const bool is_parameter = !is_exact_tensor(object);
  if (is_parameter && is_known_parameter(value)) return true;
  const Meta& meta = tensor_of(object).meta();
  value->tensor = sink_->input(meta);
  Meta asked = meta;
  sizes_->tensor_input(value->source, guards_.source(value->source).text, value->tensor.id(),
                       &asked.shape);
  const bool open = !(asked == meta);
  guards_.add(open ? guard::tensor_open : guard::tensor, value->source,
              {.object = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(object))),
               .tensor = std::make_shared<const Meta>(asked)});
  value->kind = SymKind::kTensor;
  inputs_.push_back(value->source);
  input_values_[value->tensor.id()] = value;
  if (is_parameter) {
    parameters_.push_back(value->tensor.id());
    parameter_of_[object] = value;
  }
  return true;
}

bool Heap::guard_contiguous(ValueId input) {
  const auto found = input_values_.find(input);
  if (found == input_values_.end()) return false;
  const SymRef& value = found->second;
  if (!tensor_of(value->object.get()).contiguous()) return false;
  guards_.add(guard::contiguous, value->source);
  return true;
}

// A Parameter is one input wherever it is found, so that a gradient by it covers all its uses.
bool Heap::is_known_parameter(const SymRef& value) {
  const auto known = parameter_of_.find(value->object.get());
  if (known == parameter_of_.end()) return false;
  guards_.add(guard::same, value->source, {.other = known->second->source});
  value->kind = SymKind::kTensor;
  value->tensor = known->second->tensor;
  return true;
}

}  // namespace msjit
