// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/consumer.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<FollowStep, ContinueStep, MoveConsumerStep, RequireBehindStep,
                       AwaitConsumerStep, ExpectReportStep>
    kConsumerSteps;

Result<ConsumerLink*> ConsumerOf(StepContext& context) {
  if (ConsumerLink* const consumer = context.session().consumer()) return consumer;
  return Fail(StatusCode::kInvalidArgument,
              "the plan needs a consumer; expected `run --consumer NAME`");
}

}  // namespace

Status FollowStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  WP_RETURN_IF_ERROR(consumer->Ask({.what = "open",
                                    .layer = with == With::kNeighbour ? "neighbour" : "",
                                    .count = count,
                                    .pause = pause}));
  context.Await("the consumer to open what it follows with", StepContext::kPatience,
                [consumer] { return consumer->asked_and_answered(); });
  return {};
}

Status ContinueStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  return consumer->Ask({.what = "go on"});
}

Status MoveConsumerStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(ConsumerLink* const consumer, ConsumerOf(context));
  WP_RETURN_IF_ERROR(consumer->Ask({.what = "move", .kill = kill}));
  context.Await("the consumer to go on at its other server", StepContext::kPatience,
                [consumer] { return consumer->asked_and_answered(); });
  return {};
}

Status RequireBehindStep::Run(StepContext& context) const {
  context.session().PumpAll();
  const ConsumerJudge& judge = context.session().consumer_judge();
  const std::string& highest = judge.started().layers.back();
  const std::int64_t behind = judge.ClaimedBy(layer);
  const std::int64_t ahead = judge.ClaimedBy(highest);
  if (behind < ahead) return {};
  context.Inconclusive(
      fmt::format("layer {} was at revision {} and layer {} at {}, so this attempt is not about a "
                  "server that is behind",
                  layer, behind, highest, ahead));
  return {};
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
