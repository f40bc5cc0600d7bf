#include "kernels/core/profile.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string_view>

namespace msjit::profile {

std::atomic<bool> g_on{false};

namespace {

constexpr size_t kMostEvents = 2'000'000;

struct Log {
  std::mutex mutex;  // guards the fields below
  std::vector<Event> events;
  int64_t dropped = 0;
};

Log& log() {
  static Log* instance = new Log;  // outlives every thread
  return *instance;
}

int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

int thread_number() {
  static std::atomic<int> next{0};
  static thread_local const int number = next.fetch_add(1);
  return number;
}

void add(Event event) {
  Log& all = log();
  std::lock_guard lock(all.mutex);
  if (!on()) return;
  if (all.events.size() < kMostEvents)
    all.events.push_back(std::move(event));
  else
    ++all.dropped;
}

int64_t bytes_of(std::span<const Meta* const> metas) {
  int64_t bytes = 0;
  for (const Meta* meta : metas)
    if (meta) bytes += meta->shape.numel() * item_size(meta->dtype);
  return bytes;
}

int64_t elements_of(const Meta* meta) { return meta ? meta->shape.numel() : 0; }

// Elements of a convolution's weight per output channel.
int64_t window(const Meta* weight) {
  return weight && weight->shape[0] > 0 ? elements_of(weight) / weight->shape[0] : 0;
}

int64_t inner_size(const Shape& shape, bool transposed) {
  return shape.rank() < 2 ? shape.numel() : shape[shape.rank() - (transposed ? 2 : 1)];
}

// A multiply-add counts two. In ops that are no products each element counts one.
int64_t flops_of(const OpDef& op, const Attrs& attrs, std::span<const Meta* const> in,
                 std::span<const Meta* const> out) {
  const std::string_view name = op.name;
  const Meta *x = in.empty() ? nullptr : in[0], *y = in.size() > 1 ? in[1] : nullptr;
  const Meta* result = out.empty() ? nullptr : out[0];
  if (x && y && name == "matmul")
    return 2 * elements_of(result) * inner_size(x->shape, attrs[0].as_bool());
  if (x && y && name.starts_with("linear"))
    return 2 * elements_of(result) * inner_size(x->shape, false);
  if (name == "conv2d") return 2 * elements_of(result) * window(y);
  if (name == "conv2d_input_grad") return 2 * elements_of(x) * window(y);
  if (name == "conv2d_weight_grad") return 2 * elements_of(y) * window(result);
  return op.has(kView) ? 0 : std::max(elements_of(result), elements_of(x));
}

}  // namespace

const char* kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"op", "kernel", "region", "capture", "compile", "break"};
  return kNames[static_cast<int>(kind)];
}

void start() {
  Log& all = log();
  std::lock_guard lock(all.mutex);
  all.events.clear();
  all.dropped = 0;
  g_on = true;
}

Events stop() {
  Log& all = log();
  std::lock_guard lock(all.mutex);
  g_on = false;
  return {std::exchange(all.events, {}), std::exchange(all.dropped, 0)};
}

void mark(Kind kind, std::string name) {
  add({kind, thread_number(), now_ns(), 0, {std::move(name), 0, 0}});
}

Span::Span(Kind kind, Work work) : kind_(kind), work_(std::move(work)), begin_(now_ns()) {}

Span::~Span() { add({kind_, thread_number(), begin_, now_ns() - begin_, std::move(work_)}); }

Work work_of(const OpDef& op, const Attrs& attrs, std::span<const Meta* const> in,
             std::span<const Meta* const> out) {
  const int64_t bytes = op.has(kView) ? 0 : bytes_of(in) + bytes_of(out);
  return {op.name, bytes, flops_of(op, attrs, in, out)};
}

}  // namespace msjit::profile
