// Joins the values of two arms slot by slot. Values can be joined if they are one value, equal
// constants, tensors of equal dtype and shape, numbers of one class, or tuples, lists and dicts
// whose parts join.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/control.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/values/computed_graph.h"
#include "bytecode/values/value_kind.h"
#include "graph/control.h"
#include "graph/sharing.h"
#include "guards/open_sizes.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

bool plain_equal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (!PyLong_CheckExact(a) && !PyUnicode_CheckExact(a) && !PyBytes_CheckExact(a)) return false;
  return host::equal_values(a, b);
}

// Whether two iterators are in the same state: copies of one iterator that neither arm has
// advanced.
bool same_iterator(const SymRef& a, const SymRef& b) {
  if (a == b) return true;
  if (a->kind != SymKind::kIterator || b->kind != SymKind::kIterator) return false;
  const SymIterator &i = *a->iterator, &j = *b->iterator;
  if (i.generator != j.generator || i.kind != j.kind || i.position != j.position ||
      i.exhausted != j.exhausted || i.count != j.count || i.removals != j.removals ||
      i.upcoming != j.upcoming || i.step != j.step || !(i.object == j.object) ||
      i.children.size() != j.children.size())
    return false;
  for (size_t k = 0; k < i.children.size(); ++k)
    if (!same_iterator(i.children[k], j.children[k])) return false;
  return true;
}

// Whether this is an exact Tensor. A tensor of a subclass would lose its class when joined.
bool is_plain_tensor(const SymRef& value) {
  return value->is_tensor() && (!value->object || is_exact_tensor(value->object.get()));
}

// Text of a value for a message. An error shows the values of numbers; a report does not, because
// it would get a line for each.
std::string shown(const Executor& x, const SymRef& value) {
  if (value->is_null()) return "nothing";
  return x.limits().whole ? describe_value(value) : describe(*value);
}

}  // namespace

bool Joiner::same(const SymRef& a, const SymRef& b) {
  const bool constants = a->kind == SymKind::kConst && b->kind == SymKind::kConst;
  return (constants && plain_equal(a->object.get(), b->object.get())) || same_iterator(a, b);
}

bool Joiner::existed(const SymRef& value) const {
  return value->serial < mark_ || value->source != kNoSource;
}

SymRef Joiner::join(const SymRef& a, bool needs_a, const SymRef& b, bool needs_b) {
  if (a == b) return a;
  if (!a || !b) {  // one arm assigns a slot of the outermost frame, the other does not touch it
    why = "a local that only one arm assigns";
    return needs_a || needs_b ? nullptr : null_sym();
  }
  const auto key = std::make_pair(a.get(), b.get());
  if (auto it = joined_.find(key); it != joined_.end()) return it->second;
  SymRef value = join_parts(a, needs_a, b, needs_b);
  if (value) {
    joined_[key] = value;
    keep_.push_back(a);
    keep_.push_back(b);
  }
  return value;
}

SymRef Joiner::join_parts(const SymRef& a, bool needs_a, const SymRef& b, bool needs_b) {
  if (!needs_a && !needs_b) return null_sym();
  for (const SymRef* value : {&a, &b})
    if (!is_unknown(**value) && !x_.heap().realize_number(*value)) {
      why = x_.heap().error;
      return nullptr;
    }
  if (is_plain_tensor(a) && is_plain_tensor(b) && can_join(a->tensor.meta(), b->tensor.meta()))
    return join_tensors(a, b);
  if (!needs_a) return one_sided(1, b);
  if (!needs_b) return one_sided(0, a);
  if (same(a, b)) return a;
  // A tuple that a loop hands on has no identity of its own.
  const auto made_here = [&](const SymRef& value) {
    return !existed(value) || (value->joined && value->kind == SymKind::kTuple);
  };
  const bool fresh = made_here(a) && made_here(b) && a->kind == b->kind && a->cls == b->cls;
  if (const auto join_kind = kind_of(a).join; fresh && join_kind) {
    why.clear();
    SymRef value = join_kind(*this, a, b);
    if (value) value->joined |= a->joined || b->joined;
    if (value || !why.empty()) return value;
  }
  if (SymRef value = join_numbers(a, b)) return value;
  const bool tensors = a->is_tensor() && b->is_tensor();
  const std::string left = tensors ? a->tensor.meta().str() : shown(x_, a);
  const std::string right = tensors ? b->tensor.meta().str() : shown(x_, b);
  why = fmt::format("{} in one arm, {} in the other", left, right);
  return nullptr;
}

