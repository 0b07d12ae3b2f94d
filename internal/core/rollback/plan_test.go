package rollback

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/stretchr/testify/assert"
)

// words returns a plan as text.
func words(plan []Step) (lines []string) {
	for _, step := range plan {
		lines = append(lines, step.String())
	}
	return lines
}

func TestARollbackReplaysEveryTickSince(t *testing.T) {
	line := Timeline{At: 104, Ran: 104, Present: 104, Confirmed: 102}
	assert.Equal(t, []string{
		"save", "restore 101",
		"tick 102", "insert 102 all known",
		"tick 103", "insert 103 due",
		"tick 104", "insert 104 due",
		"put back", "report",
	}, words(line.Rollback(nil, 101)))
	assert.Equal(t, []string{"save", "restore 104", "put back", "report"}, words(line.Rollback(nil, 104)))
}

// The ticks that the clock has jumped over follow the replayed ones, and run for the first time.
func TestARollbackGoesOnToWhereTheClockWasSet(t *testing.T) {
	line := Timeline{At: 102, Ran: 102, Present: 104, Confirmed: 101}
	assert.Equal(t, []string{
		"save", "restore 101",
		"tick 102", "insert 102 due",
		"tick 103 for the first time", "insert 103 due",
		"tick 104 for the first time", "insert 104 due",
		"put back", "report",
	}, words(line.Rollback(nil, 101)))
}

// A rollback ends at the present tick, even if the clock was set back. In that case it ends with a
// refresh, because no ticks lead from the displayed state to the present.
func TestARollbackWithAClockThatWasSetBack(t *testing.T) {
	line := Timeline{At: 104, Ran: 104, Present: 102, Confirmed: 100}
	assert.Equal(t, []string{
		"save", "restore 101", "tick 102", "insert 102 due", "put back", "report", "refresh",
	}, words(line.Rollback(nil, 101)))
}

func TestTheClockIsFollowed(t *testing.T) {
	forward := Timeline{At: 102, Ran: 102, Present: 104, Confirmed: 103}
	assert.Equal(t, []string{
		"save",
		"tick 103 for the first time", "insert 103 all known",
		"tick 104 for the first time", "insert 104 due",
		"put back",
	}, words(forward.FollowClock(nil)))
	back := Timeline{At: 104, Ran: 104, Present: 102, Confirmed: 101}
	assert.Equal(t, []string{"save", "restore 102", "put back", "refresh"}, words(back.FollowClock(nil)))
}

// A restart replays the ticks that have run before, and runs the others for the first time.
func TestARestartBeginsAtTheConfirmedTick(t *testing.T) {
	line := Timeline{At: 90, Ran: 103, Present: 104, Confirmed: 102}
	assert.Equal(t, []string{
		"save", "restart 102",
		"tick 103", "insert 103 due",
		"tick 104 for the first time", "insert 104 due",
		"put back", "refresh",
	}, words(line.Restart(nil, line.Confirmed)))
	none := Timeline{At: 90, Ran: 91, Present: 103, Confirmed: 102}
	assert.Equal(t, []string{
		"save", "restart 102", "tick 103 for the first time", "insert 103 due", "put back", "refresh",
	}, words(none.Restart(nil, none.Confirmed)))
}

func TestThePresentIsAmendedOrTakenOver(t *testing.T) {
	line := Timeline{At: 104, Ran: 104, Present: 104, Confirmed: 104}
	assert.Equal(t, []string{"insert 104 differing", "report", "refresh"}, words(line.Amend(nil)))
	assert.Equal(t, []string{"take over 104", "refresh", "revive", "remove"}, words(line.End(line.TakeOver(nil))))
}

func TestPlansAcrossTheEndOfTicks(t *testing.T) {
	var zero entangle.Tick
	line := Timeline{At: 1, Ran: 1, Present: 1, Confirmed: zero}
	plan := line.Rollback(nil, zero-2)
	assert.Equal(t, []Step{
		{Kind: StepSave},
		{Kind: StepRestore, Tick: zero - 2},
		{Kind: StepTick, Tick: zero - 1},
		{Kind: StepInsert, Tick: zero - 1},
		{Kind: StepTick, Tick: zero},
		{Kind: StepInsert, Tick: zero, Select: AllKnown},
		{Kind: StepTick, Tick: 1},
		{Kind: StepInsert, Tick: 1},
		{Kind: StepPutBack},
		{Kind: StepReport},
	}, plan)
}

// No plan is longer than PlanLimit.
func TestPlanLimit(t *testing.T) {
	for ticks := range entangle.Tick(40) {
		line := Timeline{At: 100 + ticks, Ran: 100 + ticks, Present: 100 + ticks, Confirmed: 100}
		for _, plan := range [][]Step{line.Rollback(nil, 100), line.Restart(nil, line.Confirmed), line.TakeOver(nil), line.Amend(nil)} {
			assert.LessOrEqual(t, len(line.End(plan)), PlanLimit(int(ticks)))
		}
	}
}
