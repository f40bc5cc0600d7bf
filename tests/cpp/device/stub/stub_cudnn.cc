// A library with cuDNN's names, for tests without a GPU: it knows its handles and descriptors,
// checks that sizes, forms and scratch memory belong together, and computes on the memory of the
// device that is attached, as queued work of the stream that was set.
#include "device/stub/stub_cudnn.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <set>

#include "kernels/core/dtype.h"

namespace {

using msjit::BFloat16;
using msjit::Half;
using msjit::testing::StubUse;

constexpr int kBadParameter = 2000, kUnsupported = 3000, kFailed = 5000;
constexpr size_t kScratch = 64;  // bytes that every algorithm asks for
constexpr int kAlgorithm = 1;    // the one that works

enum class Kind { kTensor, kFilter, kConvolution };
struct Form {
  Kind kind;
  int type = -1;
  std::vector<int> dims;
  int pads[2] = {}, strides[2] = {}, dilations[2] = {}, groups = 1, computed = -1, maths = 0;
};

const msjit::testing::StubQueue* g_queue = nullptr;
std::set<const void*> g_forms;
void* g_stream = nullptr;
char g_handle;

Form* form(void* p, Kind kind) {
  auto* f = static_cast<Form*>(p);
  return g_forms.count(p) && f->kind == kind ? f : nullptr;
}
int create(void** out, Kind kind) {
  *out = new Form{kind};
  g_forms.insert(*out);
  return 0;
}
int destroy(void* p, Kind kind) {
  if (!form(p, kind)) return kBadParameter;
  g_forms.erase(p);
  delete static_cast<Form*>(p);
  return 0;
}

size_t item_size(int type) { return type == 0 ? 4 : type == 1 ? 8 : 2; }
size_t bytes_of(const Form& f) {
  size_t all = item_size(f.type);
  for (int d : f.dims) all *= static_cast<size_t>(d);
  return all;
}

// The three forms of a convolution, checked against each other.
struct Problem {
  const Form *x, *w, *y, *c;
  bool fits() const {
    if (!x || !w || !y || !c || x->type != w->type || x->type != y->type) return false;
    if (c->computed != (x->type == 1 ? 1 : 0)) return false;
    if (x->dims[0] != y->dims[0] || x->dims[1] != w->dims[1] * c->groups) return false;
    if (y->dims[1] != w->dims[0] || w->dims[0] % c->groups) return false;
    for (int i = 0; i < 2; ++i) {
      const int reach = c->dilations[i] * (w->dims[2 + i] - 1) + 1;
      const int room = x->dims[2 + i] + 2 * c->pads[i] - reach;
      if (room < 0 || y->dims[2 + i] != room / c->strides[i] + 1) return false;
    }
    return true;
  }
};

// Calls f(place in x, place in w, place in y) for every product.
template <class F>
void walk(const Form& x, const Form& w, const Form& y, const Form& c, F&& f) {
  const int out_of_group = y.dims[1] / c.groups;
  for (int n = 0; n < y.dims[0]; ++n)
    for (int o = 0; o < y.dims[1]; ++o)
      for (int oh = 0; oh < y.dims[2]; ++oh)
        for (int ow = 0; ow < y.dims[3]; ++ow)
          for (int i = 0; i < w.dims[1]; ++i)
            for (int kh = 0; kh < w.dims[2]; ++kh)
              for (int kw = 0; kw < w.dims[3]; ++kw) {
                const int h = oh * c.strides[0] - c.pads[0] + kh * c.dilations[0];
                const int v = ow * c.strides[1] - c.pads[1] + kw * c.dilations[1];
                if (h < 0 || h >= x.dims[2] || v < 0 || v >= x.dims[3]) continue;
                const int channel = o / out_of_group * w.dims[1] + i;
                f(((n * x.dims[1] + channel) * x.dims[2] + h) * x.dims[3] + v,
                  ((o * w.dims[1] + i) * w.dims[2] + kh) * w.dims[3] + kw,
                  ((n * y.dims[1] + o) * y.dims[2] + oh) * y.dims[3] + ow);
              }
}

// which: 0 y is made, 1 x, 2 w.
template <class T>
void compute(int which, const Form& x, const Form& w, const Form& y, const Form& c, void* px,
             void* pw, void* py) {
  auto *tx = static_cast<T*>(px), *tw = static_cast<T*>(pw), *ty = static_cast<T*>(py);
  T* const to = which == 0 ? ty : which == 1 ? tx : tw;
  const Form& made = which == 0 ? y : which == 1 ? x : w;
  std::vector<double> sums(bytes_of(made) / sizeof(T), 0);
  const auto number = [](T v) {
    if constexpr (std::is_same_v<T, double>)
      return v;
    else
      return static_cast<double>(static_cast<float>(v));
  };
  walk(x, w, y, c, [&](int ix, int iw, int iy) {
    if (which == 0) sums[iy] += number(tx[ix]) * number(tw[iw]);
    if (which == 1) sums[ix] += number(ty[iy]) * number(tw[iw]);
    if (which == 2) sums[iw] += number(ty[iy]) * number(tx[ix]);
  });
  for (size_t i = 0; i < sums.size(); ++i) {
    if constexpr (std::is_same_v<T, double>)
      to[i] = sums[i];
    else
      to[i] = T(static_cast<float>(sums[i]));
  }
}

void compute_any(int which, const Form& x, const Form& w, const Form& y, const Form& c, void* px,
                 void* pw, void* py) {
  switch (x.type) {
    case 0: return compute<float>(which, x, w, y, c, px, pw, py);
    case 1: return compute<double>(which, x, w, y, c, px, pw, py);
    case 2: return compute<Half>(which, x, w, y, c, px, pw, py);
    default: return compute<BFloat16>(which, x, w, y, c, px, pw, py);
  }
}

bool is_number(const void* scale, int type, double wanted) {
  double d = 0;
  float f = 0;
  type == 1 ? static_cast<void>(std::memcpy(&d, scale, 8))
            : static_cast<void>(std::memcpy(&f, scale, 4));
  return (type == 1 ? d : static_cast<double>(f)) == wanted;
}

int run(int which, const Problem& p, int algorithm, void* scratch, size_t scratch_bytes,
        const void* alpha, const void* beta, void* px, void* pw, void* py) {
  if (!p.fits() || algorithm != kAlgorithm || scratch_bytes < kScratch) return kBadParameter;
  if (!is_number(alpha, p.x->type, 1) || !is_number(beta, p.x->type, 0)) return kBadParameter;
  // float32 must have been asked for in full precision.
  if (p.x->type == 0 && p.c->maths != 3) return kBadParameter;
  const std::vector<StubUse> uses = {{px, bytes_of(*p.x), which == 1},
                                     {pw, bytes_of(*p.w), which == 2},
                                     {py, bytes_of(*p.y), which == 0},
                                     {scratch, scratch_bytes, true}};
  // Takes the values that the descriptors have now; the program may change them later.
  const Form x = *p.x, w = *p.w, y = *p.y, c = *p.c;
  const auto work = [=] {
    compute_any(which, x, w, y, c, px, pw, py);
    std::memset(scratch, 0xab, scratch_bytes);
  };
  return g_queue && (*g_queue)(g_stream, uses, work) ? 0 : kFailed;
}

struct Choice {
  int algorithm, status;
  float time;
  size_t memory;
  int is_deterministic, maths, reserved[3];
};
// The fastest one fails, the next gives other results in every run.
int propose(const Problem& p, int wanted, int* given, Choice* choices) {
  if (!p.fits()) return kBadParameter;
  if (p.c->groups > 8) return kUnsupported;
  const std::array<Choice, 3> all = {{{3, 3000, 0, 0, 1, 1, {}},
                                      {0, 0, 1, kScratch, 0, 1, {}},
                                      {kAlgorithm, 0, 2, kScratch, 1, 1, {}}}};
  *given = 0;
  for (const Choice& choice : all)
    if (*given < wanted) choices[(*given)++] = choice;
  return 0;
}
int measure(const Problem& p, int algorithm, size_t* bytes) {
  if (!p.fits() || algorithm == 3) return kBadParameter;
  *bytes = kScratch;
  return 0;
}

Problem of(void* x, void* w, void* y, void* c) {
  return {form(x, Kind::kTensor), form(w, Kind::kFilter), form(y, Kind::kTensor),
          form(c, Kind::kConvolution)};
}

}  // namespace

