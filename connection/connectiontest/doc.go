// Package connectiontest checks that a connection layer keeps the rules of package
// connection. The layers of this module run it, and a game that brings its own should as
// well:
//
//	func TestLayer(t *testing.T) {
//		connectiontest.Run(t, func(testing.TB) connectiontest.Layer {
//			platform := newMyPlatform()
//			return connectiontest.Layer{
//				Listener: platform.listener(),
//				Dialer: func(g connectiontest.Guest) connection.Dialer {
//					return platform.dialer(g.Client, g.UserData)
//				},
//			}
//		})
//	}
//
// The layer may lose and reorder payloads while it is checked, as long as most arrive.
// Time runs as it does, except where a check wants to see somebody time out: there it
// jumps. Run the checks with -race as well: payloads are sent by several goroutines.
package connectiontest
