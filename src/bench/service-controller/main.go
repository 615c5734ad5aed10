// Command service-controller runs the service controller of
// k8s.io/cloud-provider against a cloud whose load balancers are ready at once.
//
// It is the yardstick of the benchmarks: what it needs for a number of
// Services is the cost of Kubernetes' own controller and of the API server,
// with no cloud in it. It logs to stderr and runs until SIGTERM or SIGINT.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/cloud-provider/controllers/service"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig of the API server (required)")
	workers := flag.Int("workers", 10, "Services that are synced at a time")
	klog.InitFlags(nil)
	flag.Parse()
	if *kubeconfig == "" || flag.NArg() > 0 {
		klog.Exit("usage: service-controller --kubeconfig FILE [--workers N]")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *kubeconfig, *workers); err != nil {
		klog.Exitf("running the service controller: %v", err)
	}
}

// run returns when ctx is done, or with an error when the controller cannot start.
func run(ctx context.Context, kubeconfig string, workers int) error {
	client, err := connect(kubeconfig)
	if err != nil {
		return err
	}
	// Resyncs are the controller's own: every 30 s for Services, 100 s for nodes.
	factory := informers.NewSharedInformerFactory(client, 12*time.Hour)
	controller, err := service.New(newInstantCloud(), client,
		factory.Core().V1().Services(), factory.Core().V1().Nodes(), "bench", nil)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	controller.Run(ctx, workers, controllersmetrics.NewControllerManagerMetrics("service-controller"))
	return nil
}

// connect returns a client as the cloud controller manager makes it, protobuf
// on the wire, but with no limit to its rate.
func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = "service-controller"
	config.QPS = -1
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	return kubernetes.NewForConfig(config)
}
