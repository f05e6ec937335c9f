// SPDX-License-Identifier: Apache-2.0
// Products other than etcd that are targets by their releases: each is described by a file of
// fixtures/products, and no code knows any of them.
//
//   const Product* kine = FindProduct("kine");
//   kine->FindDriver("nats");
//
// Threads: values, and constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// Where a product keeps its data.
struct ProductDriver {
  std::string name;
  std::string about;
  std::string since;  // the first release that has it; empty: all have
  std::vector<std::string> arguments;
};

struct Product {
  std::string name;     // "kine"
  std::string about;    // for readers
  std::string profile;  // a shipped one
  std::vector<std::string> arguments;
  std::vector<std::string> help;  // arguments by which it lists its flags; none: it is not asked
  std::vector<std::string> where_known;  // "--flag=value", each only where it is listed
  std::string progress_interval;         // a flag, of the same kind; empty: it has none
  std::vector<ProductDriver>
      drivers;  // the first one where none is named; none: there is no choice

  // Null: it has no such driver. Empty: the first one, if there is any.
  const ProductDriver* FindDriver(std::string_view driver) const;
};

// Errors name the line and what was expected.
Result<Product> ParseProduct(std::string_view toml);

// By name.
const std::vector<Product>& Products();
// Null: there is none.
const Product* FindProduct(std::string_view name);

struct ProductText {
  std::string_view name;
  std::string_view text;
};
// Generated from fixtures/products/.
const std::vector<ProductText>& ProductTexts();

}  // namespace watchproof
