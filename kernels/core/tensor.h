// Tensor: an intrusive handle on {meta, strides, offset, storage, autograd}. Copying a handle is
// one increment. Views share Storage; writes bump its version. The meta and strides of a tensor
// never change after construction, except by set_data (Parameter updates), which replaces
// everything.
#pragma once

#include <span>

#include "kernels/core/shape.h"
#include "kernels/core/storage.h"

namespace msjit {

struct AutogradMeta;  // kernels/eager/tape.h
void destroy_autograd(AutogradMeta* meta);

struct TensorImpl {
  std::atomic<int32_t> refs{1};
  bool contiguous = true;
  Meta meta;
  Shape strides;         // in elements
  void* data = nullptr;  // storage->data + offset
  Storage storage;
  AutogradMeta* autograd = nullptr;  // owned; null for most tensors
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    Tensor copy(other);
    std::swap(impl_, copy.impl_);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_ && impl_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(impl_);
  }
  explicit operator bool() const { return impl_ != nullptr; }
  TensorImpl* impl() const { return impl_; }
  TensorImpl* release() { return std::exchange(impl_, nullptr); }
  static Tensor steal(TensorImpl* impl) { return Tensor(impl); }
  static Tensor share(TensorImpl* impl) {
    impl->refs.fetch_add(1, std::memory_order_relaxed);
    return Tensor(impl);
  }

  const Meta& meta() const { return impl_->meta; }
  DType dtype() const { return impl_->meta.dtype; }
  const Shape& shape() const { return impl_->meta.shape; }
  int rank() const { return impl_->meta.shape.rank(); }
  Dim dim(int i) const { return impl_->meta.shape[i]; }
  int64_t numel() const { return impl_->meta.shape.numel(); }
  int64_t nbytes() const { return numel() * item_size(dtype()); }
  const Shape& strides() const { return impl_->strides; }
  bool contiguous() const { return impl_->contiguous; }
  Device device() const { return impl_->meta.device; }
  const Storage& storage() const { return impl_->storage; }
  AutogradMeta* autograd() const { return impl_->autograd; }
  void* data() const { return impl_->data; }
  template <class T>
  T* data_as() const {
    return static_cast<T*>(impl_->data);
  }
  bool same(const Tensor& other) const { return impl_ == other.impl_; }
  void bump_version() const { ++impl_->storage->version; }

  // Uninitialised contiguous tensor. Errors: MemoryError, ValueError for negative or overflowing
  // sizes.
  static Result<Tensor> empty(DType dtype, const Shape& shape);
  // Like empty(), for metas that an infer rule has checked.
  static Result<Tensor> empty(const Meta& meta);
  static Tensor view(const Tensor& base, const Shape& shape, const Shape& strides, int64_t offset);
  static Tensor from_storage(Storage storage, DType dtype, const Shape& shape, const Shape& strides,
                             int64_t offset_bytes);
  template <class T>
  static Tensor scalar(T value, bool weak = false);  // 0-d
  // Scalar of any dtype from a double / int64.
  static Tensor scalar_of(DType dtype, double value, bool weak = false);

  // A contiguous tensor with the same values: itself when already so.
  Result<Tensor> to_contiguous() const;
  // Same data without autograd history (a fresh header).
  Tensor detach() const;

 private:
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}
  static void destroy(TensorImpl* impl);
  TensorImpl* impl_ = nullptr;
};

// Treats borrowed headers as handles without touching reference counts; valid during one call.
inline std::span<const Tensor> borrow(std::span<TensorImpl* const> impls) {
  static_assert(sizeof(Tensor) == sizeof(TensorImpl*));
  return {reinterpret_cast<const Tensor*>(impls.data()), impls.size()};
}

TensorImpl* new_tensor_impl();
bool is_contiguous(const Shape& shape, const Shape& strides);
// Copies element by element between any two layouts of equal shape and dtype, on any devices.
Status copy_elements(const Tensor& from, const Tensor& to);
// copy_elements() for tensors on the host.
void copy_strided(const Tensor& from, const Tensor& to);

template <class T>
Tensor Tensor::scalar(T value, bool weak) {
  auto storage = Storage::allocate(sizeof(T));
  if (!storage.ok()) throw std::bad_alloc();
  TensorImpl* impl = new_tensor_impl();
  impl->meta.dtype = dtype_of<T>();
  impl->meta.weak = weak;
  impl->storage = storage.take();
  impl->data = impl->storage->data;
  *static_cast<T*>(impl->data) = value;
  return Tensor(impl);
}

}  // namespace msjit
