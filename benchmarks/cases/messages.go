package cases

import (
	"bytes"
	"encoding/gob"
	"errors"
	"reflect"

	"github.com/kelindar/binary"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The case messages encodes and decodes one message with text and a slice. It has no limit and no
// goal. In place of the limit there are kelindar/binary and encoding/gob, and the field sizes has
// their bytes. A gob stream describes its types once; its line is for the messages after that.
func MessageVariants() []report.Variant {
	return []report.Variant{
		{Name: "messages/kelindar", Prepare: func() (report.Sides, error) { return messageSides(kelindarCodec) }},
		{Name: "messages/gob", Prepare: func() (report.Sides, error) { return messageSides(gobCodec) }},
	}
}

// messageOrder is a message that a strategy game may send: a text, numbers, points.
type messageOrder struct {
	Unit   uint32
	Kind   uint8 `net:"range=0..9"`
	Queued bool
	Note   string
	Points []messagePoint
}

type messagePoint struct {
	X float32 `net:"range=-512..512,step=0.01"`
	Y float32 `net:"range=-512..512,step=0.01"`
}

func newMessageOrder() messageOrder {
	m := messageOrder{Unit: 4711, Kind: 3, Queued: true, Note: "take the long way around"}
	for i := range 8 {
		m.Points = append(m.Points, messagePoint{float32(i) * 16, -float32(i) * 8})
	}
	return m
}

// messageCodec sends a message through another encoding and returns its bytes.
type messageCodec func(in, out *messageOrder) (int, error)

func messageSides(other func() messageCodec) (report.Sides, error) {
	plan, err := wire.ValuePlan[messageOrder]()
	if err != nil {
		return report.Sides{}, err
	}
	in, theirs := newMessageOrder(), other()
	var outOurs, outTheirs messageOrder
	var failed error
	var n, nTheirs int
	s := report.Sides{
		Ours:  ourMessage(plan, &in, &outOurs, &n, &failed),
		Limit: func() { nTheirs, failed = keep(failed, theirs, &in, &outTheirs) },
		Bytes: func() int { return n },
		Sizes: func() map[string]int { return map[string]int{"other": nTheirs} },
		Verify: func() error {
			if failed == nil && !(reflect.DeepEqual(in, outOurs) && reflect.DeepEqual(in, outTheirs)) {
				return errors.New("a message came out as another one")
			}
			return failed
		},
	}
	return s, nil
}

func keep(failed error, codec messageCodec, in, out *messageOrder) (int, error) {
	n, err := codec(in, out)
	return n, errors.Join(failed, err)
}

func ourMessage(plan *wire.Plan, in, out *messageOrder, n *int, failed *error) func() {
	var w bits.Writer
	var r bits.Reader
	buf := make([]byte, 0, 1024)
	return func() {
		w.Reset(buf)
		if err := wire.EncodeValue(plan, &w, in, nil); err != nil {
			*failed = err
			return
		}
		data := w.Finish()
		*n = len(data)
		r.Reset(data)
		if err := wire.DecodeValue(plan, &r, out, nil); err != nil {
			*failed = err
		}
	}
}

func kelindarCodec() messageCodec {
	var buf bytes.Buffer
	return func(in, out *messageOrder) (int, error) {
		buf.Reset()
		if err := binary.MarshalTo(in, &buf); err != nil {
			return 0, err
		}
		n := buf.Len()
		return n, binary.Unmarshal(buf.Bytes(), out)
	}
}

func gobCodec() messageCodec {
	var stream bytes.Buffer
	enc, dec := gob.NewEncoder(&stream), gob.NewDecoder(&stream)
	return func(in, out *messageOrder) (int, error) {
		*out = messageOrder{}
		if err := enc.Encode(in); err != nil {
			return 0, err
		}
		n := stream.Len()
		return n, dec.Decode(out)
	}
}
