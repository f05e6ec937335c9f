// SPDX-License-Identifier: Apache-2.0
#include "harness/script/smaller.h"

namespace watchproof::explore {
namespace {

// Adds the step after the change, if that changed anything.
template <typename Kind, typename Change>
void Add(const Kind& step, std::vector<Kind>& steps, const Change& change) {
  Kind changed = step;
  change(changed);
  if (Describe(changed) != Describe(step)) steps.push_back(std::move(changed));
}

}  // namespace

std::vector<Create> Smaller(const Create& create) {
  std::vector<Create> smaller;
  const auto add = [&](const auto& change) { Add(create, smaller, change); };
  for (const WatchOption& option : kWatchOptions) {
    add([&option](Create& one) { one.options.*option.flag = false; });
  }
  add([](Create& one) { one.times = 1; });
  add([](Create& one) { one.id = 0; });
  add([](Create& one) { one.key = one.end = "*"; });
  add([](Create& one) { one.start = {}; });
  return smaller;
}

std::vector<Put> Smaller(const Put& put) {
  std::vector<Put> smaller;
  const auto add = [&](const auto& change) { Add(put, smaller, change); };
  add([](Put& one) { one = {.key = one.key, .times = one.times}; });
  add([](Put& one) { one.times = 1; });
  add([](Put& one) { one.key = "a/1"; });
  return smaller;
}

std::vector<Txn> Smaller(const Txn& txn) {
  std::vector<Txn> smaller;
  const auto add = [&](const auto& change) { Add(txn, smaller, change); };
  add([](Txn& one) { one.otherwise.clear(); });
  add([](Txn& one) { one.nested.clear(); });
  if (txn.nested.size() > 1) add([](Txn& one) { one.nested.pop_back(); });
  add([](Txn& one) { one.when.clear(); });
  if (txn.then.size() > 1) add([](Txn& one) { one.then.pop_back(); });
  return smaller;
}

}  // namespace watchproof::explore
