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

std::vector<Get> Smaller(const Get& get) {
  std::vector<Get> smaller;
  const auto add = [&](const auto& change) { Add(get, smaller, change); };
  add([](Get& one) { one = {.key = one.key, .end = one.end}; });
  add([](Get& one) { one.at = {}; });
  add([](Get& one) { one.limit = 0; });
  add([](Get& one) { one.count_only = one.keys_only = false; });
  add([](Get& one) { one.sort_by = 0; });
  add([](Get& one) { one.order = Order::kNone; });
  for (Place Get::*bound : {&Get::min_mod, &Get::max_mod, &Get::min_create, &Get::max_create}) {
    add([bound](Get& one) { one.*bound = {}; });
  }
  add([](Get& one) { one.serializable = false; });
  add([](Get& one) { one.in_parts = false; });
  return smaller;
}

std::vector<Compact> Smaller(const Compact& compact) {
  return compact.physical ? std::vector<Compact>{{.at = compact.at}} : std::vector<Compact>();
}

std::vector<AskProgress> Smaller(const AskProgress& ask) {
  return ask.times > 1 ? std::vector<AskProgress>{{.stream = ask.stream}}
                       : std::vector<AskProgress>();
}

std::vector<KeepAlive> Smaller(const KeepAlive& keep) {
  return keep.again ? std::vector<KeepAlive>{{.lease = keep.lease}} : std::vector<KeepAlive>();
}

std::vector<Txn> Smaller(const Txn& txn) {
  std::vector<Txn> smaller;
  const auto add = [&](const auto& change) { Add(txn, smaller, change); };
  add([](Txn& one) { one.otherwise.clear(); });
  add([](Txn& one) { one.nested.clear(); });
  if (txn.nested.size() > 1) add([](Txn& one) { one.nested.pop_back(); });
  add([](Txn& one) { one.when.clear(); });
  if (txn.when.size() > 1) add([](Txn& one) { one.when.pop_back(); });
  if (txn.then.size() > 1) add([](Txn& one) { one.then.pop_back(); });
  if (txn.otherwise.size() > 1) add([](Txn& one) { one.otherwise.pop_back(); });
  add([](Txn& one) {
    for (auto* const parts : {&one.then, &one.otherwise}) {
      for (TxnPart& part : *parts) {
        part.previous = false;
        part.read = {};
      }
    }
  });
  return smaller;
}

}  // namespace watchproof::explore
