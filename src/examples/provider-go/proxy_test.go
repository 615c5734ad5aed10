package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "berth.dev/examples/providerv1"
)

const patience = 10 * time.Second

var (
	here = netip.MustParseAddr("127.0.0.1")
	// A host has the one or the other, or both.
	there = map[bool]netip.Addr{true: netip.IPv6Loopback(), false: netip.MustParseAddr("127.0.0.2")}[len(families()) == 2]
)

func TestTCP_isCarriedToTheNode_andBack_withBothEnds(t *testing.T) {
	node := echo(t, "127.0.0.1:0")
	request := request("web", node)
	serving(t, t.TempDir()).ensure(request)

	client := dial(t, request)
	io.WriteString(client, "hello")
	client.CloseWrite()

	if answer, err := io.ReadAll(client); string(answer) != "127.0.0.1 says hello" || err != nil {
		t.Fatalf("got %q, %v", answer, err)
	}
}

func TestUDP_isCarriedToTheNode_andBack(t *testing.T) {
	socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(here, 0)))
	must(t, err)
	t.Cleanup(func() { socket.Close() })
	go func() {
		packet := make([]byte, 100)
		for {
			n, from, err := socket.ReadFromUDPAddrPort(packet)
			if err != nil {
				return
			}
			socket.WriteToUDPAddrPort(append([]byte("node says "), packet[:n]...), from)
		}
	}()
	request := request("dns", socket.LocalAddr().(*net.UDPAddr).AddrPort())
	request.Ports[0].Protocol = pb.Protocol_PROTOCOL_UDP
	s := serving(t, t.TempDir())
	s.ensure(request)

	client, err := net.Dial("udp", front(request))
	must(t, err)
	defer client.Close()
	client.SetDeadline(time.Now().Add(patience))
	for _, sentence := range []string{"one", "two"} {
		io.WriteString(client, sentence)
		answer := make([]byte, 100)
		n, err := client.Read(answer)
		if string(answer[:n]) != "node says "+sentence || err != nil {
			t.Fatalf("got %q, %v", answer[:n], err)
		}
	}
	s.delete(request)
	again, err := net.ListenPacket("udp", front(request))
	must(t, err)
	again.Close()
}

func TestUnfitNode_getsNothing_whileAnotherIsFit(t *testing.T) {
	s := serving(t, t.TempDir())
	request, fit := twoNodes(t)
	fit["here"](http.StatusServiceUnavailable)
	fit["there"](http.StatusOK)
	s.ensure(request)

	await(t, func() bool { return s.proxy.balancers[keyOf(request)].checks.fit("there") })
	for range 20 {
		if answer := ask(t, request); answer != there.String()+" says " {
			t.Fatalf("got %q", answer)
		}
	}
}

func TestNoFitNode_underLocalTrafficPolicy_closesTheConnection_andElseAllAreTried(t *testing.T) {
	s := serving(t, t.TempDir())
	request, fit := twoNodes(t)
	fit["here"](http.StatusServiceUnavailable)
	fit["there"](http.StatusServiceUnavailable)
	s.ensure(request)
	if answer := ask(t, request); answer == "" {
		t.Fatal("policy Cluster: no answer")
	}
	request.LocalTrafficPolicy = true
	s.ensure(request)
	if answer := ask(t, request); answer != "" {
		t.Fatalf("policy Local: got %q", answer)
	}
	fit["here"](http.StatusOK)
	await(t, func() bool { return ask(t, request) == "127.0.0.1 says " })
}

func TestNodeThatDoesNotAnswer_isPassedOver(t *testing.T) {
	node := echo(t, "127.0.0.1:0")
	request := request("web", node)
	request.Nodes = append(request.Nodes, &pb.Node{Name: "gone", Addresses: []string{there.String()}})
	serving(t, t.TempDir()).ensure(request)
	for range 20 {
		if answer := ask(t, request); answer != "127.0.0.1 says " {
			t.Fatalf("got %q", answer)
		}
	}
}

func TestSourceRanges_letInWhatTheyName(t *testing.T) {
	s := serving(t, t.TempDir())
	request := request("web", echo(t, "127.0.0.1:0"))
	request.SourceRanges = []string{"192.0.2.0/24"}
	s.ensure(request)
	if answer := ask(t, request); answer != "" {
		t.Fatalf("got %q", answer)
	}
	request.SourceRanges = append(request.SourceRanges, "127.0.0.0/8")
	s.ensure(request)
	if answer := ask(t, request); answer == "" {
		t.Fatal("no answer")
	}
}

