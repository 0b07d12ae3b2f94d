package rewind

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// alike is the movement that was found last, if the entity never waited for a sample. Most entities of a view have
// been updated in the same ticks, and move alike: then nothing is computed for each.
type alike struct {
	known    bool
	every    int
	first    entangle.Tick      // of the oldest update on which the movement depends
	from, to entangle.Tick      // of the newest one is to
	updates  uint64             // bit k: the update of to-k arrived; of those from first on
	window   uint64             // the bits of these ticks
	late     bool               // packets of these ticks were late
	packets  [heldPackets]uint8 // as of Record
	run      run                // as that of slot 0
	last     int                // index of the run of the last entities that move so
}

// set makes the run that was added last the one that others may be like. It depends on the samples that mover.usual
// looks at.
func (l *alike) set(v *View, rec *Record, every int) {
	l.last = len(v.runs) - 1
	m, r := &v.mover, v.runs[l.last]
	of := m.last()
	l.first = m.samples[max(m.before-usualSamples, 0)].tick
	if l.known = m.before > usualSamples && !l.first.Before(rec.blocked) && !v.history.jumped(of.from, of.to, r.first.Slot); !l.known {
		return
	}
	l.every, l.from, l.to = every, of.from, of.to
	l.window = uint64(1)<<(l.to-l.first+1) - 1
	l.updates = rec.updatesUpTo(l.to) & l.window
	l.late = false
	for tick := l.first; !l.late && !l.to.Before(tick); tick++ {
		l.late = v.received.hasLate(tick)
	}
	l.packets = rec.packets
	if p := v.received.packetBy(rec, l.to); p != nil && p.overtaken {
		l.known = false // whether the client ignored the update depends on later ones, too
		return
	}
	l.run = r
	l.run.from, l.run.to = r.from-r.first.Slot, r.to-r.first.Slot
}

// addAlike adds as many entities as move like the one before, from the index begin on. The records are theirs.
func (v *View) addAlike(e *Entities, begin int, records []Record, now timesync.Shown) (n int) {
	l, s := &v.alike, e.Slot+Slot(begin)
	if !l.known || now != l.run.first.Shown || e.Every != l.every || e.Gone {
		return 0
	}
	if n = v.history.countBeforeJump(l.from, l.to, s, len(records)); n > 0 {
		n = l.count(records[:n], e.Joined[begin:begin+n])
	}
	if n == 0 {
		return 0
	}
	if last := &v.runs[len(v.runs)-1]; l.last == len(v.runs)-1 && last.first.Slot+Slot(last.count) == s {
		last.count += n
	} else {
		r := l.run
		r.first.Slot, r.from, r.to, r.count = s, r.from+s, r.to+s, n
		v.push(r)
		l.last = len(v.runs) - 1
	}
	v.entities = append(v.entities, e.Names[begin:begin+n]...)
	return n
}

// count returns how many entities in a row move like that, apart from teleports.
func (l *alike) count(records []Record, joined []entangle.Tick) int {
	updates, window, to, first, late := l.updates, l.window, l.to, l.first, l.late
	for i := range joined {
		rec := &records[i]
		if rec.updatesUpTo(to)&window != updates || first.Before(rec.blocked) || first.Before(joined[i]) {
			return i
		}
		if late && !l.cameWith(rec) {
			return i
		}
	}
	return len(joined)
}

// updatesUpTo returns which updates arrived. Bit k is that of tick-k; it is 0 for all if tick is after the newest one.
func (r *Record) updatesUpTo(tick entangle.Tick) uint64 { return r.mask >> uint32(r.newest-tick) }

// cameWith reports whether the updates of a record came with the same packets.
func (l *alike) cameWith(rec *Record) bool {
	for updates := l.updates; updates != 0; updates &= updates - 1 {
		at := uint32(l.to-entangle.Tick(bits.TrailingZeros64(updates))) % heldPackets
		if rec.packets[at] != l.packets[at] {
			return false
		}
	}
	return true
}
