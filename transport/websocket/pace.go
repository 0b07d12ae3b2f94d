//go:build !js && !wasip1

package websocket

import (
	"sync"
	"sync/atomic"
)

// pace keeps peers from running ahead of the game: in each round a peer may queue as many datagrams
// as its share. A round ends when the game has read all datagrams that waited when it began to
// read. A peer that has used up its share is not read until then, so that a flood fills its
// sender's own buffers. Datagrams that arrive while the game reads wait for the next round, so at
// most twice the share of a peer waits.
type pace struct {
	round atomic.Uint64 // counts the rounds

	mu      sync.Mutex
	held    []*peer
	anyHeld atomic.Bool // held is not empty
}

// beginRound begins a round and wakes the held peers.
func (c *pace) beginRound() {
	c.round.Add(1)
	if !c.anyHeld.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range c.held {
		p.wake()
		c.held[i] = nil
	}
	c.held = c.held[:0]
	c.anyHeld.Store(false)
}

// hold registers p to be woken by the next round.
func (c *pace) hold(p *peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = append(c.held, p)
	c.anyHeld.Store(true)
}

// step counts one peer's datagrams in a round.
type step struct {
	round uint64
	count int
}

// await waits until p may queue one more datagram. It returns false if p is closed meanwhile.
func (c *pace) await(p *peer) bool {
	for !c.takeStep(p) {
		c.hold(p)
		if c.takeStep(p) { // a round began while p was being registered
			return true
		}
		select {
		case <-p.woken:
		case <-p.wire.ending:
			return false
		}
	}
	return true
}

func (c *pace) takeStep(p *peer) bool {
	if round := c.round.Load(); round != p.step.round {
		p.step = step{round: round}
	}
	if p.step.count >= p.share() {
		return false
	}
	p.step.count++
	return true
}
