package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"berth.dev/examples/plugin"
	pb "berth.dev/examples/providerv1"
)

const (
	name    = "provider-go"
	version = "1"
)

// server is the contract's calls. What they change is in the folder, for ever,
// and in the proxy, while it runs.
type server struct {
	pb.UnimplementedLoadBalancerProviderServer
	capabilities *pb.Capabilities

	mu     sync.Mutex // folder and proxy change together
	folder folder
	proxy  *proxy
}

func newServer(folder folder, proxy *proxy) *server {
	return &server{folder: folder, proxy: proxy, capabilities: &pb.Capabilities{
		AddressSource: pb.AddressSource_ADDRESS_SOURCE_POOLS,
		IpModes:       []pb.IpMode{pb.IpMode_IP_MODE_PROXY},
		Targets:       pb.Targets_TARGETS_NODE_PORTS,
		Protocols:     []pb.Protocol{pb.Protocol_PROTOCOL_TCP, pb.Protocol_PROTOCOL_UDP},
		Families:      families(),
		Features: []pb.Feature{
			pb.Feature_FEATURE_MIXED_PROTOCOLS,
			pb.Feature_FEATURE_SOURCE_RANGES,
			pb.Feature_FEATURE_LOCAL_TRAFFIC_POLICY,
			pb.Feature_FEATURE_LISTING,
		},
	}}
}

// families are those that this host speaks.
func families() []pb.Family {
	all := []pb.Family{pb.Family_FAMILY_IPV4}
	if listener, err := net.Listen("tcp", "[::1]:0"); err == nil {
		listener.Close()
		all = append(all, pb.Family_FAMILY_IPV6)
	}
	return all
}

// resume serves what a former process served. What cannot be served now is
// not shown to Berth, which asks for it then.
func (s *server) resume() error {
	stored, err := s.folder.all()
	if err != nil {
		return err
	}
	for _, request := range stored {
		if err := s.serve(request); err != nil {
			log.Printf("%s: not served yet: %s: %v", name, nameOf(request.GetService()), err)
		}
	}
	return nil
}

func (s *server) Connect(_ context.Context, request *pb.ConnectRequest) (*pb.ConnectResponse, error) {
	return plugin.Connect(request, name, version, s.capabilities)
}

func (s *server) GetLoadBalancerName(_ context.Context, call *pb.GetLoadBalancerNameRequest) (*pb.GetLoadBalancerNameResponse, error) {
	return &pb.GetLoadBalancerNameResponse{Name: nameOf(call.GetService())}, nil
}

func nameOf(service *pb.ServiceIdentity) string { return "berth-" + service.GetUid() }

func (s *server) GetLoadBalancer(_ context.Context, call *pb.GetLoadBalancerRequest) (*pb.GetLoadBalancerResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := s.stored(call.GetRequest())
	if err != nil {
		return nil, err
	}
	if stored == nil || !s.proxy.serves(keyOf(stored)) {
		return &pb.GetLoadBalancerResponse{}, nil
	}
	return &pb.GetLoadBalancerResponse{Status: statusOf(stored)}, nil
}

func (s *server) EnsureLoadBalancer(_ context.Context, call *pb.EnsureLoadBalancerRequest) (*pb.EnsureLoadBalancerResponse, error) {
	request := call.GetRequest()
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.unlessDeposed(request)
	if err != nil {
		return nil, err
	}
	if err := s.take(request); err != nil {
		if before == nil {
			s.proxy.drop(keyOf(request))
		}
		return nil, err
	}
	return &pb.EnsureLoadBalancerResponse{
		Outcome: &pb.EnsureLoadBalancerResponse_Ready{Ready: statusOf(request)},
	}, nil
}

// UpdateLoadBalancer takes the request over whole: only its nodes differ.
func (s *server) UpdateLoadBalancer(_ context.Context, call *pb.UpdateLoadBalancerRequest) (*pb.UpdateLoadBalancerResponse, error) {
	request := call.GetRequest()
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.unlessDeposed(request)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return nil, status.Errorf(codes.NotFound, "there is no %s to update", nameOf(request.GetService()))
	}
	if err := s.take(request); err != nil {
		return nil, err
	}
	return &pb.UpdateLoadBalancerResponse{}, nil
}

