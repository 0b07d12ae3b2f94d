package script

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// planted fails if entity a is spawned, then the line of client 2 gets loss, and then a is
// despawned.
func planted(steps []string) bool {
	stage, clients := 0, 0
	for _, step := range steps {
		words := strings.Fields(step)
		switch {
		case words[0] == "connect":
			clients += int(words[1][0] - '0')
		case strings.HasPrefix(step, "spawn a") && stage == 0:
			stage = 1
		case words[0] == "loss" && words[1] != "0%" && words[len(words)-1] == "2" && clients >= 2 && stage == 1:
			stage = 2
		case step == "despawn a" && stage == 2:
			return true
		}
	}
	return false
}

func TestShrinkLeavesWhatTheFailureNeeds(t *testing.T) {
	var steps []string
	for range 3 {
		steps = append(steps, "connect 1", "run 200ms", "spawn b Spot=1,2")
	}
	steps = append(steps, "despawn a", "spawn a Spot=1,2 Flag")
	for range 50 {
		steps = append(steps, "run 30ms", "set b Spot=2,2", "loss 20% 1", "cut 2", "loss 5% 3", "restore 2")
	}
	steps = append(steps, "loss 50% up 2", "run 1s", "despawn b", "despawn a", "spawn a Flag", "run 1s")
	require.True(t, planted(steps))
	short := Shrink(steps, 2000, planted)
	assert.Equal(t, []string{"connect 1", "connect 1", "spawn a", "loss 1% up 2", "despawn a"}, short)
}

// Shrink can also remove a client with a lower number than the others.
func TestShrinkLeavesOutClients(t *testing.T) {
	steps := []string{"connect 2", "kick 1,2 go away", "connect 3", "kick 5 go away", "cut 1", "latency 20ms up 4,5", "cut"}
	short := Shrink(steps, 200, func(steps []string) bool {
		made, kicked, late := 0, false, false
		for _, step := range steps {
			words := strings.Fields(step)
			switch words[0] {
			case "connect":
				made += int(words[1][0] - '0')
			case "kick":
				kicked = kicked || made > 0 && words[1] == strconv.Itoa(made)
			case "latency":
				late = late || made > 0 && strings.Contains(words[3], strconv.Itoa(made))
			}
		}
		return kicked && late
	})
	assert.Equal(t, []string{"connect 1", "kick 1 go away", "latency 0s up 1"}, short)
}

func TestShrinkLowersWhatCanBeLower(t *testing.T) {
	for from, to := range map[string]string{
		"run 1s":                         "run 0s",
		"latency 80ms up 1":              "latency 0s up 0",
		"loss 12.5%":                     "loss 0%",
		"kick 1 and again":               "kick 0 and again",
		"tick 3 spawn a Spot=1,2 Health": "spawn a",
		"tick 3 group a 7":               "group a 0",
		"later despawn a":                "despawn a",
	} {
		verb, _, _ := strings.Cut(to, " ")
		short := Shrink([]string{from}, 100, func(steps []string) bool {
			return len(steps) == 1 && (strings.HasPrefix(steps[0], verb+" ") || steps[0] == from)
		})
		assert.Equal(t, []string{to}, short)
	}
}

func TestShrinkJoinsRuns(t *testing.T) {
	steps := []string{"run 40ms", "cut", "run 40ms", "run 1s", "run 30ms"}
	short := Shrink(steps, 500, func(steps []string) bool {
		sum := time.Duration(0)
		for _, step := range steps {
			d, _ := time.ParseDuration(strings.TrimPrefix(step, "run "))
			sum += d
		}
		return sum == 1110*time.Millisecond
	})
	assert.Equal(t, []string{"run 1.11s"}, short)
}

// For any failure, the shrunk script also fails, is no longer than the original, and took no more
// attempts than allowed.
func TestShrinkNeverPassesItsBounds(t *testing.T) {
	words := rapid.SampledFrom([]string{"run 200ms", "run 0s", "connect 2", "cut 1,2", "tick 2 set a Spot=1,1", "loss 10% 2", ""})
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOf(words).Draw(t, "steps")
		attempts := rapid.IntRange(0, 300).Draw(t, "attempts")
		needs := rapid.IntRange(0, 40).Draw(t, "needs")
		fails := func(steps []string) bool { return len(strings.Join(steps, "")) >= needs }
		if !fails(steps) {
			return
		}
		made := 0
		short := Shrink(steps, attempts, func(steps []string) bool { made++; return fails(steps) })
		if made > attempts || !fails(short) || len(short) > len(steps) {
			t.Fatalf("%d attempts of %d left %q of %q, which needs %d letters", made, attempts, short, steps, needs)
		}
	})
}
