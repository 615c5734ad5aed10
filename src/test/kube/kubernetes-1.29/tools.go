//go:build tools

// Package tools names the command that is built from this module.
//
// Not for go mod tidy: it fails, because k8s.io/legacy-cloud-providers v0.29.6
// can be had no longer. What go.sum needs was written by
//
//	go list -mod=mod -tags providerless -deps k8s.io/kubernetes/cmd/kube-apiserver
//
// and with it a build with -mod=readonly -tags providerless works.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
