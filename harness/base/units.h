// SPDX-License-Identifier: Apache-2.0
// Quantities that must not be mixed up: revisions, watch ids, byte counts.
//
// Threads: values.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <functional>

namespace watchproof {

// A number with a meaning. Arithmetic is spelled out where it is needed, so that a revision is
// never a count.
template <typename Tag, typename Number>
struct Quantity {
  Number value{};
  constexpr Quantity() = default;
  constexpr explicit Quantity(Number number) : value(number) {}
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity next() const { return Quantity(value + 1); }
  constexpr Quantity previous() const { return Quantity(value - 1); }
  constexpr Quantity plus(Number n) const { return Quantity(value + n); }
};

// The store-wide counter of changes; the first change of an empty etcd has revision 2.
using Revision = Quantity<struct RevisionTag, std::int64_t>;
// Names a watch within one stream; -1 stands for the whole stream.
using WatchId = Quantity<struct WatchIdTag, std::int64_t>;

struct ByteCount : Quantity<struct ByteCountTag, std::int64_t> {
  using Quantity::Quantity;
  constexpr ByteCount& operator+=(ByteCount other) {
    value += other.value;
    return *this;
  }
};

}  // namespace watchproof

template <typename Tag, typename Number>
struct std::hash<watchproof::Quantity<Tag, Number>> {
  std::size_t operator()(const watchproof::Quantity<Tag, Number>& q) const noexcept {
    return std::hash<Number>{}(q.value);
  }
};
template <typename Tag, typename Number>
struct fmt::formatter<watchproof::Quantity<Tag, Number>> : fmt::formatter<Number> {
  auto format(const watchproof::Quantity<Tag, Number>& q, fmt::format_context& context) const {
    return fmt::formatter<Number>::format(q.value, context);
  }
};
template <>
struct fmt::formatter<watchproof::ByteCount> : fmt::formatter<std::int64_t> {
  auto format(const watchproof::ByteCount& q, fmt::format_context& context) const {
    return fmt::formatter<std::int64_t>::format(q.value, context);
  }
};
