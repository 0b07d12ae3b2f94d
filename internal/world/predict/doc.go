// Package predict rolls a client's world back and replays ticks, where the server's confirmed
// state differs from what the client predicted.
//
// [Prediction] keeps histories of predicted components, presence and resources. Once per frame
// Check compares them with the confirmed state and decides how far to go back; the replay then
// computes each tick again with the inputs that are known now. [Why] explains to a developer
// which component differed, and which system probably caused it.
package predict
