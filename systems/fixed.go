package systems

// The stages of a tick, TickUpdate to UpdateHistory, take the world from the end of tick
// T-1 to the end of T. The game's systems run in FixedInput and Main. The stages around them make
// sure that the same tick on another machine, and a replay of it, has the same inputs and starts from
// the same values.
//
// Both sides: an input that a game writes in tick T acts in T plus the input delay. Before Main
// each input component is set to the input that acts in T. After Main the input components of this
// machine's own player are set to the input that the player wrote last, without its events; the
// input components of other players keep their values (docs/STATES.md, "A player's inputs"; rows I1
// to I12). At the end of the tick components with protocol.Full are rounded to values that the wire
// can represent, because the other side goes on computing with the rounded values (rows B1 and B2).
//
// Both sides: entities that Main has spawned with components.Prespawned get a hash, by which the server's
// entity is found to be the client's. In a replay, such an entity is the same one as before (rows E1 to
// E13).
//
// Both sides: entities with a blueprint are assembled before Main of the tick that it says. On a client the
// confirmed state of the tick is inserted after that, at its end, so that it has the last word (rows T4, T5).
//
// Server: entities with components.SID get their shared id before Main and after it, so that
// no system finds one without (row J2).
//
// Server: values of components with the option Rewind are kept for the last ticks, so that a system can look at
// the world as a player saw it (row L1).
//
// Client: children that the game has attached to predicted entities roll back with them from the
// end of the tick on. Then the predicted entities are saved as of T, with the confirmed state of
// T if that is known already.
//
// Host: its player's inputs are in the same input.Inputs as those of the remote clients.

// beginTick increments the tick.
func (s *Server) beginTick() {
	s.Time.Tick++
	s.SIDs.Number() // for entities that were spawned between two ticks
	s.Display.Tick()
}

// beginTick increments the tick, also in a replay.
func (c *Client) beginTick() {
	c.Time.Tick++
	c.Display.Tick()
}

// fixedInput shows the player's last input on the entities that it controls, for systems to
// change.
func (f *Frame) fixedInput() {
	f.Inputs.Buffer()
}

// writeInputs stores the player's input, and sets the inputs that act in this tick.
func (f *Frame) writeInputs() {
	f.Inputs.Write(f.Time.Tick)
}

// writeInputs also remembers the inputs of predicted entities, for reports of rollbacks.
func (c *Client) writeInputs() {
	c.Frame.writeInputs()
	c.Explain.NoteInputs()
}

// clearInputs sets the player's input components to the input that the player wrote last, without
// its events. On a server without a player of its own it does nothing.
func (f *Frame) clearInputs() {
	f.Inputs.Clear()
}

// assemble assembles the entities with a blueprint for this tick. What is spawned from here to
// hashPrespawned belongs to the simulation.
func (s *Server) assemble() {
	s.Prespawns.Begin()
	s.Blueprints.SetTicks(s.Time.Tick, true) // blueprints that systems between two ticks have added
	s.Blueprints.Assemble(s.Time.Tick, nil)
}

// assemble assembles the entities with a blueprint for this tick. What is spawned from here to
// trackPrespawned belongs to the simulation.
func (c *Client) assemble() {
	c.Prediction.BeginMain()
	c.Prediction.Assemble()
}

// hashPrespawned sets the hashes of the entities that the simulation has spawned, which clients that
// predict them are sent.
func (s *Server) hashPrespawned() {
	s.Prespawns.End(s.Time.Tick)
}

// trackPrespawned sets the hashes of the entities that the simulation has spawned. They roll back from
// then on, and wait for the server's.
func (c *Client) trackPrespawned() {
	c.Prediction.EndMain()
}

// roundValues rounds components with protocol.Full, whether or not a client predicts the entity.
func (s *Server) roundValues() {
	if !s.Collector.Rounds() {
		return
	}
	if err := s.Collector.Round(); err != nil {
		panic("plugin: " + err.Error())
	}
}

// roundValues rounds components that this client predicts.
func (c *Client) roundValues() {
	if c.Prediction.Rounds() {
		c.Prediction.Round()
	}
}

// followSpawns gives shared ids to entities that the tick has spawned, and ticks to their blueprints.
func (s *Server) followSpawns() {
	s.SIDs.Number()
	s.Blueprints.SetTicks(s.Time.Tick+1, true)
}

// recordTick keeps the values at the end of the tick, for lag compensation. The last tick of a frame is left to
// observeValues, because systems in BeforeSend may still write to what is sent.
func (s *Server) recordTick() {
	if s.Rewind != nil && s.ticks > 1 {
		s.syncRewind()
		s.Rewind.Record(s.Time.Tick, false)
	}
}

func (s *Server) syncRewind() {
	if err := s.Rewind.Sync(); err != nil {
		panic("plugin: " + err.Error())
	}
}

// followSpawns makes children that the game attached to predicted entities roll back with them, and
// gives ticks to the blueprints of the tick's entities.
func (c *Client) followSpawns() {
	c.Prediction.FollowChildren()
	c.Prediction.SetBlueprintTicks()
}

// saveTick saves the predicted entities at the end of the tick.
func (c *Client) saveTick() {
	c.Prediction.SaveTick()
}
