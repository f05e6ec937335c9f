// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/step_json.h"

#include <algorithm>
#include <charconv>

#include "harness/base/escape.h"

namespace watchproof {
namespace {

// Keys keep the order in which they are written: the file is read by people.
using OrderedJson = nlohmann::ordered_json;
using nlohmann::json;

struct FieldWriter {
  const Field* empty;

  OrderedJson operator()(const Parts& parts) const {
    OrderedJson object = OrderedJson::object();
    if (!parts.op.empty()) object["op"] = parts.op;
    const auto* const none = empty == nullptr ? nullptr : &std::get<Parts>(empty->value).fields;
    object.update(ToJson(parts.fields, none == nullptr ? std::vector<Field>() : *none));
    return object;
  }
  OrderedJson operator()(const PartsList& list) const {
    OrderedJson items = OrderedJson::array();
    for (std::size_t i = 0; i < list.size; ++i) items.push_back(ToJson(list.at(i), {}));
    return items;
  }
  OrderedJson operator()(const StepList& list) const {
    OrderedJson items = OrderedJson::array();
    for (const Step& step : *list.steps) items.push_back(watchproof::ToJson(step));
    return items;
  }
  OrderedJson operator()(const TextField& field) const { return field.text(); }
  OrderedJson operator()(const TextList& list) const { return list.texts(); }
  OrderedJson operator()(const WordField& word) const { return word.words[word.chosen]; }
  OrderedJson operator()(const RevisionRef* at) const { return at->ToString(); }
  OrderedJson operator()(const Duration* time) const { return time->count() / 1000; }
  OrderedJson operator()(const std::chrono::seconds* time) const { return time->count(); }
  template <typename T>
  OrderedJson operator()(const T* value) const {
    return *value;
  }
};

const Step& KindNamed(const std::string& op, const std::vector<std::string_view>& kinds) {
  const bool fits = kinds.empty() || std::find(kinds.begin(), kinds.end(), op) != kinds.end();
  for (const Step& kind : StepKinds()) {
    if (fits && kind.op() == op) return kind;
  }
  throw StepError{fmt::format("there is no step '{}'", Escaped(op))};
}

std::int64_t ToNumber(std::string_view text, std::string_view whole) {
  std::int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw StepError{
        fmt::format("'{}' is no revision; expected now, head, head-3, write 5 or a number", whole)};
  }
  return number;
}

RevisionRef ToRevision(const std::string& text) {
  const std::string_view view = text;
  constexpr std::string_view kHead = "head";
  constexpr std::string_view kWrite = "write ";
  if (view == "now") return FromNow();
  if (view == kHead) return AtHead();
  if (view.starts_with(kHead)) return AtHead(ToNumber(view.substr(kHead.size()), view));
  if (view.starts_with(kWrite)) return OfWrite(ToNumber(view.substr(kWrite.size()), view));
  return AtRevision(ToNumber(view, view));
}

struct FieldReader {
  const json& from;
  std::string_view name;

  // It may be a step by itself.
  void operator()(const Parts& parts) const { ReadFields(from, parts.fields, {"op"}); }
  void operator()(const PartsList& list) const {
    for (std::size_t i = 0; const json& one : from) ReadFields(one, list.at(i++));
  }
  void operator()(const StepList& list) const {
    for (const json& one : from) list.steps->push_back(StepFrom(one, list.kinds));
  }
  void operator()(const TextField& field) const {
    const auto text = from.get<std::string>();
    if (!field.read(text)) {
      throw StepError{fmt::format("'{}' is no value of {}", Escaped(text), name)};
    }
  }
  void operator()(const TextList& list) const {
    if (!list.read(from.get<std::vector<std::string>>())) {
      throw StepError{fmt::format("{} is no value of {}", Escaped(from.dump()), name)};
    }
  }
  void operator()(const WordField& word) const {
    const auto text = from.get<std::string>();
    const auto found = std::find(word.words.begin(), word.words.end(), text);
    if (found == word.words.end()) {
      throw StepError{fmt::format("there is no {} '{}'", name, Escaped(text))};
    }
    word.choose(static_cast<std::size_t>(found - word.words.begin()));
  }
  void operator()(RevisionRef* at) const { *at = ToRevision(from.get<std::string>()); }
  // A value that overflows the unit is rejected here; CheckPlan rejects what makes no sense.
  void operator()(Duration* time) const {
    const auto count = from.get<std::int64_t>();
    constexpr auto kMost = std::chrono::duration_cast<std::chrono::microseconds>(Duration::max());
    if (count > kMost.count() || count < -kMost.count()) {
      throw StepError{fmt::format("{} us is not a valid time", count)};
    }
    *time = std::chrono::microseconds(count);
  }
  void operator()(std::chrono::seconds* time) const {
    *time = std::chrono::seconds(from.get<std::int64_t>());
  }
  // The library would truncate it silently.
  void operator()(int* value) const {
    const auto number = from.get<std::int64_t>();
    if (!std::in_range<int>(number)) {
      throw StepError{fmt::format("{}: {} is too large a number", name, number)};
    }
    *value = static_cast<int>(number);
  }
  template <typename T>
  void operator()(T* value) const {
    *value = from.get<T>();
  }
};

}  // namespace

OrderedJson ToJson(std::vector<Field> fields, const std::vector<Field>& empty) {
  OrderedJson object = OrderedJson::object();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field* const none = i < empty.size() ? &empty[i] : nullptr;
    OrderedJson value = std::visit(FieldWriter{none}, fields[i].value);
    const bool left_out = fields[i].optional && none != nullptr &&
                          value == std::visit(FieldWriter{none}, none->value);
    if (!left_out) object[std::string(fields[i].name)] = std::move(value);
  }
  return object;
}

void ReadFields(const json& object, std::vector<Field> fields,
                const std::vector<std::string_view>& besides) {
  for (const auto& [name, value] : object.items()) {
    const bool known =
        std::ranges::count(fields, name, &Field::name) > 0 || std::ranges::count(besides, name) > 0;
    if (!known) throw StepError{fmt::format("there is no field '{}'", Escaped(name))};
  }
  for (Field& field : fields) {
    const std::string name(field.name);
    if (field.optional && !object.contains(name)) continue;
    std::visit(FieldReader{object.at(name), field.name}, field.value);
  }
}

OrderedJson ToJson(Step step) {
  Step empty = KindNamed(std::string(step.op()), {});
  OrderedJson object{{"op", step.op()}};
  object.update(ToJson(step.fields(), empty.fields()));
  return object;
}

Step StepFrom(const json& object, const std::vector<std::string_view>& kinds,
              const std::vector<std::string_view>& besides) {
  Step step = KindNamed(object.at("op").get<std::string>(), kinds);
  std::vector<std::string_view> others = besides;
  others.push_back("op");
  ReadFields(object, step.fields(), others);
  return step;
}

}  // namespace watchproof
