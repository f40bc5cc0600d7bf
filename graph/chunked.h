// Chunked: a sequence that grows at its end. References to elements stay valid while it grows, as
// in a std::deque. Unlike a deque it allocates a few kilobytes of elements at a time, even when one
// element is large.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace msjit {

template <class T>
class Chunked {
  template <class Sequence, class Element>
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;
    Iterator() = default;
    Iterator(Sequence* sequence, size_t at) : sequence_(sequence), at_(at) {}
    Element& operator*() const { return (*sequence_)[at_]; }
    Element* operator->() const { return &(*sequence_)[at_]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {sequence_, at_++}; }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return {sequence_, at_--}; }
    Iterator& operator+=(difference_type n) { return at_ += static_cast<size_t>(n), *this; }
    Iterator& operator-=(difference_type n) { return at_ -= static_cast<size_t>(n), *this; }
    Element& operator[](difference_type n) const { return *(*this + n); }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

   private:
    Sequence* sequence_ = nullptr;
    size_t at_ = 0;
  };

 public:
  Chunked() = default;
  Chunked(const Chunked& other) {
    for (const T& element : other) push_back(element);
  }
  Chunked(Chunked&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {
    other.chunks_.clear();
  }
  Chunked& operator=(Chunked other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Chunked() {
    for (T& element : *this) std::destroy_at(&element);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return chunks_[i / kPerChunk]->at(i % kPerChunk); }
  const T& operator[](size_t i) const { return chunks_[i / kPerChunk]->at(i % kPerChunk); }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  auto begin() { return Iterator<Chunked, T>(this, 0); }
  auto end() { return Iterator<Chunked, T>(this, size_); }
  auto begin() const { return Iterator<const Chunked, const T>(this, 0); }
  auto end() const { return Iterator<const Chunked, const T>(this, size_); }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == chunks_.size() * kPerChunk) chunks_.push_back(std::make_unique<Chunk>());
    T& place = chunks_.back()->at(size_ % kPerChunk);
    std::construct_at(&place, std::forward<Args>(args)...);
    return ++size_, place;
  }
  void push_back(T element) { emplace_back(std::move(element)); }

 private:
  static constexpr size_t kPerChunk = sizeof(T) < 512 ? 4096 / sizeof(T) : 8;
  struct Chunk {
    Chunk() {}  // leaves the memory as it is
    T& at(size_t i) { return reinterpret_cast<T*>(memory)[i]; }
    alignas(T) std::byte memory[kPerChunk * sizeof(T)];
  };
  std::vector<std::unique_ptr<Chunk>> chunks_;
  size_t size_ = 0;
};

}  // namespace msjit
