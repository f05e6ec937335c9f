// SPDX-License-Identifier: Apache-2.0
// Defect version-survives-delete: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class VersionSurvivesDelete final : public PassOn {
 public:
  using PassOn::PassOn;
  Recreation OnRecreation() override { return Recreation::kItsVersion; }
};

const DefectRegistration kVersionSurvivesDelete(
    {.name = "version-survives-delete",
     .explain = "The version of a key counts its puts and begins at 1 again after a delete. This "
                "store counts on. A transaction that creates a key only if it is not there yet "
                "is safe, but whoever takes version 1 for the sign of a new key is never told of "
                "one that came back. It takes a put, a delete and a put.",
     .upstream_issue = "",
     .guarantees = {"Fields"}},
    Wrap<VersionSurvivesDelete>);

}  // namespace
}  // namespace watchproof::store
