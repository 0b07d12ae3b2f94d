module github.com/entangle-ecs/entangle

go 1.26.0

require (
	github.com/kelindar/binary v1.2.3 // indirect
	github.com/mlange-42/arche v0.15.3 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
