#include "pylib/ext/images.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "guards/py/gil.h"
#include "kernels/images/colors.h"
#include "kernels/images/resize.h"
#include "kernels/images/sample.h"
#include "pylib/ext/boundary.h"

namespace msjit {
namespace {

constexpr const char* formats_of(uint8_t) { return "B"; }
constexpr const char* formats_of(int64_t) { return "lq"; }
constexpr const char* formats_of(float) { return "f"; }
constexpr const char* formats_of(double) { return "d"; }

// The memory of an array of T without gaps.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  ~Buffer() {
    if (view_.obj) PyBuffer_Release(&view_);
  }
  bool open(PyObject* array, const char* where, int rank, bool writable = false) {
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array, &view_, flags) < 0) return false;
    const bool known = view_.itemsize == sizeof(T) && view_.format && view_.format[0] &&
                       !view_.format[1] && std::strchr(formats_of(T()), view_.format[0]);
    if (known && view_.ndim == rank) return true;
    return fail(type_error("[{}] array, got one of rank {} and format {}, expected rank {}, {}",
                           where, view_.ndim, view_.format ? view_.format : "B", rank,
                           formats_of(T())));
  }
  T* data() const { return static_cast<T*>(view_.buf); }
  int64_t dim(int i) const { return view_.shape[i]; }
  int64_t size() const { return view_.len / static_cast<int64_t>(sizeof(T)); }

 private:
  Py_buffer view_{};
};

bool takes(const Args& args, const char* where, Py_ssize_t count) {
  if (!args.names && args.count == count) return true;
  return fail(
      type_error("[{}] number of arguments, got {}, expected {}", where, args.count, count));
}

bool fits(bool right, const char* where, const char* what) {
  return right || fail(value_error("[{}] {}, got one that does not fit, expected the sizes of the "
                                   "other arrays",
                                   where, what));
}

images::ImageShape shape_of(const Buffer<uint8_t>& image) {
  return {image.dim(0), image.dim(1), image.dim(2)};
}

template <class T>
bool same_shape(const Buffer<uint8_t>& a, const Buffer<T>& b) {
  return a.dim(0) == b.dim(0) && a.dim(1) == b.dim(1) && a.dim(2) == b.dim(2);
}

bool all_inside(const Buffer<int64_t>& places, int64_t end) {
  return std::all_of(places.data(), places.data() + places.size(),
                     [=](int64_t place) { return place >= 0 && place < end; });
}

// For resampling along one axis: which source pixels each result pixel uses, and their weights.
// Both have the shape (size, count).
struct TapBuffers {
  Buffer<int64_t> places, weights;
  bool open(PyObject* const* given, const char* where, int64_t source, int64_t result) {
    constexpr int64_t kMost = 8, kLargest = 4096;  // beyond these, sums would not fit
    if (!places.open(given[0], where, 2) || !weights.open(given[1], where, 2)) return false;
    const int64_t* all = weights.data();
    const bool small = std::all_of(all, all + weights.size(),
                                   [](int64_t w) { return w >= -kLargest && w <= kLargest; });
    return fits(places.dim(0) == result && weights.dim(0) == result &&
                    places.dim(1) == weights.dim(1) && places.dim(1) <= kMost && small &&
                    all_inside(places, source),
                where, "places or weights");
  }
  images::Taps taps() const {
    return {places.data(), weights.data(), places.dim(0), places.dim(1)};
  }
};

struct WindowBuffers {
  Buffer<int64_t> places;
  Buffer<double> weights;
  bool open(PyObject* const* given, const char* where, int64_t size) {
    if (!places.open(given[0], where, 1) || !weights.open(given[1], where, 1)) return false;
    return fits(weights.size() > 0 && places.size() == size + weights.size() - 1 &&
                    all_inside(places, size),
                where, "places or weights");
  }
  images::Window window() const { return {places.data(), weights.data(), weights.size()}; }
};

Ref resize(PyObject*, const Args& args) {
  constexpr const char* kWhere = "images.resize";
  Buffer<uint8_t> source, result;
  TapBuffers rows, columns;
  if (!takes(args, kWhere, 6) || !source.open(args.values[0], kWhere, 3) ||
      !result.open(args.values[5], kWhere, 3, true) ||
      !rows.open(args.values + 1, kWhere, source.dim(0), result.dim(0)) ||
      !columns.open(args.values + 3, kWhere, source.dim(1), result.dim(1)) ||
      !fits(result.dim(2) == source.dim(2), kWhere, "result"))
    return {};
  const GilRelease released;
  images::resize(source.data(), shape_of(source), rows.taps(), columns.taps(), result.data());
  return Ref::none();
}

Ref smooth(PyObject*, const Args& args) {
  constexpr const char* kWhere = "images.smooth";
  Buffer<uint8_t> source, result;
  WindowBuffers rows, columns;
  if (!takes(args, kWhere, 6) || !source.open(args.values[0], kWhere, 3) ||
      !result.open(args.values[5], kWhere, 3, true) ||
      !rows.open(args.values + 1, kWhere, source.dim(0)) ||
      !columns.open(args.values + 3, kWhere, source.dim(1)) ||
      !fits(same_shape(source, result), kWhere, "result"))
    return {};
  const GilRelease released;
  images::smooth(source.data(), shape_of(source), rows.window(), columns.window(), result.data());
  return Ref::none();
}

