package plugin_test

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/udp"
)

func logTo(b *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

// Only players may send to components.Server: a message from the server to itself would reach
// nobody.
func TestAServerHasNobodyToSendToAsServer(t *testing.T) {
	g := newGame(t)
	sender := plugin.NewSender[chat](g.world)
	before := g.server.Stats().Messages.Sent
	assert.ErrorContains(t, sender.Send(components.Server, chat{Text: "hello"}), "components.Server is for messages of players")
	require.Equal(t, before, g.server.Stats().Messages.Sent)
	require.NoError(t, sender.Send(components.Everyone, chat{Text: "hello"}))

	var m mouth
	h := newHosted(t, m.system()).play()
	assert.ErrorContains(t, m.tidings.Send(components.Server, tidings{Text: "hello"}), "components.Server is for messages of players")
	require.NoError(t, m.chat.Send(components.Server, chat{Text: "of the player"}))
	require.NoError(t, m.say.Send(components.Server, chat{Text: "of the player"}))
	h.run(2)
}

// leaver is a system whose Initialize is a method.
type leaver struct{}

func (leaver) open(w *ecs.World) func() { return func() { w.Query(ecs.All()) } }

// A method used as a system is logged by its name, without the suffix that the compiler adds.
func TestASystemOfAMethodHasItsName(t *testing.T) {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), TickPerUpdate: true})
	require.NoError(t, err)
	c.AddSystem(plugin.FixedMain, plugin.Func(leaver{}.open))
	w := ecs.NewWorld()
	w.NewEntity()
	c.Initialize(&w)
	assert.Contains(t, panicText(t, func() { c.Update(&w) }), "system plugin_test.leaver.open in FixedMain has left a query")
}

// An address that is in use is reported once, not by each layer.
func TestAnAddressThatIsTakenIsToldOnce(t *testing.T) {
	start := func() (*plugin.Server, error) {
		s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), Key: token.NewKey()})
		require.NoError(t, err)
		return s, s.Start(udp.Listener{Addr: "127.0.0.1:0"})
	}
	first, err := start()
	require.NoError(t, err)
	defer func() { assert.NoError(t, first.Stop()) }()
	second, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	err = second.Start(udp.Listener{Addr: first.Addrs()[0].String()})
	require.ErrorContains(t, err, "plugin: Start: udp: cannot listen at "+first.Addrs()[0].String())
	assert.Equal(t, 1, strings.Count(err.Error(), "listen at"), err)
}

// All mistakes of a config are reported at once.
func TestAllMistakesOfAConfigAreTold(t *testing.T) {
	names := func(err error, fields ...string) {
		t.Helper()
		for _, name := range fields {
			assert.ErrorContains(t, err, name)
		}
	}
	p := testProtocol()
	protocol.Input[walk](p)
	_, err := plugin.NewServer(plugin.ServerConfig{
		Protocol: p, Workers: -1, MaxClients: -1, MaxBytesPerClient: 1, MaxBytes: -1, MaxWorkPerClient: 1, SendEvery: -1,
	})
	names(err, "ServerConfig.Workers", "ServerConfig.MaxClients", "ServerConfig.MaxBytesPerClient", "ServerConfig.MaxBytes is",
		"ServerConfig.MaxWorkPerClient", "ServerConfig.SendEvery", "components.ControlledBy")
	_, err = plugin.NewServer(plugin.ServerConfig{Workers: -1, SendEvery: -1})
	names(err, "has no Protocol", "ServerConfig.Workers")

	_, err = plugin.NewClient(plugin.ClientConfig{
		Protocol: p, MaxBytes: 1, MaxEntities: -1, MaxWaitingBytes: -1, ExplainRollbacks: -1, MaxRollback: -1, SendEvery: -1,
		InputDelay: plugin.InputDelay{Min: -1},
	})
	names(err, "ClientConfig.MaxBytes", "ClientConfig.MaxEntities", "ClientConfig.MaxWaitingBytes", "ClientConfig.ExplainRollbacks",
		"ClientConfig.MaxRollback", "ClientConfig.SendEvery", "ClientConfig.InputDelay", "components.ControlledBy")
	_, err = plugin.NewClient(plugin.ClientConfig{MaxBytes: 1})
	names(err, "has no Protocol", "ClientConfig.MaxBytes")
}

// A server that runs and was never started logs that once; one that is started later does not.
func TestAServerThatIsNeverStartedSaysSo(t *testing.T) {
	for _, started := range []bool{false, true} {
		var log bytes.Buffer
		now := time.Unix(1_000_000, 0)
		s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), Clock: func() time.Time { return now }, Log: logTo(&log)})
		require.NoError(t, err)
		w := ecs.NewWorld()
		s.Initialize(&w)
		run := func(seconds int) {
			for range seconds * 60 {
				now = now.Add(time.Second / 60)
				s.Update(&w)
			}
		}
		run(3)
		require.Empty(t, log.String())
		if started {
			require.NoError(t, s.Start(memory.NewNetwork().Listener()))
			run(1)
			require.NoError(t, s.Stop())
		}
		run(20)
		want := 1
		if started {
			want = 0
		}
		assert.Equal(t, want, strings.Count(log.String(), "does not listen"), log.String())
	}
}