func TestUpdate_keepsConnections_andSendsNewOnesToTheNewNodes(t *testing.T) {
	s := serving(t, t.TempDir())
	request, _ := twoNodes(t)
	request.HealthCheck = nil
	both := request.Nodes
	request.Nodes = both[:1]
	s.ensure(request)
	client := dial(t, request)
	io.ReadFull(client, make([]byte, len("127.0.0.1 says ")))
	io.WriteString(client, "a")

	request.Nodes = both[1:]
	_, err := s.UpdateLoadBalancer(t.Context(), &pb.UpdateLoadBalancerRequest{Request: request})
	must(t, err)

	if answer := ask(t, request); answer != there.String()+" says " {
		t.Fatalf("a new connection: got %q", answer)
	}
	io.WriteString(client, "b")
	client.CloseWrite()
	if answer, _ := io.ReadAll(client); string(answer) != "ab" {
		t.Fatalf("the former connection: got %q", answer)
	}
}

func TestDelete_endsConnections_andFreesThePort(t *testing.T) {
	s := serving(t, t.TempDir())
	request := request("web", echo(t, "127.0.0.1:0"))
	s.ensure(request)
	client := dial(t, request)
	io.WriteString(client, "hello")
	io.ReadFull(client, make([]byte, len("127.0.0.1")))

	s.delete(request)

	client.SetDeadline(time.Now().Add(patience))
	if _, err := io.ReadAll(client); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the connection is still open")
	}
	again, err := net.Listen("tcp", front(request))
	must(t, err)
	again.Close()
}

func TestPortThatIsTaken_isSaid_andWhatWasServedGoesOn(t *testing.T) {
	s := serving(t, t.TempDir())
	node := echo(t, "127.0.0.1:0")
	served := request("web", node)
	s.ensure(served)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	changed := proto.CloneOf(served)
	changed.Ports[0].Port = int32(taken.Addr().(*net.TCPAddr).Port)

	_, err = s.EnsureLoadBalancer(t.Context(), &pb.EnsureLoadBalancerRequest{Request: changed})

	if status.Code(err) != codes.Unknown {
		t.Fatalf("got %v", err)
	}
	if answer := ask(t, served); answer == "" {
		t.Fatal("what was served is gone")
	}
}

func TestRestart_servesAndListsWhatThereWas_andStillRefusesTheDeposed(t *testing.T) {
	state := t.TempDir()
	first := serving(t, state)
	web, gone := request("web", echo(t, "127.0.0.1:0")), request("gone", echo(t, "127.0.0.1:0"))
	web.FencingToken, gone.FencingToken = 2, 2
	first.ensure(web)
	first.ensure(gone)
	first.delete(gone)
	first.proxy.drop(keyOf(web)) // The process is gone, with its sockets.

	second := serving(t, state)

	if answer := ask(t, web); answer == "" {
		t.Fatal("it is not served")
	}
	if listed := second.list("", 0).GetLoadBalancers(); len(listed) != 1 || !proto.Equal(listed[0].GetService(), web.GetService()) {
		t.Fatalf("listed: %v", listed)
	}
	web.FencingToken = 1
	if _, err := second.EnsureLoadBalancer(t.Context(), &pb.EnsureLoadBalancerRequest{Request: web}); status.Code(err) != codes.FailedPrecondition {
		t.Fatalf("got %v", err)
	}
}

func TestRestart_withAPortThatIsTakenMeanwhile_showsNothing_andStillListsIt(t *testing.T) {
	state := t.TempDir()
	first := serving(t, state)
	web := request("web", echo(t, "127.0.0.1:0"))
	first.ensure(web)
	first.proxy.drop(keyOf(web))
	taken, err := net.Listen("tcp", front(web))
	must(t, err)

	second := serving(t, state)

	get := func() *pb.LoadBalancerStatus {
		answer, err := second.GetLoadBalancer(t.Context(), &pb.GetLoadBalancerRequest{Request: web})
		must(t, err)
		return answer.GetStatus()
	}
	if got := get(); got != nil {
		t.Fatalf("it is shown: %v", got)
	}
	if listed := second.list("", 0).GetLoadBalancers(); len(listed) != 1 {
		t.Fatalf("listed: %v", listed)
	}
	taken.Close()
	second.ensure(web)
	if got := get(); got == nil {
		t.Fatal("it is not shown")
	}
}

func TestListing_comesInPages(t *testing.T) {
	s := serving(t, t.TempDir())
	for i := range 5 {
		s.ensure(request(fmt.Sprintf("web-%d", i), echo(t, "127.0.0.1:0")))
	}
	var names []string
	token := ""
	for {
		page := s.list(token, 2)
		if len(page.GetLoadBalancers()) > 2 {
			t.Fatalf("a page of %d", len(page.GetLoadBalancers()))
		}
		for _, one := range page.GetLoadBalancers() {
			names = append(names, one.GetName())
		}
		if token = page.GetNextPageToken(); token == "" {
			break
		}
	}
	if fmt.Sprint(names) != "[berth-web-0 berth-web-1 berth-web-2 berth-web-3 berth-web-4]" {
		t.Fatal(names)
	}
}

