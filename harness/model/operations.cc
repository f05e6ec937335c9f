// SPDX-License-Identifier: Apache-2.0
#include "harness/model/operations.h"

#include <algorithm>

namespace watchproof {
namespace {

constexpr int kDeepestTxn = 16;
constexpr std::size_t kMostCombinations = 64;

using Operations = std::vector<Operation>;

Operation PutOf(const PutRequestView& put) {
  return {.key = put.key,
          .value = put.value,
          .keeps_value = put.ignore_value,
          .lease = put.lease,
          .keeps_lease = put.ignore_lease};
}
Operation DeleteOf(const DeleteRangeRequestView& range) {
  return {.deletes = true, .key = range.key, .range_end = range.range_end};
}

Status AppendPut(std::string_view body, Operations& out) {
  PutRequestView put;
  WP_RETURN_IF_ERROR(Parse(body, put));
  out.push_back(PutOf(put));
  return Status();
}
Status AppendDelete(std::string_view body, Operations& out) {
  DeleteRangeRequestView range;
  WP_RETURN_IF_ERROR(Parse(body, range));
  out.push_back(DeleteOf(range));
  return Status();
}
Status AppendAnsweredDelete(std::string_view request, std::string_view response, Operations& out) {
  DeleteRangeResponseView answer;
  WP_RETURN_IF_ERROR(Parse(response, answer));
  WP_RETURN_IF_ERROR(AppendDelete(request, out));
  out.back().deleted = answer.deleted;
  return Status();
}

Status UnfoldAnswered(std::string_view request, std::string_view response, int depth,
                      Operations& out) {
  TxnRequestView txn;
  TxnResponseView answer;
  WP_RETURN_IF_ERROR(Parse(request, txn));
  WP_RETURN_IF_ERROR(Parse(response, answer));
  const std::vector<OperationView>& ran = answer.succeeded ? txn.success : txn.failure;
  if (ran.size() != answer.responses.size() || depth > kDeepestTxn) {
    return Fail(StatusCode::kDataLoss, "a transaction of {} operations was answered with {}",
                ran.size(), answer.responses.size());
  }
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const OperationView& asked = ran[i];
    const OperationView& answered = answer.responses[i];
    if (asked.kind != answered.kind) {
      return Fail(StatusCode::kDataLoss,
                  "operation {} of a transaction has an answer of another kind", i + 1);
    }
    switch (asked.kind) {
      case Method::kPut:
        WP_RETURN_IF_ERROR(AppendPut(asked.body, out));
        break;
      case Method::kDeleteRange:
        WP_RETURN_IF_ERROR(AppendAnsweredDelete(asked.body, answered.body, out));
        break;
      case Method::kTxn:
        WP_RETURN_IF_ERROR(UnfoldAnswered(asked.body, answered.body, depth + 1, out));
        break;
      default:
        break;
    }
  }
  return Status();
}

Result<std::vector<Operations>> PossibleTxn(std::string_view request, int depth);

// Every way in which one branch may have run, given its nested transactions.
Result<std::vector<Operations>> PossibleBranch(const std::vector<OperationView>& branch,
                                               int depth) {
  std::vector<Operations> ways(1);
  for (const OperationView& asked : branch) {
    if (asked.kind == Method::kTxn) {
      WP_ASSIGN_OR_RETURN(const std::vector<Operations> inner, PossibleTxn(asked.body, depth + 1));
      std::vector<Operations> longer;
      for (const Operations& way : ways) {
        for (const Operations& tail : inner) {
          longer.push_back(way);
          longer.back().insert(longer.back().end(), tail.begin(), tail.end());
        }
      }
      ways = std::move(longer);
      if (ways.size() > kMostCombinations) break;
      continue;
    }
    for (Operations& way : ways) {
      if (asked.kind == Method::kPut) WP_RETURN_IF_ERROR(AppendPut(asked.body, way));
      if (asked.kind == Method::kDeleteRange) {
        WP_RETURN_IF_ERROR(AppendDelete(asked.body, way));
      }
    }
  }
  return ways;
}

Result<std::vector<Operations>> PossibleTxn(std::string_view request, int depth) {
  TxnRequestView txn;
  WP_RETURN_IF_ERROR(Parse(request, txn));
  if (depth > kDeepestTxn) return Fail(StatusCode::kDataLoss, "a transaction nested too deeply");
  WP_ASSIGN_OR_RETURN(std::vector<Operations> ways, PossibleBranch(txn.success, depth));
  if (txn.compare.empty()) return ways;
  WP_ASSIGN_OR_RETURN(const std::vector<Operations> others, PossibleBranch(txn.failure, depth));
  ways.insert(ways.end(), others.begin(), others.end());
  if (ways.size() > kMostCombinations) {
    return Fail(StatusCode::kOutOfRange, "a transaction with too many combinations of branches");
  }
  return ways;
}

}  // namespace

bool Effect::changes() const {
  return std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
    return !operation.deletes || operation.deleted.value_or(0) > 0;
  });
}

bool SameEffect(const std::vector<Operation>& a, const std::vector<Operation>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const Operation& x, const Operation& y) {
        return x.deletes == y.deletes && x.key == y.key && x.range_end == y.range_end &&
               x.value == y.value && x.keeps_value == y.keeps_value && x.lease == y.lease &&
               x.keeps_lease == y.keeps_lease;
      });
}

bool IsWrite(Method method) {
  return method == Method::kPut || method == Method::kDeleteRange || method == Method::kTxn;
}

bool IsDefiniteRefusal(StatusCode code) {
  constexpr StatusCode kRefusals[] = {
      StatusCode::kInvalidArgument,   StatusCode::kNotFound,
      StatusCode::kAlreadyExists,     StatusCode::kPermissionDenied,
      StatusCode::kResourceExhausted, StatusCode::kFailedPrecondition,
      StatusCode::kOutOfRange,        StatusCode::kUnimplemented,
      StatusCode::kUnauthenticated};
  return std::ranges::find(kRefusals, code) != std::end(kRefusals);
}

Result<Effect> AcknowledgedEffect(Method method, std::string_view request,
                                  std::string_view response) {
  Effect effect;
  HeaderView header;
  WP_RETURN_IF_ERROR(ParseHeader(response, header));
  effect.revision = Revision(header.revision);
  switch (method) {
    case Method::kPut:
      WP_RETURN_IF_ERROR(AppendPut(request, effect.operations));
      break;
    case Method::kDeleteRange:
      WP_RETURN_IF_ERROR(AppendAnsweredDelete(request, response, effect.operations));
      break;
    case Method::kTxn:
      WP_RETURN_IF_ERROR(UnfoldAnswered(request, response, 0, effect.operations));
      break;
    default:
      break;
  }
  if (effect.changes() && effect.revision.value < 1) {
    return Fail(StatusCode::kDataLoss, "its header names no revision");
  }
  return effect;
}

Result<std::vector<Operations>> PossibleEffects(Method method, std::string_view request) {
  if (method == Method::kTxn) return PossibleTxn(request, 0);
  std::vector<Operations> ways(1);
  if (method == Method::kPut) WP_RETURN_IF_ERROR(AppendPut(request, ways.front()));
  if (method == Method::kDeleteRange) WP_RETURN_IF_ERROR(AppendDelete(request, ways.front()));
  return ways;
}

}  // namespace watchproof
