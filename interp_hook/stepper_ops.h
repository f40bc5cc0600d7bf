// One instruction being stepped, and the operations too long for the dispatch in stepper.cc. Each
// leaves the stack as the instruction does; before returning hand_over() it has changed nothing.
#pragma once

#include "guards/py/compat.h"
#include "interp_hook/stepper.h"
#include "kernels/core/inline_vec.h"

namespace msjit {

// The topmost items of a value stack as plain pointers, the lowest first, as CPython's functions
// take them. A callee may write to the place before the second one for the time of a call.
class Operands {
 public:
  Operands(FrameView& frame, int count) : items_(reinterpret_cast<PyObject**>(frame.top(count))) {
    if constexpr (compat::kSlotTags == 0) return;
    const Slot* slots = frame.top(count);
    copies_.resize(static_cast<uint32_t>(count));
    for (int i = 0; i < count; ++i) copies_[static_cast<uint32_t>(i)] = slots[i];
    items_ = copies_.data();
  }
  PyObject** data() const { return items_; }
  PyObject* operator[](int i) const { return items_[i]; }

 private:
  PyObject** items_;
  InlineVec<PyObject*, 8> copies_;
};

struct Stepping {
  FrameView& frame;
  const DecodedCode& code;
  const int index;
  const Instr& instr;

  Step next() const { return {Step::kNext, index + 1, {}}; }
  Step jump() const { return {Step::kNext, instr.target, {}}; }
  Step raised() const { return {Step::kRaise, index, {}}; }
  Step hand_over() const;
  Step push(Ref value) const {
    if (!value) return raised();
    frame.push(std::move(value));
    return next();
  }
  Step done(int status) const { return status < 0 ? raised() : next(); }
  PyObject* name() const { return code.name(instr.arg).get(); }
  // The container that ListAppend and its kin fill, once the operands are popped.
  PyObject* container() const { return frame.peek(instr.arg).get(); }
};

// stepper_build.cc
Step step_build(const Stepping& s);     // Build*
Step step_add_item(const Stepping& s);  // ListAppend .. DictMerge
Step step_build_unpack(const Stepping& s);
Step step_format(const Stepping& s);  // ConvertValue, FormatValue
Step step_unpack(const Stepping& s);  // UnpackSequence, UnpackEx
Step step_make_function(const Stepping& s);
Step step_set_function_attribute(const Stepping& s);

// stepper_names.cc
Step step_load_global(const Stepping& s);
Step step_store_global(const Stepping& s);
Step step_delete_global(const Stepping& s);
Step step_deref(const Stepping& s);  // LoadDeref, StoreDeref, DeleteDeref
Step step_load_build_class(const Stepping& s);

Step step_name(const Stepping& s);  // LoadName, StoreName, DeleteName, LoadClassDeref
Step step_setup_annotations(const Stepping& s);

// stepper_match.cc
Step step_match_type(const Stepping& s);  // MatchSequence, MatchMapping, GetLen
Step step_match_keys(const Stepping& s);
Step step_copy_dict_without_keys(const Stepping& s);

// stepper_call.cc
Step step_print_expr(const Stepping& s);
Step step_call(const Stepping& s);
Step step_call_ex(const Stepping& s);
Step step_import_name(const Stepping& s);
Step step_import_from(const Stepping& s);
Step step_before_with(const Stepping& s);
Step step_load_special(const Stepping& s);

}  // namespace msjit
