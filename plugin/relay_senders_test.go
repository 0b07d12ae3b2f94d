package plugin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
)

// One client fills the outbox of relayed messages for a capped client. Occasional messages of a
// third client to that client are not refused because of this: each sender has a share of its own.
//
// Proves: Z21
func TestAClientThatFillsItsShareLeavesThatOfOthers(t *testing.T) {
	guest, friend := &ears{}, &ears{}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxBytesPerClient = 30_000 })
	g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, guest.system()) })
	g.join(2, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, friend.system()) })
	g.run(60)
	i := g.enter(100)
	refused := g.server.Stats().Messages.Refused
	var want []string
	for n := range 10 * 60 {
		i.say(peer.FirstMessages, repeat(9, longChat(430))...)
		if n%40 == 20 {
			text := fmt.Sprint("friend ", n, strings.Repeat(" and more", 100))
			require.NoError(t, friend.send.SendTo(1, chat{Text: text}))
			want = append(want, text)
		}
		g.run(1)
		i.acknowledge()
	}
	for range 240 {
		g.run(1)
		i.acknowledge()
	}
	var got []string
	for _, m := range guest.heard {
		if m.From == 2 {
			got = append(got, m.Message.Text)
		}
	}
	assert.Greater(t, g.server.Stats().Messages.Refused, refused, "of the other's")
	assert.Equal(t, want, got)
}
