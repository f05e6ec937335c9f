// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/consumer.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<FollowStep> kFollow;
const StepRegistration<ContinueStep> kContinue;
const StepRegistration<MoveConsumerStep> kMoveConsumer;
const StepRegistration<AskProgressStep> kAskProgress;
const StepRegistration<AwaitConsumerStep> kAwaitConsumer;
const StepRegistration<ExpectReportStep> kExpectReport;

constexpr std::string_view kWays[] = {"layers", "neighbour"};
constexpr std::string_view kConsumerFacts[] = {"listed", "received", "followed", "notified"};

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

}  // namespace

void FollowStep::Fields(FieldList& field) {
  field("with", with, kWays);
  field("count", count).Within(1, 1000, "watches");
  field("pause", pause);
  field("fragments", fragments).Optional();
  field("revision", revision).Optional();
  field("ability", ability).Optional().Is(Subject::kLayer);
}

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
  return AskConsumer(context, *consumer, {.what = "go on"});
}

Status MoveConsumerStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  return AskConsumer(context, *consumer, {.what = "move"});
}

void AskProgressStep::Fields(FieldList& field) { field("ability", ability).Is(Subject::kLayer); }

Status AskProgressStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  return AskConsumer(context, *consumer, {.what = "progress"});
}

void AwaitConsumerStep::Fields(FieldList& field) { field("fact", fact, kConsumerFacts); }

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

void ExpectReportStep::Fields(FieldList& field) {
  field("kind", kind);
  field("layer", layer).Optional().Is(Subject::kLayer);
  field("type", type).Optional();
  field("key", key).Optional();
  field("error", error).Optional();
}

Status ExpectReportStep::Run(StepContext& context) const {
  context.ExpectReport({.layers = layer, .kind = kind, .type = type, .key = key, .error = error});
  return {};
}

}  // namespace watchproof
