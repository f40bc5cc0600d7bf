// ThreadStack: for thread_local variables. It has no destructor. A thread_local with a destructor
// needs memory when a thread first uses it, and without memory the C library ends the process. So
// everything that is pushed has to be popped.
#pragma once

#include <memory>
#include <utility>

namespace msjit {

template <class T>
class ThreadStack {
 public:
  constexpr ThreadStack() = default;
  bool empty() const { return !top_; }
  T& top() { return top_->value; }  // only if not empty; pop() too
  template <class... Args>
  void emplace(Args&&... args) {
    top_ = new Item{T(std::forward<Args>(args)...), top_};
  }
  void pop() {
    const std::unique_ptr<Item> popped(top_);
    top_ = popped->below;
  }

 private:
  struct Item {
    T value;
    Item* below;
  };
  Item* top_ = nullptr;
};

}  // namespace msjit
