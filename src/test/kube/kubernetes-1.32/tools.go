//go:build tools

// Package tools names the command that is built from this module.
//
// Not for go mod tidy: it fails, because the tests of some packages need
// k8s.io/cri-client v0.32.13, which the module proxy does not have. What
// go.sum needs was written by
//
//	go list -mod=mod -tags providerless -deps k8s.io/kubernetes/cmd/kube-apiserver
//
// and with it a build with -mod=readonly -tags providerless works.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
