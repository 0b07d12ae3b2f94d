package sender

import "github.com/entangle-ecs/entangle/internal/core/repl/schedule"

// Prepare plans and encodes the updates of this tick. If the last limit had no room for all due updates, it leaves the encoding
// to Limit, which knows how much room there is now. Neither may run for two peers of a world at once. AppendUpdates may,
// after all peers have been prepared and have their limits; it prepares a peer that is not.
func (p *Peer) Prepare() {
	p.plan.Prepare(p.updates.lossy())
}

// Limit bounds the bytes that AppendUpdates writes in this tick. A negative number means no limit. Call it after Prepare and
// before AppendUpdates. If not even the most urgent update fits, it is sent alone and exceeds the limit, unless the limit
// is 0: the caller subtracts the excess from its byte budget.
func (p *Peer) Limit(bytes int) { p.plan.Limit(bytes) }

// WantedBytes returns about how many bytes all due updates of this tick take. Call it after Prepare. If the last limit had no
// room for all of them, it is an estimate from the sizes of recent updates. Otherwise it is not less than what
// AppendUpdates writes into packets without other contents.
func (p *Peer) WantedBytes() int { return p.plan.WantedBytes() }

// Meter sets whether waiting times are stored (group/wait.go). Peers with a byte cap need them.
func (p *Peer) Meter(on bool) { p.plan.Meter(on) }

// PollBreach returns a report of groups that wait for longer than their bound. Call it after the packets of a tick until
// ok is false. Each bound is reported at most once in 60 ticks.
func (p *Peer) PollBreach() (b schedule.Breach, ok bool) { return p.plan.PollBreach() }