SymRef Joiner::one_sided(int side, const SymRef& value) {
  if (existed(value) || value->kind == SymKind::kConst || value->is_null()) return value;
  if (const auto join_one = kind_of(value).join_one) return join_one(*this, side, value);
  if (is_unknown(*value)) return one_sided_number(side, value);
  if (!is_plain_tensor(value)) {
    why = fmt::format("{} in one arm only", shown(x_, value));
    return nullptr;
  }
  const ValueId id = leaving(side, value);
  if (id < 0) return nullptr;
  const SymRef dummy = filler(value->tensor);
  if (!dummy) return nullptr;
  return side == 0 ? pair(id, dummy->tensor.id()) : pair(dummy->tensor.id(), id);
}

// A number made of tensors that nothing reads behind the other arm.
SymRef Joiner::one_sided_number(int side, const SymRef& value) {
  SymRef made;
  why = fmt::format("{} in one arm only", shown(x_, value));
  if (!python_number(x_, value, &made) || !made) return nullptr;
  const SymRef dummy = filler(made->tensor);
  if (!dummy) return nullptr;
  const ValueId own = made->tensor.id(), other = dummy->tensor.id();
  return as_number(side == 0 ? pair(own, other) : pair(other, own), type_of(*value));
}

// Makes an output of the If stand for a Python number.
SymRef Joiner::as_number(SymRef value, PyTypeObject* type) {
  value->kind = SymKind::kScalar;
  value->joined = true;
  value->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  return value;
}

SymRef Joiner::filler(const Val& like) {
  const Meta meta = like.meta();
  Val value;
  if (meta.shape.rank() == 0) {
    value = x_.sink().constant(Tensor::scalar_of(meta.dtype, 0, meta.weak));
  } else {
    const Attrs attrs{IntList(std::span<const int64_t>(meta.shape)), 0.0, meta.dtype};
    x_.sizes().set_attr_sizes(x_.sizes().attr_sizes(like, 0));
    value = call_in(&x_.sink(), *find_op("full"), {}, attrs);
    x_.sizes().set_attr_sizes({});
  }
  if (Status status = x_.sink().take_error(); status.ok() && value.meta() == meta)
    return make_tensor(value);
  why = "a tensor that exists on one path only";
  return nullptr;
}

SymRef Joiner::join_tensors(const SymRef& a, const SymRef& b) {
  const bool fresh = !existed(a) && !existed(b) && !a->joined && !b->joined;
  const ValueId first = leaving(0, a);
  const ValueId second = first < 0 ? -1 : leaving(1, b);
  if (second < 0) return nullptr;
  SymRef value = pair(first, second);
  value->joined = !fresh;
  return value;
}

SymRef Joiner::join_written(const SymRef& a, const SymRef& b) {
  joining_written_ = true;
  const ValueId first = leaving(0, a), second = first < 0 ? -1 : leaving(1, b);
  joining_written_ = false;
  if (second < 0) return nullptr;
  written_outputs_.push_back(outputs_.size());
  return pair(first, second);
}

// Behind the branch a write to such a tensor would not reach other outputs that show it.
bool Joiner::is_written_shown() const {
  const Graph& graph = *x_.sink().graph();
  for (size_t written : written_outputs_)
    for (size_t i = 0; i < outputs_.size(); ++i)
      for (const auto& values : values_)
        if (i != written && may_share(graph, values[i], values[written])) return true;
  return false;
}

// A Python int, float or bool as a 0-d tensor with exactly its value; empty for other values.
Val Joiner::number(const SymRef& value) {
  const SymKind kind = value->kind;
  if (is_drawn(*value)) return words::cast(value->tensor, value->tensor.dtype());
  if (kind == SymKind::kScalar) return value->tensor;
  if (kind == SymKind::kSize || kind == SymKind::kNumber)
    return words::cast(x_.heap().scalar_input(value),
                       kind == SymKind::kSize ? DType::kInt64 : DType::kFloat64);
  if (kind != SymKind::kConst) return {};
  PyObject* const object = value->object.get();
  if (PyFloat_CheckExact(object))
    return x_.sink().constant(Tensor::scalar<double>(PyFloat_AS_DOUBLE(object)));
  if (PyBool_Check(object)) return x_.sink().constant(Tensor::scalar<bool>(object == Py_True));
  int64_t integer = 0;
  if (!PyLong_CheckExact(object) || !small_int(object, &integer)) return {};
  return x_.sink().constant(Tensor::scalar<int64_t>(integer));
}

