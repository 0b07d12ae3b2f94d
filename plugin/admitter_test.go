package plugin_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// guestbook is a listener, and its Conn, which record the clients that are reported to them.
type guestbook struct {
	transport.Listener
	transport.Conn
	told []string
}

func (b *guestbook) Listen() (conn transport.Conn, err error) {
	b.Conn, err = b.Listener.Listen()
	return b, err
}

func (b *guestbook) Local() bool { return true }

func (b *guestbook) Admit(addr netip.AddrPort) { b.told = append(b.told, "came: "+addr.String()) }

func (b *guestbook) Dismiss(addr netip.AddrPort) { b.told = append(b.told, "went: "+addr.String()) }

func (b *guestbook) Send(batch []transport.Datagram) (int, error) {
	if len(b.told) > 1 {
		b.told = append(b.told, "sent")
	}
	return b.Conn.Send(batch)
}

// A transport is informed of the addresses of clients: from their admission until their last
// datagram is sent. It is informed through a conditioner as well.
func TestATransportHearsWhoIsAClient(t *testing.T) {
	g := newGame(t)
	require.NoError(t, g.server.Stop())
	book := &guestbook{Listener: g.place}
	require.NoError(t, g.server.Start(conditioner.NewListener(book, conditioner.Options{Clock: g.clock})))
	g.now = g.now.Add(2 * time.Second) // tokens from the second in which the server started are refused
	c := g.join(9)
	assert.Empty(t, book.told)
	g.run(30)
	require.Equal(t, plugin.Connected, c.State())
	addr := g.server.Clients()[0].Addr.String()
	assert.Equal(t, []string{"came: " + addr}, book.told)
	g.server.Disconnect(9, "enough")
	g.run(5)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.EqualError(t, c.Err(), "enough")
	assert.Equal(t, []string{"came: " + addr, "went: " + addr}, book.told)
}
