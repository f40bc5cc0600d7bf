#pragma once
namespace msjit {
template <class M>
class MathWords {};
}
