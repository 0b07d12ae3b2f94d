package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write makes a file of a test's own.
func write(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// Every option of a file is a flag of the same name, and the other way round.
func TestAFileHasTheFlagsNames(t *testing.T) {
	s := flags(t, "-latency", "80ms", "-within", "9")
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var names map[string]any
	require.NoError(t, json.Unmarshal(text, &names))
	assert.Equal(t, "80ms", names["latency"])
	var file string
	set := new(settings).flagSet(&file, &bytes.Buffer{})
	for name := range names {
		assert.NotNil(t, set.Lookup(name), name)
	}
	assert.NotContains(t, names, "settings")
	again, err := readSettings([]string{"-settings", write(t, string(text))}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, s, again)
}
