// Package look is shared by the examples that draw in a terminal.
package look
