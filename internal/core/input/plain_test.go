package input_test

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// word is the content of a tick: a value, no input, or a hole.
type word struct {
	kind byte // 'v', 'n' or 'h'
	hands
}

func val(h hands) word { return word{'v', h} }

var (
	nothing = word{kind: 'h'}
	no      = word{kind: 'n'}
)

// plainStream is a simple model of a stream in a frame.
type plainStream struct {
	typ, name int
	epoch     int
	newest    entangle.Tick
	words     []word // newest first
}

// plainScreens is a simple model of the screens in a frame.
type plainScreens struct {
	newest entangle.Tick
	of     []timesync.Screen // newest first; all with the same intervals
	late   []timesync.LateFrame
}

// lateFrames returns two late frames, of which the screen was screenAt of a tick or an earlier one.
func lateFrames(tick entangle.Tick) []timesync.LateFrame {
	early := *screenAt(tick)
	early.Base -= 300
	return []timesync.LateFrame{{Screen: early, Newest: 15, Later: 5}, {Screen: *screenAt(tick), Newest: 65535, Overtaken: 8}}
}

// screenAt returns a screen that shows entities of interval 1 20 ticks and 3/256 before a tick, and those of
// interval 6 ten ticks earlier.
func screenAt(tick entangle.Tick) *timesync.Screen {
	s := timesync.Screen{Base: timesync.ShownAt(tick-20, 253), Packets: 1}
	s.Intervals.Add(1)
	s.Intervals.Add(6)
	s.Behind[0], s.Behind[1] = 256, 256+10*256
	return &s
}

// plainFrame writes a frame by hand, as docs/PROTOCOL.md describes it.
func plainFrame(header entangle.Tick, shown *plainScreens, streams ...plainStream) []byte {
	var w bits.Writer
	if shown == nil {
		w.Uvarint(0)
	} else {
		shown.append(&w, header)
	}
	for i, l := range streams {
		if i > 0 {
			w.Bool(true)
		}
		w.Uvarint(uint64(l.typ))
		w.Uvarint(uint64(l.name))
		w.Bits(uint64(l.epoch), 3)
		w.Varint(int64(l.newest.Sub(header)))
		w.Uvarint(uint64(len(l.words) - 1))
		l.appendWords(&w)
	}
	w.Bool(false)
	return w.Finish()
}

func (p *plainScreens) append(w *bits.Writer, header entangle.Tick) {
	first := &p.of[0]
	w.Uvarint(uint64(len(p.of)))
	w.Varint(int64(p.newest.Sub(header)))
	w.Varint(int64(header.Sub(first.Base.Tick())))
	w.Bits(uint64(first.Base.Fraction()), 8)
	n := first.Intervals.Len()
	w.Uvarint(uint64(n))
	for i := range n {
		w.Uvarint(uint64(first.Intervals.At(i)) - 1)
		w.Varint(int64(first.Behind[i]))
	}
	if w.Bool(len(p.late) > 0); len(p.late) > 0 {
		w.Bits(uint64(len(p.late)-1), 5)
	}
	for _, f := range p.late {
		w.Uvarint(uint64(first.Base - f.Screen.Base))
		appendBehind(w, first, &f.Screen)
		w.Bits(uint64(f.Newest), 16)
		w.Uvarint(uint64(f.Later))
		if w.Bool(f.Overtaken != 0); f.Overtaken != 0 {
			w.Uvarint(uint64(f.Overtaken))
		}
	}
	same := 0
	for i := 1; i < len(p.of); i++ {
		same++
		later, earlier := &p.of[i-1], &p.of[i]
		w.Bool(*later != *earlier)
		if *later == *earlier {
			continue
		}
		switch by := int64(later.Base-earlier.Base) - int64(same*256); {
		case by >= -8 && by <= 7:
			w.Bool(false)
			w.Bits(uint64(by+8), 4)
		case by >= -96 && by <= 159:
			w.Bool(true)
			w.Bool(false)
			w.Bits(uint64(by+96), 8)
		default:
			w.Bool(true)
			w.Bool(true)
			w.Varint(by)
		}
		appendBehind(w, later, earlier)
		same = 0
	}
}

// appendBehind writes by how much the distances from the base change.
func appendBehind(w *bits.Writer, later, earlier *timesync.Screen) {
	n := later.Intervals.Len()
	if n > 0 {
		w.Bool(later.Behind != earlier.Behind)
	}
	for i := range n {
		if later.Behind == earlier.Behind {
			break
		}
		w.Bool(later.Behind[i] != earlier.Behind[i])
		if by := earlier.Behind[i] - later.Behind[i]; by != 0 {
			w.Varint(int64(by))
		}
	}
}

func (l *plainStream) appendWords(w *bits.Writer) {
	for words := l.words; len(words) > 0; {
		switch words[0].kind {
		case 'v':
			w.Bool(true)
			codec{}.Encode(w, words[0].bytes())
		case 'n':
			w.Bits(0, 2)
		case 'h':
			w.Bits(2, 2)
		}
		run := slices.IndexFunc(words, func(other word) bool { return other != words[0] })
		if run < 0 {
			run = len(words)
		}
		plainRun(w, run, len(words))
		words = words[run:]
	}
}

// plainRun writes the length of a run as powers of two: a zero for each that still fits into run,
// and then a one unless the next would not fit into the rest either.
func plainRun(w *bits.Writer, run, rest int) {
	power, n := 1, uint(0)
	for ; power*2 <= run; power *= 2 {
		w.Bool(false)
		n++
	}
	if power*2 <= rest {
		w.Bool(true)
	}
	w.Bits(uint64(run-power), n)
}

// read reads a frame of one type into one stream, ignoring its network id.
func read(frame []byte, header entangle.Tick, stream *input.Reader) (brought []input.Received, err error) {
	var f input.Frame
	f.Open(frame, header, 1, 1)
	for f.Next() {
		f.Bits().Uvarint()
		brought = append(brought, f.Put(stream))
	}
	return brought, f.Err()
}

func newReader(now entangle.Tick) *input.Reader {
	return input.NewReader(input.ReaderConfig{Codec: codec{}, TickRate: 60}, now)
}

func newFollower(now entangle.Tick) *input.Reader {
	return input.NewReader(input.ReaderConfig{Codec: codec{}, TickRate: 60, Late: true}, now)
}
