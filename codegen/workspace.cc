#include "codegen/workspace.h"

namespace msjit {

WorkspacePool::~WorkspacePool() {
  drop();
  if (is_shared()) arenas::forget(this);
}

void WorkspacePool::drop() {
  for (auto& slot : kept_) delete slot.exchange(nullptr, std::memory_order_acquire);
}

void WorkspacePool::release() {
  if (plan_.arena_bytes >= kSharedBytes) drop();
}

Status WorkspacePool::make_headers(Workspace* workspace) {
  const auto bytes = static_cast<size_t>(plan_.arena_bytes);
  if (is_shared()) {
    workspace->arena = Storage::foreign(workspace->address, bytes, nullptr, nullptr);
  } else if (bytes > 0) {
    MSJIT_TRY(workspace->arena, Storage::allocate(bytes));
  }
  if (workspace->arena) workspace->arena->scratch = true;
  workspace->slots.assign(plan_.slots.size(), nullptr);
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const PlanSlot& slot = plan_.slots[i];
    if (slot.kind == PlanSlotKind::kConstant) workspace->slots[i] = slot.constant.impl();
    if (slot.kind != PlanSlotKind::kArena) continue;
    Tensor t = Tensor::from_storage(workspace->arena, slot.meta.dtype, slot.meta.shape,
                                    slot.strides, slot.offset);
    t.impl()->meta.weak = slot.meta.weak;
    workspace->slots[i] = t.impl();
    workspace->arena_tensors.push_back(std::move(t));
  }
  return {};
}

Status WorkspacePool::lease(Workspace* workspace) {
  MSJIT_TRY(workspace->lease, arenas::take(plan_.arena_bytes, workspace->lease.place, this));
  char* const address = static_cast<char*>(workspace->lease.block->data);
  char* const before = std::exchange(workspace->address, address);
  if (address == before || !workspace->arena) return {};
  workspace->arena->data = address;
  for (const Tensor& t : workspace->arena_tensors)
    t.impl()->data = address + (static_cast<char*>(t.data()) - before);
  return {};
}

Workspace* WorkspacePool::take_kept() {
  for (auto& slot : kept_) {
    if (!slot.load(std::memory_order_relaxed)) continue;
    if (Workspace* w = slot.exchange(nullptr, std::memory_order_acquire)) return w;
  }
  return nullptr;
}

Result<Workspace*> WorkspacePool::take() {
  std::unique_ptr<Workspace> workspace(take_kept());
  const bool fresh = !workspace;
  if (fresh) workspace = std::make_unique<Workspace>();
  if (is_shared()) MSJIT_OK(lease(workspace.get()));
  if (fresh)
    if (Status made = make_headers(workspace.get()); !made.ok()) {
      if (is_shared()) arenas::give_back(std::move(workspace->lease));
      return made.take_error();
    }
  return workspace.release();
}

void WorkspacePool::give_back(Workspace* workspace) {
  if (is_shared()) arenas::give_back(std::move(workspace->lease));
  for (auto& slot : kept_) {
    Workspace* empty = nullptr;
    if (slot.load(std::memory_order_relaxed)) continue;
    if (slot.compare_exchange_strong(empty, workspace, std::memory_order_release)) return;
  }
  delete workspace;
}

}  // namespace msjit
