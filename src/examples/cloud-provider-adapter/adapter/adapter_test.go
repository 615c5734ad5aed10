package adapter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"
	"k8s.io/cloud-provider/fake"

	pb "berth.dev/examples/providerv1"
)

func TestService_hasWhatCloudsRead(t *testing.T) {
	got := serviceOf(whole())
	want := &v1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "web", UID: "uid-1", Annotations: map[string]string{
			"service.beta.kubernetes.io/of-the-class":   "class",
			"service.beta.kubernetes.io/of-both":        "class",
			"service.beta.kubernetes.io/of-the-service": "service",
		}, Labels: map[string]string{"app": "web"}},
		Spec: v1.ServiceSpec{
			Type: v1.ServiceTypeLoadBalancer,
			Ports: []v1.ServicePort{
				{Name: "https", Protocol: v1.ProtocolTCP, AppProtocol: new("kubernetes.io/wss"), Port: 443, NodePort: 30443},
				{Name: "dns", Protocol: v1.ProtocolUDP, Port: 53, NodePort: 30053},
			},
			SessionAffinity:          v1.ServiceAffinityClientIP,
			SessionAffinityConfig:    &v1.SessionAffinityConfig{ClientIP: &v1.ClientIPConfig{TimeoutSeconds: new(int32(10800))}},
			LoadBalancerIP:           "198.51.100.7",
			LoadBalancerSourceRanges: []string{"192.0.2.0/24"},
			ExternalTrafficPolicy:    v1.ServiceExternalTrafficPolicyLocal,
			HealthCheckNodePort:      32000,
			IPFamilies:               []v1.IPFamily{v1.IPv6Protocol, v1.IPv4Protocol},
			IPFamilyPolicy:           new(v1.IPFamilyPolicyRequireDualStack),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func TestService_ofTheLeastRequest_isOneThatKubernetesCouldHave(t *testing.T) {
	got := serviceOf(&pb.LoadBalancerRequest{Service: whole().GetService(), HealthCheck: whole().GetHealthCheck()})
	if got.Spec.SessionAffinity != v1.ServiceAffinityNone ||
		got.Spec.ExternalTrafficPolicy != v1.ServiceExternalTrafficPolicyCluster ||
		got.Spec.HealthCheckNodePort != 0 || // that of kube-proxy is none of the Service's
		*got.Spec.IPFamilyPolicy != v1.IPFamilyPolicySingleStack {
		t.Fatal(got)
	}
}

func TestNode_hasNameProviderIDAddressesAndLabels(t *testing.T) {
	cloud := &fake.Cloud{ExternalIP: net.IPv4(192, 0, 2, 1)}
	_, err := ensure(t, serverOf(t, cloud), whole())
	must(t, err)
	hosts := cloud.EnsureCalls[0].Hosts
	if len(hosts) != 1 || hosts[0].Name != "n1" || hosts[0].Spec.ProviderID != "fake://n1" ||
		!reflect.DeepEqual(hosts[0].Labels, map[string]string{
			v1.LabelHostname:       "n1.example.com",
			v1.LabelTopologyZone:   "a",
			v1.LabelTopologyRegion: "r",
			v1.LabelOSStable:       "linux",
		}) ||
		!reflect.DeepEqual(hosts[0].Status.Addresses, []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: "10.0.0.1"}}) {
		t.Fatal(hosts)
	}
}

func TestNode_ofTheLeastRequest_isCalledAsItsHost_andInNoZone(t *testing.T) {
	nodes := nodesOf(&pb.LoadBalancerRequest{Nodes: []*pb.Node{{Name: "n1"}}})
	if !reflect.DeepEqual(nodes[0].Labels, map[string]string{v1.LabelHostname: "n1"}) {
		t.Fatal(nodes)
	}
}

