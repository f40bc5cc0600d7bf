// Gradients in captured code. A transform that begins and ends inside the region is part of the
// graph: its scopes are noted, and its backward pass is appended as nodes (graph/pullback.h).
// Inside it, a step with a custom gradient (Cell.bprop, a function with a backward, a hook) has its
// function called, symbolically, when the backward pass comes to it. Where the whole region is
// recorded by a transform outside, the region ends before such a step.
#include "bytecode/builtins/models.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

// A region may open its first scope only where the thread itself is in none.
bool begins_outside(Executor& x, const char* what) {
  if (x.gradient_scopes().any()) return true;
  if (gradients_asked()) return x.fail_recorded(what);
  if (grad_level() != 0 || !grad_recording()) return x.fail_in_scope(what);
  x.heap().guard_outside_scopes(true);
  return true;
}

bool model_push(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "push_grad_scope", args, names, 0, 1)) return false;
  bool recording = true;
  if (!args.empty()) {
    if (!x.look(args[0])) return false;
    recording = args[0]->is_const(Py_True);
    if (!recording && !args[0]->is_const(Py_False)) return wrong_arguments(x, "push_grad_scope");
  }
  if (x.in_arm()) return x.fail(BreakReason::kGradient, "inside a branch or loop on tensor values");
  if (!begins_outside(x, "a gradient transform")) return false;
  x.gradient_scopes().push(recording, x.root_step());
  return *out = sym_none(), true;
}

bool model_pop(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "pop_grad_scope", args, names, 0, 0)) return false;
  if (x.in_arm() || !x.gradient_scopes().pop())
    return x.fail(BreakReason::kGradient, "that was begun outside of this region or branch");
  return *out = sym_none(), true;
}

bool model_level(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "grad_level", args, names, 0, 0)) return false;
  if (!begins_outside(x, "a gradient transform")) return false;
  return *out = sym_int(x.gradient_scopes().level()), true;
}

bool model_recording(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "grad_recording", args, names, 0, 0)) return false;
  if (!begins_outside(x, "a gradient transform")) return false;
  return *out = sym_bool(x.gradient_scopes().recording()), true;
}

bool one_tensor(Executor& x, const char* name, Args args, PyObject* names) {
  if (!positional(x, name, args, names, 1, 1) || !x.look(args[0])) return false;
  return args[0]->is_tensor() || x.fail(BreakReason::kOpArguments, name);
}

bool model_alias(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!one_tensor(x, "alias", args, names)) return false;
  if (!begins_outside(x, "a gradient transform")) return false;
  auto leaf = x.gradient_scopes().leaf(args[0]->tensor);
  if (!leaf.ok()) return x.fail_op(leaf.take_error());
  return *out = make_tensor(leaf.take()), true;
}

// Another object with the same value: a later write to it does not change the first one.
bool model_stand_in(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!one_tensor(x, "stand_in", args, names)) return false;
  return *out = make_tensor(args[0]->tensor), true;
}

bool model_detach(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!one_tensor(x, "detach", args, names)) return false;
  return x.apply(*find_op("stop_gradient"), std::span(&args[0]->tensor, 1), {}, out);
}

// The tensors of a list or tuple; an item may be None where `optional`.
bool tensors_of(Executor& x, const SymRef& list, bool optional, std::vector<SymRef>* objects,
                Vals* out) {
  if (!x.look(list)) return false;
  const std::vector<SymRef>* items = x.heap().items(list);
  if (!items) return x.fail(BreakReason::kOpArguments, "gradients");
  for (const SymRef& item : std::vector<SymRef>(*items)) {
    if (!x.look(item)) return false;
    const bool none = optional && item->is_const(Py_None);
    if (!none && !item->is_tensor()) return x.fail(BreakReason::kOpArguments, "gradients");
    out->push_back(none ? Val() : item->tensor);
    if (objects) objects->push_back(item);
  }
  return true;
}

