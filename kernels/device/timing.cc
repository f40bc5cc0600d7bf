#include "kernels/device/timing.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "kernels/core/log.h"

namespace msjit::devices {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostRows = 60;

struct Row {
  std::string name;
  int64_t count = 0;
  double ms = 0;
};

class Table {
 public:
  ~Table() { print(); }
  void add(const std::string& name, double ms) {
    std::lock_guard lock(mutex_);
    Row& row = rows_[name];
    ++row.count;
    row.ms += ms;
  }

 private:
  void print() {
    std::vector<Row> all;
    double total = 0;
    for (const auto& [name, row] : rows_) {
      all.push_back({name, row.count, row.ms});
      total += row.ms;
    }
    std::ranges::sort(all, std::ranges::greater{}, &Row::ms);
    std::fprintf(stderr, "device times: %.1f ms in %zu kernels\n", total, all.size());
    for (size_t i = 0; i < std::min(all.size(), kMostRows); ++i)
      std::fprintf(stderr, "%9.2f ms %6lld times %8.1f us  %s\n", all[i].ms,
                   static_cast<long long>(all[i].count),
                   1e3 * all[i].ms / static_cast<double>(all[i].count), all[i].name.c_str());
  }
  std::mutex mutex_;
  std::map<std::string, Row> rows_;
};

Table& table() {
  static Table made;
  return made;
}

}  // namespace

bool times_are_asked() {
  static const bool asked = env_flag("MSJIT_DEVICE_TIMES");
  return asked;
}

Timed::Timed(Context& at, const std::function<std::string()>& name) : at_(at) {
  if (!times_are_asked()) return;
  name_ = name();
  static_cast<void>(at_.api.sync(at_.stream));  // a failure is reported by a later wait
  start_ = Clock::now();
}

Timed::~Timed() {
  if (name_.empty()) return;
  static_cast<void>(at_.api.sync(at_.stream));
  table().add(name_, std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
}

}  // namespace msjit::devices