func TestEnsure_answersAsTheCloudDoes(t *testing.T) {
	proxy := v1.LoadBalancerIPModeProxy
	for sentence, row := range map[string]struct {
		cloud *stub
		want  string
	}{
		"an address, and no ipMode: the one asked for": {
			cloud: &stub{status: ingress(v1.LoadBalancerIngress{IP: "192.0.2.1"})},
			want:  `ready:{ingress:{ip:"192.0.2.1" ip_mode:IP_MODE_VIP}}`},
		"an address with its ipMode": {
			cloud: &stub{status: ingress(v1.LoadBalancerIngress{IP: "192.0.2.1", IPMode: &proxy})},
			want:  `ready:{ingress:{ip:"192.0.2.1" ip_mode:IP_MODE_PROXY}}`},
		"not in canonical text": {
			cloud: &stub{status: ingress(v1.LoadBalancerIngress{IP: "2001:DB8:0::1"}, v1.LoadBalancerIngress{Hostname: "LB.example.com"})},
			want:  `ready:{ingress:{ip:"2001:db8::1" ip_mode:IP_MODE_VIP} ingress:{hostname:"lb.example.com"}}`},
		"a port error, once for two families": {
			cloud: &stub{status: ingress(
				v1.LoadBalancerIngress{IP: "192.0.2.1", Ports: []v1.PortStatus{{Port: 443, Protocol: v1.ProtocolTCP}, {Port: 53, Protocol: v1.ProtocolUDP, Error: new("NoUDP")}}},
				v1.LoadBalancerIngress{IP: "2001:db8::1", Ports: []v1.PortStatus{{Port: 53, Protocol: v1.ProtocolUDP, Error: new("NoUDP")}}})},
			want: `ready:{ingress:{ip:"192.0.2.1" ip_mode:IP_MODE_VIP} ingress:{ip:"2001:db8::1" ip_mode:IP_MODE_VIP} port_errors:{port:53 protocol:PROTOCOL_UDP error:"NoUDP"}}`},
		"no address yet": {
			cloud: &stub{status: &v1.LoadBalancerStatus{}},
			want:  `pending:{retry_after:{seconds:10} message:"the cloud fake has not assigned an address yet"}`},
		"to be asked again": {
			cloud: &stub{err: fmt.Errorf("creating: %w", api.NewRetryError("it is being made", 7*time.Second))},
			want:  `pending:{retry_after:{seconds:7} message:"it is being made"}`},
		"to be asked again in a week": {
			cloud: &stub{err: api.NewRetryError("it is being made", 7*24*time.Hour)},
			want:  `pending:{retry_after:{seconds:86400} message:"it is being made"}`},
		"implemented elsewhere": {
			cloud: &stub{err: fmt.Errorf("no: %w", cloudprovider.ImplementedElsewhere)},
			want:  `implemented_elsewhere:{}`},
	} {
		answer, err := ensure(t, serverOf(t, row.cloud), whole())
		must(t, err)
		want := &pb.EnsureLoadBalancerResponse{}
		must(t, prototext.Unmarshal([]byte(row.want), want))
		if !proto.Equal(answer, want) {
			t.Errorf("%s: got %v", sentence, answer)
		}
	}
}

func TestEnsure_failsAsTheCloudDoes(t *testing.T) {
	for sentence, row := range map[string]struct {
		cloud *stub
		want  string
	}{
		"an error":          {&stub{err: errors.New("quota exceeded")}, "quota exceeded"},
		"no status":         {&stub{}, "the cloud says that the load balancer is there, and not what it shows"},
		"no address":        {&stub{status: ingress(v1.LoadBalancerIngress{IP: "none"})}, `the cloud shows "none": ParseAddr("none"): unable to parse IP`},
		"a delay of no use": {&stub{err: api.NewRetryError("at once", 0)}, "at once"},
	} {
		_, err := ensure(t, serverOf(t, row.cloud), whole())
		if status.Code(err) != codes.Unknown || status.Convert(err).Message() != row.want {
			t.Errorf("%s: got %v", sentence, err)
		}
	}
}

