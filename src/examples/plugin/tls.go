package plugin

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"google.golang.org/grpc/credentials"
)

// mutualTLS reads the files again for each connection: a certificate that is
// renewed needs no restart.
func mutualTLS(ca, certificate, key string) (credentials.TransportCredentials, error) {
	read := func() (*tls.Config, error) {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		authorities := x509.NewCertPool()
		if !authorities.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate in PEM", ca)
		}
		return &tls.Config{
			Certificates: []tls.Certificate{pair},
			ClientAuth:   tls.RequireAndVerifyClientCert,
			ClientCAs:    authorities,
			MinVersion:   tls.VersionTLS13,
			NextProtos:   []string{"h2"},
		}, nil
	}
	first, err := read()
	if err != nil {
		return nil, err
	}
	first.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return read() }
	return credentials.NewTLS(first), nil
}
