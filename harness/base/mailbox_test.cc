// SPDX-License-Identifier: Apache-2.0
#include "harness/base/mailbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace watchproof {
namespace {

TEST(Mailbox, KeepsOrderAcrossThreads) {
  Mailbox<int> box(1000);
  std::thread writer([&box] {
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(box.Push(int{i}));
    box.Close();
  });
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(box.Pop(Within(10s)), i);
  EXPECT_EQ(box.Pop(Within(10s)), std::nullopt);
  writer.join();
}

TEST(Mailbox, TakesNothingWhenFullOrClosed) {
  Mailbox<std::unique_ptr<int>> box(1);
  EXPECT_TRUE(box.Push(std::make_unique<int>(1)));
  auto kept = std::make_unique<int>(2);
  EXPECT_FALSE(box.Push(std::move(kept)));
  ASSERT_NE(kept, nullptr);
  box.Close();
  EXPECT_EQ(**box.TryPop(), 1);
  EXPECT_FALSE(box.Push(std::move(kept)));
}

TEST(Mailbox, GivesUpAtTheDeadline) {
  Mailbox<int> box(1);
  EXPECT_EQ(box.Pop(Within(1ms)), std::nullopt);
}

}  // namespace
}  // namespace watchproof
