package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"
)

// profiles are the files of a run that show where its time and its memory go. Their
// options are for those who work on robotsaudit itself, so that no help lists them.
type profiles struct {
	cpu, memory, trace string
	stops              []func() error
}

func (p *profiles) addFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&p.cpu, "cpuprofile", "", "write a profile of the processor to `FILE`, for go tool pprof")
	flags.StringVar(&p.memory, "memprofile", "",
		"write a profile of the memory to `FILE` at the end, for go tool pprof")
	flags.StringVar(&p.trace, "trace", "", "write a trace of the run to `FILE`, for go tool trace")
	for _, name := range []string{"cpuprofile", "memprofile", "trace"} {
		if err := flags.MarkHidden(name); err != nil {
			panic(err)
		}
	}
}

// sampled is how many bytes are allocated for each one that a profile of the memory
// knows. Where none is asked for none is: what the samples are kept in is half a megabyte.
const sampled = 512 << 10

// start opens the files that are asked for and starts to fill them.
func (p *profiles) start() error {
	return errors.Join(
		p.open(p.cpu, func(f *os.File) error { return pprof.StartCPUProfile(f) },
			func(*os.File) error { pprof.StopCPUProfile(); return nil }),
		p.open(p.trace, func(f *os.File) error { return trace.Start(f) },
			func(*os.File) error { trace.Stop(); return nil }),
		p.open(p.memory, func(*os.File) error { runtime.MemProfileRate = sampled; return nil }, func(f *os.File) error {
			runtime.GC() // what is still in use, not what could have been freed
			return pprof.Lookup("allocs").WriteTo(f, 0)
		}))
}

func (p *profiles) open(name string, start, stop func(*os.File) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return usageErrorf("cannot write a profile: %v", err)
	}
	if err := start(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	p.stops = append(p.stops, func() error { return errors.Join(stop(f), f.Close()) })
	return nil
}

// stop completes the files.
func (p *profiles) stop() (err error) {
	for _, stop := range p.stops {
		err = errors.Join(err, stop())
	}
	p.stops = nil
	return err
}
