package input

import "errors"

var (
	// ErrType is a type of input that the protocol does not have.
	ErrType = errors.New("input: no such type")
	// ErrTicks is more ticks of a lane than a frame may have.
	ErrTicks = errors.New("input: too many ticks")
	// ErrDistance is a tick too far from that of the packet.
	ErrDistance = errors.New("input: tick too far away")
	// ErrRun is a run that goes beyond the ticks of its lane.
	ErrRun = errors.New("input: run too long")
	// ErrHole is a lane whose newest tick has nothing.
	ErrHole = errors.New("input: newest tick is a hole")
)
