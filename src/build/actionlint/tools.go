//go:build tools

// Package tools names the command that is run from this module, so that
// go mod tidy keeps what it needs.
package tools

import (
	_ "github.com/rhysd/actionlint/cmd/actionlint"
)
