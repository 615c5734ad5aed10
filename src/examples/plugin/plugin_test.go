package plugin

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	errdetails "google.golang.org/genproto/googleapis/rpc/errdetails"

	"berth.dev/examples/providerv1"
)

type anyPlugin struct {
	providerv1.UnimplementedLoadBalancerProviderServer
}

func (anyPlugin) Connect(_ context.Context, request *providerv1.ConnectRequest) (*providerv1.ConnectResponse, error) {
	return Connect(request, "any", "1", &providerv1.Capabilities{})
}

func TestFailure_hasTheCodeAndTheDetailsOfItsKind(t *testing.T) {
	cause := errors.New("no")
	for _, c := range []struct {
		failure error
		code    codes.Code
		detail  any
	}{
		{Failed(cause), codes.Unknown, nil},
		{FailedUntil(time.Second, cause), codes.Unknown, &errdetails.RetryInfo{}},
		{Rejected(cause), codes.InvalidArgument, nil},
		{QuotaExceeded("account:1", cause), codes.ResourceExhausted, &errdetails.QuotaFailure{}},
	} {
		got := status.Convert(c.failure)
		if got.Code() != c.code || got.Message() != "no" {
			t.Errorf("got %v", got)
		}
		var detail any
		if details := got.Details(); len(details) > 0 {
			detail = details[0]
		}
		if reflect.TypeOf(detail) != reflect.TypeOf(c.detail) {
			t.Errorf("%v has %T", got, detail)
		}
	}
}

func TestUnixSocket_ofAProcessThatWasKilled_isTaken_andThatOfOneThatRunsIsNot(t *testing.T) {
	folder, err := os.MkdirTemp("", "") // A socket's path is short; t.TempDir has the test's name in it.
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "any.sock")
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	must(t, err)
	killed.SetUnlinkOnClose(false)
	killed.Close()

	end := serve(t, "-listen", "unix://"+path)

	must(t, connect(t, "unix://"+path, insecure.NewCredentials()))
	err = listen("-listen", "unix://"+path).Serve(t.Context(), "any", anyPlugin{})
	if err == nil || !strings.Contains(err.Error(), "another process serves there") {
		t.Fatalf("got %v", err)
	}
	must(t, end())
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("the socket is left: %v", err)
	}
}

func TestUnixSocket_whereSomethingElseIs_leavesItThere(t *testing.T) {
	folder, err := os.MkdirTemp("", "")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "any.sock")
	must(t, os.WriteFile(path, []byte("precious"), 0o600))

	err = listen("-listen", "unix://"+path).Serve(t.Context(), "any", anyPlugin{})

	if err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Fatalf("got %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
		t.Fatalf("got %q, %v", text, err)
	}
}

func TestUnixSocket_isForItsOwnerAlone_whateverTheUmask(t *testing.T) {
	folder, err := os.MkdirTemp("", "")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "any.sock")
	before := syscall.Umask(0)
	t.Cleanup(func() { syscall.Umask(before) })

	serve(t, "-listen", "unix://"+path)

	file, err := os.Stat(path)
	must(t, err)
	if file.Mode().Perm() != 0o600 {
		t.Fatalf("got %v", file.Mode())
	}
}

func TestNetwork_needsMutualTLS_andTakesRenewedFiles(t *testing.T) {
	authority, other := newAuthority(t), newAuthority(t)
	folder := t.TempDir()
	files := []string{filepath.Join(folder, "ca"), filepath.Join(folder, "certificate"), filepath.Join(folder, "key")}
	authority.write(t, files)
	address := freeAddress(t)
	serve(t, "-listen", address, "-ca", files[0], "-certificate", files[1], "-key", files[2])

	must(t, connect(t, address, credentials.NewTLS(authority.client(t))))
	for sentence, refused := range map[string]credentials.TransportCredentials{
		"plain text":                 insecure.NewCredentials(),
		"no certificate":             credentials.NewTLS(&tls.Config{RootCAs: authority.pool()}),
		"one of another authority":   credentials.NewTLS(&tls.Config{RootCAs: authority.pool(), Certificates: []tls.Certificate{other.issue(t)}}),
		"one that wants another one": credentials.NewTLS(other.client(t)),
	} {
		if err := connect(t, address, refused); status.Code(err) != codes.Unavailable {
			t.Errorf("%s: got %v", sentence, err)
		}
	}
	other.write(t, files)
	must(t, connect(t, address, credentials.NewTLS(other.client(t))))
}

