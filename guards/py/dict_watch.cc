// Versions of dictionaries for CPython 3.14 and later, where dictionaries have no version tag.
// Dictionaries are watched instead, and a counter of ours moves before each change. Words of memos
// point at the counter, so it outlives its dictionary, and later serves another one. It never has a
// value twice.
#include "guards/py/compat_layout.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace msjit::compat {
namespace {

struct Counters {
  std::unordered_map<PyObject*, uint64_t*> of;
  std::deque<uint64_t> all;  // with stable addresses
  std::vector<uint64_t*> unused;
};

Counters& counters() {
  static auto* const made = new Counters;
  return *made;
}

int on_change(PyDict_WatchEvent event, PyObject* dict, PyObject*, PyObject*) {
  Counters& all = counters();
  const auto it = all.of.find(dict);
  if (it == all.of.end()) return 0;
  ++*it->second;
  if (event == PyDict_EVENT_DEALLOCATED) {
    all.unused.push_back(it->second);
    all.of.erase(it);
  }
  return 0;
}

// -1: other libraries have taken all watchers.
int watcher() {
  static const int id = [] {
    const int made = PyDict_AddWatcher(on_change);
    if (made < 0) PyErr_Clear();
    return made;
  }();
  return id;
}

}  // namespace

const void* watched_version(PyObject* dict) {
  Counters& all = counters();
  if (const auto it = all.of.find(dict); it != all.of.end()) return it->second;
  if (watcher() < 0 || PyDict_Watch(watcher(), dict) < 0) return PyErr_Clear(), nullptr;
  uint64_t* counter = nullptr;
  if (all.unused.empty()) {
    counter = &all.all.emplace_back(0);
  } else {
    counter = all.unused.back();
    all.unused.pop_back();
  }
  return all.of[dict] = counter;
}

}  // namespace msjit::compat
