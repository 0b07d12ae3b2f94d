package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShrinkRenumbersTargetsAndOwners(t *testing.T) {
	assert.Equal(t, []string{
		"connect 2", "tick 3 target a only 1,2", "target b nobody", "owner a 2 keep", "tick 2 owner b 1",
		"override a Spot except 2", "persist a 1,2", "tick 3 room 2 add client 2", "room 1 add entity a", "lose a 1",
	}, withoutClient([]string{
		"connect 3", "tick 3 target a only 1,2,3", "target b nobody", "target b only 2", "owner a 3 keep", "tick 2 owner b 1",
		"owner b 2", "override a Spot except 3", "persist a 1,3", "tick 3 room 2 add client 3", "room 1 add entity a", "lose a 1,2",
		"room 2 add client 2",
	}, 2))
}
