package input

import "errors"

var (
	// ErrType: the protocol has no such type of input.
	ErrType = errors.New("input: no such type")
	// ErrTicks: more ticks of a stream than a frame may have.
	ErrTicks = errors.New("input: too many ticks")
	// ErrDistance: a tick too far from the tick of the packet.
	ErrDistance = errors.New("input: tick too far away")
	// ErrRun: a run beyond the ticks of its stream.
	ErrRun = errors.New("input: run too long")
	// ErrHole: a stream with a hole as its newest tick.
	ErrHole = errors.New("input: newest tick is a hole")
)