func TestListen_isRefused(t *testing.T) {
	for sentence, flags := range map[string][]string{
		"-listen is missing":  {},
		"plain text":          {"-listen", "127.0.0.1:0"},
		"are for the network": {"-listen", "unix:///any.sock", "-key", "any"},
		"no such file":        {"-listen", "127.0.0.1:0", "-ca", "none", "-certificate", "none", "-key", "none"},
	} {
		err := listen(flags...).Serve(t.Context(), "any", anyPlugin{})
		if err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%v: got %v", flags, err)
		}
	}
}

func TestConnect_withoutACommonVersion_namesBoth(t *testing.T) {
	_, err := Connect(&providerv1.ConnectRequest{ContractVersions: []uint32{2, 3}, BerthVersion: "9"}, "any", "1", nil)
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "version 1") || !strings.Contains(err.Error(), "[2 3]") {
		t.Fatal(err)
	}
}

func listen(flags ...string) *Listen {
	set := flag.NewFlagSet("any", flag.PanicOnError)
	listen := Flags(set)
	set.Parse(flags)
	return listen
}

// serve returns once somebody can connect; what it returns ends it.
func serve(t *testing.T, flags ...string) func() error {
	t.Helper()
	at := listen(flags...)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- at.Serve(ctx, "any", anyPlugin{}) }()
	t.Cleanup(stop)
	network, address := "tcp", at.address
	if path, local := strings.CutPrefix(address, "unix://"); local {
		network, address = "unix", path
	}
	for {
		connection, err := net.Dial(network, address)
		if err == nil {
			connection.Close()
			break
		}
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	return func() error {
		stop()
		return <-ended
	}
}

func connect(t *testing.T, address string, security credentials.TransportCredentials) error {
	t.Helper()
	client, err := grpc.NewClient(address, grpc.WithTransportCredentials(security))
	must(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = providerv1.NewLoadBalancerProviderClient(client).
		Connect(ctx, &providerv1.ConnectRequest{ContractVersions: []uint32{ContractVersion}})
	return err
}

func freeAddress(t *testing.T) string {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer free.Close()
	return free.Addr().String()
}

type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	made := template()
	made.IsCA, made.BasicConstraintsValid, made.KeyUsage = true, true, x509.KeyUsageCertSign
	key := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, made, made, key.Public(), key)
	must(t, err)
	certificate, err := x509.ParseCertificate(der)
	must(t, err)
	return &authority{key, certificate}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

func (a *authority) issue(t *testing.T) tls.Certificate {
	key := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template(), a.certificate, key.Public(), a.key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (a *authority) client(t *testing.T) *tls.Config {
	return &tls.Config{RootCAs: a.pool(), Certificates: []tls.Certificate{a.issue(t)}}
}

// write has the authority's certificate, and one that it issued with its key.
func (a *authority) write(t *testing.T, files []string) {
	issued := a.issue(t)
	key, err := x509.MarshalPKCS8PrivateKey(issued.PrivateKey)
	must(t, err)
	for i, block := range []pem.Block{
		{Type: "CERTIFICATE", Bytes: a.certificate.Raw},
		{Type: "CERTIFICATE", Bytes: issued.Certificate[0]},
		{Type: "PRIVATE KEY", Bytes: key},
	} {
		must(t, os.WriteFile(files[i], pem.EncodeToMemory(&block), 0o600))
	}
}

func template() *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "any"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return key
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
