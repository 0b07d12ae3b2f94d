package websocket

import "errors"

// ErrBrowser is returned by Listen and Dial in a program that runs in a browser.
var ErrBrowser = errors.New("websocket: this version has no WebSocket for programs in a browser (js/wasm); run the client as a native program")
