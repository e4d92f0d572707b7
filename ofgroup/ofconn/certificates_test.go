package ofconn_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority signs certificates, as ovs-pki would.
type authority struct {
	t    testing.TB
	dir  string
	cert *x509.Certificate
	key  crypto.Signer
	next int64
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir(), next: 1}
	a.cert, a.key = a.sign("authority", nil)
	return a
}

// sign makes a key and its certificate, signed by the authority or, the first one, by
// itself. Both are in files of that name, too.
func (a *authority) sign(name string, ip net.IP) (*x509.Certificate, crypto.Signer) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(a.next), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        a.cert == nil, BasicConstraintsValid: true,
	}
	if ip != nil {
		form.IPAddresses = []net.IP{ip}
	}
	a.next++
	parent, signer := form, crypto.Signer(key)
	if a.cert != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, key.Public(), signer)
	require.NoError(a.t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(a.t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	a.write(name+".crt", "CERTIFICATE", der)
	a.write(name+".key", "PRIVATE KEY", secret)
	return cert, key
}

func (a *authority) write(name, kind string, data []byte) {
	a.t.Helper()
	require.NoError(a.t, os.WriteFile(a.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// config is what a controller of this name uses, on either side of a handshake: it
// shows its certificate and wants one of the authority's.
func (a *authority) config(name string) *tls.Config {
	a.t.Helper()
	pair, err := tls.LoadX509KeyPair(a.file(name+".crt"), a.file(name+".key"))
	require.NoError(a.t, err)
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: pool,
		ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}
