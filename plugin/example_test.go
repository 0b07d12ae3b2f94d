package plugin_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// Score is a component.
type Score struct{ Points int32 }

// Cheer is a message.
type Cheer struct{ Text string }

// A server and a client run in one process. Each is stepped by hand with a time that the example
// chooses. A game calls Update instead, or lets Run do it.
func Example() {
	shared := func() *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "example", TickRate: 20})
		protocol.Component[Score](p)
		protocol.Message[Cheer](p)
		return p
	}
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: shared()})
	if err != nil {
		fmt.Println(err)
		return
	}
	server.AddSystem(plugin.AfterReceive, plugin.Func(cheering))

	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: shared()})
	if err != nil {
		fmt.Println(err)
		return
	}
	client.AddSystem(plugin.AfterReceive, plugin.Func(watching))

	serverWorld, clientWorld := ecs.NewWorld(), ecs.NewWorld()
	server.Initialize(&serverWorld)
	client.Initialize(&clientWorld)
	spawn := generic.NewMap2[Score, components.Replicate](&serverWorld)
	spawn.NewWith(&Score{Points: 7}, &components.Replicate{})

	network := memory.NewNetwork()
	if err := server.Start(network.Listener()); err != nil {
		fmt.Println(err)
		return
	}
	token, err := client.DevToken(server.Addrs()[0], 1) // for development on one machine
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := client.Connect(network.Dialer(), token); err != nil {
		fmt.Println(err)
		return
	}
	for now, end := time.Now(), time.Now().Add(2*time.Second); now.Before(end); now = now.Add(time.Second / 20) {
		server.Step(now)
		client.Step(now)
	}
	if err := server.Stop(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// the server sees client 1
	// an entity with 7 points has arrived
	// the server says hello
}

// A client decides by the cause of a disconnect what to do. The event is also raised if an attempt
// to connect has failed.
func ExampleClientDisconnected() {
	decide := func(e plugin.ClientDisconnected) string {
		switch {
		case errors.Is(e.Err, plugin.ErrLeft):
			return "back to the menu"
		case errors.Is(e.Err, plugin.ErrKicked):
			return "show the player: " + e.Err.Error()
		case errors.Is(e.Err, plugin.ErrProtocolMismatch):
			return "ask the player to update the game"
		case errors.Is(e.Err, plugin.ErrServerFull):
			return "look for another server"
		}
		return "connect again"
	}
	ended := func(w *ecs.World) func() {
		events := plugin.NewReader[plugin.ClientDisconnected](w)
		return func() {
			for _, e := range events.Read() {
				fmt.Println(decide(e))
			}
		}
	}
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: protocol.New(protocol.Config{Name: "example"})})
	if err != nil {
		fmt.Println(err)
		return
	}
	client.AddSystem(plugin.AfterReceive, plugin.Func(ended))
	world := ecs.NewWorld()
	client.Initialize(&world)
	network := memory.NewNetwork()
	token, err := client.DevToken(network.Listener().Addr(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := client.Connect(network.Dialer(), token); err != nil {
		fmt.Println(err)
		return
	}
	client.Disconnect()
	client.Update(&world)
	// Output:
	// back to the menu
}

// cheering is a system of the server: it sends a message to each new client.
func cheering(w *ecs.World) func() {
	connected, cheers := plugin.NewReader[plugin.ClientConnected](w), plugin.NewSender[Cheer](w)
	return func() {
		for _, event := range connected.Read() {
			fmt.Println("the server sees client", event.Client)
			if err := cheers.SendTo(event.Client, Cheer{Text: "hello"}); err != nil {
				fmt.Println(err)
			}
		}
	}
}

// watching is a system of the client: it prints arriving entities and messages.
func watching(w *ecs.World) func() {
	spawned, cheers := plugin.NewReader[plugin.EntitySpawned](w), plugin.NewReader[plugin.MessageReceived[Cheer]](w)
	scores := generic.NewMap1[Score](w)
	return func() {
		for _, event := range spawned.Read() {
			fmt.Println("an entity with", scores.Get(event.Entity).Points, "points has arrived")
		}
		for _, event := range cheers.Read() {
			fmt.Println("the server says", event.Message.Text)
		}
	}
}
