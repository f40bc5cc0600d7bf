// sum(), all() and any().
#include "bytecode/builtins/models.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// Takes the items one by one, because an item of a generator may depend on the steps before. `use`
// says whether to go on.
template <class Use>
bool each_item(Executor& x, const SymRef& iterable, Use use) {
  SymRef iterator, item;
  if (!x.iterate(iterable, &iterator)) return false;
  for (bool done = false, more = true; more;) {
    if (!x.next(iterator, &item, &done)) return false;
    if (done) return true;
    if (!use(item, &more)) return false;
  }
  return true;
}

// Whether sum() adds floats like `+`. From Python 3.12 on it compensates for lost bits.
bool adds_one_by_one(PyObject* sum) {
  // Without the guard of a static initialiser: the call may let other threads run.
  static int answer = -1;
  if (answer < 0) {
    Ref total =
        Ref::steal(host::call(host::checked, PyObject_CallFunction, sum, "((ddd))", 0.1, 0.2, 0.3));
    if (!total) PyErr_Clear();
    answer = total && PyFloat_AsDouble(total.get()) == 0.1 + 0.2 + 0.3;
  }
  return answer > 0;
}

// Sums the items of sum(). Consecutive numbers with a float among them are left to sum() itself.
class Sum {
 public:
  Sum(Executor& x, PyObject* sum, SymRef start) : x_(x), sum_(sum), total_(std::move(start)) {}

  bool add(const SymRef& item) {
    const bool floats = !numbers_.empty() || is_float(total_) || is_float(item);
    if (is_shown_later(x_, item) && later_.empty()) later_ = std::exchange(numbers_, {});
    if (is_shown_later(x_, item) || !later_.empty()) return later_.push_back(item), true;
    if (floats && !adds_one_by_one(sum_)) {
      if (!x_.look(item) || !x_.look(total_)) return false;
      if (is_number(total_) && is_number(item)) return numbers_.push_back(item), true;
    }
    return flush() && x_.binary(SymRef(total_), item, BinaryOp::kAdd, false, &total_);
  }

  bool finish(SymRef* out) {
    bool known = false;
    if (!flush()) return false;
    if (later_.empty()) return *out = std::move(total_), true;
    if (!computed_sum(x_, sum_, later_, total_, out, &known)) return false;
    return known || wrong_arguments(x_, "sum");
  }

 private:
  static bool is_float(const SymRef& value) {
    return value->object && PyFloat_CheckExact(value->object.get());
  }
  static bool is_number(const SymRef& value) {
    return value->kind == SymKind::kConst &&
           (is_float(value) || PyLong_CheckExact(value->object.get()) ||
            PyBool_Check(value->object.get()));
  }

  bool flush() {
    if (numbers_.empty()) return true;
    Ref list = Ref::steal(PyList_New(0));
    for (const SymRef& number : numbers_)
      if (!list || PyList_Append(list.get(), number->object.get()) < 0)
        return x_.raise_python("sum()");
    numbers_.clear();
    return fold_result(x_,
                       Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs, sum_,
                                             list.get(), total_->object.get(), nullptr)),
                       "sum", &total_);
  }

  Executor& x_;
  PyObject* sum_;
  SymRef total_;
  std::vector<SymRef> numbers_;
  std::vector<SymRef> later_;  // all items from the first kScalar or kComputed on
};

bool model_sum(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.empty() || args.size() > 2) return wrong_arguments(x, "sum");
  const SymRef start = args.size() == 2 ? args[1] : make_const(Ref::steal(PyLong_FromLong(0)));
  if (!x.look_number(start)) return false;
  if (PyObject* text = start->kind == SymKind::kConst ? start->object.get() : nullptr)
    if (PyUnicode_Check(text) || PyBytes_Check(text)) return wrong_arguments(x, "sum");
  Sum sum(x, modelled(model_sum), start);
  const auto add = [&](const SymRef& item, bool*) { return sum.add(item); };
  return each_item(x, args[0], add) && sum.finish(out);
}

bool model_all_any(Executor& x, Args args, PyObject* names, bool all, SymRef* out) {
  if (names || args.size() != 1) return wrong_arguments(x, all ? "all" : "any");
  if (!x.look(args[0])) return false;
  const bool known = args[0]->kind == SymKind::kList || args[0]->kind == SymKind::kTuple;
  bool tensors = args[0]->is_tensor();
  if (known)
    for (const SymRef& item : *x.heap().items(args[0]))
      tensors |= x.heap().realize_open(item) && item->is_tensor();
  if (tensors) return all_or_any_of_tensors(x, args[0], all, out);
  bool result = all;
  const auto test = [&](const SymRef& item, bool* more) {
    bool truth = false;
    if (!x.truth(item, &truth)) return false;
    *more = truth == all;
    result = truth;
    return true;
  };
  *out = sym_bool(all);
  if (!each_item(x, args[0], test)) return false;
  *out = sym_bool(result);
  return true;
}
bool model_all(Executor& x, Args a, PyObject* n, SymRef* out) {
  return model_all_any(x, a, n, true, out);
}
bool model_any(Executor& x, Args a, PyObject* n, SymRef* out) {
  return model_all_any(x, a, n, false, out);
}

const ModelRow kReductionModels[] = {{"sum", model_sum}, {"all", model_all}, {"any", model_any}};

}  // namespace

const ModelTable models_reductions = {"builtins", kReductionModels, {}};

}  // namespace msjit