func (s *server) EnsureLoadBalancerDeleted(_ context.Context, call *pb.EnsureLoadBalancerDeletedRequest) (*pb.EnsureLoadBalancerDeletedResponse, error) {
	request := call.GetRequest()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.unlessDeposed(request); err != nil {
		return nil, err
	}
	s.proxy.drop(keyOf(request))
	if err := s.folder.remove(keyOf(request)); err != nil {
		return nil, plugin.Failed(err)
	}
	return &pb.EnsureLoadBalancerDeletedResponse{}, nil
}

// ListLoadBalancers has also what could not be served since the last start:
// it is there to be deleted.
func (s *server) ListLoadBalancers(_ context.Context, call *pb.ListLoadBalancersRequest) (*pb.ListLoadBalancersResponse, error) {
	s.mu.Lock()
	stored, err := s.folder.all()
	s.mu.Unlock()
	if err != nil {
		return nil, plugin.Failed(err)
	}
	page := &pb.ListLoadBalancersResponse{}
	for _, request := range stored {
		found := nameOf(request.GetService())
		if request.GetClusterName() != call.GetClusterName() || found <= call.GetPageToken() {
			continue
		}
		if size := int(call.GetPageSize()); size > 0 && len(page.LoadBalancers) == size {
			page.NextPageToken = page.LoadBalancers[size-1].GetName()
			break
		}
		page.LoadBalancers = append(page.LoadBalancers, &pb.ListedLoadBalancer{Name: found, Service: request.GetService()})
	}
	return page, nil
}

// take has the request served, and kept.
func (s *server) take(request *pb.LoadBalancerRequest) error {
	if err := s.serve(request); err != nil {
		return err
	}
	if err := s.folder.write(request); err != nil {
		return plugin.Failed(err)
	}
	return nil
}

func (s *server) serve(request *pb.LoadBalancerRequest) error {
	plan, err := planFor(request)
	if err != nil {
		return plugin.Rejected(err)
	}
	if err := s.proxy.serve(keyOf(request), plan); err != nil {
		return plugin.Failed(err)
	}
	return nil
}

// stored is the request that was served last; nil if there is none.
func (s *server) stored(request *pb.LoadBalancerRequest) (*pb.LoadBalancerRequest, error) {
	if request.GetService().GetUid() == "" {
		return nil, status.Error(codes.InvalidArgument, "the request names no Service, with its uid")
	}
	stored, err := s.folder.read(keyOf(request))
	if err != nil {
		return nil, plugin.Failed(err)
	}
	return stored, nil
}

// unlessDeposed is stored, but for a leader that was followed by another one.
// The token is in the folder: it outlives this process, and what is deleted.
func (s *server) unlessDeposed(request *pb.LoadBalancerRequest) (*pb.LoadBalancerRequest, error) {
	stored, err := s.stored(request)
	if err != nil {
		return nil, err
	}
	cluster, token := request.GetClusterName(), request.GetFencingToken()
	seen, err := s.folder.token(cluster)
	if err != nil {
		return nil, plugin.Failed(err)
	}
	if seen > token {
		return nil, plugin.Deposed(request, seen)
	}
	if seen < token {
		if err := s.folder.keepToken(cluster, token); err != nil {
			return nil, plugin.Failed(fmt.Errorf("keeping the fencing token: %w", err))
		}
	}
	return stored, nil
}

func statusOf(request *pb.LoadBalancerRequest) *pb.LoadBalancerStatus {
	shown := &pb.LoadBalancerStatus{}
	for _, address := range request.GetAddresses() {
		shown.Ingress = append(shown.Ingress, &pb.Ingress{
			Address: &pb.Ingress_Ip{Ip: address},
			IpMode:  pb.IpMode_IP_MODE_PROXY,
		})
	}
	for _, port := range request.GetPorts() {
		if port.GetNodePort() == 0 {
			shown.PortErrors = append(shown.PortErrors, &pb.PortError{
				Port:     port.GetPort(),
				Protocol: port.GetProtocol(),
				Error:    "example.com/NoNodePort",
			})
		}
	}
	return shown
}
