package components

import "fmt"

// Target is a set of clients. It is a number, so that a component can hold it; arbitrary sets are
// made by the resource Targets.
type Target uint32

const (
	// Default is the zero value. Its meaning depends on the use. For a message from a server it is
	// Everyone, for one from a client it is the server.
	Default Target = iota
	// Everyone is every connected client.
	Everyone
	// Nobody is no client.
	Nobody
	// Owner is the client that the entity's ControlledBy names, and NotOwner every other one. For a
	// message, and for an entity without ControlledBy, Owner means Nobody and NotOwner means
	// Everyone. A child does not inherit ControlledBy from its parent.
	Owner
	NotOwner
	// Server is the server and no client.
	Server

	// reserved is greater than the numbers of the constants. The numbers from reserved on are sets,
	// up to inRoom.
	reserved Target = 1 << setIndexBits

	// inRoom is the bit that is set in targets of the clients of a room.
	inRoom Target = 1 << 31
)

// Room returns the room of a target made by Targets.Room.
func (t Target) Room() (room Room, ok bool) { return Room(t &^ inRoom), t&inRoom != 0 }

// openWithoutOwner reports whether a constant means all clients where there is no owner.
func (t Target) openWithoutOwner() bool { return t == Default || t == Everyone || t == NotOwner }

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
