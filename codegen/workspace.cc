#include "codegen/workspace.h"

namespace msjit {
namespace {

constexpr int64_t kMaxKeptBytes = int64_t{1} << 29;  // of idle arenas, over all executables
constexpr int64_t kTrimBytes = int64_t{8} << 20;     // arenas that are worth allocator_trim()
std::atomic<int64_t> g_kept_bytes{0};

}  // namespace

Workspace::~Workspace() = default;

WorkspacePool::~WorkspacePool() { drop(); }

void WorkspacePool::drop() {
  for (auto& slot : kept_)
    if (Workspace* w = slot.exchange(nullptr, std::memory_order_acquire)) {
      g_kept_bytes.fetch_sub(w->bytes, std::memory_order_relaxed);
      delete w;
    }
}

void WorkspacePool::release() {
  constexpr int64_t kLargeBytes = int64_t{1} << 16;  // less is not worth making headers again
  if (plan_.arena_bytes >= kLargeBytes) drop();
}

Result<Workspace*> WorkspacePool::make() {
  // Runs that went op by op until now left free blocks in the allocator. The arena replaces them.
  // With open sizes there are many plans, and other sizes still run op by op.
  if (!made_.exchange(true) && plan_.arena_bytes >= kTrimBytes && !plan_.open_sizes)
    allocator_trim();
  auto workspace = std::make_unique<Workspace>();
  workspace->slots.assign(plan_.slots.size(), nullptr);
  workspace->bytes = plan_.arena_bytes;
  Storage arena;
  if (plan_.arena_bytes > 0) {
    MSJIT_TRY(arena, Storage::allocate(static_cast<size_t>(plan_.arena_bytes)));
    arena->scratch = true;
  }
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const PlanSlot& slot = plan_.slots[i];
    if (slot.kind == PlanSlotKind::kConstant) workspace->slots[i] = slot.constant.impl();
    if (slot.kind != PlanSlotKind::kArena) continue;
    Tensor t =
        Tensor::from_storage(arena, slot.meta.dtype, slot.meta.shape, slot.strides, slot.offset);
    t.impl()->meta.weak = slot.meta.weak;
    workspace->slots[i] = t.impl();
    workspace->arena_tensors.push_back(std::move(t));
  }
  return workspace.release();
}

Result<Workspace*> WorkspacePool::take() {
  for (auto& slot : kept_) {
    if (!slot.load(std::memory_order_relaxed)) continue;
    if (Workspace* w = slot.exchange(nullptr, std::memory_order_acquire)) {
      g_kept_bytes.fetch_sub(w->bytes, std::memory_order_relaxed);
      return w;
    }
  }
  return make();
}

void WorkspacePool::give_back(Workspace* workspace) {
  int64_t bytes = workspace->bytes;
  if (g_kept_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMaxKeptBytes) {
    for (auto& slot : kept_) {
      Workspace* empty = nullptr;
      if (slot.load(std::memory_order_relaxed)) continue;
      if (slot.compare_exchange_strong(empty, workspace, std::memory_order_release)) return;
    }
  }
  g_kept_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  delete workspace;
}

}  // namespace msjit
