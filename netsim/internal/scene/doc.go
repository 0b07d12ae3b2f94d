// Package scene has the verbs of the scripts that test a server with its clients, see package script.
//
//   - Scene is a server with its clients, and StandardVerbs acts on one. The verbs are in the files
//     verbs_*.go, by theme.
//   - Game is the Scene of a netsim.Sim. It has more verbs, such as those for rooms and inputs, and
//     its trace shows the changes that clients see.
//   - Resource and Overridden register types of which verbs need more than a name.
//   - PlainGrid computes the expected result of a plugin.Grid.
package scene
