package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// serverSide is the server as a node.
type serverSide struct {
	*serverGame
	addr netip.AddrPort
}

// newServerSide returns a server that is listening.
func newServerSide(s *settings) (*serverSide, error) {
	key, err := s.Secret()
	if err != nil {
		return nil, err
	}
	addr, err := s.address()
	if err != nil {
		return nil, err
	}
	game, err := newServerGame(plugin.ServerConfig{Protocol: newProtocol(), Key: key}, rules{dots: s.Dots, seed: s.Seed})
	if err != nil {
		return nil, err
	}
	err = game.Start(udp.Listener{Addr: addr.String()})
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("the port of %v is taken: end what listens there, or choose another with -addr (%w)", addr, err)
	}
	if err != nil {
		return nil, err
	}
	game.realm.interpolate = s.Interpolate
	return &serverSide{serverGame: game, addr: game.Addrs()[0]}, nil
}

func (s *serverSide) obey(o order) error {
	if o.Still != nil {
		s.realm.still = *o.Still
	}
	if o.Interpolate != nil {
		s.realm.interpolate = *o.Interpolate
	}
	return nil
}

func (s *serverSide) describe(r *report) {
	r.Addr, r.State, r.Tick = s.addr.String(), s.State().String(), s.Tick()
	r.Still, r.Eaten = s.realm.still, s.realm.eaten
	for _, c := range s.Clients() {
		r.Links = append(r.Links, link{
			Client: c.ID, RTT: milliseconds(c.RTT), Loss: c.Loss,
			Inputs: inputs{InTime: c.InputsInTime, Late: c.InputsLate, Missing: c.InputsMissing},
		})
	}
	slices.SortFunc(r.Links, func(a, b link) int { return cmp.Compare(a.Client, b.Client) })
	stats := s.Stats()
	r.Sent, r.Received = stats.BytesOut, stats.BytesIn
}

func (s *serverSide) failed() error { return s.Err() }