// Ends the region unless a gradient can be taken by this tensor: it must be a leaf made here, or a
// Parameter that requires gradients and has not been written to in the region.
bool may_differentiate_by(Executor& x, const SymRef& wrt) {
  if (x.gradient_scopes().is_leaf(wrt->tensor)) return true;
  if (wrt->source == kNoSource || wrt->changed || !is_state(tensor_of(wrt->object.get())))
    return x.fail(BreakReason::kGradient, "by a tensor that is no argument and no Parameter");
  Ref name = interned_text("_requires_grad");
  const SymRef flag = name ? x.heap().instance_attr(wrt, name.get()) : nullptr;
  if (!flag) return PyErr_Clear(), x.fail(BreakReason::kGradient, "by a frozen Parameter");
  if (!x.look(flag)) return false;
  return flag->is_const(Py_True) || x.fail(BreakReason::kGradient, "by a frozen Parameter");
}

bool cannot_build(Executor& x, const Error& error) {
  return x.fail(BreakReason::kGradient, "that cannot be built: " + error.message);
}

SymRef tensor_tuple(const Vals& values) {
  std::vector<SymRef> items;
  for (const Val& value : values) items.push_back(value ? make_tensor(value) : sym_none());
  return make_items(SymKind::kTuple, std::move(items));
}

// Whether these are gradients of those tensors.
bool fit(const Vals& gradients, const Vals& tensors) {
  if (gradients.size() != tensors.size()) return false;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (gradients[i] && !(gradients[i].meta().strong() == tensors[i].meta().strong())) return false;
  return true;
}

// Calls the gradient function of each custom step that the pass comes to.
bool run_custom_gradients(Executor& x, BackwardPass& pass) {
  for (;;) {
    BackwardPass::Stop stop;
    auto more = pass.next(&stop);
    if (!more.ok()) return cannot_build(x, more.error());
    if (!more.value()) return true;
    SymRef given;
    Vals gradients;
    if (!x.call(stop.gradient,
                {tensor_tuple(stop.inputs), tensor_tuple(stop.outputs),
                 tensor_tuple(stop.output_gradients)},
                nullptr, &given) ||
        !tensors_of(x, given, true, nullptr, &gradients))
      return false;
    if (!fit(gradients, stop.inputs))
      return x.fail(BreakReason::kGradient, "with a custom gradient of another shape or dtype");
    if (Status status = pass.give(gradients); !status.ok()) return cannot_build(x, status.error());
  }
}

bool model_gradients(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "gradients", args, names, 3, 4)) return false;
  if (!begins_outside(x, "a gradient transform")) return false;
  if (x.in_arm()) return x.fail(BreakReason::kGradient, "inside a branch or loop on tensor values");
  Vals outputs, seeds, wrt;
  std::vector<SymRef> by;
  if (!tensors_of(x, args[0], false, nullptr, &outputs) || !x.look(args[1]) ||
      !tensors_of(x, args[2], false, &by, &wrt))
    return false;
  if (!args[1]->is_const(Py_None) && !tensors_of(x, args[1], true, nullptr, &seeds)) return false;
  if (!seeds.empty() && seeds.size() != outputs.size())
    return x.fail(BreakReason::kOpArguments, "gradients");
  seeds.resize(outputs.size());
  for (size_t i = 0; i < seeds.size(); ++i)
    if (seeds[i] && !(seeds[i].shape() == outputs[i].shape()))
      return x.fail(BreakReason::kOpArguments, "gradients");
  bool differentiable = false;
  if (args.size() == 4) {
    if (!x.look(args[3])) return false;
    differentiable = args[3]->is_const(Py_True);
    if (!differentiable && !args[3]->is_const(Py_False)) return wrong_arguments(x, "gradients");
  }
  for (const SymRef& value : by)
    if (!may_differentiate_by(x, value)) return false;
  BackwardPass pass(x.gradient_scopes(), differentiable);
  if (Status begun = pass.begin(outputs, seeds, wrt); !begun.ok())
    return cannot_build(x, begun.error());
  if (!run_custom_gradients(x, pass)) return false;
  auto found = pass.finish();
  if (!found.ok()) return cannot_build(x, found.error());
  std::vector<SymRef> items;
  for (Val& value : found.value()) items.push_back(make_tensor(std::move(value)));
  return *out = make_items(SymKind::kTuple, std::move(items)), true;
}

