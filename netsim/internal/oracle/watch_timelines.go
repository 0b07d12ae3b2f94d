package oracle

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/apps"
)

// advance takes in the times of this frame.
func (s *shownClient) advance(c Client, ran time.Duration) error {
	used := map[int]bool{1: len(s.entities) > 0}
	for _, e := range s.entities {
		used[e.every] = true
	}
	for every := range s.timelines {
		if !used[every] {
			delete(s.timelines, every)
		}
	}
	for every := range s.had { // an interval that no entity has goes on
		used[every] = true
	}
	packets := apps.Of(c.world()).Client.PacketInterval()
	begins := packets != s.packets // timelines without samples begin again
	if s.packets = packets; begins {
		clear(s.timelines)
	}
	for every, is := range used {
		if !is {
			continue
		}
		tick, share := c.App.InterpolationTime(every)
		if tick == -entangle.Tick(2*every) && share == 0 {
			s.count[shownUnbegun]++ // no frame has shown anything: two intervals before tick 0 (package timesync, Timeline)
			continue
		}
		now := s.history.at(tick) + share
		if !begins {
			if err := s.checkTimeline(c, every, now, ran); err != nil {
				return err
			}
		}
		if last, some := s.times[every]; some { // from another interval
			now = max(now, last)
		}
		s.times[every] = now
	}
	return nil
}

// shownTimeline is the time of a timeline in the last frame, in ticks.
type shownTimeline struct {
	at    float64
	lost  float64       // by how much it was slower than time since it was last faster
	frame time.Duration // by the client's clock
	took  float64       // the time of the last frame, of which the timeline's is
	began bool          // it has moved: before, it may have stood for lack of packets
}

const (
	// shownSpeed is how much faster than time a timeline may run.
	shownSpeed = 1.05
	// shownFar is the error in seconds beyond which it jumps.
	shownFar = 0.5
)

// checkTimeline checks that a timeline does not go back, and is not faster than permitted unless it jumps, or has
// stopped for lack of packets.
func (s *shownClient) checkTimeline(c Client, every int, at float64, ran time.Duration) error {
	was, some := s.timelines[every]
	now := shownTimeline{at: at, frame: ran, took: (ran - was.frame).Seconds() * s.history.second}
	if !some {
		s.timelines[every] = now
		return nil
	}
	moved, passed := at-was.at, max(now.took, was.took)
	now.lost, now.began = max(0, was.lost+passed-moved), was.began || moved > 0
	s.timelines[every] = now
	if moved == 0 && passed > 0 {
		s.count[shownStood]++
	}
	switch {
	case moved < 0:
		return fmt.Errorf("its timeline of the interval %d went back from %.3f to %.3f", every, was.at, at)
	case !was.began || moved <= passed*shownSpeed+was.lost+2./256:
		return nil
	case moved-passed < shownFar*s.history.second*0.9:
		return fmt.Errorf("its timeline of the interval %d went from %.3f to %.3f in a time of %.3f ticks", every, was.at, at, passed)
	}
	s.count[shownJump]++
	return nil
}
