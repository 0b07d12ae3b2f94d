package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/programtest"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

func TestFlagsGoBeforeTheFileAndTheFileBeforeDefaults(t *testing.T) {
	file := programtest.Write(t, `{"clients": 3, "loss": 0.25, "latency": "80ms", "headless": true}`)
	s, err := example.Read([]string{"-settings", file, "-loss", "0.5"}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, settings{
		Sides: stage.Sides{Mode: stage.All}, Length: program.Length{Headless: true}, Clients: 3, Dots: 1000, Seed: 1, Interpolate: true,
		quality: quality{Latency: program.Span(80 * time.Millisecond), Loss: 0.5},
	}, s)
}

// Every option in a file has a flag of the same name, and vice versa.
func TestAFileHasTheFlagsNames(t *testing.T) {
	s, err := example.Read([]string{"-latency", "80ms"}, &bytes.Buffer{})
	require.NoError(t, err)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var names map[string]any
	require.NoError(t, json.Unmarshal(text, &names))
	assert.Equal(t, "80ms", names["latency"])
	set := example.Flags(new(settings), &bytes.Buffer{})
	for name := range names {
		assert.NotNil(t, set.Lookup(name), name)
	}
	for _, own := range []string{"settings", "pipe"} {
		assert.NotContains(t, names, own)
	}
	again, err := example.Read([]string{"-settings", programtest.Write(t, string(text))}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, s, again)
}

func TestWrongOptionsSayWhatToWrite(t *testing.T) {
	for says, args := range map[string][]string{
		"it can be all, server, client or key":  {"-mode", "both"},
		"loss is 2; it can be 0 to 1":           {"-loss", "2"},
		"loss is NaN":                           {"-loss", "NaN"},
		"write a duration such as 80ms":         {"-latency", "80"},
		"clients is 0; it can be 1 to 6":        {"-clients", "0"},
		"dots is -1":                            {"-dots", "-1"},
		"can't be below zero":                   {"-jitter", "-1ms"},
		"seconds is -1":                         {"-seconds", "-1"},
		"give -key, the same on all sides":      {"-mode", "server", "-addr", "0.0.0.0:4000"},
		"[::]:4000, which other machines reach": {"-mode", "server", "-addr", ":4000"},
		"write a host and a port":               {"-addr", "nowhere"},
		"64 hexadecimal digits":                 {"-key", "secret"},
		`"extra" is no option`:                  {"extra"},
		"no such file":                          {"-settings", filepath.Join(t.TempDir(), "none.json")},
		`unknown field "dotz"`:                  {"-settings", programtest.Write(t, `{"dotz": 3}`)},
	} {
		_, err := example.Read(args, &bytes.Buffer{})
		assert.ErrorContains(t, err, says, "%v", args)
	}
}

func TestAddressesOfTheServer(t *testing.T) {
	for _, c := range []struct{ mode, addr, listen, dial string }{
		{stage.All, "", "127.0.0.1:0", "127.0.0.1:0"},
		{stage.Server, "", "127.0.0.1:40000", "127.0.0.1:40000"},
		{stage.Server, "0.0.0.0:4000", "0.0.0.0:4000", "127.0.0.1:4000"},
		{stage.Server, ":4000", "[::]:4000", "[::1]:4000"},
		{stage.Client, "[::1]:4000", "[::1]:4000", "[::1]:4000"},
	} {
		s := settings{Sides: stage.Sides{Mode: c.mode, Addr: c.addr}}
		addr, err := s.address()
		require.NoError(t, err)
		assert.Equal(t, c.listen, addr.String())
		assert.Equal(t, c.dial, reachable(addr).String())
	}
}
