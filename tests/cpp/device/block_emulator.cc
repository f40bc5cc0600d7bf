#include "device/block_emulator.h"

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "codegen/device_kernel.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

// void msjit_test_switch(void** save, void* to): saves the registers that a call preserves on the
// stack, that stack in *save, and goes on where `to` was saved.
asm(R"(
.text
.globl msjit_test_switch
.type msjit_test_switch, @function
msjit_test_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size msjit_test_switch, .-msjit_test_switch
)");
extern "C" void msjit_test_switch(void** save, void* to);

namespace msjit::testing {
namespace {

constexpr size_t kStackBytes = 64 << 10;
constexpr int kThreads = kBlockThreads;

enum class Waits : uint8_t { kNothing, kBarrier, kExchange, kBroadcast, kEnded };

struct Fiber : EmulatedThread {
  void* stack = nullptr;  // where it goes on
  Waits waits = Waits::kNothing;
  int32_t value = 0, lane = 0;  // what it exchanges
};

class Block {
 public:
  Block() {
    stacks_ = static_cast<char*>(mmap(nullptr, kStackBytes * kThreads, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }

  std::string run(EmulatedFn kernel, void* const* parameters, int block, int num_blocks) {
    kernel_ = kernel;
    parameters_ = parameters;
    std::memset(shared_.data(), 0xa5, sizeof shared_);
    for (int t = 0; t < kThreads; ++t) start(t, block, num_blocks);
    for (bool ended = false; !ended;) {
      for (Fiber& fiber : fibers_) {
        if (fiber.waits != Waits::kNothing) continue;
        current_ = &fiber;
        msjit_test_switch(&scheduler_, fiber.stack);
      }
      if (std::string error = meet(&ended); !error.empty()) return error;
    }
    return {};
  }

 private:
  void start(int thread, int block, int num_blocks) {
    Fiber& fiber = fibers_[static_cast<size_t>(thread)];
    fiber = {};
    fiber.thread = thread;
    fiber.block = block;
    fiber.num_blocks = num_blocks;
    fiber.shared = shared_.data();
    fiber.barrier = [](EmulatedThread* t) { wait(t, Waits::kBarrier); };
    fiber.exchange = [](EmulatedThread* t, int32_t value, int32_t mask) {
      return wait(t, Waits::kExchange, value, mask);
    };
    fiber.broadcast = [](EmulatedThread* t, int32_t value, int32_t lane) {
      return wait(t, Waits::kBroadcast, value, lane);
    };
    forget_frames(thread);
    // Six registers and the address to return to; the stack is then as behind a call.
    auto** top = reinterpret_cast<void**>(stack_end(thread));
    top[-1] = nullptr;
    top[-2] = reinterpret_cast<void*>(&main);
    for (int i = 3; i <= 8; ++i) top[-i] = nullptr;
    fiber.stack = top - 8;
  }

  char* stack_end(int thread) { return stacks_ + kStackBytes * static_cast<size_t>(thread + 1); }
  // The last frames of a thread never return, so the address sanitizer still takes them for live.
  void forget_frames([[maybe_unused]] int thread) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack_end(thread) - kStackBytes, kStackBytes);
#endif
  }

  static void main();
  static int32_t wait(EmulatedThread* thread, Waits what, int32_t value = 0, int32_t lane = 0) {
    auto* fiber = static_cast<Fiber*>(thread);
    fiber->waits = what;
    fiber->value = value;
    fiber->lane = lane;
    give_way(fiber);
    return fiber->value;
  }
  static void give_way(Fiber* fiber);

  // All threads wait or have ended: lets go on those whose partners have come.
  std::string meet(bool* ended) {
    bool moved = false;
    for (size_t first = 0; first < fibers_.size(); first += kWarpThreads) {
      const Waits what = fibers_[first].waits;
      if (what != Waits::kExchange && what != Waits::kBroadcast) continue;
      if (!exchange(&fibers_[first])) return "threads of a warp diverge where they exchange values";
      moved = true;
    }
    if (moved) return {};
    for (const Fiber& fiber : fibers_)
      if (fiber.waits != fibers_[0].waits) return "threads of a block diverge at a barrier";
    *ended = fibers_[0].waits == Waits::kEnded;
    if (!*ended)
      for (Fiber& fiber : fibers_) fiber.waits = Waits::kNothing;
    return {};
  }

  static bool exchange(Fiber* warp) {
    std::array<int32_t, kWarpThreads> values;
    for (int i = 0; i < kWarpThreads; ++i) {
      if (warp[i].waits != warp[0].waits || warp[i].lane != warp[0].lane) return false;
      const int from = warp[i].waits == Waits::kExchange ? i ^ warp[i].lane : warp[i].lane;
      values[static_cast<size_t>(i)] = warp[from].value;
    }
    for (int i = 0; i < kWarpThreads; ++i) {
      warp[i].value = values[static_cast<size_t>(i)];
      warp[i].waits = Waits::kNothing;
    }
    return true;
  }

  char* stacks_;
  void* scheduler_ = nullptr;
  Fiber* current_ = nullptr;
  EmulatedFn kernel_ = nullptr;
  void* const* parameters_ = nullptr;
  std::array<Fiber, kThreads> fibers_;
  alignas(16) std::array<char, kEmulatedSharedBytes> shared_;
};

Block& the_block() {
  static Block* block = new Block;
  return *block;
}

void Block::give_way(Fiber* fiber) { msjit_test_switch(&fiber->stack, the_block().scheduler_); }

void Block::main() {
  Block& block = the_block();
  Fiber* fiber = block.current_;
  block.kernel_(block.parameters_, fiber);
  fiber->waits = Waits::kEnded;
  give_way(fiber);
}

std::string run_apart(EmulatedFn kernel, void* const* parameters, int num_blocks) {
  EmulatedThread thread;
  thread.num_blocks = num_blocks;
  for (thread.block = 0; thread.block < num_blocks; ++thread.block)
    for (thread.thread = 0; thread.thread < kThreads; ++thread.thread) kernel(parameters, &thread);
  return {};
}

}  // namespace

std::string run_emulated(EmulatedFn kernel, void* const* parameters, int num_blocks, bool meets) {
  if (!meets) return run_apart(kernel, parameters, num_blocks);
  for (int block = 0; block < num_blocks; ++block)
    if (std::string error = the_block().run(kernel, parameters, block, num_blocks); !error.empty())
      return error;
  return {};
}

}  // namespace msjit::testing
