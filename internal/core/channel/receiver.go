package channel

// receiver is the receiving direction of a mux. It reads frames, and holds messages until they are
// complete, all that must come before them have been delivered, and they were polled.
type receiver struct {
	// The fields that every packet needs come first, side by side in memory.
	inbound [MaxID + 1]inbound
	ready   readyChannels
	work    uint64
	clock   clock
	inbox   inbox
	held    heldMessages
	stats   ReceiveStats
	byID    []*inChannel
}

// inbound is the part of a channel's configuration that reading a frame needs. It is small enough
// for all channels of a peer to fit into one cache line.
type inbound uint8

const (
	noChannel inbound = 0
	refused   inbound = 0x80 // this end only sends on the channel
)

// mode returns the mode of an existing channel.
func (in inbound) mode() Mode { return Mode(in&^refused) - 1 }

func (r *receiver) addChannel(cfg *Config) {
	in := 1 + inbound(cfg.Mode)
	if cfg.Direction == SendOnly {
		in |= refused
	}
	r.inbound[cfg.ID] = in
	if n := int(cfg.ID) + 1; n > len(r.byID) {
		r.byID = append(r.byID, make([]*inChannel, n-len(r.byID))...)
	}
	r.byID[cfg.ID] = &inChannel{id: cfg.ID, mode: cfg.Mode}
}
