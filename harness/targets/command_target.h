// SPDX-License-Identifier: Apache-2.0
// A store that a command line starts, with placeholders for its addresses and its data folder.
//
//   WP_RETURN_IF_ERROR(CheckTemplate(words));
//   CommandTarget({"mystore", "--listen", "{host}:{port}", "--data", "{data}"});
//
// Not thread-safe. Ownership: as ProcessTarget.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/targets/process_target.h"

namespace watchproof {

// Errors name what is missing or unknown.
Status CheckTemplate(const std::vector<std::string>& words);

class CommandTarget : public ProcessTarget {
 public:
  explicit CommandTarget(std::vector<std::string> words) : words_(std::move(words)) {}

  Status Start(const StartOptions& options) override;
  Endpoint endpoint() const override { return served_at_; }
  // The command may be a script that starts the store.
  std::optional<double> ResidentBytes() override { return Target::ResidentBytes(); }
  // Its command line has a data folder. Whether it keeps its data there, the cases find out.
  bool durable() const override;

 protected:
  void SetWords(std::vector<std::string> words) { words_ = std::move(words); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  Endpoint metrics_endpoint() const override { return served_at_; }
  Result<ChildOptions> CommandLine(const StartOptions& options);

  std::vector<std::string> words_;
  Endpoint served_at_;
};

}  // namespace watchproof
