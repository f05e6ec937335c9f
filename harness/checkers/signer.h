// SPDX-License-Identifier: Apache-2.0
// Names the known bug that a finding looks like, when it is filed. This one knows none: the signer
// of harness/signatures registers itself where it is linked.
//
//   const std::unique_ptr<Signer> signer = MakeSigner()(facts);
//   signer->OnDelivered(watch, response);    // what the judge visits, before the checkers see it
//   draft's signature = signer->SignatureOf(draft, watch);
//
// Not thread-safe. Ownership: refers to the facts, those of one judge.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "harness/checkers/finding.h"
#include "harness/history/history_parser.h"
#include "harness/model/model.h"

namespace watchproof {

struct Draft;
struct Facts;

// For a create and its answer it is called once the table shows it, and takes no response.
class Signer : public HistoryVisitor {
 public:
  virtual void CallStarted(const RecordedCall&) {}
  virtual void CallEnded(const RecordedCall&) {}
  // Any other message to a watch, and before the checkers see it: the answer to a create.
  virtual void OnMessage(const Response&) {}

  // Empty: it looks like no known bug. `watch`: that it is about, if it is about one.
  virtual std::string_view SignatureOf(const Draft&, std::optional<WatchIndex> /*watch*/) const {
    return {};
  }
  // For a finding that was filed, once the whole recording is known; `about` as in its draft.
  virtual std::string_view InHindsight(const Finding& finding, Revision /*about*/) const {
    return finding.signature;
  }
};

using SignerMaker = std::unique_ptr<Signer> (*)(const Facts&);
// Replaced before main. A function's own static, because registrations run in unknown order.
inline SignerMaker& MakeSigner() {
  static SignerMaker make = [](const Facts&) { return std::make_unique<Signer>(); };
  return make;
}

}  // namespace watchproof