extern "C" {
void stub_cudnn_attach(const msjit::testing::StubQueue* queue) { g_queue = queue; }

int cudnnCreate(void** handle) {
  *handle = &g_handle;
  return 0;
}
const char* cudnnGetErrorString(int code) {
  return code == kUnsupported ? "not supported" : "stub error";
}
int cudnnSetStream(void* handle, void* stream) {
  g_stream = stream;
  return handle == &g_handle ? 0 : kBadParameter;
}
int cudnnCreateTensorDescriptor(void** out) { return create(out, Kind::kTensor); }
int cudnnDestroyTensorDescriptor(void* p) { return destroy(p, Kind::kTensor); }
int cudnnCreateFilterDescriptor(void** out) { return create(out, Kind::kFilter); }
int cudnnDestroyFilterDescriptor(void* p) { return destroy(p, Kind::kFilter); }
int cudnnCreateConvolutionDescriptor(void** out) { return create(out, Kind::kConvolution); }
int cudnnDestroyConvolutionDescriptor(void* p) { return destroy(p, Kind::kConvolution); }
int cudnnSetTensorNdDescriptor(void* p, int type, int rank, const int* dims, const int* strides) {
  Form* f = form(p, Kind::kTensor);
  if (!f || rank != 4) return kBadParameter;
  f->type = type;
  f->dims.assign(dims, dims + rank);
  for (int i = rank - 1, expected = 1; i >= 0; expected *= dims[i--])
    if (dims[i] <= 0 || strides[i] != expected) return kBadParameter;
  return 0;
}
int cudnnSetFilterNdDescriptor(void* p, int type, int format, int rank, const int* dims) {
  Form* f = form(p, Kind::kFilter);
  if (!f || rank != 4 || format != 0) return kBadParameter;
  f->type = type;
  f->dims.assign(dims, dims + rank);
  return 0;
}
int cudnnSetConvolutionNdDescriptor(void* p, int rank, const int* pads, const int* strides,
                                    const int* dilations, int mode, int type) {
  Form* f = form(p, Kind::kConvolution);
  if (!f || rank != 2 || mode != 1) return kBadParameter;
  for (int i = 0; i < 2; ++i) {
    f->pads[i] = pads[i];
    f->strides[i] = strides[i];
    f->dilations[i] = dilations[i];
    if (pads[i] < 0 || strides[i] < 1 || dilations[i] < 1) return kBadParameter;
  }
  f->computed = type;
  return 0;
}
int cudnnSetConvolutionGroupCount(void* p, int groups) {
  Form* f = form(p, Kind::kConvolution);
  if (!f || groups < 1) return kBadParameter;
  f->groups = groups;
  return 0;
}
int cudnnSetConvolutionMathType(void* p, int maths) {
  Form* f = form(p, Kind::kConvolution);
  if (!f || maths < 0 || maths > 3) return kBadParameter;
  f->maths = maths;
  return 0;
}
int cudnnAddTensor(void* handle, const void* alpha, void* a_form, const void* a, const void* beta,
                   void* c_form, void* c) {
  const Form *fa = form(a_form, Kind::kTensor), *fc = form(c_form, Kind::kTensor);
  if (handle != &g_handle || !fa || !fc || fa->dims[1] != fc->dims[1] || fa->dims[0] != 1)
    return kBadParameter;
  if (!is_number(alpha, fc->type, 1) || !is_number(beta, fc->type, 1)) return kBadParameter;
  const std::vector<StubUse> uses = {{a, bytes_of(*fa), false}, {c, bytes_of(*fc), true}};
  const Form forms = *fc;
  const auto work = [=] {
    const auto add = [&]<class T>(T) {
      const int plane = forms.dims[2] * forms.dims[3],
                count = forms.dims[0] * forms.dims[1] * plane;
      for (int i = 0; i < count; ++i)
        static_cast<T*>(c)[i] =
            T(static_cast<T*>(c)[i] + static_cast<const T*>(a)[i / plane % forms.dims[1]]);
    };
    if (forms.type == 0) add(float{});
    if (forms.type == 1) add(double{});
    if (forms.type == 2) add(Half{});
    if (forms.type == 9) add(BFloat16{});
  };
  return g_queue && (*g_queue)(g_stream, uses, work) ? 0 : kFailed;
}

int cudnnGetConvolutionForwardAlgorithm_v7(void*, void* x, void* w, void* c, void* y, int wanted,
                                           int* given, Choice* choices) {
  return propose(of(x, w, y, c), wanted, given, choices);
}
int cudnnGetConvolutionBackwardDataAlgorithm_v7(void*, void* w, void* y, void* c, void* x,
                                                int wanted, int* given, Choice* choices) {
  return propose(of(x, w, y, c), wanted, given, choices);
}
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void*, void* x, void* y, void* c, void* w,
                                                  int wanted, int* given, Choice* choices) {
  return propose(of(x, w, y, c), wanted, given, choices);
}
int cudnnFindConvolutionForwardAlgorithmEx(void*, void* x, const void*, void* w, const void*,
                                           void* c, void* y, void*, int wanted, int* given,
                                           Choice* choices, void* scratch, size_t) {
  return scratch ? propose(of(x, w, y, c), wanted, given, choices) : kBadParameter;
}
int cudnnFindConvolutionBackwardDataAlgorithmEx(void*, void* w, const void*, void* y, const void*,
                                                void* c, void* x, void*, int wanted, int* given,
                                                Choice* choices, void* scratch, size_t) {
  return scratch ? propose(of(x, w, y, c), wanted, given, choices) : kBadParameter;
}
int cudnnFindConvolutionBackwardFilterAlgorithmEx(void*, void* x, const void*, void* y, const void*,
                                                  void* c, void* w, void*, int wanted, int* given,
                                                  Choice* choices, void* scratch, size_t) {
  return scratch ? propose(of(x, w, y, c), wanted, given, choices) : kBadParameter;
}
int cudnnGetConvolutionForwardWorkspaceSize(void*, void* x, void* w, void* c, void* y,
                                            int algorithm, size_t* bytes) {
  return measure(of(x, w, y, c), algorithm, bytes);
}
int cudnnGetConvolutionBackwardDataWorkspaceSize(void*, void* w, void* y, void* c, void* x,
                                                 int algorithm, size_t* bytes) {
  return measure(of(x, w, y, c), algorithm, bytes);
}
int cudnnGetConvolutionBackwardFilterWorkspaceSize(void*, void* x, void* y, void* c, void* w,
                                                   int algorithm, size_t* bytes) {
  return measure(of(x, w, y, c), algorithm, bytes);
}
int cudnnConvolutionForward(void*, const void* alpha, void* x, const void* px, void* w,
                            const void* pw, void* c, int algorithm, void* scratch, size_t bytes,
                            const void* beta, void* y, void* py) {
  return run(0, of(x, w, y, c), algorithm, scratch, bytes, alpha, beta, const_cast<void*>(px),
             const_cast<void*>(pw), py);
}
int cudnnConvolutionBackwardData(void*, const void* alpha, void* w, const void* pw, void* y,
                                 const void* py, void* c, int algorithm, void* scratch,
                                 size_t bytes, const void* beta, void* x, void* px) {
  return run(1, of(x, w, y, c), algorithm, scratch, bytes, alpha, beta, px, const_cast<void*>(pw),
             const_cast<void*>(py));
}
int cudnnConvolutionBackwardFilter(void*, const void* alpha, void* x, const void* px, void* y,
                                   const void* py, void* c, int algorithm, void* scratch,
                                   size_t bytes, const void* beta, void* w, void* pw) {
  return run(2, of(x, w, y, c), algorithm, scratch, bytes, alpha, beta, const_cast<void*>(px), pw,
             const_cast<void*>(py));
}
}
