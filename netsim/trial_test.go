package netsim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
)

func TestAFailedTrialFailsNoOtherTest(t *testing.T) {
	for name, test := range map[string]func(t *netsim.Trial){
		"the first":   func(t *netsim.Trial) { t.Errorf("the %s", "first"); t.Fatalf("second") },
		"not equal":   func(t *netsim.Trial) { require.Fail(t, "not equal") },
		"panic: lost": func(*netsim.Trial) { panic("lost") },
		"in the end":  func(t *netsim.Trial) { t.Cleanup(func() { t.Fatalf("in the end") }) },
	} {
		assert.ErrorContains(t, netsim.Try("t", test), name)
	}
	assert.NoError(t, netsim.Try("t", func(t *netsim.Trial) { t.Logf("fine") }))
}

func TestATrialCleansUpWhateverHappens(t *testing.T) {
	var order []int
	err := netsim.Try("t", func(t *netsim.Trial) {
		t.Cleanup(func() { order = append(order, 1) })
		t.Cleanup(func() { order = append(order, 2); t.FailNow() })
		t.Cleanup(func() { order = append(order, 3); panic("again") })
		t.Fatalf("%s failed: %v", t.Name(), t.Failed())
	})
	assert.EqualError(t, err, "t failed: false")
	assert.Equal(t, []int{3, 2, 1}, order)
}
