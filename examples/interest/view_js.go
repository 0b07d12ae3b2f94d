package main

import "errors"

// show has nothing to draw in.
func show(settings) error {
	return errors.New("a browser has no terminal: use -headless")
}
