package address_test

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/internal/address"
)

func TestAddressesAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:40000":   "127.0.0.1:40000",
		"localhost:1":       "127.0.0.1:1",
		":40000":            "[::]:40000",
		"[::]:0":            "[::]:0",
		"[::ffff:1.2.3.4]:": "",
		"1.2.3.4:65536":     "",
		"example.com:80":    "",
		"40000":             "",
	} {
		got, err := address.Parse("udp: Listener.Addr", text)
		if want == "" {
			assert.ErrorContains(t, err, "udp: Listener.Addr \""+text+"\"")
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, want, got.String())
	}
}

func TestNetworksAndTexts(t *testing.T) {
	for host, want := range map[string][2]string{
		"0.0.0.0":   {"tcp4", "0.0.0.0:7"},
		"127.0.0.1": {"tcp4", "127.0.0.1:7"},
		"::":        {"tcp", ":7"},
		"::1":       {"tcp6", "[::1]:7"},
	} {
		a := netip.AddrPortFrom(netip.MustParseAddr(host), 7)
		assert.Equal(t, want, [2]string{address.Network("tcp", a.Addr()), address.Text(a)})
	}
	assert.Equal(t, "1.2.3.4:5", address.Unmap(netip.MustParseAddrPort("[::ffff:1.2.3.4]:5")).String())
}

func TestAdviceIsAboutTheSystemsErrors(t *testing.T) {
	assert.Contains(t, address.Advice(errors.Join(syscall.EADDRINUSE)), "another port")
	assert.Empty(t, address.Advice(errors.New("something else")))
}
