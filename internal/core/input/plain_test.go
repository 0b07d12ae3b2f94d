package input_test

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
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

// plainFrame writes a frame by hand, as docs/PROTOCOL.md describes it.
func plainFrame(header entangle.Tick, shown *input.Shown, streams ...plainStream) []byte {
	var w bits.Writer
	w.Bool(shown != nil)
	if shown != nil {
		w.Uvarint(uint64(header - shown.Tick))
		w.Bits(uint64(shown.Fraction), 8)
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
	f.Open(frame, header, 1)
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
