// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/product.h"

#include <algorithm>

#include "harness/base/check.h"
#include "harness/base/toml_fields.h"
#include "harness/bugs/release_version.h"

namespace watchproof {
namespace {

using toml_fields::FailAt;
using toml_fields::List;
using toml_fields::OptionalList;
using toml_fields::OptionalText;
using toml_fields::Text;

Result<ProductDriver> ReadDriver(const toml::table& table) {
  WP_RETURN_IF_ERROR(toml_fields::OnlyFields(table, {"name", "about", "since", "arguments"}));
  ProductDriver driver;
  WP_ASSIGN_OR_RETURN(driver.name, Text(table, "name"));
  WP_ASSIGN_OR_RETURN(driver.about, Text(table, "about"));
  WP_ASSIGN_OR_RETURN(driver.since, OptionalText(table, "since"));
  if (!driver.since.empty() && !ParseVersion(driver.since)) {
    return FailAt(*table.get("since"), "expected 'since' with a version such as 0.15.0");
  }
  WP_ASSIGN_OR_RETURN(driver.arguments, List<std::string>(table, "arguments"));
  return driver;
}

}  // namespace

const ProductDriver* Product::FindDriver(std::string_view driver) const {
  const auto found =
      driver.empty() ? drivers.begin() : std::ranges::find(drivers, driver, &ProductDriver::name);
  return found == drivers.end() ? nullptr : &*found;
}

Result<Product> ParseProduct(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table root, toml_fields::Document(text));
  WP_RETURN_IF_ERROR(toml_fields::OnlyFields(root, {"name", "about", "profile", "arguments", "help",
                                                    "where_known", "progress_interval", "driver"}));
  Product product;
  WP_ASSIGN_OR_RETURN(product.name, Text(root, "name"));
  WP_ASSIGN_OR_RETURN(product.about, Text(root, "about"));
  WP_ASSIGN_OR_RETURN(product.profile, Text(root, "profile"));
  WP_ASSIGN_OR_RETURN(product.arguments, List<std::string>(root, "arguments"));
  WP_ASSIGN_OR_RETURN(product.help, OptionalList<std::string>(root, "help"));
  WP_ASSIGN_OR_RETURN(product.where_known, OptionalList<std::string>(root, "where_known"));
  WP_ASSIGN_OR_RETURN(product.progress_interval, OptionalText(root, "progress_interval"));
  const bool asks = !product.where_known.empty() || !product.progress_interval.empty();
  if (asks && product.help.empty()) {
    return FailAt(root, "expected 'help' beside 'where_known' and 'progress_interval'");
  }
  WP_ASSIGN_OR_RETURN(const auto drivers, toml_fields::Tables(root, "driver"));
  for (const toml::table* table : drivers) {
    WP_ASSIGN_OR_RETURN(ProductDriver driver, ReadDriver(*table));
    if (product.FindDriver(driver.name) != nullptr) {
      return FailAt(*table, fmt::format("the driver {} is listed twice", driver.name));
    }
    product.drivers.push_back(std::move(driver));
  }
  return product;
}

const std::vector<Product>& Products() {
  static const std::vector<Product> kProducts = [] {
    std::vector<Product> products;
    for (const auto& [name, text] : ProductTexts()) {
      Result<Product> parsed = ParseProduct(text);
      const std::string file = fmt::format("fixtures/products/{}.toml: ", name);
      WP_CHECK(parsed.has_value(), (file + parsed.error().message()).c_str());
      products.push_back(*std::move(parsed));
    }
    return products;
  }();
  return kProducts;
}

const Product* FindProduct(std::string_view name) {
  const auto found = std::ranges::find(Products(), name, &Product::name);
  return found == Products().end() ? nullptr : &*found;
}

}  // namespace watchproof
