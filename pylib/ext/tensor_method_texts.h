// Docstrings of the methods in tensor_methods.cc that have more to say than a few words.
#pragma once

namespace msjit::texts {

inline constexpr char kAsnumpy[] = R"(asnumpy($self)
--

The elements as a NumPy array of the same shape, which shares the tensor's memory: a write to one
shows in the other. bfloat16 gives a copy in float32.)";

inline constexpr char kItem[] = R"(item($self, *index)
--

The only element as a Python number or, given an int, the element with that number in row-major
order; given an int for each axis, or a tuple of them, the element there.

Raises ValueError unless that is one element, IndexError for an index outside.)";

inline constexpr char kTolist[] = R"(tolist($self)
--

The elements as Python numbers in nested lists, one for each axis; without axes a number.)";

inline constexpr char kAstype[] = R"(astype($self, dtype, copy=True)
--

The elements converted to another dtype, an ms dtype, a NumPy dtype, a Python type or a name;
the tensor itself if it has that dtype. copy is ignored. Floats become integers by dropping their
fractions. Raises TypeError for what names no dtype.)";

inline constexpr char kCopy[] = R"(copy($self)
--

A tensor of the same shape and dtype with memory of its own. Gradients flow through it.)";

inline constexpr char kContiguous[] = R"(contiguous($self)
--

The tensor itself if its elements lie in row-major order, otherwise a copy that does.)";

inline constexpr char kIsContiguous[] = R"(is_contiguous($self)
--

Whether the elements lie in row-major order without gaps, a bool.)";

inline constexpr char kStride[] = R"(stride($self)
--

For each axis, how many elements lie between one and the next along it: a list of ints.)";

inline constexpr char kDetach[] = R"(detach($self)
--

A tensor on the same memory through which no gradient flows.)";

inline constexpr char kSetData[] = R"(set_data($self, data, slice_shape=False)
--

Takes over the elements of the Tensor `data`, converted to this dtype, and returns self. No gradient flows.

Raises ValueError for another shape unless slice_shape, TypeError for anything but a Tensor.)";

inline constexpr char kAssignValue[] = R"(assign_value($self, value)
--

Takes over the elements of a Tensor or an array, with its shape and dtype, and returns self.)";

inline constexpr char kBackward[] = R"(backward($self, gradient=None)
--

Adds the gradient of this tensor by each tensor that requires_grad to the `grad` of that one.

`gradient` is the gradient of the whole by this tensor, of its shape; ones by default. Raises RuntimeError
for a tensor that nothing recorded, ValueError for another shape.)";

inline constexpr char kRequiresGrad[] = R"(requires_grad_($self, requires_grad=True)
--

Sets requires_grad and returns self. Raises TypeError for integers and unless it is a bool.)";

inline constexpr char kFromNumpy[] = R"(from_numpy(array)
--

A tensor on the memory of a numpy.ndarray: a write to one shows in the other. Raises TypeError
for anything else and for arrays of texts or objects.)";

}  // namespace msjit::texts
