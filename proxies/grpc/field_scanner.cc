// SPDX-License-Identifier: Apache-2.0
#include "proxies/grpc/field_scanner.h"

#include <algorithm>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

constexpr unsigned kMostShift = 63;  // a number has at most ten bytes

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

}  // namespace

void FieldScanner::Restart() {
  depth_ = 0;
  levels_[0] = {.type = &type_, .left = kEndless, .name = 0};
  wants_ = Wants::kTag;
  number_ = 0;
  shift_ = 0;
  skip_ = 0;
  field_ = nullptr;
  lost_ = false;
}

void FieldScanner::Feed(std::string_view piece, FieldSink& sink) {
  std::size_t at = 0;
  while (at < piece.size() && !lost_) {
    if (skip_ > 0) {
      const std::uint64_t step = std::min<std::uint64_t>(skip_, piece.size() - at);
      at += static_cast<std::size_t>(step);
      skip_ -= step;
      Spend(step);
    } else {
      const auto byte = static_cast<std::uint8_t>(piece[at++]);
      if (levels_[depth_].left == 0) {
        lost_ = true;
        return;
      }
      Spend(1);
      if (TakeByte(byte)) TakeNumber(number_, at, sink);
    }
    LeaveFinished(at, sink);
  }
}

bool FieldScanner::TakeByte(std::uint8_t byte) {
  if (shift_ == 0) number_ = 0;
  number_ |= static_cast<std::uint64_t>(byte & 0x7f) << shift_;
  if ((byte & 0x80) == 0) {
    shift_ = 0;
    return true;
  }
  shift_ += 7;
  lost_ = shift_ > kMostShift;
  return false;
}

void FieldScanner::TakeNumber(std::uint64_t value, std::size_t at, FieldSink& sink) {
  switch (wants_) {
    case Wants::kTag:
      return TakeTag(value);
    case Wants::kNumber:
      wants_ = Wants::kTag;
      if (field_ && !field_->inside) sink.OnNumber(field_->name, static_cast<std::int64_t>(value));
      return;
    case Wants::kLength:
      return TakeLength(value, at, sink);
  }
}

void FieldScanner::TakeTag(std::uint64_t tag) {
  const std::uint64_t number = tag >> 3;
  if (number == 0 || number > UINT32_MAX) {
    lost_ = true;
    return;
  }
  field_ = Find(static_cast<std::uint32_t>(number));
  const std::uint64_t wire = tag & 7;
  if (wire == kVarint) wants_ = Wants::kNumber;
  if (wire == kLength) wants_ = Wants::kLength;
  if (wire == kFixed64) skip_ = 8;
  if (wire == kFixed32) skip_ = 4;
  lost_ = (wants_ == Wants::kTag && skip_ == 0) || skip_ > levels_[depth_].left;
}

void FieldScanner::TakeLength(std::uint64_t length, std::size_t at, FieldSink& sink) {
  wants_ = Wants::kTag;
  Level& level = levels_[depth_];
  if (length > level.left) {
    lost_ = true;
    return;
  }
  if (!field_ || !field_->inside) {
    skip_ = length;
    return;
  }
  level.left -= length;
  WP_CHECK(depth_ + 1 < kDepth, "the tables of fields are deeper than the scanner");
  levels_[++depth_] = {.type = field_->inside, .left = length, .name = field_->name};
  sink.OnEnter(field_->name, at);
}

void FieldScanner::LeaveFinished(std::size_t at, FieldSink& sink) {
  while (depth_ > 0 && levels_[depth_].left == 0 && !lost_) {
    if (wants_ != Wants::kTag || shift_ != 0 || skip_ != 0) {
      lost_ = true;  // it ends in the middle of a field
      return;
    }
    sink.OnLeave(levels_[depth_--].name, at);
  }
}

const FieldType* FieldScanner::Find(std::uint32_t number) const {
  for (const FieldType& field : *levels_[depth_].type) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

}  // namespace watchproof::proxy
