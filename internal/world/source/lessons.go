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

// lessons is what a publisher learns of the components whose differences have codes of their
// own. It goes by values that all peers may see, and by how they differ from what they were a
// fixed time before, not by what peers are sent: that depends on where each peer stands.
type lessons struct {
	Comps   []lesson          // by rising number
	Codes   []*stepcode.Codes // by component number: of the newest version
	samples []sender.Sample
	turn    int // whose component it is
	Next    entangle.Tick
	Begun   bool // next is known
	w       [2]bits.Writer
	buf     [2][]byte
}

// lesson is what is learned of one component.
type lesson struct {
	Of    sender.Sampler
	tally wire.StepCounter
	codes *stepcode.Codes // those to come
}

const (
	// studied is how many values are taken in in each tick, at most.
	studied = 32
	// studyTicks is about how old the bases are that most differences start from.
	studyTicks = 6
	// FirstLook is for how many ticks values are taken in before there are codes, and again
	// if those were not worth it; laterLook is how many lie between two versions.
	FirstLook, LaterLook = 128, 512
)

func newLessons(p *refs.Past) (l lessons) {
	for c := p.Coded.Next(0); c >= 0; c = p.Coded.Next(c + 1) {
		l.Comps = append(l.Comps, lesson{Of: sender.Sampler{Comp: c}})
	}
	if len(l.Comps) > 0 {
		l.Codes = make([]*stepcode.Codes, len(p.Of))
	}
	return l
}

// CodesOf returns the codes of a component at a place.
func (l *lessons) CodesOf(comp int, at uint8) *stepcode.Codes {
	if at == 0 {
		return nil
	}
	return l.Codes[comp]
}

var _ sender.Learner = (*Publisher)(nil)

// Learns implements sender.Learner.
func (p *Publisher) Learns() bool { return p.past.Learns() }

// study takes in some of what changed in a tick, and makes codes of it now and then. While
// nobody is there nothing is learned: it would be forgotten first.
func (p *Publisher) study(tick entangle.Tick) {
	l := &p.Lessons
	if len(l.Comps) == 0 || p.Sender.Peers() == p.localPlayers() {
		return
	}
	if !l.Begun {
		l.Begun, l.Next = true, tick+FirstLook
	}
	l.turn = (l.turn + 1) % len(l.Comps)
	if of := &l.Comps[l.turn]; p.Plans[of.Of.Comp] != nil {
		p.sample(of, tick)
	}
	if tick.Before(l.Next) {
		return
	}
	l.Next = tick + FirstLook
	if l.derive() {
		l.Next = tick + LaterLook
		p.Sender.Learn(l.tables())
	}
}

// sample takes in some values of one component.
func (p *Publisher) sample(of *lesson, tick entangle.Tick) {
	lag := p.studyTicks()
	older := lag
	if p.past.Moving.Has(of.Of.Comp) && 2*lag <= repl.MaxApart {
		older = 2 * lag
	}
	if lag > repl.MaxApart {
		return // no base is so near that anything differs from it
	}
	l, trail := &p.Lessons, p.past.Trail(of.Of.Comp)
	l.samples = of.Of.Next(l.samples[:0], p.Sender, studied, tick-lag, tick-older)
	for _, s := range l.samples {
		if s.Begins {
			*trail = stepcode.Trail{}
		}
		if _, _, ok := p.past.Find(s.Slot, of.Of.Comp, tick, repl.From{Base: tick - lag, Apart: uint8(older - lag)}); ok {
			of.tally.Add(p.Plans[of.Of.Comp], &p.past.Bases, p.valueOf(s.Slot, of.Of.Comp))
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
	for i := range l.Comps {
		of := &l.Comps[i]
		of.codes = l.Codes[of.Of.Comp]
		if next := of.tally.Derive(of.codes, stepcode.MaxBooks/len(l.Comps)); next != nil {
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
	for i := range l.Comps {
		of := &l.Comps[i]
		AppendCodes(&l.w[0], of.codes, nil)
		AppendCodes(&l.w[1], of.codes, l.Codes[of.Of.Comp])
		l.Codes[of.Of.Comp] = of.codes
	}
	for i := range l.w {
		l.buf[i] = l.w[i].Finish()
	}
	return l.buf[0], l.buf[1]
}

// AppendCodes writes the codes of one component in a table, or that they are what they were.
func AppendCodes(w *bits.Writer, codes, before *stepcode.Codes) {
	w.Bool(codes != before)
	if codes != before {
		codes.Append(w, before)
	}
}
