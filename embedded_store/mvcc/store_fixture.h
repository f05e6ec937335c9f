// SPDX-License-Identifier: Apache-2.0
// Short words for the tests of the store: "k=v@create/mod/version".
//
// Not thread-safe. Test code only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/mvcc_store.h"

namespace watchproof::store {

inline std::string Text(const KeyValue& kv) {
  return fmt::format("{}={}@{}/{}/{}", kv.key, kv.value, kv.create, kv.mod, kv.version);
}
inline std::vector<std::string> Texts(const std::vector<KeyValue>& kvs) {
  std::vector<std::string> texts;
  for (const KeyValue& kv : kvs) texts.push_back(Text(kv));
  return texts;
}
// "put k=v@3" or "delete k@4", with " was old" when there is a previous value.
inline std::string Text(const Event& event) {
  const KeyValue& kv = event.change->kv;
  std::string text = event.change->kind == ChangeKind::kPut
                         ? fmt::format("put {}={}@{}", kv.key, kv.value, kv.mod)
                         : fmt::format("delete {}@{}", kv.key, kv.mod);
  if (event.previous) text += " was " + event.previous->kv.value;
  return text;
}
inline std::vector<std::string> Texts(const std::vector<Event>& events) {
  std::vector<std::string> texts;
  for (const Event& event : events) texts.push_back(Text(event));
  return texts;
}

inline Revision Put(MvccStore& store, const std::string& key, const std::string& value = "v") {
  const auto answer = store.Put({.key = key, .value = value});
  EXPECT_TRUE(answer.has_value());
  return answer->revision;
}
inline Revision Delete(MvccStore& store, const std::string& key) {
  const auto answer = store.DeleteRange({.range = KeyRange::Single(key)});
  EXPECT_TRUE(answer.has_value());
  return answer->revision;
}
inline KeyRange All() { return KeyRange::From(std::string(1, '\0')); }

// What a read of everything at a revision shows, or the message of the refusal.
inline std::vector<std::string> ReadAll(const MvccStore& store, Revision at) {
  const auto answer = store.Range({.range = All(), .at = at});
  return answer ? Texts(answer->kvs) : std::vector<std::string>{answer.error().message()};
}

}  // namespace watchproof::store
