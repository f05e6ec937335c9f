// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/consumer.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<FollowStep, ContinueStep, MoveConsumerStep, RequireBehindStep,
                       AskProgressStep, AskReadStep, AwaitConsumerStep, ExpectReportStep>
    kConsumerSteps;

Result<ConsumerLink*> ConsumerOf(StepContext& context) {
  if (ConsumerLink* const consumer = context.session().consumer()) return consumer;
  return Fail(StatusCode::kInvalidArgument,
              "the plan needs a consumer; expected `run --consumer NAME`");
}

// What has ended can be asked for nothing; the rest of the plan shows what that means.
Status AskConsumer(StepContext& context, ConsumerLink& consumer, const ConsumerRequest& request) {
  Status asked = consumer.Ask(request);
  const std::optional<ExitState> end = consumer.process().exit_state();
  if (asked.ok() || !end) return asked;
  context.Inconclusive(fmt::format("the consumer {}", end->ToString()));
  return {};
}

// Whether what the upper layers watch is a cache, and no watch of theirs is one of the store.
bool ServedFromCache(const ConsumerJudge& judge) {
  return judge.started().layers.front().starts_with("cache");
}

// A watch that the consumer's client asks the store for, from here on; or one of a reflector that a
// cache serves.
class NewWatch {
 public:
  explicit NewWatch(StepContext& context) : context_(context) {
    context.session().PumpAll();
    before_ = judge_.last_create();
    served_before_ = Served();
  }
  void Await(const std::string& what) const {
    context_.Await(what, StepContext::kPatience, [this] {
      return ServedFromCache(judge_) ? Served() > served_before_ : judge_.last_create() > before_;
    });
  }

 private:
  std::size_t Served() const { return judge_.Count("watch", "reflector"); }

  StepContext& context_;
  const ConsumerJudge& judge_ = context_.session().consumer_judge();
  Line before_;
  std::size_t served_before_ = 0;
};

}  // namespace

Status FollowStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  WP_RETURN_IF_ERROR(AskConsumer(context, *consumer,
                                 {.what = "open",
                                  .layer = with == With::kNeighbour ? "neighbour" : "",
                                  .count = count,
                                  .pause = pause,
                                  .fragments = fragments,
                                  .revision = revision}));
  context.Await("the consumer to open what it follows with", StepContext::kPatience,
                [consumer] { return consumer->asked_and_answered(); });
  return {};
}

Status ContinueStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  const NewWatch watch(context);
  WP_RETURN_IF_ERROR(AskConsumer(context, *consumer, {.what = "go on"}));
  if (await_watch) watch.Await("the consumer to watch what it has listed");
  return {};
}

Status MoveConsumerStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  const NewWatch watch(context);
  WP_RETURN_IF_ERROR(AskConsumer(context, *consumer, {.what = "move", .kill = kill}));
  context.Await("the consumer to go on at its other server", StepContext::kPatience,
                [consumer] { return consumer->asked_and_answered(); });
  if (await_watch && !ServedFromCache(context.session().consumer_judge())) {
    watch.Await("the consumer to watch at its other server");
  }
  return {};
}

Status AskProgressStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  return AskConsumer(context, *consumer, {.what = "progress"});
}

Status RequireBehindStep::Run(StepContext& context) const {
  context.session().PumpAll();
  const ConsumerJudge& judge = context.session().consumer_judge();
  const std::vector<std::string>& layers = judge.started().layers;
  const std::string& lower = layer.empty() ? layers.front() : layer;
  const std::int64_t behind = judge.ClaimedBy(lower);
  const std::int64_t ahead = layer.empty() ? context.head().value : judge.ClaimedBy(layers.back());
  if (behind < ahead) return {};
  context.Inconclusive(fmt::format(
      "layer {} was at revision {} and {} at {}, so this attempt is not about one that is behind",
      lower, behind, layer.empty() ? "the store" : "layer " + layers.back(), ahead));
  return {};
}

Status AskReadStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  context.session().Annotate(ConsumerReadAsked{.revision = context.head().value});
  return AskConsumer(context, *consumer, {.what = "read"});
}

Status AwaitConsumerStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN([[maybe_unused]] ConsumerLink* const consumer, ConsumerOf(context));
  const ConsumerJudge& judge = context.session().consumer_judge();
  if (fact == Fact::kListed) {
    context.Await("the consumer to list", StepContext::kPatience, [&judge] {
      const std::string& lowest = judge.started().layers.front();
      return judge.Count("relist", lowest) + judge.Count("opened", lowest) > 0;
    });
    return {};
  }
  if (fact == Fact::kRead) {
    context.Await("the consumer to answer a read", StepContext::kPatience,
                  [&judge] { return judge.Count("snapshot", "consistent") > 0; });
    return {};
  }
  if (fact == Fact::kNotified) {
    context.Await("the consumer to report progress up to the head", StepContext::kPatience,
                  [&judge, head = context.head().value] {
                    return judge.NotifiedOf(judge.started().layers.front()) >= head;
                  });
    return {};
  }
  const bool highest = fact == Fact::kFollowed;
  context.Await(
      fmt::format("the consumer's {} layer to come to the head", highest ? "highest" : "lowest"),
      StepContext::kPatience, [&judge, highest, head = context.head().value] {
        const std::vector<std::string>& layers = judge.started().layers;
        return judge.ClaimedBy(highest ? layers.back() : layers.front()) >= head;
      });
  return {};
}

Status ExpectReportStep::Run(StepContext& context) const {
  context.ExpectReport({.layers = layer, .kind = kind, .type = type, .key = key, .error = error});
  return {};
}

}  // namespace watchproof
