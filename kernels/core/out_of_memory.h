// For work whose failure nobody can be told about, on one of our threads or in a destructor. When
// it throws because memory or a thread is missing, the process must not end.
#pragma once

#include <new>
#include <system_error>

namespace msjit {

// False: `work` threw before it was done.
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
