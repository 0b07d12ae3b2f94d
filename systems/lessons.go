package systems

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// lessons is what a publisher learns of the components whose differences have codes of their
// own. It goes by values that all peers may see, and by how they differ from what they were a
// fixed time before, not by what peers are sent: that depends on where each peer stands.
type lessons struct {
	comps   []lesson          // by rising number
	codes   []*protocol.Codes // by component number: of the newest version
	samples []sender.Sample
	turn    int // whose component it is
	next    entangle.Tick
	begun   bool // next is known
	w       [2]bits.Writer
	buf     [2][]byte
}

// lesson is what is learned of one component.
type lesson struct {
	of    sender.Sampler
	tally protocol.Tally
	codes *protocol.Codes // those to come
}

const (
	// studied is how many values are taken in in each tick, at most.
	studied = 32
	// studyTicks is about how old the bases are that most differences start from.
	studyTicks = 6
	// firstLook is for how many ticks values are taken in before there are codes, and again
	// if those were not worth it; laterLook is how many lie between two versions.
	firstLook, laterLook = 128, 512
)

func newLessons(p *past) (l lessons) {
	for c := p.coded.Next(0); c >= 0; c = p.coded.Next(c + 1) {
		l.comps = append(l.comps, lesson{of: sender.Sampler{Comp: c}})
	}
	if len(l.comps) > 0 {
		l.codes = make([]*protocol.Codes, len(p.of))
	}
	return l
}

// codesOf returns the codes of a component at a place.
func (l *lessons) codesOf(comp int, at uint8) *protocol.Codes {
	if at == 0 {
		return nil
	}
	return l.codes[comp]
}

var _ sender.Learner = (*Publisher)(nil)

// Learns implements sender.Learner.
func (p *Publisher) Learns() bool { return p.past.learns() }

// study takes in some of what changed in a tick, and makes codes of it now and then. While
// nobody is there nothing is learned: it would be forgotten first.
func (p *Publisher) study(tick entangle.Tick) {
	l := &p.lessons
	if len(l.comps) == 0 || p.world.Peers() == p.localPlayers() {
		return
	}
	if !l.begun {
		l.begun, l.next = true, tick+firstLook
	}
	l.turn = (l.turn + 1) % len(l.comps)
	if of := &l.comps[l.turn]; p.plans[of.of.Comp] != nil {
		p.sample(of, tick)
	}
	if tick.Before(l.next) {
		return
	}
	l.next = tick + firstLook
	if l.derive() {
		l.next = tick + laterLook
		p.world.Learn(l.tables())
	}
}

// sample takes in some values of one component.
func (p *Publisher) sample(of *lesson, tick entangle.Tick) {
	lag := p.studyTicks()
	older := lag
	if p.past.moving.Has(of.of.Comp) && 2*lag <= repl.MaxApart {
		older = 2 * lag
	}
	if lag > repl.MaxApart {
		return // no base is so near that anything differs from it
	}
	l, trail := &p.lessons, p.past.trail(of.of.Comp)
	l.samples = of.of.Next(l.samples[:0], p.world, studied, tick-lag, tick-older)
	for _, s := range l.samples {
		if s.Begins {
			*trail = protocol.Trail{}
		}
		if _, _, ok := p.past.find(s.Slot, of.of.Comp, tick, repl.From{Base: tick - lag, Apart: uint8(older - lag)}); ok {
			of.tally.Add(p.plans[of.of.Comp], &p.past.bases, p.valueOf(s.Slot, of.of.Comp))
		}
	}
}

// studyTicks is how far back a base is that is observed.
func (p *Publisher) studyTicks() entangle.Tick {
	stride := entangle.Tick(p.Stride())
	return (studyTicks + stride - 1) / stride * stride
}

// derive makes new codes, and reports whether there are any.
func (l *lessons) derive() (some bool) {
	for i := range l.comps {
		of := &l.comps[i]
		of.codes = l.codes[of.of.Comp]
		if next := of.tally.Derive(of.codes, protocol.MaxBooks/len(l.comps)); next != nil {
			of.codes, some = next, true
		}
	}
	return some
}

// tables begins a new version, and returns the table of all its codes, and of those that are
// not as in the version before.
func (l *lessons) tables() (whole, over []byte) {
	for i := range l.w {
		l.w[i].Reset(l.buf[i][:0])
	}
	for i := range l.comps {
		of := &l.comps[i]
		appendCodes(&l.w[0], of.codes, nil)
		appendCodes(&l.w[1], of.codes, l.codes[of.of.Comp])
		l.codes[of.of.Comp] = of.codes
	}
	for i := range l.w {
		l.buf[i] = l.w[i].Finish()
	}
	return l.buf[0], l.buf[1]
}

// appendCodes writes the codes of one component in a table, or that they are what they were.
func appendCodes(w *bits.Writer, codes, before *protocol.Codes) {
	w.Bool(codes != before)
	if codes != before {
		codes.Append(w, before)
	}
}
