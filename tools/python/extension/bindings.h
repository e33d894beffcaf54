#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "session.h"

namespace glimpse::python {

namespace nb = nanobind;

/// Rows, and what keeps them alive.
struct HeldRows {
  Rows rows;
  std::vector<nb::object> owners;
};

/// Throws what an Error is in Python: ValueError where the caller can mend it, OSError and RuntimeError
/// elsewhere.
[[noreturn]] void raise(const Error& error);
inline void check(const Status& status) {
  if (!status) raise(status.error());
}
template <class T>
T take(Result<T>&& result) {
  if (!result) raise(result.error());
  return std::move(*result);
}

/// Hands a vector to numpy: its memory is numpy's from then on.
template <class T>
nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape.push_back(kept->size());
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

void bind_rows(nb::module_& module);
void bind_session(nb::module_& module);
void bind_laboratory(nb::module_& module, nb::class_<Session>& session);
void bind_polynomials(nb::module_& module);

}  // namespace glimpse::python
