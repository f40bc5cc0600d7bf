// Runs long work without the lock of the host's interpreter. Meanwhile another thread may give a
// tensor's header other contents, or drop the tensor. So unlocked work uses stand-ins: headers that
// it owns.
#pragma once

#include <type_traits>

#include "kernels/eager/tape.h"

namespace msjit {

// Set by the host of an interpreter. Runs `work(data)` without the interpreter's lock, whether the
// caller holds it or not. Null: there is no such lock.
extern void (*g_without_lock)(void (*work)(void*), void* data);

template <class Work>
void without_lock(Work&& work) {
  using Callable = std::remove_reference_t<Work>;
  if (!g_without_lock) return work();
  g_without_lock([](void* data) { (*static_cast<Callable*>(data))(); }, &work);
}

// Stand-ins for tensors; also keeps the tensors alive.
class StandIns {
 public:
  explicit StandIns(std::span<const Tensor> tensors) : originals_(tensors) {
    for (const Tensor& t : tensors) own_.push_back(t ? stand_in(t) : Tensor());
  }
  std::span<const Tensor> tensors() const { return {own_.data(), own_.size()}; }
  // Replaces outputs that are stand-ins by the tensors they stand for.
  void hand_back(std::span<Tensor> outputs) const {
    for (Tensor& output : outputs)
      for (uint32_t i = 0; i < own_.size(); ++i)
        if (output && output.same(own_[i])) output = originals_[i];
  }

 private:
  InlineVec<Tensor, 4> originals_, own_;
};

}  // namespace msjit
