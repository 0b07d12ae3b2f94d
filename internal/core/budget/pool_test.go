package budget_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// shared is one of the accounts that share a pool in a test.
type shared struct {
	account budget.Account
	hungry  bool // it wants more than there ever is
	sent    int
	owed    int
}

// dealt is a simple model of a division: each account that wants one more byte, or owes one, gets
// it in turn. The rest is divided equally. Each account pays its debt out of its part.
func dealt(wants, owed []int, total int) []int {
	got := make([]int, len(wants))
	for moved := true; moved && total > 0; {
		moved = false
		for i := range wants {
			if total > 0 && got[i] < wants[i]+owed[i] {
				got[i], total, moved = got[i]+1, total-1, true
			}
		}
	}
	for i := range got {
		got[i] += max(total, 0)/len(got) - owed[i]
	}
	return got
}

// Whatever is wanted in each frame, all accounts of a cap together send no more in any span of time
// than the rate, the savings and a piece for each allow, and no less while one of them wants more.
// Bytes are divided equally, and bytes that one account does not want go to the others. If an
// account completes a piece beyond its part, the excess is subtracted from its own next parts only.
// Accounts that always want more therefore send the same amount.
//
// Proves: P12
func TestAPoolIsSharedFairlyAndBindsInAnySpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := make([]shared, rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(t, "members"))
		rate := rapid.IntRange(500, 20_000).Draw(t, "rate")
		piece := min(1150, rate/len(members)) // more than a second's rate of debts is forgotten
		span := time.Duration(rapid.SampledFrom([]int{1, 50, 100, 1000}).Draw(t, "span")) * time.Millisecond
		pool, size := budget.NewPool(rate, span), float64(rate)*span.Seconds()
		for i := range members {
			members[i].hungry = rapid.IntRange(0, 2).Draw(t, "hungry") == 0
		}
		type frame struct {
			at    time.Duration
			bytes int
		}
		var frames []frame
		wants, owed, more := make([]int, len(members)), make([]int, len(members)), make([]int, len(members))
		twin := budget.NewBucket(rate, span)
		at := time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "frames") {
			at += time.Duration(rapid.SampledFrom([]int64{0, 1, 16_666_667, 50_000_001, 2e8, 3e9}).Draw(t, "wait"))
			now := time.Unix(100, 0).Add(at)
			pool.Begin(now)
			total := twin.Level(now)
			for i := range members {
				m := &members[i]
				wants[i], more[i] = rapid.IntRange(0, 400).Draw(t, "wants"), 0
				if m.hungry {
					wants[i] = 1 << 20
				} else if rapid.Bool().Draw(t, "surprised") {
					more[i] = rapid.IntRange(0, 1<<20).Draw(t, "more")
				}
				pool.Ask(&m.account, wants[i])
				owed[i] = m.owed
				total += m.owed
			}
			pool.Divide()
			gives := dealt(wants, owed, total)
			sum := 0
			for i := range members {
				m, sent := &members[i], 0
				require.Equal(t, gives[i], m.account.Given(), "of member %d", i)
				if most := wants[i] + more[i]; most < gives[i] {
					sent = most
				} else if gives[i] > 0 {
					sent = gives[i] + rapid.IntRange(0, piece-1).Draw(t, "beyond")
				}
				m.account.Charge(sent)
				m.owed = max(0, sent-gives[i])
				m.sent += sent
				sum += sent
			}
			pool.Spend(sum)
			twin.Spend(sum)
			frames = append(frames, frame{at, sum})
			if slices.ContainsFunc(members, func(m shared) bool { return m.hungry }) {
				require.Less(t, twin.Level(now), len(members), "an account wants more, and there is more")
			}
		}
		for from := range frames {
			bytes := 0
			for _, f := range frames[from:] {
				bytes += f.bytes
				most := float64(rate)*(f.at-frames[from].at).Seconds() + size + float64(piece*len(members))
				require.LessOrEqual(t, float64(bytes), most)
			}
		}
		for i := range members {
			for j := range members[:i] {
				if a, b := &members[i], &members[j]; a.hungry && b.hungry {
					require.InDelta(t, a.sent, b.sent, float64(piece+len(frames)))
				}
			}
		}
	})
}

// Traffic that cannot be held back may take more than its part, even forever: the others get the
// rest of the rate, so that the cap still applies to them, and in all no more than a second's rate
// is sent beyond the cap. When that traffic ends, its debt is over in two seconds.
//
// Proves: P12
func TestTrafficThatCannotBeHeldBackExemptsNoAccount(t *testing.T) {
	const rate, frames = 60_000, 60 // frames per second
	for _, others := range []int{1, 3, 9} {
		for _, forced := range []int{400, 700, 900, 1000, 5000} { // bytes in each frame, of 1000
			t.Run(fmt.Sprintf("%d of 1000 beside %d", forced, others), func(t *testing.T) {
				pool, accounts := budget.NewPool(rate, 100*time.Millisecond), make([]budget.Account, 1+others)
				now := time.Unix(100, 0)
				second := func(forced int) (sent []int) {
					sent = make([]int, len(accounts))
					for range frames {
						now = now.Add(time.Second / frames)
						pool.Begin(now)
						for i := range accounts {
							pool.Ask(&accounts[i], 1<<20)
						}
						pool.Divide()
						all := 0
						for i := range accounts {
							bytes := max(accounts[i].Given(), 0)
							if i == 0 && forced > 0 {
								bytes = forced
							}
							accounts[i].Charge(bytes)
							sent[i] += bytes
							all += bytes
						}
						pool.Spend(all)
					}
					return sent
				}
				held := 0
				for range 60 {
					held = 0
					for _, bytes := range second(forced)[1:] {
						held += bytes
					}
				}
				left := max(rate-forced*frames, 0)
				assert.InDelta(t, left, held, 0.01*rate, "the others are sent in a second what is left")
				second(0)
				second(0)
				for i, bytes := range second(0) {
					assert.InDelta(t, rate/len(accounts), bytes, 0.02*rate, "member %d, when nothing is forced any more", i)
				}
			})
		}
	}
}

func TestAPoolAllocatesNothing(t *testing.T) {
	pool, accounts := budget.NewPool(1000, time.Second), make([]budget.Account, 20)
	divide := func() {
		pool.Begin(time.Unix(100, 0))
		for i := range accounts {
			pool.Ask(&accounts[i], 10*i)
		}
		pool.Divide()
	}
	divide()
	require.Zero(t, alloctest.Count(10, divide))
}
