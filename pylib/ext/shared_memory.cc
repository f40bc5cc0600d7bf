// Tensor objects that share memory, noted inside gradient transforms: a tensor and its views. A
// recorded write gives the written object a new tensor (kernels/eager/shared_write.h), so these
// objects must be found. They form rings. An object enters one when an operator makes it and leaves
// it when it dies. Rings are guarded by the GIL.
#include "guards/py/objects.h"
#include "kernels/eager/shared_write.h"
#include "kernels/eager/tape.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

TensorObject* object_of(PyObject* tensor) { return reinterpret_cast<TensorObject*>(tensor); }

bool share_memory(PyObject* a, PyObject* b) {
  return tensor_of(a).storage().get() == tensor_of(b).storage().get();
}

// Calls use(object) for each other object of the ring whose tensor still shares the memory.
template <class Use>
void for_each_sharing(PyObject* self, Use&& use) {
  const TensorObject* const first = object_of(self);
  for (TensorObject* at = first->next_sharing; at && at != first; at = at->next_sharing)
    if (auto* other = reinterpret_cast<PyObject*>(at); share_memory(self, other)) use(other);
}

// Puts `object`, which is in no ring, into the ring of `other`, of which it is a view.
void enter_ring(TensorObject* object, TensorObject* other) {
  object->detached = !object->tensor.autograd() && (is_tracked(other->tensor) || other->detached);
  if (!other->next_sharing) other->next_sharing = other->previous_sharing = other;
  object->previous_sharing = other;
  object->next_sharing = other->next_sharing;
  other->next_sharing->previous_sharing = object;
  other->next_sharing = object;
}

void rebind(PyObject* self, Tensor tensor) {
  ++tensor_meta_changes;
  tensor_of(self) = std::move(tensor);
}

}  // namespace

void leave_ring(TensorObject* object) {
  object->next_sharing->previous_sharing = object->previous_sharing;
  object->previous_sharing->next_sharing = object->next_sharing;
  object->next_sharing = object->previous_sharing = nullptr;
}

bool may_be_noted(const Tensor& made) {
  return (made.autograd() || grad_level() > 0) && !made.storage().unique();
}

void note_sharing(std::span<PyObject* const> given, PyObject* made) {
  if (PyTuple_CheckExact(made)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made); ++i)
      note_sharing(given, PyTuple_GET_ITEM(made, i));
    return;
  }
  if (!is_tensor(made) || !may_be_noted(tensor_of(made)) || object_of(made)->next_sharing) return;
  for (PyObject* object : given)
    if (object && object != made && is_tensor(object) && share_memory(object, made))
      return enter_ring(object_of(made), object_of(object));
}

Ref sharing_with(PyObject* self, Ref view) {
  if (view && may_be_noted(tensor_of(view.get()))) note_sharing({&self, 1}, view.get());
  return view;
}

bool shares_tracked(PyObject* self) {
  bool found = object_of(self)->detached;  // that tensor may be needed even if its object has died
  for_each_sharing(self, [&](PyObject* other) { found |= is_tracked(tensor_of(other)); });
  return found;
}

bool writes_recorded(PyObject* target, std::span<TensorImpl* const> inputs) {
  const Tensor& t = tensor_of(target);
  if (is_state(t)) return false;
  if (!any_tracked(borrow(inputs))) return shares_tracked(target);
  bool shared = is_tracked(t) && t.autograd()->node;
  for_each_sharing(target, [&](PyObject*) { shared = true; });
  return shared;
}

bool replace_shared(PyObject* self, Tensor value) {
  if (value.same(tensor_of(self))) return true;
  std::vector<PyObject*> objects{self};
  for_each_sharing(self, [&](PyObject* other) { objects.push_back(other); });
  // The strides stay as they are, because they decide what a later reshape() shares.
  if (objects.size() == 1 && tensor_of(self).contiguous())
    return rebind(self, std::move(value)), true;
  std::vector<SharingTensor> tensors;
  for (PyObject* object : objects)
    tensors.push_back({tensor_of(object), object_of(object)->detached});
  auto written = write_shared(tensors, 0, value);
  if (!written.ok()) return fail(written.take_error());
  for (size_t i = 0; i < objects.size(); ++i)
    if (Tensor& now = written.value()[i]; now) rebind(objects[i], std::move(now));
  return true;
}

}  // namespace msjit
