package netcode

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestMain skips these tests on a machine without Python or libsodium, so that all other tests of
// the repository can run there. If CI is set, it skips nothing: there the tests fail.
func TestMain(m *testing.M) {
	missing := exec.Command("python3", "-c", "import ctypes; ctypes.CDLL('libsodium.so.23')").Run()
	if missing != nil && os.Getenv("CI") == "" {
		fmt.Println("passed over: the second client needs python3 and libsodium.so.23 (Debian: python3, libsodium23); with CI set this is a failure")
		return
	}
	os.Exit(m.Run())
}