// Joins two numbers of one class to a number that depends on the branch. Null: they are no such
// numbers.
SymRef Joiner::join_numbers(const SymRef& a, const SymRef& b) {
  PyTypeObject* const type = type_of(*a);
  if (type != type_of(*b)) return nullptr;  // before number() adds inputs to the graph
  Val values[2] = {number(a), number(b)};
  if (!values[0] || !values[1] || !can_join(values[0].meta(), values[1].meta())) {
    // The dtypes differ, or a number is a kComputed: converts both to the dtypes of Python's
    // numbers.
    SymRef wide[2];
    if (!python_number(x_, a, &wide[0]) || !python_number(x_, b, &wide[1])) return nullptr;
    for (int side : {0, 1}) values[side] = wide[side] ? wide[side]->tensor : Val();
    if (!values[0] || !values[1]) return nullptr;
  }
  return as_number(pair(values[0].id(), values[1].id()), type);
}

SymRef Joiner::pair(ValueId a, ValueId b) {
  values_[0].push_back(a);
  values_[1].push_back(b);
  outputs_.push_back(make_tensor(x_.sink().value(a)));  // finish() sets the final value
  return outputs_.back();
}

ValueId Joiner::leaving(int side, const SymRef& value) {
  Graph& graph = *x_.sink().graph();
  ValueId id = value->tensor.id();
  if (existed(value)) {
    if (!joining_written_ && written_.count(value.get())) {
      why = "a tensor that an arm writes to";
      return -1;
    }
    if (graph.producer(id).kind == NodeKind::kConstant) {
      why = "a constant tensor";
      return -1;
    }
    if (value->source == kNoSource && !x_.claim(id, value)) {
      why = "one of two tensor objects that the region has merged into one value";
      return -1;
    }
    return id;
  }
  const bool made_inside =
      graph.values[id].node >= first_node_ && graph.producer(id).kind == NodeKind::kOp;
  const auto [claim, first] = claimed_[side].emplace(id, value.get());
  if (made_inside && (first || claim->second == value.get())) return id;
  // The graph value belongs to another SymValue too. A copy makes this one a tensor of its own.
  const Meta meta = graph.meta(id);
  Val copy = x_.sink().value(x_.sink().append(op_copy, std::span(&id, 1), {}, std::span(&meta, 1)));
  x_.sizes().copied(id, &copy);
  return copy.id();
}

// Makes outputs of the If that nothing reads, for the sake of the errors that they may give.
bool Joiner::add_checks(int side) {
  Graph& graph = *x_.sink().graph();
  for (ValueId id : unread_values(graph, checking_[side], first_node_, values_[side])) {
    const SymRef other = filler(x_.sink().value(id));
    if (!other) return false;
    const ValueId dummy = other->tensor.id();
    side == 0 ? pair(id, dummy) : pair(dummy, id);
  }
  return true;
}

Status Joiner::finish(const Val& predicate) {
  if (!add_checks(0) || !add_checks(1)) return not_implemented_error("{}", why);
  if (outputs_.empty()) return {};
  if (is_written_shown()) return not_implemented_error("a view of a tensor that an arm writes to");
  Vals arms[2];
  for (int side : {0, 1})
    for (ValueId id : values_[side]) arms[side].push_back(x_.sink().value(id));
  MSJIT_TRY(Vals results, build_if(x_.sink(), predicate, first_node_, arms[0], arms[1]));
  Vals given = {predicate};
  for (const Vals& arm : arms) given.insert(given.end(), arm.begin(), arm.end());
  x_.sizes().built(TraceStep::Kind::kIf, first_step_, given, results);
  x_.note_control(results);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i]->tensor = results[i];
    if (outputs_[i]->kind == SymKind::kScalar)  // a number has no tensor identity
      outputs_[i]->tensor = call_in(&x_.sink(), op_copy, std::span(&results[i], 1), {});
    for (size_t k = 0; k < i; ++k)  // in one arm both are the same tensor
      if (values_[0][k] == values_[0][i] || values_[1][k] == values_[1][i])
        outputs_[i]->joined = outputs_[k]->joined = true;
  }
  return {};
}

}  // namespace msjit
