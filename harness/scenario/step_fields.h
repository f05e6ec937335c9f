// SPDX-License-Identifier: Apache-2.0
// The fields of a step, in the order of the plan's text: how each is named, what it may be, and
// what it says about other steps.
//
//   void Fields(FieldList& field) {
//     field("group", group).Defines(Subject::kGroup);
//     field("count", count).Within(1, 1000, "watches");
//     field("user", user).Optional().Uses(Subject::kUser);
//   }
//
// Threads: values. Ownership: a field points to what it describes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/deadline.h"

namespace watchproof {

class Step;
struct Field;
class FieldList;

// A revision by its meaning when the step is reached.
struct RevisionRef {
  enum class Base { kAbsolute, kHead, kWrite };
  Base base = Base::kAbsolute;
  std::int64_t number =
      0;  // the revision; an offset from the head; which write of the plan, from 0
  std::string ToString() const;
};
inline RevisionRef FromNow() { return {}; }
inline RevisionRef AtRevision(std::int64_t revision) {
  return {RevisionRef::Base::kAbsolute, revision};
}
inline RevisionRef AtHead(std::int64_t offset = 0) { return {RevisionRef::Base::kHead, offset}; }
inline RevisionRef OfWrite(std::int64_t index) { return {RevisionRef::Base::kWrite, index}; }

// A value described by a seed and a size: letters and digits drawn from the seed.
struct ValueRef {
  std::uint64_t seed = 0;
  std::size_t bytes = 0;
  std::string Make() const;
  void Fields(FieldList& field);
};

// What a field of a step may name, for other steps.
enum class Subject {
  kGroup,       // of watches
  kLease,       //
  kFault,       //
  kUser,        //
  kKey,         // that is written
  kWatchedKey,  // a sentinel is written to it
  kLayer,       // of a consumer
};
// In the order of Subject.
inline constexpr std::string_view kSubjectNames[] = {"group", "lease", "fault", "user",
                                                     "key",   "key",   "layer"};
constexpr std::string_view Name(Subject subject) {
  return kSubjectNames[static_cast<std::size_t>(subject)];
}

// An object in an object, with its "op" if it is a step.
struct Parts {
  std::string_view op;
  std::vector<Field> fields;
};
// A list of such objects; `at` makes the list longer where it must.
struct PartsList {
  std::size_t size = 0;
  std::function<std::vector<Field>(std::size_t index)> at;
};
// A list of steps of these kinds.
struct StepList {
  std::vector<Step>* steps = nullptr;
  std::vector<std::string_view> kinds{};
};
// What has a text of its own, or a list of that; see HasText.
struct TextField {
  std::function<std::string()> text;
  std::function<bool(std::string_view)> read;  // false: it is none
};
struct TextList {
  std::function<std::vector<std::string>()> texts;
  std::function<bool(const std::vector<std::string>&)> read;
};
// One of a few words, by its place among them.
struct WordField {
  std::span<const std::string_view> words;
  std::size_t chosen = 0;
  std::function<void(std::size_t place)> choose{};
};

struct Field {
  std::string_view name;
  std::variant<std::string*, bool*, int*, std::int64_t*, std::uint64_t*, Duration*,
               std::chrono::seconds*, RevisionRef*, std::map<std::string, std::string>*, Parts,
               PartsList, StepList, TextField, TextList, WordField>
      value;
  bool optional = false;
  Subject subject{};
  enum class Role {
    kNone,
    kIs,       // the step is about the subject of this name
    kDefines,  // from here on there is a subject of this name
    kUses,     // which must be defined before the step; without it the step makes no sense
    kMayUse,   // the same, but the step makes sense without the name
  } role = Role::kNone;
  bool counts = false;  // the watches of the group that the step defines
  bool waits = false;   // ends with its time alone, or is a limit for the target
  bool member = false;  // the number of a member
  std::int64_t least = 0;
  std::uint64_t most = 0;  // 0: no limits
  std::string_view unit{};

