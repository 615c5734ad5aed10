// Package plugin serves a plug-in to Berth: on a Unix socket, or over the
// network with mutual TLS. Berth speaks nothing else.
package plugin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	errdetails "google.golang.org/genproto/googleapis/rpc/errdetails"

	"berth.dev/examples/providerv1"
)

// ContractVersion is the form of the contract that providerv1 is.
const ContractVersion = 1

const (
	// Berth pings a silent connection; gRPC's own limit of one ping in 5
	// minutes would end it.
	pingsAtMostEvery = 10 * time.Second
	// How long calls under way may take to end after SIGTERM.
	grace = 10 * time.Second
)

// Listen says where Berth finds the plug-in.
type Listen struct {
	address                 string
	ca, certificate, secret string
}

// Flags adds the flags -listen, -ca, -certificate and -key.
func Flags(flags *flag.FlagSet) *Listen {
	listen := &Listen{}
	flags.StringVar(&listen.address, "listen", "", "where to serve: unix:///run/berth/NAME.sock, or host:port with the three files (required)")
	flags.StringVar(&listen.ca, "ca", "", "PEM file of the authority that signed Berth's certificate")
	flags.StringVar(&listen.certificate, "certificate", "", "PEM file of the plug-in's own certificate, and of those between it and its authority")
	flags.StringVar(&listen.secret, "key", "", "PEM file of its key")
	return listen
}

// Serve serves until ctx is done or the process is told to end by SIGTERM or
// SIGINT, lets the calls under way end, and returns nil then.
func (l *Listen) Serve(ctx context.Context, name string, server providerv1.LoadBalancerProviderServer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	listener, security, err := l.open()
	if err != nil {
		return fmt.Errorf("serving on %q: %w", l.address, err)
	}
	calls := grpc.NewServer(grpc.Creds(security),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingsAtMostEvery, PermitWithoutStream: true}))
	providerv1.RegisterLoadBalancerProviderServer(calls, server)
	go func() {
		<-ctx.Done()
		late := time.AfterFunc(grace, calls.Stop)
		defer late.Stop()
		calls.GracefulStop()
	}()
	log.Printf("%s: serving on %s", name, listener.Addr())
	return calls.Serve(listener)
}

func (l *Listen) open() (net.Listener, credentials.TransportCredentials, error) {
	files := []string{l.ca, l.certificate, l.secret}
	path, local := strings.CutPrefix(l.address, "unix://")
	switch {
	case l.address == "":
		return nil, nil, errors.New("-listen is missing")
	case local && strings.Join(files, "") != "":
		return nil, nil, errors.New("-ca, -certificate and -key are for the network; leave them out, or name host:port")
	case local:
		listener, err := listenUnix(path)
		return listener, insecure.NewCredentials(), err
	case slices.Contains(files, ""):
		return nil, nil, errors.New("plain text over the network is refused: name -ca, -certificate and -key, or a Unix socket")
	}
	mutual, err := mutualTLS(l.ca, l.certificate, l.secret)
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", l.address)
	return listener, mutual, err
}

// listenUnix takes the place of a process that was killed, not of one that
// runs, and not of what is no socket: dialling a file is refused, too. Only
// the owner of the process may open the socket.
func listenUnix(path string) (net.Listener, error) {
	if found, err := os.Lstat(path); err == nil && found.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is there, and no socket; name another path, or move it away", path)
	}
	if other, err := net.Dial("unix", path); err == nil {
		other.Close()
		return nil, errors.New("another process serves there")
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return net.Listen("unix", path)
}

// Connect answers Berth's first call.
func Connect(request *providerv1.ConnectRequest, name, version string, capabilities *providerv1.Capabilities) (*providerv1.ConnectResponse, error) {
	if !slices.Contains(request.GetContractVersions(), ContractVersion) {
		return nil, status.Errorf(codes.FailedPrecondition,
			"%s %s speaks version %d of the contract, and Berth %s only %v; use compatible versions of the plug-in and of Berth",
			name, version, ContractVersion, request.GetBerthVersion(), request.GetContractVersions())
	}
	return &providerv1.ConnectResponse{
		ContractVersion: ContractVersion,
		PluginName:      name,
		PluginVersion:   version,
		Capabilities:    capabilities,
	}, nil
}

// Deposed is what a call gets whose fencing token is lower than one seen.
func Deposed(request *providerv1.LoadBalancerRequest, seen int64) error {
	return status.Errorf(codes.FailedPrecondition, "a later leader (%d) of %q was here before; this one is %d",
		seen, request.GetClusterName(), request.GetFencingToken())
}

// Failed is what went wrong with one Service, not with the plug-in itself.
func Failed(cause error) error { return status.Error(codes.Unknown, cause.Error()) }

// Rejected is what no retry will mend: the request must change first.
func Rejected(cause error) error { return status.Error(codes.InvalidArgument, cause.Error()) }

// QuotaExceeded is for one Service that there is no room for. subject is what
// has none, such as "account:12345".
func QuotaExceeded(subject string, cause error) error {
	return detailed(codes.ResourceExhausted, cause, &errdetails.QuotaFailure{
		Violations: []*errdetails.QuotaFailure_Violation{{Subject: subject, Description: cause.Error()}},
	})
}

// FailedUntil is Failed, and Berth asks again exactly after that.
func FailedUntil(after time.Duration, cause error) error {
	return detailed(codes.Unknown, cause, &errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
}

func detailed(code codes.Code, cause error, detail protoadapt.MessageV1) error {
	failure, err := status.New(code, cause.Error()).WithDetails(detail)
	if err != nil {
		return Failed(cause)
	}
	return failure.Err()
}
