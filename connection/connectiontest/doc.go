// Package connectiontest checks that a connection layer keeps the rules of package
// connection. The layers of this module run it, and so should a custom one:
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
// The layer may lose and reorder payloads during a check, as long as most arrive. Time is
// real, except that checks of timeouts jump ahead. Run the checks with -race as well:
// payloads are sent by several goroutines.
package connectiontest
