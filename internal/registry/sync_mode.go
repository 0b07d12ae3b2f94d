package registry

// SyncMode is a protocol.SyncMode. It tells how a predicted or an interpolated entity follows the
// confirmed values of a component.
type SyncMode uint8

// The modes of package protocol.
const (
	Simple SyncMode = iota
	Full
	Once
	None
	syncModes
)

// String returns the name of the constant.
func (m SyncMode) String() string {
	return nameOf(m, "SyncMode", "Simple", "Full", "Once", "None")
}

// Valid reports whether m is one of the constants.
func (m SyncMode) Valid() bool { return m < syncModes }
