package adapter

import (
	"os"
	"path/filepath"
	"testing"

	pb "berth.dev/examples/providerv1"
)

func TestHalfAFile_ofAProcessThatWasKilledWhileWriting_isPassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	before := open(t, path)
	if err := before.pass(led(2)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte("{\"he"), 0o600); err != nil {
		t.Fatal(err)
	}

	after := open(t, path)

	if err := after.pass(led(1)); err == nil {
		t.Error("the deposed leader is let in")
	}
	if err := after.pass(led(3)); err != nil {
		t.Error(err)
	}
}

func TestDamagedFile_isAnError_andNotAFreshStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("{\"he"), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := openFence(path); err == nil {
		t.Error("it was opened")
	}
}

func open(t *testing.T, path string) *fence {
	t.Helper()
	opened, err := openFence(path)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func led(token int64) *pb.LoadBalancerRequest {
	return &pb.LoadBalancerRequest{ClusterName: "here", FencingToken: token}
}
