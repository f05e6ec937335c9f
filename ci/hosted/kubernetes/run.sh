#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run on a cluster, from here: starts the shards, waits for their end, starts the merge, and shows
# what it printed. The exit code is that of the whole run.
#
#   ci/hosted/kubernetes/run.sh [NAME]   # of the run: its seed, and its folder on the volume
#
#   KUBECTL     the command (default: kubectl), with its flags: "kubectl --context test -n watch"
#   KUSTOMIZE   folder with a kustomization (default: run, beside this file)
set -euo pipefail

name=${1:-$(date -u +%Y%m%dT%H%M%SZ)}
folder=${KUSTOMIZE:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/run}
read -ra words <<<"${KUBECTL:-kubectl}"
kubectl() { command "${words[@]}" "$@"; }

# A Job that has ended cannot be started again, and its pods must not pass for those of this run.
kubectl delete job/watchproof job/watchproof-merge --ignore-not-found --cascade=foreground --wait
kubectl delete configmap/watchproof-run --ignore-not-found
kubectl create configmap watchproof-run --from-literal="run=$name"
kubectl apply -k "$folder"

# Prints Complete or Failed. A Job that is gone is an error, not a reason to wait.
ending_of() {
  local condition
  while kubectl get "job/$1" --output=name >/dev/null; do
    for condition in Complete Failed; do
      if kubectl wait "job/$1" --for="condition=$condition" --timeout=5s &>/dev/null; then
        echo "$condition"
        return
      fi
    done
  done
  return 70
}

ending=$(ending_of watchproof)
echo "shards of $name: $ending"
kubectl patch job/watchproof-merge --type=merge --patch='{"spec":{"suspend":false}}'
ending=$(ending_of watchproof-merge)
# One that was evicted has left a pod behind: what counts is the one that ended last.
ended='.status.containerStatuses[0].state.terminated'
line="{$ended.finishedAt} {.metadata.name} {$ended.exitCode}"
last=$(kubectl get pods --selector=batch.kubernetes.io/job-name=watchproof-merge \
  --output="jsonpath={range .items[*]}$line{'\\n'}{end}" | sort | tail -n 1)
read -r _ pod code <<<"$last"
[[ -n $code ]] || exit 70
kubectl logs "$pod"
exit "$code"
