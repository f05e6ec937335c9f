// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/step_fields.h"

#include "harness/base/prng.h"
#include "harness/scenario/step.h"

namespace watchproof {

std::string RevisionRef::ToString() const {
  switch (base) {
    case Base::kAbsolute:
      return number == 0 ? "now" : fmt::format("{}", number);
    case Base::kHead:
      return number == 0 ? "head" : fmt::format("head{:+}", number);
    case Base::kWrite:
      return fmt::format("write {}", number);
  }
  return "?";
}

std::string ValueRef::Make() const { return Prng(seed).Word(bytes); }

void ValueRef::Fields(FieldList& field) {
  constexpr std::uint64_t kMostBytes = 256 << 20;
  field("seed", seed);
  field("bytes", bytes).Within(0, kMostBytes, "bytes");
}

namespace {

void ForEach(std::vector<Field> fields, const std::function<void(Field&)>& call) {
  for (Field& field : fields) {
    call(field);
    if (auto* parts = std::get_if<Parts>(&field.value)) {
      ForEach(parts->fields, call);
    } else if (auto* list = std::get_if<PartsList>(&field.value)) {
      for (std::size_t i = 0; i < list->size; ++i) ForEach(list->at(i), call);
    } else if (auto* steps = std::get_if<StepList>(&field.value)) {
      for (Step& step : *steps->steps) ForEach(step.fields(), call);
    }
  }
}

}  // namespace

void ForEachField(Step& step, const std::function<void(Field&)>& call) {
  ForEach(step.fields(), call);
}

}  // namespace watchproof
