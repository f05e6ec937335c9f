module watchproof.dev/launch

go 1.26.0
