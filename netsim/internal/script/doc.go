// Package script runs tests that are written as lists of commands, with the trace that each command
// is expected to leave, and shrinks long ones that fail.
//
//   - Script is a parsed script. Verbs implement its commands, which take their words from Args and
//     write to a Trace.
//   - Check runs the script in a file and compares its traces.
//   - Shrink reduces a long failing script, such as a randomly generated one, to a short one.
//   - ParseValue and FormatValue are the syntax of components and resources in commands.
//
// # Shrinking a long failure
//
// A randomised test first writes its random actions as the commands of a script. Its verbs are made
// lenient, so that every subset of the commands is a valid script:
//
//	fails := func(steps []string) bool {
//		return netsim.Try(t.Name(), func(t *netsim.Trial) {
//			s, err := script.Parse("steps", strings.Join(steps, "\n"))
//			if err == nil {
//				_, err = s.Run(newScene(t).Verbs(types...).Lenient())
//			}
//			if err != nil {
//				t.Fatalf("%v", err)
//			}
//		}) != nil
//	}
//	if fails(steps) {
//		t.Errorf("this fails:\n%s", strings.Join(script.Shrink(steps, 500, fails), "\n"))
//	}
//
// The package is independent of networks: package scene has the verbs.
package script
