package adapter

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	pb "berth.dev/examples/providerv1"
)

var (
	protocols = map[pb.Protocol]v1.Protocol{
		pb.Protocol_PROTOCOL_TCP:  v1.ProtocolTCP,
		pb.Protocol_PROTOCOL_UDP:  v1.ProtocolUDP,
		pb.Protocol_PROTOCOL_SCTP: v1.ProtocolSCTP,
	}
	families = map[pb.Family]v1.IPFamily{
		pb.Family_FAMILY_IPV4: v1.IPv4Protocol,
		pb.Family_FAMILY_IPV6: v1.IPv6Protocol,
	}
	ipModes = map[v1.LoadBalancerIPMode]pb.IpMode{
		v1.LoadBalancerIPModeVIP:   pb.IpMode_IP_MODE_VIP,
		v1.LoadBalancerIPModeProxy: pb.IpMode_IP_MODE_PROXY,
	}
)

// serviceOf has what clouds read of a Service. Settings of the class stand
// among its annotations, and win over its own: the class is the
// administrator's, the Service a tenant's.
func serviceOf(request *pb.LoadBalancerRequest) *v1.Service {
	annotations := maps.Clone(request.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	maps.Copy(annotations, request.GetParameters())
	service := &v1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   request.GetService().GetNamespace(),
			Name:        request.GetService().GetName(),
			UID:         types.UID(request.GetService().GetUid()),
			Labels:      maps.Clone(request.GetLabels()),
			Annotations: annotations,
		},
		Spec: v1.ServiceSpec{
			Type:                     v1.ServiceTypeLoadBalancer,
			LoadBalancerSourceRanges: request.GetSourceRanges(),
			SessionAffinity:          v1.ServiceAffinityNone,
			ExternalTrafficPolicy:    v1.ServiceExternalTrafficPolicyCluster,
			IPFamilyPolicy:           new(v1.IPFamilyPolicySingleStack),
		},
	}
	for _, port := range request.GetPorts() {
		service.Spec.Ports = append(service.Spec.Ports, v1.ServicePort{
			Name:        port.GetName(),
			Protocol:    protocols[port.GetProtocol()],
			AppProtocol: port.AppProtocol,
			Port:        port.GetPort(),
			NodePort:    port.GetNodePort(),
		})
	}
	for _, family := range request.GetFamilies() {
		service.Spec.IPFamilies = append(service.Spec.IPFamilies, families[family])
	}
	if len(service.Spec.IPFamilies) > 1 {
		service.Spec.IPFamilyPolicy = new(v1.IPFamilyPolicyRequireDualStack)
	}
	if wanted := slices.Concat(request.GetAddresses(), request.GetWantedAddresses()); len(wanted) > 0 {
		service.Spec.LoadBalancerIP = wanted[0]
	}
	if request.GetSessionAffinity() != nil {
		service.Spec.SessionAffinity = v1.ServiceAffinityClientIP
		service.Spec.SessionAffinityConfig = &v1.SessionAffinityConfig{ClientIP: &v1.ClientIPConfig{
			TimeoutSeconds: new(int32(request.GetSessionAffinity().AsDuration().Seconds())),
		}}
	}
	if request.GetLocalTrafficPolicy() {
		service.Spec.ExternalTrafficPolicy = v1.ServiceExternalTrafficPolicyLocal
		service.Spec.HealthCheckNodePort = request.GetHealthCheck().GetPort()
	}
	return service
}

// nodesOf has what clouds read of the Nodes that are to get packets: whether
// they are fit is left to the cloud's own health checks.
func nodesOf(request *pb.LoadBalancerRequest) []*v1.Node {
	nodes := []*v1.Node{}
	for _, node := range request.GetNodes() {
		made := &v1.Node{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
			ObjectMeta: metav1.ObjectMeta{Name: node.GetName(), Labels: labelsOf(node)},
			Spec:       v1.NodeSpec{ProviderID: node.GetProviderId()},
			Status:     v1.NodeStatus{Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
		}
		for _, address := range node.GetAddresses() {
			made.Status.Addresses = append(made.Status.Addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: address})
		}
		nodes = append(nodes, made)
	}
	return nodes
}

// labelsOf has the labels of a Node that last, and its zone and region among
// them: some clouds leave out a Node without a zone.
func labelsOf(node *pb.Node) map[string]string {
	labels := map[string]string{v1.LabelHostname: node.GetName()}
	maps.Copy(labels, node.GetLabels())
	if node.GetZone() != "" {
		labels[v1.LabelTopologyZone] = node.GetZone()
	}
	if node.GetRegion() != "" {
		labels[v1.LabelTopologyRegion] = node.GetRegion()
	}
	return labels
}

// statusOf returns nil as long as there is no address. What the cloud does not
// tell of the ipMode, is as it was asked for.
func statusOf(status *v1.LoadBalancerStatus, asked pb.IpMode) (*pb.LoadBalancerStatus, error) {
	if status == nil {
		return nil, fmt.Errorf("the cloud says that the load balancer is there, and not what it shows")
	}
	if len(status.Ingress) == 0 {
		return nil, nil
	}
	shown := &pb.LoadBalancerStatus{}
	for _, entry := range status.Ingress {
		if entry.IP != "" {
			ip, err := netip.ParseAddr(entry.IP)
			if err != nil {
				return nil, fmt.Errorf("the cloud shows %q: %w", entry.IP, err)
			}
			mode := asked
			if entry.IPMode != nil {
				mode = ipModes[*entry.IPMode]
			}
			shown.Ingress = append(shown.Ingress, &pb.Ingress{Address: &pb.Ingress_Ip{Ip: ip.Unmap().String()}, IpMode: mode})
		}
		if entry.Hostname != "" {
			shown.Ingress = append(shown.Ingress, &pb.Ingress{Address: &pb.Ingress_Hostname{Hostname: strings.ToLower(entry.Hostname)}})
		}
		for _, port := range entry.Ports {
			if port.Error == nil {
				continue
			}
			// It is told for each ingress, and of both the same.
			if made := portError(port); !slices.ContainsFunc(shown.PortErrors, func(other *pb.PortError) bool { return proto.Equal(made, other) }) {
				shown.PortErrors = append(shown.PortErrors, made)
			}
		}
	}
	return shown, nil
}

func portError(port v1.PortStatus) *pb.PortError {
	made := &pb.PortError{Port: port.Port, Error: *port.Error}
	for ours, theirs := range protocols {
		if theirs == port.Protocol {
			made.Protocol = ours
		}
	}
	return made
}
