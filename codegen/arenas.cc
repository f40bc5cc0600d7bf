#include "codegen/arenas.h"

#include <atomic>
#include <utility>

namespace msjit::arenas {
namespace {

constexpr int kPlaces = 32;                        // of runs at a time, nested ones counted
constexpr size_t kMaxIdleBytes = size_t{1} << 29;  // over all places
constexpr size_t kTrimBytes = size_t{8} << 20;     // blocks that are worth allocator_trim()

// A place belongs to the thread that changed `taken` to true. It is taken as long as its block is
// in use.
struct Place {
  std::atomic<bool> taken{false};
  Storage block;
  const void* made_for = nullptr;
  const void* last_user = nullptr;

  bool acquire() {
    return !taken.load(std::memory_order_relaxed) &&
           !taken.exchange(true, std::memory_order_acquire);
  }
  void release() { taken.store(false, std::memory_order_release); }
  size_t bytes() const { return block ? block->bytes : 0; }
};

Place* places() {
  static Place* const all = new Place[kPlaces];  // never destroyed: threads may outlive statics
  return all;
}

std::atomic<size_t> g_idle_bytes{0};

// Which of two places to use: the one with the smallest block that suffices, otherwise the one with
// the largest block, which has to be replaced.
bool is_better(size_t bytes, size_t than, size_t wanted) {
  if (bytes >= wanted && than >= wanted) return bytes < than;
  return bytes > than;
}

// -1 when all places are taken.
int acquire_best(size_t wanted) {
  Place* const all = places();
  int best = -1;
  for (int i = 0; i < kPlaces; ++i) {
    if (!all[i].acquire()) continue;
    if (best >= 0 && !is_better(all[i].bytes(), all[best].bytes(), wanted)) {
      all[i].release();
      continue;
    }
    if (best >= 0) all[best].release();
    best = i;
  }
  return best;
}

int acquire(size_t wanted, int preferred) {
  if (preferred >= 0 && places()[preferred].acquire()) {
    if (places()[preferred].bytes() >= wanted) return preferred;
    places()[preferred].release();
  }
  return acquire_best(wanted);
}

Storage remove_block(Place* place) {
  g_idle_bytes.fetch_sub(place->bytes(), std::memory_order_relaxed);
  return std::move(place->block);
}

Result<Storage> allocate(size_t bytes, bool replaces, bool first) {
  // Runs that went op by op until now left free blocks in the allocator. This one replaces them.
  if (first && bytes >= kTrimBytes) allocator_trim();
  // A block that has grown gets room to grow again: sizes often rise by one.
  return Storage::allocate(replaces ? bytes + bytes / 8 : bytes);
}

}  // namespace

Result<Lease> take(int64_t bytes, int preferred, const void* user) {
  const size_t wanted = static_cast<size_t>(bytes);
  Lease lease;
  lease.place = acquire(wanted, preferred);
  Place* const place = lease.place >= 0 ? &places()[lease.place] : nullptr;
  if (place) lease.block = remove_block(place);
  if (!lease.block || lease.block->bytes < wanted) {
    const bool replaces = static_cast<bool>(std::exchange(lease.block, {}));
    // A block too large to be kept is made again for each run.
    const bool first = place && place->made_for != user;
    auto made = allocate(wanted, replaces, first);
    if (!made.ok()) {
      if (place) place->release();
      return made.take_error();
    }
    lease.block = made.take();
    if (place) place->made_for = user;
  }
  if (place) place->last_user = user;
  return lease;
}

void give_back(Lease lease) {
  if (lease.place < 0) return;
  Place& place = places()[lease.place];
  const size_t bytes = lease.block->bytes;
  if (g_idle_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMaxIdleBytes)
    place.block = std::move(lease.block);
  else
    g_idle_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  place.release();
}

void forget(const void* user) {
  for (int i = 0; i < kPlaces; ++i) {
    Place& place = places()[i];
    if (!place.acquire()) continue;
    if (place.made_for == user || place.last_user == user) remove_block(&place);
    place.release();
  }
}

}  // namespace msjit::arenas
