// SPDX-License-Identifier: Apache-2.0
// A release of a product that is described by a file of fixtures/products: "kine@0.17.5,nats". Its
// version is that of the release: what it reports is the version of the API that it serves.
#include "harness/bugs/release_version.h"
#include "harness/releases/etcd_version.h"
#include "harness/releases/file_facts.h"
#include "harness/releases/release_cache.h"
#include "harness/releases/tool.h"
#include "harness/targets/command_target.h"
#include "harness/targets/product.h"

namespace watchproof {
namespace {

// With the name of the product for its program.
std::vector<std::string> WordsOfProduct(const Product& product, const ProductDriver* driver) {
  std::vector<std::string> words{product.name};
  words.insert(words.end(), product.arguments.begin(), product.arguments.end());
  if (driver != nullptr) {
    words.insert(words.end(), driver->arguments.begin(), driver->arguments.end());
  }
  return words;
}

class ReleasedProduct final : public CommandTarget {
 public:
  ReleasedProduct(const Product& product, const ProductDriver* driver, std::string release)
      : CommandTarget(WordsOfProduct(product, driver)),
        product_(product),
        words_(words()),
        release_(std::move(release)) {}

  Status Start(const StartOptions& options) override {
    WP_ASSIGN_OR_RETURN(const auto binary, CachedRelease(product_.name, release_));
    std::vector<std::string> words = words_;
    words.front() = binary.string();
    WP_RETURN_IF_ERROR(AddFlagsThatItHas(options, words));
    SetWords(std::move(words));
    return CommandTarget::Start(options);
  }
  std::string version() const override { return release_; }
  std::string api_version() const override { return CommandTarget::version(); }

 private:
  Status AddFlagsThatItHas(const StartOptions& options, std::vector<std::string>& words) const {
    if (product_.help.empty()) return {};
    const auto folder = DataOf(options);
    WP_RETURN_IF_ERROR(MakeFolder(folder));
    const auto ask = [&] {
      return RunTool({.name = words.front(), .arguments = product_.help, .folder = folder});
    };
    WP_ASSIGN_OR_RETURN(const std::string help, FactOf(words.front(), "help", ask));
    const auto has = [&help](std::string_view flag) {
      return help.find(fmt::format("{} ", flag)) != help.npos;
    };
    for (const std::string& flag : product_.where_known) {
      if (has(flag.substr(0, flag.find('=')))) words.push_back(flag);
    }
    const std::string& interval = product_.progress_interval;
    if (options.progress_interval > Duration() && !interval.empty() && has(interval)) {
      words.push_back(interval + "=" + InMilliseconds(options.progress_interval));
    }
    return {};
  }

  const Product& product_;
  const std::vector<std::string> words_;
  const std::string release_;
};

Status ParseProductRelease(std::string_view rest, TargetSpec& spec) {
  const Product& product =
      *FindProduct(std::string_view(spec.text).substr(0, spec.text.size() - rest.size()));
  const std::string_view version = rest.substr(0, rest.find(','));
  if (!version.starts_with('@') || !ParseVersion(version.substr(1)) ||
      !IsEtcdRelease(version.substr(1))) {
    return NotUnderstood(spec);
  }
  spec.product = spec.name = product.name;
  spec.profile = product.profile;
  spec.release = version.substr(1);
  const ProductDriver* driver = product.FindDriver("");
  if (version.size() < rest.size()) {
    const std::string_view named = rest.substr(version.size() + 1);
    driver = named.empty() ? nullptr : product.FindDriver(named);
    if (driver == nullptr) {
      std::vector<std::string_view> known;
      for (const ProductDriver& one : product.drivers) known.push_back(one.name);
      return Fail(StatusCode::kInvalidArgument, "target \"{}\": '{}' is no driver of {}; {}",
                  spec.text, named, product.name,
                  known.empty() ? "expected none"
                                : fmt::format("expected one of {}", fmt::join(known, ", ")));
    }
    // What is named by default is the same target, and has no column of its own.
    if (driver != product.FindDriver("")) spec.topology = driver->name;
  }
  if (driver != nullptr && !driver->since.empty() &&
      *ParseVersion(spec.release) < *ParseVersion(driver->since)) {
    return Fail(StatusCode::kInvalidArgument,
                "target \"{}\": {} has its driver {} since {}; expected such a release instead of "
                "{}",
                spec.text, product.name, driver->name, driver->since, spec.release);
  }
  spec.label = spec.text;
  spec.label.replace(product.name.size(), 1, " ");
  spec.make = [&product, driver](const TargetSpec& made) {
    return std::make_unique<ReleasedProduct>(product, driver, made.release);
  };
  return {};
}

TargetRegistration Registered(const Product& product) {
  const std::string drivers = product.drivers.empty() ? "" : "[,DRIVER]";
  std::string explain = fmt::format(
      "{0}: {1}@VERSION is the binary that `watchproof fetch {1} VERSION` has placed, started on "
      "its own loopback address with an empty data folder, and judged with the profile {2}.",
      product.about, product.name, product.profile);
  if (!product.drivers.empty()) {
    explain += " DRIVER is where it keeps its data:";
    for (const ProductDriver& driver : product.drivers) {
      explain +=
          fmt::format("{} {} ({}{})", &driver == &product.drivers.front() ? "" : ",", driver.name,
                      driver.about, driver.since.empty() ? "" : ", since " + driver.since);
    }
    explain += ".";
  }
  return TargetRegistration({.info = {.name = product.name,
                                      .grammar = product.name + "@VERSION" + drivers,
                                      .explain = std::move(explain)},
                             .parse = ParseProductRelease});
}

[[maybe_unused]] const std::vector<TargetRegistration> kProductReleases = [] {
  std::vector<TargetRegistration> registered;
  for (const Product& product : Products()) registered.push_back(Registered(product));
  return registered;
}();

}  // namespace
}  // namespace watchproof
