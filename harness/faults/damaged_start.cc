// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/damaged_start.h"

#include <algorithm>

namespace watchproof {
namespace {

constexpr std::size_t kMostOfWords = 300;

// The head of them: in one line, without the stack trace.
std::string Reason(std::string words) {
  words.resize(
      std::min({words.find(",\"stacktrace"), words.find("\n\n"), kMostOfWords, words.size()}));
  std::ranges::replace(words, '\n', ' ');
  return words;
}

}  // namespace

DamagedStart::DamagedStart(Target& target, std::function<Status()> put_back)
    : target_(target), put_back_(std::move(put_back)) {
  target_.LetGiveUp(true);
}

Status DamagedStart::Start() {
  auto started = StartAgain(target_);
  if (started.has_value()) after_ = *std::move(started);
  Look();
  return gave_up() || after_ ? Status() : started.error();
}

void DamagedStart::Look() {
  if (gave_up()) return;
  const auto ended = target_.gave_up();
  if (ended) refusal_ = fmt::format("{}: {}", ended->ToString(), Reason(target_.LastWords()));
}

Status DamagedStart::Mend() {
  Look();
  if (!gave_up() || mended_) return {};
  WP_RETURN_IF_ERROR(target_.Kill());
  // No later power failure may take from the files as they were what it did to the damaged ones.
  if (proxy::Disk* const disk = target_.disk(); disk != nullptr) disk->KeepAll();
  WP_RETURN_IF_ERROR(put_back_());
  WP_ASSIGN_OR_RETURN(mended_, StartAgain(target_));
  target_.LetGiveUp(false);
  return {};
}

Status DamagedStart::Settle() {
  WP_RETURN_IF_ERROR(Mend());
  target_.LetGiveUp(false);
  return {};
}

void DamagedStart::Describe(FaultReceipt& receipt) const {
  if (after_) {
    receipt.measured["revision_after"] = after_->revision;
    receipt.text += fmt::format("; the member answered again with revision {}", after_->revision);
  }
  if (gave_up()) {
    receipt.text +=
        fmt::format("; the member {} {}", after_ ? "then" : "refused to start: it", refusal_);
  }
  if (mended_) {
    receipt.measured["mended"] = 1;
    receipt.text +=
        fmt::format("; with its data as it was it answered with revision {}", mended_->revision);
  }
}

}  // namespace watchproof
