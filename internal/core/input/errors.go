package input

import "errors"

var (
	// ErrType means that the protocol has no such type of input.
	ErrType = errors.New("input: no such type")
	// ErrTicks means that a stream has more ticks than a frame may have.
	ErrTicks = errors.New("input: too many ticks")
	// ErrDistance means that a tick is too far from the tick of the packet.
	ErrDistance = errors.New("input: tick too far away")
	// ErrIntervals means that a frame has too many timelines, or one with an invalid send interval.
	ErrIntervals = errors.New("input: no such timelines")
	// ErrRun means that a run is longer than the rest of its stream.
	ErrRun = errors.New("input: run too long")
	// ErrHole means that the newest tick of a stream is a hole.
	ErrHole = errors.New("input: newest tick is a hole")
)
