package main

import (
	"os"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "berth.dev/examples/providerv1"
)

func TestDeposedLeader_isRefused_alsoAfterADelete_andAfterARestart(t *testing.T) {
	state := folder(t.TempDir())
	ensure := func(cluster string, token int64) codes.Code {
		s := newServer(state, newProxy(0, time.Second))
		_, err := s.EnsureLoadBalancer(t.Context(), &pb.EnsureLoadBalancerRequest{Request: asked(cluster, token)})
		return status.Code(err)
	}
	remove := func(token int64) codes.Code {
		s := newServer(state, newProxy(0, time.Second))
		_, err := s.EnsureLoadBalancerDeleted(t.Context(), &pb.EnsureLoadBalancerDeletedRequest{Request: asked("here", token)})
		return status.Code(err)
	}
	for _, row := range []struct {
		sentence string
		got      codes.Code
		want     codes.Code
	}{
		{"the first leader", ensure("here", 2), codes.OK},
		{"the next one deletes", remove(3), codes.OK},
		{"the deposed one makes it again", ensure("here", 2), codes.FailedPrecondition},
		{"the deposed one deletes", remove(2), codes.FailedPrecondition},
		{"the leader deletes a second time", remove(3), codes.OK},
		{"another cluster", ensure("there", 1), codes.OK},
		{"the leader", ensure("here", 3), codes.OK},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %v", row.sentence, row.got)
		}
	}
}

func TestHalfAFile_ofAProcessThatWasKilledWhileWriting_isPassedOver(t *testing.T) {
	state := folder(t.TempDir())
	request := asked("here", 1)
	if err := os.WriteFile(state.path(keyOf(request))+".new", []byte("{\"clus"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(state, newProxy(0, time.Second))
	if err := s.resume(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EnsureLoadBalancer(t.Context(), &pb.EnsureLoadBalancerRequest{Request: request}); err != nil {
		t.Fatal(err)
	}
	page, err := s.ListLoadBalancers(t.Context(), &pb.ListLoadBalancersRequest{ClusterName: "here"})
	if err != nil || len(page.GetLoadBalancers()) != 1 {
		t.Fatalf("got %v, %v", page, err)
	}
}

// asked is a request without ports: no socket is opened.
func asked(cluster string, token int64) *pb.LoadBalancerRequest {
	return &pb.LoadBalancerRequest{
		ClusterName:  cluster,
		Service:      &pb.ServiceIdentity{Namespace: "prod", Name: "web", Uid: "uid-1"},
		FencingToken: token,
		IpMode:       pb.IpMode_IP_MODE_PROXY,
	}
}
