module github.com/entangle-ecs/entangle/benchmarks

go 1.26.0

replace github.com/entangle-ecs/entangle => ../

require (
	github.com/entangle-ecs/entangle v0.0.0-00010101000000-000000000000
	github.com/kelindar/binary v1.2.3
	github.com/mlange-42/arche v0.15.3
	github.com/pkg/profile v1.7.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/net v0.62.0
)

require (
	github.com/felixge/fgprof v0.9.3 // indirect
	github.com/google/pprof v0.0.0-20211214055906-6f57359322fd // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
