//go:build tools

// Package tools names the command that is built from this module, so that
// go mod tidy keeps what it needs.
package tools

import (
	_ "github.com/osrg/gobgp/v4/cmd/gobgpd"
)
