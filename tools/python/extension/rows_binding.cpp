#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace glimpse::python {

namespace {

template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

template <class T>
HeldRows of_matrix(const Array2<T>& array) {
  Matrix<T> matrix{array.data(), array.stride(0), array.stride(1), array.shape(0), array.shape(1)};
  return {matrix, {nb::cast(array)}};
}

/// What a column of a table is made of: numbers, or codes and the words that they are the places of.
struct Columns {
  Table table;
  std::vector<nb::object> owners;

  template <class T>
  void add(const Array1<T>& array) {
    table.parts.emplace_back(Matrix<T>{array.data(), array.stride(0), 0, array.shape(0), 1});
    note(array.shape(0), nb::cast(array));
  }
  void add_words(const Array1<std::int32_t>& codes, std::vector<std::string> words) {
    for (std::size_t r = 0; r < codes.shape(0); ++r)
      if (codes.data()[static_cast<std::ptrdiff_t>(r) * codes.stride(0)] >=
          static_cast<std::int64_t>(words.size()))
        throw nb::value_error("a code is beyond the words");
    table.parts.emplace_back(WordColumn{codes.data(), codes.stride(0), std::move(words)});
    note(codes.shape(0), nb::cast(codes));
  }
  void note(std::size_t rows, nb::object owner) {
    if (table.columns > 0 && rows != table.rows) throw nb::value_error("columns differ in length");
    table.rows = rows;
    table.columns = table.parts.size();
    owners.push_back(std::move(owner));
  }
};

}  // namespace

void bind_rows(nb::module_& module) {
  nb::class_<HeldRows>(module, "Rows", "Examples in memory, which are read where they lie.")
      .def_static("matrix", &of_matrix<float>, nb::arg("array").noconvert())
      .def_static("matrix", &of_matrix<double>, nb::arg("array").noconvert())
      .def_static("table", [](const Columns& columns) { return HeldRows{columns.table, columns.owners}; })
      .def_prop_ro("shape",
                   [](const HeldRows& held) { return std::pair(rows_of(held.rows), columns_of(held.rows)); })
      .def("find_infinite", [](const HeldRows& held) -> std::optional<std::pair<std::size_t, std::size_t>> {
        nb::gil_scoped_release released;
        const auto place = find_infinite(held.rows);
        if (!place) return std::nullopt;
        return std::pair(place->row, place->column);
      });
  nb::class_<Columns>(module, "Columns", "Columns of a table, one added after the other.")
      .def(nb::init<>())
      .def("add", &Columns::add<float>, nb::arg("array").noconvert())
      .def("add", &Columns::add<double>, nb::arg("array").noconvert())
      .def("add_words", &Columns::add_words, nb::arg("codes").noconvert(), nb::arg("words"));
}

}  // namespace glimpse::python
