#include "guards/py/c_stack.h"

#include <pthread.h>

#include <cstdint>
#include <limits>

namespace msjit {
namespace {

struct Stack {
  uintptr_t low = 0, high = 0;
};

Stack stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0, guard = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0;
  if (pthread_attr_getguardsize(&attributes, &guard) != 0) guard = 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const auto begin = reinterpret_cast<uintptr_t>(low);
  return {begin + guard, begin + size};
}

}  // namespace

size_t c_stack_left() {
  static thread_local const Stack stack = stack_of_this_thread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here <= stack.low || here > stack.high) return std::numeric_limits<size_t>::max();
  return here - stack.low;
}

}  // namespace msjit
