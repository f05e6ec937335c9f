// SPDX-License-Identifier: Apache-2.0
// A step of a plan: one thing that an attempt does, as a value. The kinds of steps are in steps/,
// one family per file; nothing else names a kind.
//
//   struct CancelStep {
//     std::string group;
//     static constexpr std::string_view kOp = "cancel";    // in the plan's text
//     void Fields(FieldList& field) { field("group", group).Uses(Subject::kGroup); }
//     Status Run(StepContext& context) const;
//   };
//   const StepRegistration<CancelStep> kCancel;
//
//   Step step = CancelStep{"g"};
//   step.op();   step.fields();   step.Run(context);
//
// Its fields, in the order of the plan's text, say all that checking, shrinking and writing a plan
// must know. A kind may also have any of
//
//   Status Check() const;                    // what its fields cannot say
//   std::string_view Request() const;        // what it asks the target for; otherwise "a watch"
//   Usage Cost() const;                      // of the target
//   std::vector<Kind> Smaller() const;       // for the shrinker, in the order to be tried
//   std::string BeyondKubernetes() const;    // why Kubernetes has no such request; empty: it has
//   static constexpr bool kWrites = true;    // makes a revision that later steps may refer to
//
// A step of a script of exploration has no Run but
//
//   explore::Step Explored() const;          // what drive/shared carries out
//
// Threads: values; kinds are registered before main.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/status.h"
#include "harness/scenario/step_fields.h"
#include "harness/script/script.h"

namespace watchproof {

class Step;
class StepContext;

// Upper bounds for what a step, or a plan, uses of its target.
struct Usage {
  std::int64_t keys = 0;      // there at a time; without those that the fields of steps name
  std::int64_t bytes = 0;     // of values, all that are written
  std::int64_t watchers = 0;  // open at a time; without those that the fields of steps count
  std::int64_t leases = 0;
  std::int64_t compactions = 0;
  std::size_t operations = 0;  // calls of the target
  std::size_t faults = 0;

  Usage& operator+=(const Usage& other);
};

// A step of any kind; see above for what the functions mean.
class Step {
 public:
  template <typename Kind>
  requires requires { Kind::kOp; }
  Step(Kind kind) : body_(std::make_unique<Body<Kind>>(std::move(kind))) {}
  Step(const Step& other) : body_(other.body_->Clone()) {}
  Step& operator=(const Step& other) {
    body_ = other.body_->Clone();
    return *this;
  }
  Step(Step&&) = default;
  Step& operator=(Step&&) = default;

  std::string_view op() const { return body_->op(); }
  // They point into the step.
  std::vector<Field> fields() { return body_->fields(); }
  Status Run(StepContext& context) const { return body_->Run(context); }
  Status Check() const { return body_->Check(); }
  std::string_view Request() const { return body_->Request(); }
  Usage Cost() const { return body_->Cost(); }
  std::vector<Step> Smaller() const { return body_->Smaller(); }
  std::string BeyondKubernetes() const { return body_->BeyondKubernetes(); }
  bool writes() const { return body_->writes(); }
  // Empty if it is none of a script of exploration.
  std::optional<explore::Step> Explored() const { return body_->Explored(); }
  // Null if it is of another kind.
  template <typename Kind>
  const Kind* As() const {
    const auto* const body = dynamic_cast<const Body<Kind>*>(body_.get());
    return body == nullptr ? nullptr : &body->kind;
  }

 private:
  struct AnyBody {
    virtual ~AnyBody() = default;
    virtual std::unique_ptr<AnyBody> Clone() const = 0;
    virtual std::string_view op() const = 0;
    virtual std::vector<Field> fields() = 0;
    virtual Status Run(StepContext& context) const = 0;
    virtual Status Check() const = 0;
    virtual std::string_view Request() const = 0;
    virtual Usage Cost() const = 0;
    virtual std::vector<Step> Smaller() const = 0;
    virtual std::string BeyondKubernetes() const = 0;
    virtual bool writes() const = 0;
    virtual std::optional<explore::Step> Explored() const = 0;
  };
  template <typename Kind>
  struct Body final : AnyBody {
    explicit Body(Kind value) : kind(std::move(value)) {}
    std::unique_ptr<AnyBody> Clone() const override { return std::make_unique<Body>(kind); }
    std::string_view op() const override { return Kind::kOp; }
    std::vector<Field> fields() override { return FieldsOf(kind); }
    Status Run(StepContext& context) const override {
      if constexpr (requires { kind.Run(context); }) return kind.Run(context);
      return Fail(StatusCode::kInternal, "a step of exploration among others");
    }
    Status Check() const override {
      if constexpr (requires { kind.Check(); }) return kind.Check();
      return {};
    }
    std::string_view Request() const override {
      if constexpr (requires { kind.Request(); }) return kind.Request();
      return "a watch";
    }
    Usage Cost() const override {
      if constexpr (requires { kind.Cost(); }) return kind.Cost();
      return {};
    }
    std::vector<Step> Smaller() const override {
      std::vector<Step> steps;
      if constexpr (requires { kind.Smaller(); }) {
        for (Kind& smaller : kind.Smaller()) steps.emplace_back(std::move(smaller));
      }
      return steps;
    }
    std::string BeyondKubernetes() const override {
      if constexpr (requires { kind.BeyondKubernetes(); }) return kind.BeyondKubernetes();
      return {};
    }
    bool writes() const override {
      return requires { Kind::kWrites; };
    }
    std::optional<explore::Step> Explored() const override {
      if constexpr (requires { kind.Explored(); }) return kind.Explored();
      return std::nullopt;
    }
    Kind kind;
  };

  std::unique_ptr<AnyBody> body_;
};

// One step of each kind, with the fields that an empty one has.
const std::vector<Step>& StepKinds();
void RegisterStep(Step empty);
template <typename... Kinds>
struct StepRegistration {
  StepRegistration() { (RegisterStep(Kinds{}), ...); }
};

}  // namespace watchproof
