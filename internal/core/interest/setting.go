package interest

// Setting is a game's explicit decision whether an entity is relevant to a client.
type Setting uint8

// The settings. Shown and Hidden take precedence over everything else.
const (
	Unset Setting = iota
	Shown
	Hidden
)

// String returns the setting's name.
func (s Setting) String() string {
	return [...]string{"Unset", "Shown", "Hidden", "Setting(invalid)"}[min(s, Hidden+1)]
}

// Set sets the game's setting for a client and an entity.
func (r *Relevance) Set(row, entity int, w Setting) {
	if w > Hidden || !r.hasClient(row) || w == r.Setting(row, entity) {
		return
	}
	r.revive(entity)
	c := &r.clients[row]
	drop(c.shown, entity)
	drop(c.hidden, entity)
	switch w {
	case Shown:
		c.shown.Grow(entity + 1)
		c.shown.Set(entity)
	case Hidden:
		c.hidden.Grow(entity + 1)
		c.hidden.Set(entity)
	}
	r.mark(row, entity)
}

// Setting returns the game's setting for a client and an entity.
func (r *Relevance) Setting(row, entity int) Setting {
	if !r.hasClient(row) || r.ended.Has(entity) {
		return Unset
	}
	switch c := &r.clients[row]; {
	case c.shown.Has(entity):
		return Shown
	case c.hidden.Has(entity):
		return Hidden
	default:
		return Unset
	}
}