Ref sample(PyObject*, const Args& args) {
  constexpr const char* kWhere = "images.sample";
  Buffer<uint8_t> source, fill, result;
  Buffer<int64_t> rows, columns;
  if (!takes(args, kWhere, 6) || !source.open(args.values[0], kWhere, 3) ||
      !rows.open(args.values[1], kWhere, 2) || !columns.open(args.values[2], kWhere, 2) ||
      !fill.open(args.values[4], kWhere, 1) || !result.open(args.values[5], kWhere, 3, true))
    return {};
  const int64_t count = rows.size();
  bool fraction = false;
  if (!truth_from_object(args.values[3], false, &fraction) ||
      !fits(columns.size() == count && fill.size() == source.dim(2) &&
                result.dim(2) == source.dim(2) && result.dim(0) * result.dim(1) == count,
            kWhere, "places, fill or result"))
    return {};
  const images::Places places{rows.data(), columns.data(), count, fraction};
  const GilRelease released;
  images::sample(source.data(), shape_of(source), places, fill.data(), result.data());
  return Ref::none();
}

Ref mirror(PyObject*, const Args& args) {
  constexpr const char* kWhere = "images.mirror";
  Buffer<uint8_t> source, result;
  if (!takes(args, kWhere, 2) || !source.open(args.values[0], kWhere, 3) ||
      !result.open(args.values[1], kWhere, 3, true) ||
      !fits(same_shape(source, result), kWhere, "result"))
    return {};
  const GilRelease released;
  images::mirror(source.data(), shape_of(source), result.data());
  return Ref::none();
}

template <class T>
bool look_up_into(const Buffer<uint8_t>& source, PyObject* tables_array, PyObject* result_array) {
  constexpr const char* kWhere = "images.look_up";
  Buffer<T> tables, result;
  if (!tables.open(tables_array, kWhere, 2) || !result.open(result_array, kWhere, 3, true))
    return false;
  const auto shape = shape_of(source);
  const bool one = tables.dim(0) == 1, fit = one || tables.dim(0) == shape.channels;
  if (!fits(fit && tables.dim(1) == 256 && same_shape(source, result), kWhere, "tables or result"))
    return false;
  const GilRelease released;
  images::look_up(source.data(), shape.pixels(), shape.channels, tables.data(), one, result.data());
  return true;
}

Ref look_up(PyObject*, const Args& args) {
  Buffer<uint8_t> source;
  if (!takes(args, "images.look_up", 4) || !source.open(args.values[0], "images.look_up", 3))
    return {};
  bool floats = false;
  if (!truth_from_object(args.values[3], false, &floats)) return {};
  const auto into = floats ? look_up_into<float> : look_up_into<uint8_t>;
  return into(source, args.values[1], args.values[2]) ? Ref::none() : Ref();
}

// source and result of red, green and blue, the result of `channels`
bool open_colors(const Args& args, const char* where, int64_t channels, Buffer<uint8_t>* source,
                 Buffer<uint8_t>* result, double* number) {
  const Py_ssize_t last = number ? 2 : 1;
  if (!takes(args, where, last + 1) || !source->open(args.values[0], where, 3) ||
      !result->open(args.values[last], where, 3, true))
    return false;
  if (number) {
    *number = PyFloat_AsDouble(args.values[1]);
    if (*number == -1 && PyErr_Occurred()) return false;
  }
  return fits(source->dim(2) == 3 && result->dim(2) == channels &&
                  result->dim(0) == source->dim(0) && result->dim(1) == source->dim(1),
              where, "result");
}

Ref gray(PyObject*, const Args& args) {
  Buffer<uint8_t> source, result;
  if (!open_colors(args, "images.gray", 1, &source, &result, nullptr)) return {};
  const GilRelease released;
  images::gray(source.data(), shape_of(source).pixels(), result.data());
  return Ref::none();
}

template <auto Change>
Ref change_colors(PyObject*, const Args& args) {
  Buffer<uint8_t> source, result;
  double number = 0;
  if (!open_colors(args, "images", 3, &source, &result, &number)) return {};
  constexpr double kMost = 1e6;
  if (!(std::fabs(number) <= kMost))
    return Ref::steal(raise(*value_error("[images] number, got {}, expected at most 1e6", number)));
  const GilRelease released;
  Change(source.data(), shape_of(source).pixels(), number, result.data());
  return Ref::none();
}

PyMethodDef g_functions[] = {method<resize>("resize", nullptr),
                             method<smooth>("smooth", nullptr),
                             method<sample>("sample", nullptr),
                             method<mirror>("mirror", nullptr),
                             method<look_up>("look_up", nullptr),
                             method<gray>("gray", nullptr),
                             method<change_colors<images::saturate>>("saturate", nullptr),
                             method<change_colors<images::turn_hue>>("turn_hue", nullptr),
                             {nullptr}};

}  // namespace

bool add_images(PyObject* module) {
  Ref images = Ref::steal(PyModule_New("msjit._msjit.images"));
  return images && PyModule_AddFunctions(images.get(), g_functions) == 0 &&
         compat::add_object(module, "images", std::move(images)) == 0;
}

}  // namespace msjit
