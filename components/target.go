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
	// Server is the server and no client.
	Server

	// reserved bounds the numbers of constants; those above it are sets.
	reserved Target = 1 << setIndexBits
)

// String returns the target's name, or the number of its set.
func (t Target) String() string {
	switch {
	case t == Default:
		return "Default"
	case t == Everyone:
		return "Everyone"
	case t == Nobody:
		return "Nobody"
	case t == Server:
		return "Server"
	case t < reserved:
		return fmt.Sprintf("Target(%d)", uint32(t))
	default:
		return fmt.Sprintf("Set(%d.%d)", uint32(t)>>setIndexBits, uint32(t)&(MaxSets-1))
	}
}
