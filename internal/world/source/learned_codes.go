package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// learnedCodes learns codes for the differences of components. It samples values that all peers may
// see, and how they differ from the values a fixed time before. It does not sample what peers are
// sent, because that depends on the baseline of each peer.
type learnedCodes struct {
	Comps   []componentCodes  // by rising number
	Codes   []*stepcode.Codes // by component number: of the newest version
	samples []sender.Sample
	sampled int // index of the component that was sampled last
	Next    entangle.Tick
	Begun   bool // next is known
	writers [2]bits.Writer
	buf     [2][]byte
}

// componentCodes are the codes of one component.
type componentCodes struct {
	Sampler sender.Sampler
	counter wire.StepCounter
	next    *stepcode.Codes // of the version that is being made
}

const (
	// samplesPerTick is the maximum number of values sampled in a tick.
	samplesPerTick = 32
	// sampleLag is the approximate age, in ticks, of the baseline of most differences.
	sampleLag = 6
	// FirstVersionTicks is for how many ticks values are sampled before the first version of the
	// codes, and before each retry if that was not worth it. VersionTicks lie between two versions.
	FirstVersionTicks, VersionTicks = 128, 512
)

func newLearnedCodes(p *refs.Past) (l learnedCodes) {
	for c := p.Coded.Next(0); c >= 0; c = p.Coded.Next(c + 1) {
		l.Comps = append(l.Comps, componentCodes{Sampler: sender.Sampler{Comp: c}})
	}
	if len(l.Comps) > 0 {
		l.Codes = make([]*stepcode.Codes, len(p.Of))
	}
	return l
}

// CodesOf returns the codes of a component at a place.
func (l *learnedCodes) CodesOf(comp int, at uint8) *stepcode.Codes {
	if at == 0 {
		return nil
	}
	return l.Codes[comp]
}

var _ sender.Learner = (*Collector)(nil)

// Learns implements sender.Learner.
func (c *Collector) Learns() bool { return c.history.Learns() }

// learnCodes samples some of the changes of a tick, and makes codes of the samples now and then.
// Without remote clients it does nothing.
func (c *Collector) learnCodes(tick entangle.Tick) {
	l := &c.Learned
	if len(l.Comps) == 0 || c.Sender.Peers() == c.Visibility.localPlayers() {
		return
	}
	if !l.Begun {
		l.Begun, l.Next = true, tick+FirstVersionTicks
	}
	l.sampled = (l.sampled + 1) % len(l.Comps)
	c.sampleComponent(&l.Comps[l.sampled], tick)
	if tick.Before(l.Next) {
		return
	}
	l.Next = tick + FirstVersionTicks
	if l.deriveCodes() {
		l.Next = tick + VersionTicks
		c.Sender.Learn(l.appendTables())
	}
}

// sampleComponent samples some values of one component.
func (c *Collector) sampleComponent(of *componentCodes, tick entangle.Tick) {
	lag := c.sampleLag()
	older := lag
	if c.history.Moving.Has(of.Sampler.Comp) && 2*lag <= repl.MaxApart {
		older = 2 * lag
	}
	if lag > repl.MaxApart {
		return // no baseline is near enough to send differences from it
	}
	l, trail := &c.Learned, c.history.Trail(of.Sampler.Comp)
	l.samples = of.Sampler.Next(l.samples[:0], c.Sender, samplesPerTick, tick-lag, tick-older)
	for _, s := range l.samples {
		if s.Begins {
			*trail = stepcode.Trail{}
		}
		if _, _, ok := c.history.Find(s.Slot, of.Sampler.Comp, tick, repl.From{Base: tick - lag, Apart: uint8(older - lag)}); ok {
			of.counter.Add(c.Sent.Plans[of.Sampler.Comp], &c.history.Bases, c.valueOf(s.Slot, of.Sampler.Comp))
		}
	}
}

// sampleLag returns the age of the baseline of the samples, a multiple of the stride.
func (c *Collector) sampleLag() entangle.Tick {
	stride := entangle.Tick(c.Stride())
	return (sampleLag + stride - 1) / stride * stride
}

// deriveCodes makes new codes, and reports whether there are any.
func (l *learnedCodes) deriveCodes() (some bool) {
	for i := range l.Comps {
		of := &l.Comps[i]
		of.next = l.Codes[of.Sampler.Comp]
		if next := of.counter.Derive(of.next, stepcode.MaxBooks/len(l.Comps)); next != nil {
			of.next, some = next, true
		}
	}
	return some
}

// appendTables begins a new version, and returns the table of all its codes, and of those that
// differ from the version before.
func (l *learnedCodes) appendTables() (whole, over []byte) {
	for i := range l.writers {
		l.writers[i].Reset(l.buf[i][:0])
	}
	for i := range l.Comps {
		of := &l.Comps[i]
		AppendCodes(&l.writers[0], of.next, nil)
		AppendCodes(&l.writers[1], of.next, l.Codes[of.Sampler.Comp])
		l.Codes[of.Sampler.Comp] = of.next
	}
	for i := range l.writers {
		l.buf[i] = l.writers[i].Finish()
	}
	return l.buf[0], l.buf[1]
}

// AppendCodes writes the codes of one component in a table, or that they are the same as before.
func AppendCodes(w *bits.Writer, codes, before *stepcode.Codes) {
	w.Bool(codes != before)
	if codes != before {
		codes.Append(w, before)
	}
}
