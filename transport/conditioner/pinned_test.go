package conditioner_test

// pinned is the run of twelve datagrams over the rough link with seed 42.
var pinned = []string{
	"1 after 15.823918ms", "10 after 12.447824ms", "11 after 17.486302ms", "1 after 28.048151ms",
	"9 after 28.455603ms", "2 after 39.543206ms", "8 after 33.826692ms", "6 after 37.472471ms",
	"3 after 41.357768ms", "0 after 44.821092ms", "11 after 38.983465ms", "7 after 46.861067ms",
	"5 after 49.00425ms", "4 after 62.084779ms",
}
