// Instructions that end a region: exception handling, rare variable kinds, imports, class
// definitions. The interpreter (or the stepper) runs them and a new region begins behind them.
#include "bytecode/exec.h"

namespace msjit {

#define MSJIT_ENDS_REGION(op, reason, detail)            \
  bool exec_##op(Executor& x, SymFrame&, const Instr&) { \
    return x.fail(BreakReason::reason, detail);          \
  }

// The block stack of an instruction is static (DecodedCode::blocks), and an exception leaves the
// region, so entering and leaving a `try` body costs nothing.
bool exec_SetupFinally(Executor&, SymFrame&, const Instr&) { return true; }
bool exec_PopBlock(Executor&, SymFrame&, const Instr&) { return true; }

MSJIT_ENDS_REGION(Raise, kException, "raise")
MSJIT_ENDS_REGION(BeforeWith, kException, "with")
MSJIT_ENDS_REGION(PushExcInfo, kException, "handler")
MSJIT_ENDS_REGION(PopExcept, kException, "handler")
MSJIT_ENDS_REGION(CheckExcMatch, kException, "handler")
MSJIT_ENDS_REGION(JumpIfNotExcMatch, kException, "handler")
MSJIT_ENDS_REGION(WithExceptStart, kException, "handler")
MSJIT_ENDS_REGION(Reraise, kException, "handler")
MSJIT_ENDS_REGION(StoreGlobal, kStoreGlobal, "")
MSJIT_ENDS_REGION(DeleteGlobal, kStoreGlobal, "")
MSJIT_ENDS_REGION(LoadName, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(StoreName, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(DeleteName, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(DeleteDeref, kUnsupported, "del of a closure variable")
MSJIT_ENDS_REGION(LoadClassDeref, kUnsupported, "a name of a class body")
MSJIT_ENDS_REGION(LoadBuildClass, kMakeClass, "")
MSJIT_ENDS_REGION(DeleteAttr, kMutation, "an attribute (del)")
MSJIT_ENDS_REGION(ImportStar, kImport, "*")
MSJIT_ENDS_REGION(ImportFrom, kImport, "a name")
MSJIT_ENDS_REGION(BuildSet, kUnsupported, "a set")
MSJIT_ENDS_REGION(SetAdd, kUnsupported, "a set")
MSJIT_ENDS_REGION(SetUpdate, kUnsupported, "a set")
MSJIT_ENDS_REGION(MatchMapping, kUnsupported, "match")

bool exec_ImportName(Executor& x, SymFrame& f, const Instr& i) {
  return x.fail(BreakReason::kImport, PyUnicode_AsUTF8(f.code->name(i.arg).get()));
}

bool exec_Unsupported(Executor& x, SymFrame&, const Instr& i) {
  return x.fail(BreakReason::kUnsupported, "bytecode " + std::to_string(i.arg));
}

}  // namespace msjit
