package input

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// unreadWarning warns a developer, once per type, about inputs of this player that are written only
// after they were read: by systems in FixedMain, instead of FixedInput. They have no effect, and
// nothing else would report that.
type unreadWarning struct {
	log   *slog.Logger // nil: warnings are off
	types []reflect.Type
	kinds []bool // by number of the type: its inputs are written in FixedInput, or the warning was logged
}

// WarnTo sets the logger for inputs that are written in the wrong place.
func (i *Inputs) WarnTo(log *slog.Logger) {
	if log.Enabled(context.Background(), slog.LevelWarn) {
		i.unread = unreadWarning{log: log, types: i.Types, kinds: make([]bool, len(i.Types))}
	}
}

// recordWritten notes which types of input were written in FixedInput: their components differ from the
// values that buffer had set. It is called before the inputs are stored. It is called again afterwards
// for entities that the player controls only since then.
func (u *unreadWarning) recordWritten(o *ownInputs) {
	if u.log != nil {
		u.scan(o, func(k *ownKind, _ ecs.Entity) { u.kinds[k.number] = true })
	}
}

// warnUnread warns about inputs that were written after the last recordWritten. The input of an entity
// then differs from the player's last input, of a type that was never written in FixedInput.
func (u *unreadWarning) warnUnread(o *ownInputs) {
	if u.log != nil {
		u.scan(o, u.warn)
	}
}

func (u *unreadWarning) warn(k *ownKind, e ecs.Entity) {
	u.kinds[k.number] = true
	u.log.Warn("an input is written in FixedMain, after the inputs of the tick were read, so it is not sent: "+
		"write it in a system in FixedInput", "input", u.types[k.number], "entity", e)
}

// warnLeftOut warns about an input that refers to more entities than a packet can name.
func (u *unreadWarning) warnLeftOut(number int) {
	if u.log != nil {
		u.log.Warn("an input refers to more entities than a packet names, so the server gets no entity for the rest: "+
			"refer to fewer, or send a message", "input", u.types[number], "limit", protocol.MaxInputEntities)
	}
}

// scan looks, for each type of input that was not found before, for an entity with an input that
// differs from the player's last one. It calls found for the first such entity of a type.
func (u *unreadWarning) scan(o *ownInputs, found func(*ownKind, ecs.Entity)) {
	for i := range o.kinds {
		k := &o.kinds[i]
		for _, stream := range k.order {
			if u.kinds[k.number] {
				break
			}
			if o.world.Alive(stream.entity) && o.world.Has(stream.entity, k.id) && !bytes.Equal(k.memoryOf(stream.entity), stream.writer.Latest()) {
				found(k, stream.entity)
			}
		}
	}
}
