//go:build !purego

package inflate

import "golang.org/x/sys/cpu"

// assembly reports whether decodeAssembly is used: where the processor has its
// instructions, unless a test wants decodeGo.
var assembly = cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasAVX2

// decodeAssembly is decodeGo in assembly.
//
//go:noescape
func decodeAssembly(r *Reader, c *codes, inEnd uint) stop
