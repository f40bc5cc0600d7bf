// An object that is there before main, takes no memory to make and is never destroyed: what runs
// while others are destroyed, or without memory left, may use it.
#pragma once

namespace msjit {

template <class T>
union Immortal {
  constexpr Immortal() : value() {}
  ~Immortal() {}  // NOLINT(modernize-use-equals-default): the member is left alone
  T value;
};

}  // namespace msjit
