// SPDX-License-Identifier: Apache-2.0

// Package suite names what the job kubernetes_storage tests, so that go.mod and go.sum pin it and
// what its tests need.
package suite

import (
	_ "k8s.io/apiserver/pkg/storage/cacher"
	_ "k8s.io/apiserver/pkg/storage/etcd3"
	_ "k8s.io/apiserver/pkg/storage/etcd3/testserver"
)
