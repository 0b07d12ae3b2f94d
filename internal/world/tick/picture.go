package tick

import (
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// Picture is where what is made for the screen takes part in the frames of a world: values
// that are shown in the place of the true ones from the end of a frame to the beginning of
// the next. It is a resource of the world, put there by the plugin.
type Picture struct {
	protocol *protocol.Protocol
	time     *components.Time
	painters []Painter
	rewound  ecs.ID
	rewinds  bool
	now      time.Time
}

// Painter makes a part of the picture. The order of its calls in a frame is that of the
// stages Restore, Rollback, TickUpdate and Visual.
type Painter interface {
	// Restore puts the true values back. Nothing of the frame has run.
	Restore()
	// Corrected says that values as of the present tick are other ones than they were: by a
	// rollback, or written in their place. It is called after that.
	Corrected()
	// Tick says that the tick of components.Time is about to be computed, or computed anew.
	// All is as at the end of the one before.
	Tick()
	// Show puts the values for the screen into the world. Nothing of the frame comes after it
	// but systems that look.
	Show()
}

// InstallPicture adds the picture of a world to its resources.
func InstallPicture(w *ecs.World, p *protocol.Protocol, t *components.Time) *Picture {
	picture := &Picture{protocol: p, time: t}
	ecs.AddResource(w, picture)
	return picture
}

// Follow returns a table of the entities that have the marker, which the caller brings up
// to date by Settle. The error says that the world has a listener of its own.
func (p *Picture) Follow(w *ecs.World, marker ecs.ID, cols []columns.Column) (*columns.Table, error) {
	table, err := columns.NewStructure(w, marker, cols)
	if err != nil {
		return nil, err
	}
	return table, ShareListener(w, table.Listener())
}

// PictureOf returns the world's picture, or nil if the world has none.
func PictureOf(w *ecs.World) *Picture {
	picture, _ := w.Resources().Get(ecs.ResourceID[Picture](w)).(*Picture)
	return picture
}

// Add has a painter take part, after those that do already.
func (p *Picture) Add(painter Painter) { p.painters = append(p.painters, painter) }

// Protocol returns what the world's components are registered in.
func (p *Picture) Protocol() *protocol.Protocol { return p.protocol }

// Time returns the time of the simulation.
func (p *Picture) Time() *components.Time { return p.time }

// Now returns the time of the frame at hand.
func (p *Picture) Now() time.Time { return p.now }

// Rewinds says by which component the entities are known that go back in a rollback. It is
// to be called before the systems of the game are initialised.
func (p *Picture) Rewinds(marker ecs.ID) { p.rewound, p.rewinds = marker, true }

// Rewound returns the component by which the entities are known that go back in a rollback;
// in a world without one, ok is false.
func (p *Picture) Rewound() (marker ecs.ID, ok bool) { return p.rewound, p.rewinds }

// Restore begins a frame: the world holds true values from here on.
func (p *Picture) Restore(now time.Time) {
	p.now = now
	for _, painter := range p.painters {
		painter.Restore()
	}
}

// Corrected says that a rollback has changed values as of the present tick, or that some
// were put right without one.
func (p *Picture) Corrected() {
	for _, painter := range p.painters {
		painter.Corrected()
	}
}

// Tick begins a tick, also one that is computed anew.
func (p *Picture) Tick() {
	for _, painter := range p.painters {
		painter.Tick()
	}
}

// Show ends a frame: what is shown takes the place of true values.
func (p *Picture) Show() {
	for _, painter := range p.painters {
		painter.Show()
	}
}
