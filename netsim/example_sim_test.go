package netsim_test

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// This example runs a server and a client over a link that loses every fifth packet. In a test, New
// takes the *testing.T; outside of one, Try makes a T, and returns the failure as an error.
func Example() {
	err := netsim.Try("balloons", func(t *netsim.Trial) {
		link := conditioner.Config{Latency: 80 * time.Millisecond, Loss: 0.2}
		sim := netsim.New(t, netsim.Config{Seed: 1, Link: netsim.Symmetric(link)})
		server, err := newBalloonServer(sim.ServerConfig(balloonProtocol()))
		if err != nil {
			t.Fatalf("%v", err)
		}
		sim.AddServer(server, server)
		client, err := plugin.NewClient(sim.ClientConfig(balloonProtocol()))
		if err != nil {
			t.Fatalf("%v", err)
		}
		peer := sim.AddClient(1, client, client)
		fmt.Println("connected:", sim.RunUntil(5*time.Second, peer.Connected))

		peer.Cut() // no more packets arrive
		sim.Run(time.Second)
		peer.Restore()
		sim.Run(10 * time.Second)

		sim.ExpectEqual() // fails the test if a client's world differs from the server's
		balloons := generic.NewFilter1[balloon]()
		for q := balloons.Query(peer.World()); q.Next(); {
			fmt.Println("height at the client:", q.Get().Height)
		}
	})
	fmt.Println("failure:", err)
	// Output:
	// connected: true
	// height at the client: 100
	// failure: <nil>
}
