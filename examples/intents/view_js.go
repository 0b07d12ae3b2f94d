package main

import (
	"context"
	"errors"
)

// show does nothing, because a browser has no terminal.
func show(context.Context, settings) error {
	return errors.New("a browser has no terminal: use -headless")
}
