// Routines (kernels/device/routine.h) as LLVM functions for a GPU.
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <unordered_map>

#include "codegen/device_kernel.h"
#include "codegen/llvm/device_emit.h"
#include "codegen/llvm/scalar_emit.h"

namespace msjit::llvm_backend {
namespace {

using devices::Routine;
using devices::RoutineOp;
using devices::RoutineStep;
using llvm::Value;

llvm::Function* make_function(llvm::Module& module, const Routine& routine, const char* name) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> types(static_cast<size_t>(routine.num_pointers),
                                 llvm::PointerType::get(context, kGlobalSpace));
  types.resize(types.size() + static_cast<size_t>(routine.num_numbers) + 1,
               llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

class RoutineEmitter {
 public:
  RoutineEmitter(llvm::Module& module, const Routine& routine, const char* name)
      : routine_(routine),
        function_(make_function(module, routine, name)),
        b_(llvm::BasicBlock::Create(module.getContext(), "entry", function_)),
        scalar_(b_) {}

  llvm::Function* run() {
    entry_ = b_.GetInsertBlock();
    auto* start = new_block("start");
    b_.SetInsertPoint(start);
    Value* first = b_.CreateAdd(b_.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                                             b_.getInt64(kBlockThreads)),
                                special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
    Value* step = b_.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x),
                               b_.getInt64(kBlockThreads));
    Value* end = function_->getArg(function_->arg_size() - 1);
    enter(first, end, step);
    point_ = open_.back().place;
    for (const RoutineStep& s : routine_.steps) emit(s);
    leave();
    b_.CreateRetVoid();
    b_.SetInsertPoint(entry_);
    b_.CreateBr(start);
    llvm::DominatorTree tree(*function_);
    llvm::PromoteMemToReg(variables_, tree);
    return function_;
  }

 private:
  // A loop or branch that is being emitted, and the nodes computed in it so far.
  struct Open {
    std::unordered_map<int32_t, Value*> known;
    llvm::BasicBlock *head = nullptr, *after = nullptr;
    llvm::PHINode* place = nullptr;
    Value* step = nullptr;
  };

  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }
  Value* special(llvm::Intrinsic::ID id) {
    return b_.CreateZExt(b_.CreateIntrinsic(id, {}, {}), b_.getInt64Ty());
  }

  void enter(Value* from, Value* to, Value* step) {
    Open loop;
    auto *before = b_.GetInsertBlock(), *inside = new_block("body");
    loop.head = new_block("head");
    loop.after = new_block("after");
    loop.step = step;
    b_.CreateBr(loop.head);
    b_.SetInsertPoint(loop.head);
    loop.place = b_.CreatePHI(b_.getInt64Ty(), 2);
    loop.place->addIncoming(from, before);
    b_.CreateCondBr(b_.CreateICmpSLT(loop.place, to), inside, loop.after);
    b_.SetInsertPoint(inside);
    open_.push_back(std::move(loop));
  }

  void enter_where(Value* condition) {
    Open branch;
    auto* inside = new_block("then");
    branch.after = new_block("after");
    b_.CreateCondBr(condition, inside, branch.after);
    b_.SetInsertPoint(inside);
    open_.push_back(std::move(branch));
  }

  void enter_again() {
    Open loop;
    loop.head = new_block("again");
    loop.after = new_block("after");
    b_.CreateBr(loop.head);
    b_.SetInsertPoint(loop.head);
    open_.push_back(std::move(loop));
  }
  void go_on_where(Value* condition) {
    auto* inside = new_block("body");
    b_.CreateCondBr(condition, inside, open_.back().after);
    b_.SetInsertPoint(inside);
  }

  void leave() {
    const Open& ended = open_.back();
    if (ended.head) {
      if (ended.place)
        ended.place->addIncoming(b_.CreateAdd(ended.place, ended.step), b_.GetInsertBlock());
      b_.CreateBr(ended.head);
    } else {
      b_.CreateBr(ended.after);
    }
    b_.SetInsertPoint(ended.after);
    open_.pop_back();
  }

  // A node is computed in the innermost open loop or branch that needs it. When that ends its value
  // is forgotten, and a later user computes the node again.
  Value* value(int32_t id) {
    if (id < 0) return nullptr;
    for (size_t i = open_.size(); i-- > 0;)
      if (const auto found = open_[i].known.find(id); found != open_[i].known.end())
        return found->second;
    const ScalarNode& node = routine_.nodes[static_cast<size_t>(id)];
    Value* made = nullptr;
    if (node.op == ScalarOp::kConst) {
      made = scalar_.constant(node, 1);
    } else {
      Value *a = value(node.a), *b = value(node.b), *c = value(node.c);
      made = scalar_.op(node, routine_.nodes[static_cast<size_t>(node.a)].dtype, a, b, c, 1);
    }
    return open_.back().known[id] = made;
  }
  void know(const RoutineStep& s, Value* made) { open_.back().known[s.result] = made; }

  Value* address(const RoutineStep& s) {
    Value* base = function_->getArg(static_cast<unsigned>(s.a));
    return b_.CreateInBoundsGEP(scalar_.memory_type(s.dtype), base, value(s.b));
  }

  llvm::AllocaInst* variable(const RoutineStep& s) {
    const auto at = static_cast<size_t>(s.a);
    if (at >= variables_.size()) variables_.resize(at + 1);
    if (!variables_[at]) {
      const llvm::IRBuilder<>::InsertPoint here = b_.saveIP();
      b_.SetInsertPoint(entry_);
      variables_[at] = b_.CreateAlloca(scalar_.register_type(s.dtype, 1));
      b_.restoreIP(here);
    }
    return variables_[at];
  }

  void emit(const RoutineStep& s) {
    switch (s.op) {
      case RoutineOp::kPoint: return know(s, point_);
      case RoutineOp::kNumber:
        return know(s, function_->getArg(static_cast<unsigned>(routine_.num_pointers + s.a)));
      case RoutineOp::kLoad: {
        llvm::Type* type = scalar_.memory_type(s.dtype);
        Value* loaded = b_.CreateAlignedLoad(type, address(s), align_of(s.dtype));
        return know(s, scalar_.from_memory(s.dtype, loaded, 1));
      }
      case RoutineOp::kStore: {
        Value* stored = scalar_.to_memory(s.dtype, value(s.c), 1);
        b_.CreateAlignedStore(stored, address(s), align_of(s.dtype));
        return;
      }
      case RoutineOp::kVariable:
      case RoutineOp::kSet: b_.CreateStore(value(s.b), variable(s)); return;
      case RoutineOp::kGet:
        return know(s, b_.CreateLoad(scalar_.register_type(s.dtype, 1), variable(s)));
      case RoutineOp::kLoop:
        enter(value(s.a), value(s.b), value(s.c));
        return know(s, open_.back().place);
      case RoutineOp::kWhen: return enter_where(value(s.a));
      case RoutineOp::kRepeat: return enter_again();
      case RoutineOp::kWhile: return go_on_where(value(s.a));
      case RoutineOp::kEnd: return leave();
    }
  }
  static llvm::Align align_of(DType dtype) {
    return llvm::Align(static_cast<uint64_t>(item_size(dtype)));
  }

  const Routine& routine_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalar_;
  llvm::BasicBlock* entry_ = nullptr;
  Value* point_ = nullptr;
  std::vector<Open> open_;
  std::vector<llvm::AllocaInst*> variables_;
};

}  // namespace

llvm::Function* emit_routine(llvm::Module& module, const Routine& routine, const char* name) {
  return RoutineEmitter(module, routine, name).run();
}

}  // namespace msjit::llvm_backend
