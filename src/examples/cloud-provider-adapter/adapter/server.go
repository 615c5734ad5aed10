package adapter

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"

	"berth.dev/examples/plugin"
	pb "berth.dev/examples/providerv1"
)

const (
	version = "1"
	// When a cloud is asked again that has not assigned an address.
	addressAwaited = 10 * time.Second
	longestDelay   = 24 * time.Hour
)

// server is the contract's calls; each is one of the cloud.
type server struct {
	pb.UnimplementedLoadBalancerProviderServer
	cloud        cloudprovider.LoadBalancer
	name         string
	capabilities *pb.Capabilities
	fence        *fence
	cluster      string
	works        works // by cluster and uid of the Service
}

func (s *server) Connect(_ context.Context, request *pb.ConnectRequest) (*pb.ConnectResponse, error) {
	return plugin.Connect(request, "cloud-provider-adapter for "+s.name, version, s.capabilities)
}

func (s *server) GetLoadBalancerName(ctx context.Context, call *pb.GetLoadBalancerNameRequest) (*pb.GetLoadBalancerNameResponse, error) {
	service := serviceOf(&pb.LoadBalancerRequest{Service: call.GetService()})
	return &pb.GetLoadBalancerNameResponse{Name: s.cloud.GetLoadBalancerName(ctx, s.cluster, service)}, nil
}

func (s *server) GetLoadBalancer(ctx context.Context, call *pb.GetLoadBalancerRequest) (*pb.GetLoadBalancerResponse, error) {
	request := call.GetRequest()
	found, exists, err := s.cloud.GetLoadBalancer(ctx, request.GetClusterName(), serviceOf(request))
	if err != nil {
		return nil, failed(ctx, err)
	}
	if !exists {
		return &pb.GetLoadBalancerResponse{}, nil
	}
	shown, err := statusOf(found, request.GetIpMode())
	if err != nil {
		return nil, failed(ctx, err)
	}
	return &pb.GetLoadBalancerResponse{Status: shown}, nil // nil: ensure will say what it waits for.
}

func (s *server) EnsureLoadBalancer(ctx context.Context, call *pb.EnsureLoadBalancerRequest) (*pb.EnsureLoadBalancerResponse, error) {
	request := call.GetRequest()
	answer, err := s.change(ctx, "ensure", request, func(ctx context.Context) (proto.Message, error) {
		return s.ensure(ctx, request)
	})
	if errors.Is(err, errAtWork) {
		return pending(askAgain, "the cloud "+s.name+" is at work on it"), nil
	}
	if err != nil {
		return nil, err
	}
	return answer.(*pb.EnsureLoadBalancerResponse), nil
}

func (s *server) ensure(ctx context.Context, request *pb.LoadBalancerRequest) (*pb.EnsureLoadBalancerResponse, error) {
	made, err := s.cloud.EnsureLoadBalancer(ctx, request.GetClusterName(), serviceOf(request), nodesOf(request))
	if errors.Is(err, cloudprovider.ImplementedElsewhere) {
		return &pb.EnsureLoadBalancerResponse{Outcome: &pb.EnsureLoadBalancerResponse_ImplementedElsewhere{
			ImplementedElsewhere: &pb.ImplementedElsewhere{},
		}}, nil
	}
	// A cloud says so when its load balancer is not ready yet.
	if retry, found := retryOf(err); found {
		return pending(delayOf(retry), retry.Error()), nil
	}
	if err != nil {
		return nil, failed(ctx, err)
	}
	ready, err := statusOf(made, request.GetIpMode())
	if err != nil {
		return nil, failed(ctx, err)
	}
	if ready == nil {
		return pending(addressAwaited, "the cloud "+s.name+" has not assigned an address yet"), nil
	}
	return &pb.EnsureLoadBalancerResponse{Outcome: &pb.EnsureLoadBalancerResponse_Ready{Ready: ready}}, nil
}

func pending(after time.Duration, message string) *pb.EnsureLoadBalancerResponse {
	return &pb.EnsureLoadBalancerResponse{Outcome: &pb.EnsureLoadBalancerResponse_Pending{
		Pending: &pb.Pending{RetryAfter: durationpb.New(after), Message: message},
	}}
}

func (s *server) UpdateLoadBalancer(ctx context.Context, call *pb.UpdateLoadBalancerRequest) (*pb.UpdateLoadBalancerResponse, error) {
	request := call.GetRequest()
	_, err := s.change(ctx, "update", request, func(ctx context.Context) (proto.Message, error) {
		err := s.cloud.UpdateLoadBalancer(ctx, request.GetClusterName(), serviceOf(request), nodesOf(request))
		if err != nil && !errors.Is(err, cloudprovider.ImplementedElsewhere) {
			return nil, failed(ctx, err)
		}
		return nil, nil
	})
	if errors.Is(err, errAtWork) {
		return nil, stillAtWork(s.name)
	}
	if err != nil {
		return nil, err
	}
	return &pb.UpdateLoadBalancerResponse{}, nil
}

func (s *server) EnsureLoadBalancerDeleted(ctx context.Context, call *pb.EnsureLoadBalancerDeletedRequest) (*pb.EnsureLoadBalancerDeletedResponse, error) {
	request := call.GetRequest()
	_, err := s.change(ctx, "delete", request, func(ctx context.Context) (proto.Message, error) {
		if err := s.cloud.EnsureLoadBalancerDeleted(ctx, request.GetClusterName(), serviceOf(request)); err != nil {
			return nil, failed(ctx, err)
		}
		return nil, nil
	})
	if errors.Is(err, errAtWork) {
		return nil, stillAtWork(s.name)
	}
	if err != nil {
		return nil, err
	}
	return &pb.EnsureLoadBalancerDeletedResponse{}, nil
}

// change has the cloud change something, but not for a leader that another
// one has followed.
func (s *server) change(ctx context.Context, call string, request *pb.LoadBalancerRequest, f func(context.Context) (proto.Message, error)) (proto.Message, error) {
	if err := s.fence.pass(request); err != nil {
		return nil, err
	}
	return s.works.do(ctx, request.GetClusterName()+"/"+request.GetService().GetUid(), call, request, f)
}

func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if retry, found := retryOf(err); found {
		return plugin.FailedUntil(delayOf(retry), err)
	}
	return plugin.Failed(err)
}

// retryOf finds when the cloud wants to be asked again; only a time to come.
func retryOf(err error) (*api.RetryError, bool) {
	var retry *api.RetryError
	return retry, errors.As(err, &retry) && retry.RetryAfter() > 0
}

// delayOf is what the contract lets a plug-in ask for.
func delayOf(retry *api.RetryError) time.Duration { return min(retry.RetryAfter(), longestDelay) }