func TestDelete_thatIsToBeTriedAgain_saysWhen(t *testing.T) {
	s := serverOf(t, &fake.Cloud{Err: api.NewRetryError("it is in use", 7*time.Second)})
	_, err := s.EnsureLoadBalancerDeleted(t.Context(), &pb.EnsureLoadBalancerDeletedRequest{Request: whole()})
	details := status.Convert(err).Details()
	if len(details) != 1 || details[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration() != 7*time.Second {
		t.Fatalf("got %v, %v", err, details)
	}
}

func TestUpdate_thatIsImplementedElsewhere_isNone(t *testing.T) {
	s := serverOf(t, &fake.Cloud{Err: cloudprovider.ImplementedElsewhere})
	_, err := s.UpdateLoadBalancer(t.Context(), &pb.UpdateLoadBalancerRequest{Request: whole()})
	must(t, err)
}

func TestToken_isOfTheCluster_andOutlivesTheProcess(t *testing.T) {
	cloud := &fake.Cloud{ExternalIP: net.IPv4(192, 0, 2, 1)}
	tokens := filepath.Join(t.TempDir(), "tokens")
	withToken := func(cluster string, token int64) codes.Code {
		s, err := newServer(cloud, Usual(), tokens, "")
		must(t, err)
		request := whole()
		request.ClusterName, request.FencingToken = cluster, token
		_, err = ensure(t, s, request)
		return status.Code(err)
	}
	for _, row := range []struct {
		cluster string
		token   int64
		want    codes.Code
	}{
		{"here", 0, codes.OK},
		{"here", 5, codes.OK},
		{"here", 4, codes.FailedPrecondition},
		{"there", 4, codes.OK},
		{"here", 5, codes.OK},
		{"here", 6, codes.OK},
		{"here", 5, codes.FailedPrecondition},
	} {
		if got := withToken(row.cluster, row.token); got != row.want {
			t.Errorf("%v: got %v", row, got)
		}
	}
}

func TestCloudThatTakesLongerThanACall_goesOn_andTheNextCallHasWhatCameOfIt(t *testing.T) {
	slow := &stub{status: ingress(v1.LoadBalancerIngress{IP: "192.0.2.1"}), started: make(chan bool), goOn: make(chan bool)}
	s := serverOf(t, slow)
	call, giveUp := context.WithCancel(t.Context())
	first := make(chan *pb.EnsureLoadBalancerResponse)
	go func() {
		answer, err := s.EnsureLoadBalancer(call, &pb.EnsureLoadBalancerRequest{Request: whole()})
		if err != nil {
			t.Error(err)
		}
		first <- answer
	}()
	<-slow.started
	giveUp()
	if answer := <-first; answer.GetPending().GetRetryAfter().AsDuration() != askAgain {
		t.Fatalf("got %v", answer)
	}
	if slow.context.Err() != nil {
		t.Fatal("the cloud was told to give up")
	}
	other := whole()
	other.Ports = other.Ports[:1]
	answer, err := ensure(t, s, other)
	must(t, err)
	if answer.GetPending() == nil {
		t.Fatalf("two calls for one Service at once: %v", answer)
	}
	_, err = s.EnsureLoadBalancerDeleted(t.Context(), &pb.EnsureLoadBalancerDeletedRequest{Request: whole()})
	if status.Code(err) != codes.Aborted {
		t.Fatalf("got %v", err)
	}
	close(slow.goOn)

	next := whole()
	next.FencingToken++ // By another leader: it is for the same.
	answer, err = ensure(t, s, next)
	must(t, err)
	if answer.GetReady() == nil || slow.ensured != 1 {
		t.Fatalf("got %v after %d calls", answer, slow.ensured)
	}
}

func TestWhatCameOfACall_isNoAnswerToAnother(t *testing.T) {
	cloud := &stub{status: ingress(v1.LoadBalancerIngress{IP: "192.0.2.1"})}
	s := serverOf(t, cloud)
	for range 2 {
		_, err := ensure(t, s, whole())
		must(t, err)
	}
	if cloud.ensured != 2 {
		t.Fatalf("%d calls", cloud.ensured)
	}
}

func TestWhatCannotBeServed_isSaidAtTheStart(t *testing.T) {
	listing := Usual()
	listing.Features = append(listing.Features, pb.Feature_FEATURE_LISTING)
	for sentence, make := range map[string]func() (*server, error){
		"the cloud fake has no load balancers": func() (*server, error) {
			return newServer(&fake.Cloud{DisableLoadBalancers: true}, Usual(), filepath.Join(t.TempDir(), "tokens"), "")
		},
		"no cloud of k8s.io/cloud-provider can list its load balancers: leave FEATURE_LISTING out": func() (*server, error) {
			return newServer(&fake.Cloud{}, listing, filepath.Join(t.TempDir(), "tokens"), "")
		},
		"open none/tokens.new: no such file or directory": func() (*server, error) {
			return newServer(&fake.Cloud{}, Usual(), "none/tokens", "")
		},
	} {
		if _, err := make(); err == nil || err.Error() != sentence {
			t.Errorf("got %v", err)
		}
	}
}

// --- What the tests are made of

// stub is a cloud that answers this, once it may.
type stub struct {
	fake.Cloud
	status  *v1.LoadBalancerStatus
	err     error
	started chan bool
	goOn    chan bool
	context context.Context
	ensured int
}

func (s *stub) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return s, true }

