package entangle_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	worldinput "github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/udp"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// numbers are the constants that the pages about the protocol and its states name.
var numbers = map[string]any{
	"entangle.MaxDatagram":         entangle.MaxDatagram,
	"entangle.MaxPayload":          entangle.MaxPayload,
	"token.Size":                   token.Size,
	"token.PrivateSize":            token.PrivateSize,
	"token.NonceSize":              token.NonceSize,
	"token.TagSize":                token.TagSize,
	"token.MaxUserData":            token.MaxUserData,
	"token.MaxServers":             token.MaxServers,
	"session.MaxForeignPayload":    session.MaxForeignPayload,
	"session.GoodbyeWait":          session.GoodbyeWait,
	"connection.MaxUserData":       connection.MaxUserData,
	"packet.HeaderSize":            packet.HeaderSize,
	"packet.WindowSize":            packet.WindowSize,
	"packet.MaxReason":             packet.MaxReason,
	"packet.MaxAckDelay":           packet.MaxAckDelay,
	"packet.AckEvery":              packet.AckEvery,
	"packet.MaxInFlight":           packet.MaxInFlight,
	"packet.MaxBadAcks":            packet.MaxBadAcks,
	"packet.DefaultAckDelay":       packet.DefaultAckDelay,
	"packet.DefaultLossMin":        packet.DefaultLossMin,
	"packet.DefaultLossFactor":     packet.DefaultLossFactor,
	"packet.DefaultInitialRTT":     packet.DefaultInitialRTT,
	"packet.ThrottleAfter":         packet.ThrottleAfter,
	"packet.ProbeEvery":            packet.ProbeEvery,
	"input.MaxTicks":               input.MaxTicks,
	"input.MinTicks":               input.MinTicks,
	"input.History":                input.History,
	"input.Behind":                 input.Behind,
	"sender.MaxTombstones":         sender.MaxTombstones,
	"channel.MaxID":                channel.MaxID,
	"channel.FragmentSize":         channel.FragmentSize,
	"channel.MaxFragments":         channel.MaxFragments,
	"channel.MaxMessage":           channel.MaxMessage,
	"channel.MaxUnreliableMessage": channel.MaxUnreliableMessage,
	"channel.Window":               channel.Window,
	"channel.ReliableWindow":       channel.ReliableWindow,
	"channel.UnreliableWindow":     channel.UnreliableWindow,
	"channel.ReassemblyTimeout":    channel.ReassemblyTimeout,
	"channel.DefaultReliableQueue": channel.DefaultReliableQueue,
	"channel.DefaultResendFactor":  channel.DefaultResendFactor,
	"channel.DefaultResendMin":     channel.DefaultResendMin,
	"tick.OverloadAfter":           tick.OverloadAfter,
	"tick.OverloadOver":            tick.OverloadOver,
	"tick.ServerOverloadOver":      tick.ServerOverloadOver,
	"timesync.MaxReport":           timesync.MaxReport,
	"timesync.MaxMargin":           timesync.MaxMargin,
	"timesync.MaxAge":              timesync.MaxAge,
	"timesync.MaxSendEvery":        timesync.MaxSendEvery,
	"timesync.MaxTimelines":        timesync.MaxTimelines,
	"timesync.MaxBehind":           timesync.MaxBehind,
	"timesync.MaxSteer":            timesync.MaxSteer,
	"timesync.MaxDelay":            timesync.MaxDelay,
	"registry.MaxEntries":          registry.MaxEntries,
	"protocol.MaxChannels":         protocol.MaxChannels,
	"protocol.MaxInputBytes":       protocol.MaxInputBytes,
	"protocol.MaxInputEntities":    protocol.MaxInputEntities,
	"peer.FirstMessages":           peer.FirstMessages,
	"peer.FirstUser":               peer.FirstUser,
	"peer.MaxDebt":                 peer.MaxDebt,
	"endpoint.LeastCap":            endpoint.LeastCap,
	"endpoint.CapSlack":            endpoint.CapSlack,
	"input.RelayCopies":            worldinput.RelayCopies,
	"input.MaxRelayBody":           worldinput.MaxRelayBody,
	"input.MaxOtherStreams":        worldinput.MaxOtherStreams,
	"input.MaxWaitingIntents":      worldinput.MaxWaitingIntents,
	"repl.MaxUnits":                repl.MaxUnits,
	"repl.MaxUnitParts":            repl.MaxUnitParts,
	"repl.MaxActionsInFlight":      repl.MaxActionsInFlight,
	"repl.MaxGroups":               repl.MaxGroups,
	"repl.MaxGroupBytes":           repl.MaxGroupBytes,
	"repl.MaxMembers":              repl.MaxMembers,
	"repl.MaxGroupRefs":            repl.MaxGroupRefs,
	"message.MaxRefs":              message.MaxRefs,

	"udp.DefaultClientQueue":             udp.DefaultClientQueue,
	"udp.DefaultListenerQueue":           udp.DefaultListenerQueue,
	"udp.DefaultStrangerQueue":           udp.DefaultStrangerQueue,
	"udp.QueueShares":                    udp.QueueShares,
	"websocket.AdmitWithin":              websocket.AdmitWithin,
	"websocket.AdmitBytes":               websocket.AdmitBytes,
	"websocket.DefaultPending":           websocket.DefaultPending,
	"websocket.DefaultPendingPerAddress": websocket.DefaultPendingPerAddress,
}

var numberRow = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+)` \\| (\\S+) \\|$")

// TestNumbersOfThePages compares the constants that docs/PROTOCOL.md and docs/STATES.md name with
// the code, in both directions.
func TestNumbersOfThePages(t *testing.T) {
	onPages := map[string]bool{}
	for _, page := range []string{"docs/PROTOCOL.md", "docs/STATES.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, row := range numberRow.FindAllStringSubmatch(string(text), -1) {
			name, value := row[1], row[2]
			onPages[name] = true
			assert.Equal(t, fmt.Sprint(numbers[name]), value, "%s in %s", name, page)
		}
	}
	assert.Equal(t, slices.Sorted(maps.Keys(numbers)), slices.Sorted(maps.Keys(onPages)))
}
