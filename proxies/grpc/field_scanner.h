// SPDX-License-Identifier: Apache-2.0
// Reads a few numbers out of a protobuf message while its bytes go by, and keeps none of them.
//
// A message type is a list of fields: numbers to report, and messages to look into. Everything else
// is skipped. The proxies read a handful of fields of the watch API and ignore the rest, so that a
// server may add fields.
//
// Not thread-safe. Ownership: the tables of fields outlive the scanner, the sink outlives Feed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace watchproof::proxy {

struct FieldType;
using MessageType = std::span<const FieldType>;

struct FieldType {
  std::uint32_t number = 0;
  int name = 0;                         // the caller's own, passed to the sink
  const MessageType* inside = nullptr;  // null: a number
};

// Receives what is found, and how many bytes of the piece had been read by then.
class FieldSink {
 public:
  virtual void OnNumber(int name, std::int64_t value) = 0;
  virtual void OnEnter(int name, std::size_t at) = 0;
  virtual void OnLeave(int name, std::size_t at) = 0;

 protected:
  ~FieldSink() = default;
};

class FieldScanner {
 public:
  explicit FieldScanner(const MessageType& type) : type_(type) { Restart(); }

  // The next message begins.
  void Restart();
  void Feed(std::string_view piece, FieldSink& sink);
  // The bytes are no message of this form; the rest of it is not looked at.
  bool lost() const { return lost_; }
  // What was read so far is a whole message.
  bool between_fields() const {
    return depth_ == 0 && wants_ == Wants::kTag && shift_ == 0 && skip_ == 0;
  }

 private:
  static constexpr std::size_t kDepth = 4;
  static constexpr std::uint64_t kEndless = UINT64_MAX;
  enum class Wants { kTag, kNumber, kLength };

  struct Level {
    const MessageType* type;
    std::uint64_t left;  // bytes of it that have not been read
    int name;
  };

  // Takes one byte of a number; true when it was the last.
  bool TakeByte(std::uint8_t byte);
  void TakeNumber(std::uint64_t value, std::size_t at, FieldSink& sink);
  void TakeTag(std::uint64_t tag);
  void TakeLength(std::uint64_t length, std::size_t at, FieldSink& sink);
  void LeaveFinished(std::size_t at, FieldSink& sink);
  const FieldType* Find(std::uint32_t number) const;
  void Spend(std::uint64_t bytes) { levels_[depth_].left -= bytes; }

  const MessageType& type_;
  std::array<Level, kDepth> levels_{};
  std::size_t depth_ = 0;
  Wants wants_ = Wants::kTag;
  std::uint64_t number_ = 0;  // being read, seven bits at a time
  unsigned shift_ = 0;
  std::uint64_t skip_ = 0;            // bytes of no interest
  const FieldType* field_ = nullptr;  // of the tag that was read; null if not of interest
  bool lost_ = false;
};

}  // namespace watchproof::proxy
