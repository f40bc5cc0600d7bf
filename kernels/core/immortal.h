// An object that exists before main, needs no memory to be made and is never destroyed. So code may
// use it while other static objects are destroyed, or when no memory is left.
#pragma once

namespace msjit {

template <class T>
union Immortal {
  constexpr Immortal() : value() {}
  ~Immortal() {}  // NOLINT(modernize-use-equals-default): the member is left alone
  T value;
};

}  // namespace msjit
