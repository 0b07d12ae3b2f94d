package tick

import (
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// Display lets painters replace true values by values for the screen, from the end of a frame
// to the beginning of the next. It is a resource of the world, added by package plugin.
type Display struct {
	protocol *protocol.Protocol
	time     *components.Time
	painters []Painter
	marker   ecs.ID // of entities that roll back
	marked   bool   // there is such a marker
	now      time.Time
}

// Painter shows some components. The order of its calls in a frame is that of the stages
// Restore, Rollback, TickUpdate and Visual.
type Painter interface {
	// Restore puts the true values back. Nothing of the frame has run yet.
	Restore()
	// Corrected runs after values of the present tick were corrected, by a rollback or by
	// writing confirmed state over them.
	Corrected()
	// Tick runs before the tick of components.Time, also before it is replayed. The world is
	// as of the end of the tick before.
	Tick()
	// Show puts the values for the screen into the world. Only systems that look at the world
	// run after it.
	Show()
}

// InstallDisplay adds the display of a world to its resources.
func InstallDisplay(w *ecs.World, p *protocol.Protocol, t *components.Time) *Display {
	display := &Display{protocol: p, time: t}
	ecs.AddResource(w, display)
	return display
}

// Follow returns a table of the entities that have the marker. The caller updates it by
// Settle. The error says that the world has a listener of its own.
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

// Protocol returns the protocol that the world's components are registered in.
func (d *Display) Protocol() *protocol.Protocol { return d.protocol }

// Time returns the time of the simulation.
func (d *Display) Time() *components.Time { return d.time }

// Now returns the time of this frame.
func (d *Display) Now() time.Time { return d.now }

// SetRollbackMarker sets the component that entities have which roll back. It must be called
// before the systems of the game are initialised.
func (d *Display) SetRollbackMarker(marker ecs.ID) { d.marker, d.marked = marker, true }

// RollbackMarker returns the component that entities have which roll back. It is not ok on a
// server, where none do.
func (d *Display) RollbackMarker() (marker ecs.ID, ok bool) { return d.marker, d.marked }

// Restore puts the true values back, at the beginning of a frame.
func (d *Display) Restore(now time.Time) {
	d.now = now
	for _, painter := range d.painters {
		painter.Restore()
	}
}

// Corrected tells the painters that values of the present tick were corrected, by a rollback or
// by writing confirmed state over them.
func (d *Display) Corrected() {
	for _, painter := range d.painters {
		painter.Corrected()
	}
}

// Tick begins a tick, also one that is replayed.
func (d *Display) Tick() {
	for _, painter := range d.painters {
		painter.Tick()
	}
}

// Show replaces true values by those for the screen, at the end of a frame.
func (d *Display) Show() {
	for _, painter := range d.painters {
		painter.Show()
	}
}
