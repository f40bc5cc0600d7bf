#include "bytecode/instr.h"

#include <algorithm>

namespace msjit {
namespace {

struct OpRow {
  const char* name;
  int flags;
  int (*pops)(const Instr&);
  int (*pushes)(const Instr&);
  int (*pushes_on_jump)(const Instr&);
  Operand operand;
  int (*reach)(const Instr&);
};

constexpr OpRow kRows[] = {
#define MSJIT_CANON(name, pops, pushes, on_jump, flags, operand, reach, step) \
  {#name,                                                                     \
   flags,                                                                     \
   []([[maybe_unused]] const Instr& i) -> int { return pops; },               \
   []([[maybe_unused]] const Instr& i) -> int { return pushes; },             \
   []([[maybe_unused]] const Instr& i) -> int { return on_jump; },            \
   operands::operand,                                                         \
   []([[maybe_unused]] const Instr& i) -> int { return reach; }},
#include "bytecode/isa.def"
};

const OpRow& row(Op op) { return kRows[size_t(op)]; }

}  // namespace

const char* op_name(Op op) { return row(op).name; }
int op_flags(Op op) { return row(op).flags; }
int pops(const Instr& instr) { return row(instr.op).pops(instr); }
int pushes(const Instr& instr) { return row(instr.op).pushes(instr); }
const Operand& operand_of(Op op) { return row(op).operand; }
int items_seen(const Instr& instr) { return std::max(pops(instr), row(instr.op).reach(instr)); }
int pushes_on_jump(const Instr& instr) { return row(instr.op).pushes_on_jump(instr); }

const char* unary_symbol(UnaryOp op) {
  constexpr const char* kSymbols[] = {"+", "-", "not", "~"};
  return kSymbols[size_t(op)];
}

const char* binary_symbol(BinaryOp op) {
  constexpr const char* kSymbols[] = {"+", "&",  "//", "<<", "@", "*", "%",
                                      "|", "**", ">>", "-",  "/", "^"};
  return kSymbols[size_t(op)];
}

}  // namespace msjit
