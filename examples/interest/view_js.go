package main

import (
	"context"
	"errors"
)

// show has nothing to draw in.
func show(context.Context, settings) error {
	return errors.New("a browser has no terminal: use -headless")
}
