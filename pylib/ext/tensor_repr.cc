// repr and str of Tensor, as MindSpore prints them: str is NumPy's text of the data; repr has its
// own element formats, abbreviates every dimension beyond 6 (a single one beyond 1000) and breaks
// long rows.
#include <cmath>
#include <string>
#include <vector>

#include "guards/py/host_call.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

constexpr int64_t kEdge = 3;       // elements shown at each end of an abbreviated dimension
constexpr int64_t kThreshold = 6;  // longest dimension shown whole
constexpr int64_t kThresholdOneDim = 1000;     // the same for tensors of one dimension
constexpr int64_t kRowOfInts = 24, kRow = 12;  // elements to a line, one dimension only

const char* display_name(DType dtype) {
  static constexpr const char* kNames[kNumDTypes] = {
      "Bool",    "UInt8",   "Int8",   "Int16",  "Int32",  "Int64",     "Float16",   "BFloat16",
      "Float32", "Float64", "UInt16", "UInt32", "UInt64", "Complex64", "Complex128"};
  return kNames[static_cast<int>(dtype)];
}

std::string element_text(DType dtype, const void* data, bool scalar) {
  return dispatch_any_dtype(dtype, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T& value = *static_cast<const T*>(data);
    if constexpr (std::is_same_v<T, bool>)
      return value ? "True" : "False";
    else if constexpr (std::is_integral_v<T>)
      return std::to_string(+value);
    else if constexpr (kIsComplex<T>)
      return fmt::format("{:g}{:+g}j", value.real(), value.imag());
    else {
      const double number = static_cast<double>(value);
      if (std::isnan(number)) return "nan";
      if (scalar || std::is_same_v<T, BFloat16>) return fmt::format("{:g}", number);
      return fmt::format(std::is_same_v<T, Half> ? "{:.4e}" : "{:.8e}", number);
    }
  });
}

class Printer {
 public:
  explicit Printer(const Tensor& t) : t_(t), limit_(t.rank() == 1 ? kThresholdOneDim : kThreshold) {
    if (t.dtype() == DType::kBool) width_ = 5;
    if (t.dtype() == DType::kFloat16) width_ = 11;
    if (t.dtype() == DType::kFloat32 || t.dtype() == DType::kFloat64) width_ = 15;
    if (is_integer(t.dtype())) measure(0, t.data_as<char>());
  }
  std::string run() {
    if (t_.numel() == 0) return "";
    if (t_.rank() == 0) return element_text(t_.dtype(), t_.data(), true);
    dimension(0, t_.data_as<char>());
    return std::move(out_);
  }

 private:
  bool cut(int d) const { return t_.dim(d) > limit_; }
  int64_t step(int d) const { return t_.strides()[d] * item_size(t_.dtype()); }
  // Calls f(i) for each index shown of dimension `d`.
  template <class F>
  void each(int d, F f) {
    const int64_t n = t_.dim(d);
    for (int64_t i = 0; i < n; ++i) {
      if (cut(d) && i == kEdge) i = n - kEdge;
      f(i);
    }
  }
  void measure(int d, const char* data) {
    if (d == t_.rank()) {
      width_ = std::max(width_, element_text(t_.dtype(), data, false).size());
      return;
    }
    each(d, [&](int64_t i) { measure(d + 1, data + i * step(d)); });
  }
  void dimension(int d, const char* data) {
    out_ += '[';
    const bool last = d + 1 == t_.rank();
    each(d,
         [&](int64_t i) { last ? element(i, data + i * step(d)) : row(d, i, data + i * step(d)); });
    out_ += ']';
  }
  void element(int64_t i, const char* data) {
    const int64_t n = t_.dim(t_.rank() - 1);
    const bool after_cut = cut(t_.rank() - 1) && i == n - kEdge;
    if (after_cut) out_ += " ... ";
    std::string text = element_text(t_.dtype(), data, false);
    if (text.size() < width_) out_.append(width_ - text.size(), ' ');
    out_ += text;
    const bool before_cut = cut(t_.rank() - 1) && i == kEdge - 1;
    if (i + 1 < n && !before_cut) out_ += ", ";
    const int64_t line = is_integer(t_.dtype()) ? kRowOfInts : kRow;
    if (t_.rank() == 1 && !cut(0) && (i + 1) % line == 0) out_ += "\n ";
  }
  void row(int d, int64_t i, const char* data) {
    const std::string indent(static_cast<size_t>(d) + 1, ' ');
    if (cut(d) && i == t_.dim(d) - kEdge) out_ += indent + "...\n";
    if (i > 0) out_ += indent;
    dimension(d + 1, data);
    if (i + 1 < t_.dim(d)) out_ += ",\n";
  }

  const Tensor& t_;
  const int64_t limit_;
  size_t width_ = 0;
  std::string out_;
};

}  // namespace

Ref tensor_repr(PyObject* self) {
  Tensor t;
  if (!host_tensor(tensor_of(self), &t)) return {};
  std::string shape;
  for (Dim d : t.shape()) shape += (shape.empty() ? "" : ", ") + std::to_string(d);
  const char* gap = t.rank() > 1 ? "\n" : " ";
  return text_object(fmt::format("Tensor(shape=[{}], dtype={}, value={}{})", shape,
                                 display_name(t.dtype()), gap, Printer(t).run()));
}

Ref tensor_str(PyObject* self) {
  Ref array = to_numpy(tensor_of(self));
  return array ? Ref::steal(host::call(host::program, PyObject_Str, array.get())) : Ref();
}

}  // namespace msjit