func TestPortWithoutNodePort_isAPortError(t *testing.T) {
	s := serving(t, t.TempDir())
	request := request("web", netip.AddrPortFrom(here, 0))
	if got := s.ensure(request).GetReady().GetPortErrors(); len(got) != 1 || got[0].GetError() != "example.com/NoNodePort" {
		t.Fatal(got)
	}
}

// --- What the tests are made of

type serve struct {
	*server
	t *testing.T
}

// serving is a plug-in over this folder.
func serving(t *testing.T, state string) *serve {
	s := newServer(folder(state), newProxy(0, 20*time.Millisecond))
	must(t, s.resume())
	t.Cleanup(func() {
		for k := range s.proxy.balancers {
			s.proxy.drop(k)
		}
	})
	return &serve{s, t}
}

func (s *serve) ensure(request *pb.LoadBalancerRequest) *pb.EnsureLoadBalancerResponse {
	s.t.Helper()
	answer, err := s.EnsureLoadBalancer(s.t.Context(), &pb.EnsureLoadBalancerRequest{Request: proto.CloneOf(request)})
	must(s.t, err)
	return answer
}

func (s *serve) delete(request *pb.LoadBalancerRequest) {
	s.t.Helper()
	_, err := s.EnsureLoadBalancerDeleted(s.t.Context(), &pb.EnsureLoadBalancerDeletedRequest{Request: request})
	must(s.t, err)
}

func (s *serve) list(token string, size int32) *pb.ListLoadBalancersResponse {
	s.t.Helper()
	page, err := s.ListLoadBalancers(s.t.Context(), &pb.ListLoadBalancersRequest{ClusterName: "here", PageSize: size, PageToken: token})
	must(s.t, err)
	return page
}

// request is of a Service on a free port, with this node.
func request(service string, node netip.AddrPort) *pb.LoadBalancerRequest {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer free.Close()
	return &pb.LoadBalancerRequest{
		ClusterName: "here",
		Service:     &pb.ServiceIdentity{Namespace: "default", Name: service, Uid: service},
		Addresses:   []string{here.String()},
		Ports: []*pb.Port{{
			Protocol: pb.Protocol_PROTOCOL_TCP,
			Port:     int32(free.Addr().(*net.TCPAddr).Port),
			NodePort: int32(node.Port()),
		}},
		IpMode: pb.IpMode_IP_MODE_PROXY,
		Nodes:  []*pb.Node{{Name: "here", Addresses: []string{node.Addr().String()}}},
	}
}

// twoNodes is a request with the nodes here and there, of one node port,
// and by the node how its health check answers.
func twoNodes(t *testing.T) (*pb.LoadBalancerRequest, map[string]func(int)) {
	first := echo(t, "127.0.0.1:0")
	echo(t, netip.AddrPortFrom(there, first.Port()).String())
	both := request("web", first)
	both.Nodes = append(both.Nodes, &pb.Node{Name: "there", Addresses: []string{there.String()}})
	answers := map[string]func(int){}
	port := 0
	for _, node := range both.Nodes {
		codes := make(chan int, 1)
		listener, err := net.Listen("tcp", net.JoinHostPort(node.GetAddresses()[0], strconv.Itoa(port)))
		must(t, err)
		port = listener.Addr().(*net.TCPAddr).Port
		health := httptest.NewUnstartedServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
			code := <-codes
			codes <- code
			answer.WriteHeader(code)
		}))
		health.Listener.Close()
		health.Listener = listener
		health.Start()
		t.Cleanup(health.Close)
		codes <- http.StatusOK
		answers[node.GetName()] = func(code int) { <-codes; codes <- code }
	}
	path := "/healthz"
	both.HealthCheck = &pb.HealthCheck{Port: int32(port), Path: &path}
	return both, answers
}

// echo says who it is, and all that it hears.
func echo(t *testing.T, at string) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	address := listener.Addr().(*net.TCPAddr).AddrPort()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				io.WriteString(client, address.Addr().String()+" says ")
				io.Copy(client, client)
			}()
		}
	}()
	return address
}

func front(request *pb.LoadBalancerRequest) string {
	return netip.AddrPortFrom(here, uint16(request.GetPorts()[0].GetPort())).String()
}

func dial(t *testing.T, request *pb.LoadBalancerRequest) *net.TCPConn {
	t.Helper()
	client, err := net.Dial("tcp", front(request))
	must(t, err)
	t.Cleanup(func() { client.Close() })
	client.SetDeadline(time.Now().Add(patience))
	return client.(*net.TCPConn)
}

// ask is what a client hears that says nothing.
func ask(t *testing.T, request *pb.LoadBalancerRequest) string {
	t.Helper()
	client := dial(t, request)
	defer client.Close()
	client.CloseWrite()
	answer, _ := io.ReadAll(client)
	return string(answer)
}

func await(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come to be")
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