bool records_here(Executor& x) {
  const GradientScopes& scopes = x.gradient_scopes();
  return scopes.level() > 0 && scopes.recording();
}

bool model_records(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "records", args, names, 2, 2)) return false;
  if (x.gradient_scopes().any()) return *out = sym_bool(records_here(x)), true;
  if (gradients_asked()) return x.fail_recorded("a step with a custom gradient");
  x.heap().guard_no_gradients();
  *out = sym_bool(false);
  return true;
}

// Whether a tensor has a history, inside a transform of the region.
bool model_is_tracked(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!one_tensor(x, "is_tracked", args, names)) return false;
  if (!records_here(x)) return x.fail(BreakReason::kGradient, "that asks what the tape records");
  x.heap().guard_parameters_differ();
  return *out = sym_bool(x.gradient_scopes().records(args[0]->tensor, x.heap().parameters())), true;
}

// become(tensor, other) for the result of an operation.
bool model_become(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "become", args, names, 2, 2) || !x.look(args[0]) || !x.look(args[1]))
    return false;
  const SymRef &tensor = args[0], &other = args[1];
  const bool known = tensor->is_tensor() && other->is_tensor() && records_here(x) && !x.in_arm() &&
                     tensor->source == kNoSource && !tensor->joined &&
                     !x.gradient_scopes().is_leaf(tensor->tensor) &&
                     x.gradient_scopes().records(tensor->tensor, x.heap().parameters());
  if (!known) return x.fail(BreakReason::kGradient, "that sets a hook on this tensor");
  x.heap().guard_parameters_differ();
  x.renew(tensor, other->tensor);
  return *out = tensor, true;
}

// record_gradient(name, function, inputs, outputs, reads=True)
bool model_record_gradient(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "record_gradient", args, names, 4, 5)) return false;
  if (!records_here(x))
    return x.fail(BreakReason::kGradient, "outside of a transform of the region");
  if (x.in_arm()) return x.fail(BreakReason::kGradient, "inside a branch or loop on tensor values");
  Vals inputs, outputs;
  if (!tensors_of(x, args[2], false, nullptr, &inputs) ||
      !tensors_of(x, args[3], false, nullptr, &outputs))
    return false;
  auto made = x.gradient_scopes().custom(inputs, outputs, args[1]);
  if (!made.ok()) return x.fail_op(made.take_error());
  return *out = tensor_tuple(made.value()), true;
}

const ModelRow kGradientModels[] = {{"push_grad_scope", model_push},
                                    {"pop_grad_scope", model_pop},
                                    {"grad_level", model_level},
                                    {"grad_recording", model_recording},
                                    {"alias", model_alias},
                                    {"stand_in", model_stand_in},
                                    {"detach", model_detach},
                                    {"gradients", model_gradients},
                                    {"records", model_records},
                                    {"is_tracked", model_is_tracked},
                                    {"record_gradient", model_record_gradient},
                                    {"become", model_become}};

const ModelRow kGradientMethods[] = {{"detach", model_detach}};

}  // namespace

// A tensor made in the region requires gradients if it has a history. No entry with a transform is
// used on tensors that the tape tracks.
bool tensor_requires_grad(Executor& x, const SymRef& tensor, SymRef* out) {
  if (!x.gradient_scopes().any() || tensor->joined ||
      (tensor->object && is_state(tensor_of(tensor->object.get()))))
    return x.fail(BreakReason::kAttribute, "requires_grad of a tensor");
  x.heap().guard_parameters_differ();
  const std::vector<bool> tracked = x.gradient_scopes().tracked(x.heap().parameters());
  return *out = sym_bool(tracked[tensor->tensor.id()]), true;
}

std::span<const ModelRow> gradient_methods() { return kGradientMethods; }

const ModelTable models_gradients = {"msjit._msjit", kGradientModels, {}};

}  // namespace msjit
