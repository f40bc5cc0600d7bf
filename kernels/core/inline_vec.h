// A vector whose first N elements live inside the object; longer ones move to the heap.
// Used where lists are nearly always short and sit on hot paths (attributes, output metas).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace msjit {

template <class T, uint32_t N>
class InlineVec {
 public:
  InlineVec() = default;
  InlineVec(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  explicit InlineVec(std::span<const T> items) { append(items.begin(), items.end()); }
  InlineVec(const InlineVec& other) { append(other.begin(), other.end()); }
  InlineVec(InlineVec&& other) noexcept { take(other); }
  InlineVec& operator=(const InlineVec& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  InlineVec& operator=(InlineVec&& other) noexcept {
    if (this != &other) {
      destroy();
      take(other);
    }
    return *this;
  }
  ~InlineVec() { destroy(); }

  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T* data() { return heap_ ? heap_ : inline_data(); }
  const T* data() const { return heap_ ? heap_ : const_cast<InlineVec*>(this)->inline_data(); }
  operator std::span<const T>() const { return {data(), size_}; }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) grow(capacity_ * 2);
    return *new (data() + size_++) T(std::forward<Args>(args)...);
  }
  void push_back(T value) { emplace_back(std::move(value)); }
  void pop_back() { data()[--size_].~T(); }
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }
  void resize(uint32_t n, const T& fill = T()) {
    while (size_ > n) pop_back();
    while (size_ < n) emplace_back(fill);
  }
  friend bool operator==(const InlineVec& a, const InlineVec& b) {
    if (a.size_ != b.size_) return false;
    for (uint32_t i = 0; i < a.size_; ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  T* inline_data() { return std::launder(reinterpret_cast<T*>(inline_)); }
  template <class It>
  void append(It first, It last) {
    for (; first != last; ++first) emplace_back(*first);
  }
  void grow(uint32_t capacity) {
    T* fresh = static_cast<T*>(::operator new(sizeof(T) * capacity, std::align_val_t(alignof(T))));
    std::uninitialized_move(begin(), end(), fresh);
    std::destroy(begin(), end());
    release_heap();
    heap_ = fresh;
    capacity_ = capacity;
  }
  void take(InlineVec& other) {
    size_ = other.size_;
    if (other.heap_) {
      heap_ = other.heap_;
      capacity_ = other.capacity_;
    } else {
      heap_ = nullptr;
      capacity_ = N;
      std::uninitialized_move(other.begin(), other.end(), inline_data());
      std::destroy(other.begin(), other.end());
    }
    other.heap_ = nullptr;
    other.capacity_ = N;
    other.size_ = 0;
  }
  void destroy() {
    std::destroy(begin(), end());
    release_heap();
    heap_ = nullptr;
    size_ = 0;
    capacity_ = N;
  }
  void release_heap() {
    if (heap_) ::operator delete(heap_, std::align_val_t(alignof(T)));
  }

  T* heap_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) unsigned char inline_[sizeof(T) * N];
};

using IntList = InlineVec<int64_t, 8>;

}  // namespace msjit
