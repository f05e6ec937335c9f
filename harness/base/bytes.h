// SPDX-License-Identifier: Apache-2.0
// An immutable piece of memory that is shared, not copied: received messages are kept unchanged.
//
//   Bytes copy = Bytes::Copy(text);
//   Bytes lent(std::move(slice_owner), view);  // view stays valid as long as the owner exists
//
// Threads: values; the memory is never written. Ownership: all copies of a Bytes share the owner
// (the recorder's queue and the judge read the same message), hence shared_ptr.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace watchproof {

class Bytes {
 public:
  Bytes() = default;
  Bytes(std::shared_ptr<const void> owner, std::string_view view)
      : owner_(std::move(owner)), data_(view.data()), size_(view.size()) {}
  static Bytes Take(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    const std::string_view view = *owner;
    return Bytes(std::move(owner), view);
  }
  static Bytes Copy(std::string_view text) { return Take(std::string(text)); }

  std::string_view view() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  // Shares the memory. Requires: there are as many.
  Bytes Last(std::size_t size) const { return Bytes(owner_, view().substr(size_ - size)); }

 private:
  std::shared_ptr<const void> owner_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

// Any bytes, written in JSON as pairs of hexadecimal digits (history/json_fields.h).
struct HexBytes {
  std::string bytes;
};

}  // namespace watchproof
