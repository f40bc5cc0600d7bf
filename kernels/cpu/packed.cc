#include "kernels/cpu/packed.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/cpu/layout.h"

namespace msjit::packed {
namespace {

constexpr int kUses = 3;                             // before a copy is made
constexpr size_t kMaxForms = 8;                      // problems remembered for a storage
constexpr int64_t kMaxKeptBytes = int64_t{1} << 30;  // of copies, over all storages
constexpr int64_t kLeastBytes = 4096;                // of a weight worth a copy
constexpr int kDTypes = 1 << 20;                     // layouts from here on: plain, in a dtype
std::atomic<int64_t> g_kept_bytes{0};

struct Copy {
  const void* data;  // start of the weight: a storage may hold several
  int layout;
  Storage bytes;
};
struct Form {
  const void* data;
  uint64_t key;
  int uses;
  int layout;  // -1: not known yet, 0: plain is best
};

// The copies that a storage carries. `version` and `exports` say to which bytes they belong.
struct Copies final : StorageCache {
  std::mutex mutex;
  uint64_t version = 0;
  int32_t exports = 0;
  std::vector<Form> forms;
  std::vector<Copy> copies;

  ~Copies() override { drop(); }
  void drop() {
    for (const Copy& copy : copies) g_kept_bytes.fetch_sub(static_cast<int64_t>(copy.bytes->bytes));
    copies.clear();
  }
  // Drops copies that belong to other bytes.
  void settle(const StorageImpl& storage) {
    int32_t ended = storage.exports_ended.load();
    if (version == storage.version && exports == ended) return;
    version = storage.version;
    exports = ended;
    for (Form& form : forms) form.uses = 0;
    drop();
  }
  Copy* find(const void* data, int layout) {
    for (Copy& copy : copies)
      if (copy.data == data && copy.layout == layout) return &copy;
    return nullptr;
  }
  Form* find_form(const void* data, uint64_t key) {
    for (Form& form : forms)
      if (form.data == data && form.key == key) return &form;
    return nullptr;
  }
};

bool is_hidden(const StorageImpl& storage) {
  return storage.deleter || storage.scratch || storage.exports.load() != 0;
}

Copies& copies_of(StorageImpl* storage) {
  StorageCache* cache = storage->cache.load(std::memory_order_acquire);
  if (!cache) {
    auto* fresh = new Copies;
    if (storage->cache.compare_exchange_strong(cache, fresh, std::memory_order_acq_rel))
      return *fresh;
    delete fresh;
  }
  return static_cast<Copies&>(*cache);
}

}  // namespace

Found find(const Tensor& weight, uint64_t key) {
  StorageImpl* storage = weight.storage().get();
  if (is_hidden(*storage) || weight.nbytes() < kLeastBytes) return {};
  Copies& all = copies_of(storage);
  std::lock_guard lock(all.mutex);
  all.settle(*storage);
  Form* form = all.find_form(weight.data(), key);
  if (!form) {
    if (all.forms.size() < kMaxForms) all.forms.push_back({weight.data(), key, 1, -1});
    return {};
  }
  if (form->layout > 0)
    if (Copy* copy = all.find(weight.data(), form->layout)) return {copy->bytes, form->layout};
  if (form->layout == 0 || ++form->uses < kUses) return {};
  return {{}, 0, true};
}

Storage find_layout(const Tensor& weight, int layout) {
  Copies& all = copies_of(weight.storage().get());
  std::lock_guard lock(all.mutex);
  all.settle(*weight.storage().get());
  Copy* copy = all.find(weight.data(), layout);
  return copy ? copy->bytes : Storage();
}

Result<Storage> allocate(size_t bytes) {
  if (g_kept_bytes.load() + static_cast<int64_t>(bytes) > kMaxKeptBytes) return Storage();
  return Storage::allocate(bytes);
}

void keep(const Tensor& weight, uint64_t key, int layout, uint64_t version, Storage copy) {
  StorageImpl* storage = weight.storage().get();
  Copies& all = copies_of(storage);
  std::lock_guard lock(all.mutex);
  all.settle(*storage);
  if (Form* form = all.find_form(weight.data(), key)) form->layout = layout;
  if (!copy || version != storage->version || is_hidden(*storage)) return;
  if (g_kept_bytes.load() + static_cast<int64_t>(copy->bytes) > kMaxKeptBytes) return;
  if (all.find(weight.data(), layout)) return;
  g_kept_bytes.fetch_add(static_cast<int64_t>(copy->bytes));
  all.copies.push_back({weight.data(), layout, std::move(copy)});
}

Result<Tensor> cast(const Tensor& weight, DType dtype) {
  const int layout = kDTypes + static_cast<int>(dtype);
  const auto key = static_cast<uint64_t>(layout) << 40 ^ static_cast<uint64_t>(weight.numel());
  Found found;
  const uint64_t version = weight.storage()->version;
  if (weight.contiguous() && weight.dtype() != dtype) found = find(weight, key);
  if (found.copy)
    return Tensor::from_storage(std::move(found.copy), dtype, weight.shape(),
                                contiguous_strides(weight.shape()), 0);
  MSJIT_TRY(Tensor made, layout::cast_to(weight, dtype));
  if (found.due) keep(weight, key, layout, version, made.storage());
  return made;
}

int64_t kept_bytes() { return g_kept_bytes.load(); }

}  // namespace msjit::packed
