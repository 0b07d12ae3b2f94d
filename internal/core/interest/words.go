package interest

// Word is what a game says of a client and an entity.
type Word uint8

// The words. Either of the last two counts more than all else.
const (
	Unsaid Word = iota
	Shown
	Hidden
)

// String returns the word's name.
func (w Word) String() string {
	return [...]string{"Unsaid", "Shown", "Hidden", "Word(invalid)"}[min(w, Hidden+1)]
}

// Say takes the game's word for a client and an entity, in place of the one before.
func (r *Relevance) Say(row, entity int, w Word) {
	if w > Hidden || !r.has(row) || w == r.Said(row, entity) {
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

// Said returns the game's word for a client and an entity.
func (r *Relevance) Said(row, entity int) Word {
	if !r.has(row) || r.ended.Has(entity) {
		return Unsaid
	}
	switch c := &r.clients[row]; {
	case c.shown.Has(entity):
		return Shown
	case c.hidden.Has(entity):
		return Hidden
	default:
		return Unsaid
	}
}