  // Left out of the text where it is as in an empty step.
  Field& Optional() {
    optional = true;
    return *this;
  }
  Field& Is(Subject what) { return As(Role::kIs, what); }
  Field& Defines(Subject what) { return As(Role::kDefines, what); }
  Field& Uses(Subject what) { return As(Role::kUses, what); }
  Field& MayUse(Subject what) { return As(Role::kMayUse, what); }
  Field& Within(std::int64_t low, std::uint64_t high, std::string_view of) {
    least = low;
    most = high;
    unit = of;
    return *this;
  }
  Field& Counts() {
    counts = true;
    return *this;
  }
  Field& Waits() {
    waits = true;
    return *this;
  }
  // From `low` on; 0 stands for all members.
  Field& Member(int low = 1) {
    member = true;
    least = low;
    return *this;
  }
  // For a list of steps.
  Field& Of(std::vector<std::string_view> kinds) {
    std::get<StepList>(value).kinds = std::move(kinds);
    return *this;
  }

 private:
  Field& As(Role new_role, Subject what) {
    role = new_role;
    subject = what;
    return *this;
  }
};

template <typename T>
concept HasText = requires(T& value, std::string_view text) {
  ToText(value);
  FromText(text, value);
};

class FieldList {
 public:
  template <typename T>
  Field& operator()(std::string_view name, T& value) {
    if constexpr (requires { value.Fields(*this); }) {
      Parts parts;
      if constexpr (requires { T::kOp; }) parts.op = T::kOp;
      FieldList inner;
      value.Fields(inner);
      parts.fields = std::move(inner.fields_);
      return Add(name, std::move(parts));
    } else if constexpr (HasText<T>) {
      return Add(name,
                 TextField{[&value] { return ToText(value); },
                           [&value](std::string_view text) { return FromText(text, value); }});
    } else {
      return Add(name, &value);
    }
  }
  // A word for each enumerator, in their order.
  template <typename Enum>
  Field& operator()(std::string_view name, Enum& value, std::span<const std::string_view> words) {
    return Add(name, WordField{.words = words,
                               .chosen = static_cast<std::size_t>(value),
                               .choose = [&value](std::size_t place) {
                                 value = static_cast<Enum>(place);
                               }});
  }
  Field& operator()(std::string_view name, std::vector<Step>& steps) {
    return Add(name, StepList{&steps});
  }
  template <HasText T>
  Field& operator()(std::string_view name, std::vector<T>& items) {
    return Add(name, TextList{[&items] {
                                std::vector<std::string> texts;
                                for (T& item : items) texts.push_back(ToText(item));
                                return texts;
                              },
                              [&items](const std::vector<std::string>& texts) {
                                items.assign(texts.size(), {});
                                for (std::size_t i = 0; i < texts.size(); ++i) {
                                  if (!FromText(texts[i], items[i])) return false;
                                }
                                return true;
                              }});
  }
  template <typename T>
  Field& operator()(std::string_view name, std::vector<T>& items) {
    return Add(name, PartsList{.size = items.size(), .at = [&items](std::size_t index) {
                                 if (items.size() <= index) items.resize(index + 1);
                                 FieldList inner;
                                 items[index].Fields(inner);
                                 return std::move(inner.fields_);
                               }});
  }
  std::vector<Field> Take() { return std::move(fields_); }

 private:
  Field& Add(std::string_view name, decltype(Field::value) value) {
    return fields_.emplace_back(Field{.name = name, .value = std::move(value)});
  }
  std::vector<Field> fields_;
};

template <typename T>
std::vector<Field> FieldsOf(T& described) {
  FieldList list;
  described.Fields(list);
  return list.Take();
}

// Those of the step and of everything in it.
void ForEachField(Step& step, const std::function<void(Field&)>& call);

}  // namespace watchproof