// A token of DevToken is only for this machine. Connect returns an error if such a token cannot
// work.
func TestADevTokenIsForThisMachine(t *testing.T) {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	tok, err := c.DevToken(netip.MustParseAddrPort("192.0.2.1:4000"), 1)
	require.NoError(t, err)
	err = c.Connect(udp.Dialer{}, tok)
	require.ErrorContains(t, err, "this token is of Client.DevToken, and 192.0.2.1:4000 is another machine")
	assert.ErrorContains(t, err, "ServerConfig.Key")
	assert.Equal(t, plugin.Disconnected, c.State())

	tok, err = c.DevToken(netip.MustParseAddrPort("127.0.0.1:4000"), 1)
	require.NoError(t, err)
	require.NoError(t, c.Connect(udp.Dialer{}, tok))
	c.Disconnect()
}

// An operator can read in the log which clients connect and disconnect, and why.
func TestAnOperatorReadsWhoComesAndLeaves(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Log = logTo(&log) })
	first, second := g.join(1), g.join(2)
	g.run(30)
	require.Equal(t, plugin.Connected, first.State())
	var addrs []string
	for _, c := range g.server.Clients() {
		addrs = append(addrs, c.Name)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	for i, line := range lines {
		assert.Contains(t, line, `level=INFO msg="a client has connected" client=`)
		assert.Contains(t, line, "address="+addrs[i])
	}
	log.Reset()
	first.Disconnect()
	g.run(30)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
	assert.Contains(t, log.String(), `level=INFO msg="a client has left" client=1 address=`)
	log.Reset()
	g.server.Disconnect(2, "no reason at all")
	g.run(30)
	require.Equal(t, plugin.Disconnected, second.State())
	assert.Contains(t, log.String(), `msg="a client has left" client=2 address=`)
	assert.Contains(t, log.String(), `reason="no reason at all"`)
}

// A packet that a client sends after the end of its connection does not count as malformed. The line
// is slow, so that the client goes on sending until it learns of the end.
func TestPacketsOfAnEndedConnectionAreNotMalformed(t *testing.T) {
	g := newGame(t)
	c := g.join(9)
	c.Disconnect()
	g.run(1)
	line := conditioner.Config{Latency: 40 * time.Millisecond}
	g.connectOver(conditioner.NewDialer(g.network.Dialer(), conditioner.Options{Send: line, Receive: line, Clock: g.clock}), c, 10)
	g.run(60)
	require.Equal(t, plugin.Connected, c.State())
	g.server.Disconnect(10, "no reason")
	g.run(60)
	require.Equal(t, plugin.Disconnected, c.State())
	dropped := map[string]uint64{}
	for _, d := range g.server.Stats().Dropped {
		dropped[d.Reason] += d.Count
	}
	assert.NotZero(t, dropped["no connection"])
	assert.Zero(t, dropped["bad form"])
}

// The log tells an operator why requests are refused by id or address, and how to fix it.
func TestRefusalsByIDAndAddressHaveAHint(t *testing.T) {
	layer, err := netcode.Listener{Over: []transport.Listener{memory.NewNetwork().Listener()}}.
		Listen(connection.ServerConfig{Game: "game", MaxClients: 1, Entropy: rand.Reader, Now: time.Unix(1, 0)})
	require.NoError(t, err)
	hints := map[string]string{}
	for _, d := range layer.AppendDropped(nil) {
		hints[d.Reason] = d.Hint
	}
	assert.Contains(t, hints["client connected"], "give each player an id of its own")
	assert.Contains(t, hints["token of other address"], "mint one for each attempt")
	require.NoError(t, layer.Close("", time.Unix(1, 0)))
}

// An input that is written after the inputs were read has no effect. That is logged once, but not
// for systems that change an input that FixedInput has written.
func TestAnInputThatIsWrittenTooLateIsLogged(t *testing.T) {
	writes := func(set plugin.Set, dx int8) func(*plugin.Client) {
		return func(c *plugin.Client) {
			c.AddSystem(set, plugin.Func(func(w *ecs.World) func() {
				mine := generic.NewFilter1[walk]().With(generic.T[components.Controlled]())
				return func() {
					for q := mine.Query(w); q.Next(); {
						q.Get().DX = dx
					}
				}
			}))
		}
	}
	for _, c := range []struct {
		name    string
		want    int
		systems []func(*plugin.Client)
	}{
		{"nothing", 0, nil},
		{"in FixedInput", 0, []func(*plugin.Client){walks}},
		{"in both", 0, []func(*plugin.Client){writes(plugin.FixedInput, 7), writes(plugin.FixedMain, 0)}},
		{"in FixedMain", 1, []func(*plugin.Client){writes(plugin.FixedMain, 7)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			g := newWalkedGame(t)
			client, err := plugin.NewClient(plugin.ClientConfig{Protocol: walkedProtocol(), Clock: g.clock, Log: logTo(&log)})
			require.NoError(t, err)
			for _, add := range c.systems {
				add(client)
			}
			w := ecs.NewWorld()
			client.Initialize(&w)
			p := &player{Client: client, world: &w}
			g.clients = append(g.clients, p)
			g.connect(p, 1)
			g.walker(1)
			g.run(180)
			require.Equal(t, plugin.Connected, client.State())
			assert.Equal(t, c.want, strings.Count(log.String(), "an input is written in FixedMain"), log.String())
			if c.want > 0 {
				assert.Contains(t, log.String(), "input=plugin_test.walk")
			}
		})
	}
}
