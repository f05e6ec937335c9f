// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/hook_observer.h"

#include <functional>
#include <utility>

#include "embedded_store/mvcc/hook_registry.h"
#include "harness/base/check.h"

namespace watchproof::explore {
namespace {

template <typename Answer, typename... Args>
void Observe(std::function<Answer(Args...)>& hook, std::size_t number, Features& features) {
  hook = [next = std::move(hook), number, &features](Args... args) -> Answer {
    features.Hook(number);
    return next(std::forward<Args>(args)...);
  };
}

store::Hooks Observed(const std::vector<std::string>& defects, Features& features) {
  auto made = store::MakeHooks(defects);
  WP_CHECK(made.has_value(), "the caller has checked the names");
  store::Hooks hooks = *std::move(made);
  Observe(hooks.previous_sought, 0, features);
  Observe(hooks.on_create, 1, features);
  Observe(hooks.addressee, 2, features);
  Observe(hooks.after_history, 3, features);
  Observe(hooks.after_victim, 4, features);
  Observe(hooks.noticed_revision, 5, features);
  return hooks;
}

}  // namespace

ObservedHooks::ObservedHooks(const std::vector<std::string>& defects, Features& features)
    : hooks_(Observed(defects, features)) {}

}  // namespace watchproof::explore
