// Package look is what the examples' pictures in a terminal have in common.
package look
