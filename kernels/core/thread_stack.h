// ThreadStack: for thread_local variables. It has no destructor, which would need memory when a
// thread first uses the variable: where there is none, the C library ends the process. What is
// pushed has to be popped.
#pragma once

#include <memory>
#include <utility>

namespace msjit {

template <class T>
class ThreadStack {
 public:
  constexpr ThreadStack() = default;
  bool empty() const { return !top_; }
  T& top() { return top_->value; }  // of a stack that is not empty, as is pop()
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
