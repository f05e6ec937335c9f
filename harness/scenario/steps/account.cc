// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/account.h"

#include <algorithm>
#include <utility>

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<NoteAccountStep, MustBeFreeStep> kAccountSteps;

constexpr Duration kSettlesWithin = 2s;

struct Item {
  const char* of;
  const char* metric;
  bool exact = false;
};
constexpr Item kItems[] = {
    {"goroutines", "go_goroutines"},
    {"open files", "process_open_fds"},
    {"watchers", "etcd_debugging_mvcc_watcher_total", true},
    {"watch streams", "etcd_debugging_mvcc_watch_stream_total", true},
    {"watch streams that ended as Unavailable",
     "grpc_server_handled_total{grpc_code=\"Unavailable\",grpc_method=\"Watch\","
     "grpc_service=\"etcdserverpb.Watch\",grpc_type=\"bidi_stream\"}",
     true},
};

std::map<std::string, double> Ask(StepContext& context) {
  std::map<std::string, double> account;
  const auto metrics = context.environment().target(context.session().member()).ReadMetrics();
  if (!metrics.has_value()) return account;
  for (const Item& item : kItems) {
    const auto found = metrics->find(item.metric);
    if (found != metrics->end()) account[item.of] = found->second;
  }
  return account;
}

}  // namespace

Status NoteAccountStep::Run(StepContext& context) const {
  // A stream that has just been closed may still be on its way out.
  context.session().PumpUntil(
      [&] {
        const auto before = std::exchange(context.account(), Ask(context));
        return context.account() == before;
      },
      Within(kSettlesWithin));
  if (context.account().empty()) context.Inconclusive("the target publishes nothing of itself");
  return {};
}

Status MustBeFreeStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  std::vector<Account> accounts;
  const auto free = [&] {
    accounts.clear();
    const std::map<std::string, double> now = Ask(context);
    for (const Item& item : kItems) {
      const auto before = context.account().find(item.of);
      const auto after = now.find(item.of);
      if (before == context.account().end() || after == now.end()) continue;
      accounts.push_back({.member = session.member(),
                          .of = item.of,
                          .before = static_cast<std::int64_t>(before->second),
                          .after = static_cast<std::int64_t>(after->second),
                          .streams = static_cast<std::int64_t>(streams),
                          .exact = item.exact});
    }
    return accounts.size() == context.account().size() &&
           std::ranges::all_of(accounts, &Account::free);
  };
  session.PumpUntil(free, Within(limit));
  if (accounts.size() != context.account().size()) {
    context.Inconclusive("the target does not publish any more what it did before");
  }
  for (const Account& account : accounts) session.Annotate(account);
  return {};
}

}  // namespace watchproof
