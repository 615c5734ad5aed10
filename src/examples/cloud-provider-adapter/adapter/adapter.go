// Package adapter serves a cloud of k8s.io/cloud-provider, as the cloud
// controller managers in Go have one, as a plug-in for Berth.
package adapter

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	cloudprovider "k8s.io/cloud-provider"

	"berth.dev/examples/plugin"
	pb "berth.dev/examples/providerv1"
)

// Usual is what load balancers of a cloud commonly can do. Change what yours
// does otherwise: Berth tells the owner of a Service what it asks in vain.
func Usual() *pb.Capabilities {
	return &pb.Capabilities{
		AddressSource: pb.AddressSource_ADDRESS_SOURCE_PROVIDER,
		IpModes:       []pb.IpMode{pb.IpMode_IP_MODE_VIP},
		Targets:       pb.Targets_TARGETS_NODE_PORTS,
		Protocols:     []pb.Protocol{pb.Protocol_PROTOCOL_TCP, pb.Protocol_PROTOCOL_UDP},
		Families:      []pb.Family{pb.Family_FAMILY_IPV4},
		Features:      []pb.Feature{pb.Feature_FEATURE_SOURCE_RANGES, pb.Feature_FEATURE_LOCAL_TRAFFIC_POLICY},
		Annotations:   []string{"service.beta.kubernetes.io/"},
	}
}

// Main is all of a main function: it adds its flags to those of the command
// line, makes the cloud, serves it until SIGTERM, and ends the process with
// one line if it cannot.
func Main(makeCloud func() (cloudprovider.Interface, error), capabilities *pb.Capabilities) {
	log.SetFlags(0)
	listen := plugin.Flags(flag.CommandLine)
	tokens := flag.String("tokens", "", "a file, made if it is not there, for the highest fencing token of each cluster (required)")
	cluster := flag.String("cluster-name", "kubernetes", "as Berth's flag of that name, for the names of load balancers")
	kubeconfig := flag.String("kubeconfig", "", "of the cluster that the cloud asks; in a Pod its own")
	flag.Parse()
	if *tokens == "" || flag.NArg() > 0 {
		log.Fatal("usage: -listen ADDRESS -tokens FILE [flags]; -help shows them")
	}
	cloud, err := makeCloud()
	if err == nil {
		err = serve(listen, cloud, capabilities, *tokens, *cluster, *kubeconfig)
	}
	if err != nil {
		log.Fatalf("adapter: %v", err)
	}
}

func serve(listen *plugin.Listen, cloud cloudprovider.Interface, capabilities *pb.Capabilities, tokens, cluster, kubeconfig string) error {
	server, err := newServer(cloud, capabilities, tokens, cluster)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := initialize(ctx, cloud, kubeconfig); err != nil {
		return fmt.Errorf("initializing the cloud %s: %w", cloud.ProviderName(), err)
	}
	return listen.Serve(ctx, "cloud "+cloud.ProviderName(), server)
}

func newServer(cloud cloudprovider.Interface, capabilities *pb.Capabilities, tokens, cluster string) (*server, error) {
	balancers, has := cloud.LoadBalancer()
	if !has {
		return nil, fmt.Errorf("the cloud %s has no load balancers", cloud.ProviderName())
	}
	if slices.Contains(capabilities.GetFeatures(), pb.Feature_FEATURE_LISTING) {
		return nil, errors.New("no cloud of k8s.io/cloud-provider can list its load balancers: leave FEATURE_LISTING out")
	}
	fence, err := openFence(tokens)
	if err != nil {
		return nil, err
	}
	return &server{
		cloud:        balancers,
		name:         cloud.ProviderName(),
		capabilities: capabilities,
		fence:        fence,
		cluster:      cluster,
		works:        works{byID: map[string]*work{}},
	}, nil
}

// initialize does what a cloud controller manager does with a cloud before it
// calls it; nothing without a cluster.
func initialize(ctx context.Context, cloud cloudprovider.Interface, kubeconfig string) error {
	config, err := rest.InClusterConfig()
	if kubeconfig != "" {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if errors.Is(err, rest.ErrNotInCluster) {
		return nil
	}
	if err != nil {
		return err
	}
	cloud.Initialize(clients{config}, ctx.Done())
	if informed, wants := cloud.(cloudprovider.InformerUser); wants {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		factory := informers.NewSharedInformerFactory(client, 0)
		informed.SetInformers(factory)
		factory.Start(ctx.Done())
	}
	return nil
}

// clients are what a cloud reaches its cluster by.
type clients struct{ config *rest.Config }

func (c clients) Config(name string) (*rest.Config, error) { return c.ConfigOrDie(name), nil }

func (c clients) ConfigOrDie(name string) *rest.Config {
	return rest.AddUserAgent(rest.CopyConfig(c.config), name)
}

func (c clients) Client(name string) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(c.ConfigOrDie(name))
}

func (c clients) ClientOrDie(name string) kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(c.ConfigOrDie(name))
}
