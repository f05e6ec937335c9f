// SPDX-License-Identifier: Apache-2.0
// SHA-256 of what comes in pieces.
//
//   Sha256Stream sum;  sum.Add(a);  sum.Add(b);  std::string digest = sum.Finish();
//
// Not thread-safe. Ownership: by value.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace watchproof::store {

class Sha256Stream {
 public:
  static constexpr std::size_t kBytes = 32;

  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void Add(std::string_view bytes);
  // Once, at the end.
  std::string Finish();

 private:
  struct Context;  // hides OpenSSL
  std::unique_ptr<Context> context_;
};

}  // namespace watchproof::store
