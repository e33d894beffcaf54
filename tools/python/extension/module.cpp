#include <nanobind/stl/string.h>

#include "bindings.h"
#include "data/text/text.h"

namespace glimpse::python {

void raise(const Error& error) {
  switch (error.code) {
    case ErrorCode::kSystem:
      PyErr_SetString(PyExc_OSError, valid_utf8(error.message).c_str());
      break;
    case ErrorCode::kNotFound:
      PyErr_SetString(PyExc_LookupError, valid_utf8(error.message).c_str());
      break;
    case ErrorCode::kUnavailable:
      PyErr_SetString(PyExc_RuntimeError, valid_utf8(error.message).c_str());
      break;
    default:
      PyErr_SetString(PyExc_ValueError, valid_utf8(error.message).c_str());
  }
  throw nb::python_error();
}

}  // namespace glimpse::python

NB_MODULE(_core, module) {
  module.doc() = "libglimpse in this process: what glimpsed.GlimpseRegressor and its kin are made of.";
  glimpse::python::bind_rows(module);
  glimpse::python::bind_session(module);
  glimpse::python::bind_polynomials(module);
}
