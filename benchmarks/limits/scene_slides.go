package limits

// SlideStep is how many entities leave a sliding view in a tick, and as many enter it.
const SlideStep = ViewSize / 50

// SlideLimit is a SceneLimit with views that slide: in each tick, a view loses its first entities, and
// as many behind its last ones enter. It is told what enters and leaves, as our side is.
type SlideLimit struct {
	*SceneLimit
	slides int
	slid   [][]slidWord // by client
}

// slidWord is the part of a client's view among 64 entities, and what has entered and left.
type slidWord struct {
	at            int
	seen, changed uint64
}

// NewSlideLimit returns a limit with views in which everything is known.
func NewSlideLimit(l *SceneLimit) *SlideLimit {
	l.all = everyEntity(len(l.Moved))
	s := &SlideLimit{SceneLimit: l, slid: make([][]slidWord, len(l.Clients))}
	s.place()
	return s
}

// First returns the first entity of a client's view.
func (l *SlideLimit) First(client int) int {
	return (client*ViewStep + l.slides*SlideStep) % len(l.Codes)
}

// Sees reports whether a client sees an entity.
func (l *SlideLimit) Sees(client, entity int) bool {
	return (entity-l.First(client)+len(l.Codes))%len(l.Codes) < ViewSize
}

// Slide moves all views on.
func (l *SlideLimit) Slide() {
	l.slides++
	l.place()
}

// place lists the words of all views, in the order of the entities.
func (l *SlideLimit) place() {
	for client := range l.slid {
		words, first := l.slid[client][:0], l.First(client)
		for at := range l.Moved {
			word := slidWord{at: at}
			for bit := range min(64, len(l.Codes)-64*at) {
				behind := (64*at + bit - first + SlideStep + len(l.Codes)) % len(l.Codes)
				switch {
				case behind < SlideStep:
					word.changed |= 1 << bit
				case behind < ViewSize:
					word.seen |= 1 << bit
				case behind < ViewSize+SlideStep:
					word.seen |= 1 << bit
					word.changed |= 1 << bit
				}
			}
			if word.seen|word.changed != 0 {
				words = append(words, word)
			}
		}
		l.slid[client] = words
	}
}

// Send does all work of a tick.
func (l *SlideLimit) Send() {
	l.tick++
	l.Detect()
	l.encode()
	for i := range l.Clients {
		told, gone := l.told[:0], l.gone[:0]
		for _, w := range l.slid[i] {
			if mask := (l.Moved[w.at] | w.changed) & w.seen; mask != 0 {
				told = append(told, viewWord{at: w.at, mask: mask})
			}
			if mask := w.changed &^ w.seen; mask != 0 {
				gone = append(gone, viewWord{at: w.at, mask: mask})
			}
		}
		l.told, l.gone = told, gone
		l.sendSeen(&l.Clients[i])
	}
}
