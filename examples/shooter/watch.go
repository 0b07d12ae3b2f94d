package main

import (
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// reports is the number of rollbacks for which a client keeps the reasons.
const reports = 8

// bulletID says which bullet it is, the same on all sides.
type bulletID struct {
	owner entangle.ClientID
	tick  entangle.Tick
}

// bulletCounts is what a client has shown of bullets.
type bulletCounts struct {
	Bullets   int `json:"bullets"`
	Twice     int `json:"twice"` // bullets of which a frame showed two
	Back      int `json:"back"`  // bullets that vanished and came back
	Rollbacks int `json:"rollbacks"`
	ByBullets int `json:"rollbacks_by_bullets"` // those that a bullet or a gun has caused
}

// bulletWatch watches the bullets that a client shows.
type bulletWatch struct {
	bulletCounts
	frames    int
	shown     map[bulletID]*showing
	rollbacks uint64 // of the client, as of the last frame
}

// showing is what the frames so far have shown of a bullet.
type showing struct {
	entity ecs.Entity
	last   int // the last frame that showed it
	twice  bool
}

// rememberFrames is for how many frames a bullet that has vanished could come back.
const rememberFrames = 5 * tickRate

// restart begins all counts again.
func (b *bulletWatch) restart(client *plugin.Client) {
	*b = bulletWatch{shown: map[bulletID]*showing{}, rollbacks: client.Stats().Rollbacks.Total()}
}

// addFrame counts a frame.
func (b *bulletWatch) addFrame(bullets []shownBullet) {
	b.frames++
	for _, bullet := range bullets {
		b.addBullet(bullet)
	}
	for id, s := range b.shown {
		if s.last < b.frames-rememberFrames {
			delete(b.shown, id)
		}
	}
}

func (b *bulletWatch) addBullet(bullet shownBullet) {
	s := b.shown[bullet.id]
	switch {
	case s == nil:
		b.Bullets++
		b.shown[bullet.id] = &showing{entity: bullet.entity, last: b.frames}
		return
	case s.last == b.frames && !s.twice:
		b.Twice++
		s.twice = true
	case s.last < b.frames-1:
		b.Back++
	}
	s.entity, s.last = bullet.entity, b.frames
}

// addRollbacks counts the rollbacks of a frame.
func (b *bulletWatch) addRollbacks(client *plugin.Client) {
	total := client.Stats().Rollbacks.Total()
	if total == b.rollbacks {
		return
	}
	all := client.Rollbacks()
	last := min(int(total-b.rollbacks), len(all))
	b.rollbacks = total
	b.Rollbacks += last
	for _, report := range all[len(all)-last:] {
		if b.caused(report) {
			b.ByBullets++
		}
	}
}

// caused reports whether a bullet or a gun has caused a rollback.
func (b *bulletWatch) caused(report plugin.RollbackReport) bool {
	component, _, _ := strings.Cut(report.Field, ".")
	if component == "Bullet" || component == "Gun" {
		return true
	}
	for _, s := range b.shown {
		if s.entity == report.Entity {
			return true
		}
	}
	return false
}
