package predict

// rewound is on every entity that goes back in a rollback: those of the network that this
// client predicts, and what the game has hung on them. It is the marker of a table, which
// needs a byte to find rows by.
type rewound struct{ _ byte }
