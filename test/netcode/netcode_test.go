package netcode

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/token"
)

const protocolID = "1234567890123"

var key = token.Key{0: 9, 31: 9}

// python runs a script that is in this folder.
func python(t *testing.T, input string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("python3", append([]string{"-B"}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "python3 with libsodium.so.23 (Debian: python3, libsodium23) must run\n%s", stderr.String())
	return out
}

// process is a running echoserver.
type process struct {
	addr  string
	stop  func()
	lines *bufio.Reader
}

// build compiles the server. It does so once per run of the test binary.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "echoserver")
	out, err := exec.Command("go", "build", "-o", program, "./echoserver").CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

func start(t *testing.T, program, listen string) *process {
	t.Helper()
	cmd := exec.Command(program, "-key", key.Hex(), "-protocol", protocolID, "-listen", listen)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe() // the server ends when this test ends
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{lines: bufio.NewReader(stdout)}
	stopped := false
	p.stop = func() {
		if !stopped {
			stopped = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(p.stop)
	p.addr = p.line(t)
	return p
}

func (p *process) line(t *testing.T) string {
	t.Helper()
	line, err := p.lines.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

func (p *process) scenario(t *testing.T, name, input string, result any) {
	t.Helper()
	out := python(t, input, "client.py", name, "--server", p.addr, "--key", key.Hex(), "--protocol", protocolID, "--id", "42")
	require.NoError(t, json.Unmarshal(out, result), string(out))
}

// Proves: C1, C9
func TestAForeignClientPlays(t *testing.T) {
	t.Parallel()
	p := start(t, build(t), "127.0.0.1:0")
	var got struct {
		Echoed     []int
		Index      int
		MaxClients int `json:"max_clients"`
	}
	p.scenario(t, "play", "", &got)
	assert.Equal(t, []int{1, 2, 100, 1125, 1200}, got.Echoed)
	assert.Equal(t, 0, got.Index)
	assert.Equal(t, 1, got.MaxClients)
	assert.Equal(t, `connected 42 "hello from libsodium"`, p.line(t))
	assert.Equal(t, "disconnected 42 the other side disconnected", p.line(t))
}

// Proves: C2, C3, Z4
func TestAForeignClientWithoutAGoodTokenHearsNothing(t *testing.T) {
	t.Parallel()
	p := start(t, build(t), "127.0.0.1:0")
	var replies map[string]int
	p.scenario(t, "refused", "", &replies)
	assert.Equal(t, map[string]int{
		"tampered_first": 0, "tampered_middle": 0, "tampered_last": 0, "expiry_moved": 0,
		"expired": 0, "before_start": 0, "wrong_server": 0, "wrong_port": 0,
		"wrong_protocol": 0, "wrong_key": 0,
	}, replies)
}

// Proves: C14, Z4
func TestAForeignClientUsesATokenOnce(t *testing.T) {
	t.Parallel()
	program := build(t)
	p := start(t, program, "127.0.0.1:0")
	var replies map[string]int
	p.scenario(t, "reused", "", &replies)
	assert.Equal(t, map[string]int{
		"other_address_while_connected": 0, "same_address": 0, "other_address": 0,
	}, replies)

	var spent struct{ Token string }
	p.scenario(t, "spend", "", &spent)
	p.stop()
	again := start(t, program, p.addr)
	var after struct{ Replies int }
	again.scenario(t, "replay", spent.Token, &after)
	assert.Zero(t, after.Replies, "a token from before the restart")
}

// Proves: C6
func TestAForeignClientIsKicked(t *testing.T) {
	t.Parallel()
	p := start(t, build(t), "127.0.0.1:0")
	var got struct{ Kicked bool }
	p.scenario(t, "kicked", "", &got)
	assert.True(t, got.Kicked)
	assert.Contains(t, p.line(t), "connected 42 ")
	assert.Equal(t, "disconnected 42 disconnected", p.line(t))
}

// Proves: C8
func TestAForeignClientTooManyIsDenied(t *testing.T) {
	t.Parallel()
	p := start(t, build(t), "127.0.0.1:0")
	var got struct{ Second string }
	p.scenario(t, "full", "", &got)
	assert.Equal(t, "denied", got.Second)
}

// Proves: C18
func TestAForeignReaderOpensOurTokens(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	minted, err := token.Mint(key, token.Claims{
		ProtocolID: 5, ClientID: 1 << 63, Timeout: 7 * time.Second, Life: time.Minute, UserData: []byte("hat: red"), Now: now,
		Servers: []netip.AddrPort{netip.MustParseAddrPort("203.0.113.7:40000"), netip.MustParseAddrPort("[2001:db8::1:2]:443")},
	})
	require.NoError(t, err)
	out := python(t, hex.EncodeToString(minted.Bytes()), "client.py", "open", "--key", key.Hex())
	assert.JSONEq(t, `{"client_id": 9223372036854775808, "protocol_id": 5, "create": 1800000000, "expire": 1800000060,
		"timeout": 7, "addresses": ["203.0.113.7 40000", "2001:db8::1:2 443"], "user_data": "hat: red", "both_parts_agree": true}`, string(out))
}

func TestTheGoldensAreWhatTheForeignClientWrites(t *testing.T) {
	folder := t.TempDir()
	python(t, "", "golden.py", folder)
	fresh, err := os.ReadDir(folder)
	require.NoError(t, err)
	committed, err := os.ReadDir("testdata")
	require.NoError(t, err)
	require.Len(t, fresh, 14)
	require.Len(t, committed, len(fresh))
	for _, file := range fresh {
		want, err := os.ReadFile(filepath.Join(folder, file.Name()))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join("testdata", file.Name()))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), file.Name())
	}
}
