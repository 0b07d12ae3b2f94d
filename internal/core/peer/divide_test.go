package peer

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

func TestAFrameIsDividedInHalves(t *testing.T) {
	type parts struct{ messages, structure, control, updates int }
	for name, c := range map[string]struct {
		total     int
		want, get parts
	}{
		"there is enough":                  {1000, parts{100, 200, 30, 400}, parts{100, 200, 30, 400}},
		"everybody wants all":              {1000, parts{5000, 5000, 200, 5000}, parts{400, 200, 200, 200}},
		"no messages":                      {1000, parts{0, 5000, 0, 5000}, parts{0, 500, 0, 500}},
		"no values":                        {1000, parts{5000, 5000, 0, 0}, parts{500, 500, 0, 0}},
		"little structure":                 {1000, parts{5000, 100, 0, 5000}, parts{500, 100, 0, 400}},
		"few messages":                     {1000, parts{50, 5000, 0, 5000}, parts{50, 475, 0, 475}},
		"control wants more than there is": {1000, parts{50, 50, 9000, 50}, parts{0, 0, 1000, 0}},
		"nothing is left":                  {-10, parts{50, 50, 10, 50}, parts{}},
	} {
		got, updates := divide(c.total, channel.Bytes{c.want.messages, c.want.structure, c.want.control}, c.want.updates)
		assert.Equal(t, channel.Bytes{c.get.messages, c.get.structure, c.get.control}, got, name)
		assert.Equal(t, c.get.updates, updates, name)
	}
}

// A sealed payload is no larger than the remaining budget of the frame. An acknowledgement is sent
// in any case.
func TestAPayloadHasTheRoomThatIsLeft(t *testing.T) {
	p := &Peer{cfg: Config{Capped: true}}
	for left, room := range map[int]int{
		-500:                     packet.HeaderSize,
		0:                        packet.HeaderSize,
		500:                      500 - sealBytes,
		entangle.MaxDatagram - 1: entangle.MaxPayload - 1,
		entangle.MaxDatagram:     entangle.MaxPayload,
		MaxDebt:                  entangle.MaxPayload,
	} {
		p.budget.left = left
		assert.Equal(t, room, p.maxPayload(), "%d are left", left)
	}
	p.cfg.Capped, p.budget.left = false, 0
	assert.Equal(t, entangle.MaxPayload, p.maxPayload(), "without a cap")
}
