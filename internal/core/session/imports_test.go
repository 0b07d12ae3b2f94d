package session

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Programs that do not use HTTP do not link it, and tokens need no sockets.
//
// Proves: C17
func TestTokensAndSessionsLinkNoNetwork(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".", "../../../transport/token").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	assert.Contains(t, deps, "github.com/entangle-ecs/entangle/transport/token")
	for _, forbidden := range []string{"net", "net/http", "log", "log/slog"} {
		assert.NotContains(t, deps, forbidden)
	}
}
