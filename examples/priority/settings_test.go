package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/programtest"
)

// Every option in a file has a flag of the same name, and vice versa.
func TestAFileHasTheFlagsNames(t *testing.T) {
	s := flags(t, "-latency", "80ms", "-within", "9")
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var names map[string]any
	require.NoError(t, json.Unmarshal(text, &names))
	assert.Equal(t, "80ms", names["latency"])
	set := example.Flags(new(settings), &bytes.Buffer{})
	for name := range names {
		assert.NotNil(t, set.Lookup(name), name)
	}
	assert.NotContains(t, names, "settings")
	again, err := example.Read([]string{"-settings", programtest.Write(t, string(text))}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, s, again)
}
