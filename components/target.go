package components

import "fmt"

// Target says which clients something is for. It is a number and no set, so that
// a component can hold it; sets of clients are made by the resource Targets.
type Target uint32

const (
	// Default is the zero value: what is the default where the Target stands.
	// For a message of a server it is Everyone, for one of a client the server.
	Default Target = iota
	// Everyone is every client that is connected.
	Everyone
	// Nobody is no client.
	Nobody
	// Owner is the client that the entity's ControlledBy names, and NotOwner every
	// other one. For a message, and for an entity without that, they are Nobody and
	// Everyone. A child does not inherit its parent's: it needs one of its own.
	Owner
	NotOwner
	// Server is the server and no client.
	Server

	// reserved bounds the numbers of constants; those above it are sets, up to inRoom.
	reserved Target = 1 << setIndexBits

	// inRoom is the bit of the targets that are the clients of a room.
	inRoom Target = 1 << 31
)

// Room returns the room of which the target is the clients, if it is one of
// Targets.Room.
func (t Target) Room() (room Room, ok bool) { return Room(t &^ inRoom), t&inRoom != 0 }

// open reports whether a constant that names nobody in particular is for all.
func (t Target) open() bool { return t == Default || t == Everyone || t == NotOwner }

// String returns the target's name, or the number of its room or set.
func (t Target) String() string {
	room, ok := t.Room()
	switch {
	case ok:
		return fmt.Sprintf("Room(%d)", room)
	case t == Default:
		return "Default"
	case t == Everyone:
		return "Everyone"
	case t == Nobody:
		return "Nobody"
	case t == Owner:
		return "Owner"
	case t == NotOwner:
		return "NotOwner"
	case t == Server:
		return "Server"
	case t < reserved:
		return fmt.Sprintf("Target(%d)", uint32(t))
	default:
		return fmt.Sprintf("Set(%d.%d)", uint32(t)>>setIndexBits, uint32(t)&(MaxSets-1))
	}
}
