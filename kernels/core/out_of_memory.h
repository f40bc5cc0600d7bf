// For work that nobody above can be told about, as on a thread of our own or in a destructor: what
// it throws for want of memory, or of a thread, must not end the process.
#pragma once

#include <new>
#include <system_error>

namespace msjit {

// False: `work` was given up in its midst.
template <class Work>
bool finishes(Work&& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace msjit
