package tick

import (
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// Display lets painters replace simulated values by values for the screen, from the end of a frame
// to the beginning of the next. It is a resource of the world, which package plugin adds.
type Display struct {
	protocol *protocol.Protocol
	time     *components.Time
	painters []Painter
	marker   ecs.ID // the component of entities that are rolled back
	marked   bool   // marker is set
	now      time.Time
	before   time.Time // now in the last frame
	showing  bool      // the world has the values for the screen

	handovers handovers
}

// Painter shows some components. In a frame its methods are called in the order of the stages
// Restore, Rollback, TickUpdate and Visual.
type Painter interface {
	// Restore puts the simulated values back, before anything else of the frame runs.
	Restore()
	// Corrected runs after values of the present tick were corrected, by a rollback or by
	// writing confirmed state over them. It is not told which: that is in the world.
	Corrected()
	// Tick runs before the tick of components.Time, also before a replay of it. The world is as of
	// the end of the previous tick.
	Tick()
	// Show writes the values for the screen into the world. Only systems that draw the world run
	// after it.
	Show()
	// Displayed returns the value of an entity's component that the last Show has written. ok is false if
	// the painter did not show it.
	Displayed(e ecs.Entity, id ecs.ID) (value []byte, ok bool)
}

// InstallDisplay adds the display of a world to its resources.
func InstallDisplay(w *ecs.World, p *protocol.Protocol, t *components.Time) *Display {
	display := &Display{protocol: p, time: t}
	ecs.AddResource(w, display)
	return display
}

// Follow returns a table of the entities that have the marker. The caller updates it with Commit.
// It returns an error if the world already has a listener of its own.
func (d *Display) Follow(w *ecs.World, marker ecs.ID, cols []columns.Column) (*columns.Table, error) {
	table, err := columns.NewStructure(w, marker, cols)
	if err != nil {
		return nil, err
	}
	return table, ShareListener(w, table.Listener())
}

// DisplayOf returns the world's display, or nil if the world has none.
func DisplayOf(w *ecs.World) *Display {
	display, _ := w.Resources().Get(ecs.ResourceID[Display](w)).(*Display)
	return display
}

// Add adds a painter. Painters are called in the order of Add.
func (d *Display) Add(painter Painter) { d.painters = append(d.painters, painter) }

// Protocol returns the protocol in which the world's components are registered.
func (d *Display) Protocol() *protocol.Protocol { return d.protocol }

// Time returns the time of the simulation.
func (d *Display) Time() *components.Time { return d.time }

// Now returns the time of this frame.
func (d *Display) Now() time.Time { return d.now }

// SetRollbackMarker sets the component that marks entities which are rolled back. It must be called
// before the systems of the game are initialised.
func (d *Display) SetRollbackMarker(marker ecs.ID) { d.marker, d.marked = marker, true }

// RollbackMarker returns the component that marks entities which are rolled back. ok is false on a
// server, which has no such entities.
func (d *Display) RollbackMarker() (marker ecs.ID, ok bool) { return d.marker, d.marked }

// Restore puts the simulated values back, at the beginning of a frame.
func (d *Display) Restore(now time.Time) {
	d.before, d.now = d.now, now
	d.restore()
}

func (d *Display) restore() {
	d.showing = false
	d.handovers.restore()
	for _, painter := range d.painters {
		painter.Restore()
	}
}

// ReadSimulated calls a function that reads the world. Between two frames, when the world has the values for the
// screen, the simulated ones are put back meanwhile. A nil display only calls it.
func (d *Display) ReadSimulated(read func()) {
	if d != nil && d.showing {
		d.restore()
		defer d.Show()
	}
	read()
}

// Corrected notifies the painters that values of the present tick were corrected, by a rollback or
// by writing confirmed state over them.
func (d *Display) Corrected() {
	for _, painter := range d.painters {
		painter.Corrected()
	}
}

// Tick begins a tick or a replayed tick.
func (d *Display) Tick() {
	for _, painter := range d.painters {
		painter.Tick()
	}
}

// Show replaces simulated values by those for the screen, at the end of a frame.
func (d *Display) Show() {
	for _, painter := range d.painters {
		painter.Show()
	}
	d.handovers.show(d.now)
	d.showing = true
}
