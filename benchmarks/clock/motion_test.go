package clock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In every network, the mean delay of a timeline is at most one send interval above the smallest
// constant delay that would have sufficed. With 20 ms of jitter and up to 5 % of loss, at most half
// a percent of the frames starves, at all tick rates, frame rates and send intervals, also with
// drifting clocks and after stalls and changes.
func TestOthersMoveSmoothly(t *testing.T) {
	for _, n := range MotionNetworks() {
		t.Run(n.name, func(t *testing.T) {
			for i, r := range n.results(clockCounts) {
				t.Logf("every %d: %.2f %% starved, delay %.2f, %.2f over", motionIntervals[i], 100*r.starved, r.delay, r.over())
				assert.LessOrEqual(t, r.over(), float64(motionIntervals[i]))
				if n.link.Down.Loss <= 0.05 && n.link.Down.LossBurst <= 1 {
					assert.LessOrEqual(t, r.starved, motionShare)
				} else {
					assert.LessOrEqual(t, r.starved, 10*motionShare)
				}
			}
		})
	}
}

// The least delay is the one that the values need: with a constant travel time of two ticks and a
// value in every sixth tick, it is the travel time and all of the interval but for a frame.
func TestLeastDelayOfAConstantNetwork(t *testing.T) {
	n := motionNetwork{name: "constant", link: clockLink(66, 0, 0), tickRate: 60, frameRate: 60, start: clockStart}
	r := n.play(time.Minute)
	for i, every := range motionIntervals {
		assert.InDelta(t, 2+float64(every), r.result(i, motionWarmUp).least, 1)
	}
}

// Where there are no values, every frame starves.
func TestStarvedFramesAreCounted(t *testing.T) {
	n := motionNetwork{name: "cut", link: clockLink(100, 0, 0), tickRate: 60, frameRate: 60, start: clockStart}
	n.pause = motionPause{pauseNetwork, 30 * time.Second, 40 * time.Second}
	r := n.play(50 * time.Second)
	for i := range motionIntervals {
		assert.InDelta(t, 0.5, r.result(i, 30*time.Second).starved, 0.02)
	}
}

// The page has a row for each network.
func TestMotionPageHasEveryNetwork(t *testing.T) {
	text, err := os.ReadFile("../../docs/" + motionPageFile)
	require.NoError(t, err)
	checkMotionPage(t, string(text), MotionNetworks())
}

func checkMotionPage(t *testing.T, page string, all []motionNetwork) {
	t.Helper()
	assert.True(t, strings.HasPrefix(page, motionPageTop+motionHead()))
	assert.True(t, strings.HasSuffix(page, motionPageEnd))
	rows := strings.Split(strings.TrimSuffix(strings.TrimPrefix(page, motionPageTop+motionHead()), motionPageEnd), "\n")
	require.Len(t, rows, len(all)+1)
	for i, n := range all {
		assert.True(t, strings.HasPrefix(rows[i], "| "+n.name+" | "))
	}
}

// The page is written as checked.
func TestMotionPageIsWritten(t *testing.T) {
	some, file := MotionNetworks()[:2], filepath.Join(t.TempDir(), motionPageFile)
	require.NoError(t, writeMotionPage(file, some))
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	checkMotionPage(t, string(page), some)
}
