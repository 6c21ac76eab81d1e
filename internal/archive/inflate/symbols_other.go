//go:build !amd64 || purego

package inflate

// assembly reports whether decodeAssembly is used.
var assembly = false

func decodeAssembly(*Reader, *codes, uint) stop { panic("no assembly") }