func (s *stub) EnsureLoadBalancer(ctx context.Context, _ string, _ *v1.Service, _ []*v1.Node) (*v1.LoadBalancerStatus, error) {
	s.context = ctx
	s.ensured++
	if s.started != nil {
		s.started <- true
		<-s.goOn
	}
	return s.status, s.err
}

func ingress(all ...v1.LoadBalancerIngress) *v1.LoadBalancerStatus {
	return &v1.LoadBalancerStatus{Ingress: all}
}

func serverOf(t *testing.T, cloud cloudprovider.Interface) *server {
	t.Helper()
	s, err := newServer(cloud, Usual(), filepath.Join(t.TempDir(), "tokens"), "kubernetes")
	must(t, err)
	return s
}

func ensure(t *testing.T, s *server, request *pb.LoadBalancerRequest) (*pb.EnsureLoadBalancerResponse, error) {
	return s.EnsureLoadBalancer(t.Context(), &pb.EnsureLoadBalancerRequest{Request: request})
}

// whole is a request with all that there is.
func whole() *pb.LoadBalancerRequest {
	return &pb.LoadBalancerRequest{
		ClusterName:     "kubernetes",
		Service:         &pb.ServiceIdentity{Namespace: "prod", Name: "web", Uid: "uid-1"},
		FencingToken:    1,
		WantedAddresses: []string{"198.51.100.7"},
		Families:        []pb.Family{pb.Family_FAMILY_IPV6, pb.Family_FAMILY_IPV4},
		Ports: []*pb.Port{
			{Name: "https", Protocol: pb.Protocol_PROTOCOL_TCP, Port: 443, NodePort: 30443, AppProtocol: new("kubernetes.io/wss")},
			{Name: "dns", Protocol: pb.Protocol_PROTOCOL_UDP, Port: 53, NodePort: 30053},
		},
		IpMode: pb.IpMode_IP_MODE_VIP,
		Nodes: []*pb.Node{{
			Name: "n1", ProviderId: "fake://n1", Addresses: []string{"10.0.0.1"}, Zone: "a", Region: "r",
			Labels: map[string]string{v1.LabelHostname: "n1.example.com", v1.LabelOSStable: "linux"},
		}},
		Labels:             map[string]string{"app": "web"},
		HealthCheck:        &pb.HealthCheck{Port: 32000, Path: new("/healthz")},
		SourceRanges:       []string{"192.0.2.0/24"},
		SessionAffinity:    durationpb.New(3 * time.Hour),
		LocalTrafficPolicy: true,
		Parameters: map[string]string{
			"service.beta.kubernetes.io/of-the-class": "class",
			"service.beta.kubernetes.io/of-both":      "class",
		},
		Annotations: map[string]string{
			"service.beta.kubernetes.io/of-both":        "service",
			"service.beta.kubernetes.io/of-the-service": "service",
		},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
