package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

// profiles are the files of a run that show where its time and its memory go. Their
// flags are for those who work on robotsaudit itself, so that no help lists them.
type profiles struct{ stops []func() error }

var profileFlags = [...]struct {
	name, usage string
	start, stop func(*os.File) error
}{
	{
		"cpuprofile", "write a profile of the processor to `FILE`, for go tool pprof",
		func(f *os.File) error { return pprof.StartCPUProfile(f) },
		func(*os.File) error { pprof.StopCPUProfile(); return nil },
	},
	{
		"trace", "write a trace of the run to `FILE`, for go tool trace",
		func(f *os.File) error { return trace.Start(f) },
		func(*os.File) error { trace.Stop(); return nil },
	},
	{
		"memprofile", "write a profile of the memory to `FILE` at the end, for go tool pprof",
		func(*os.File) error { runtime.MemProfileRate = sampled; return nil },
		func(f *os.File) error {
			runtime.GC() // what is still in use, not what could have been freed
			return pprof.Lookup("allocs").WriteTo(f, 0)
		},
	},
}

// sampled is how many bytes are allocated for each one that a profile of the memory
// knows. Where none is asked for none is: what the samples are kept in is half a megabyte.
const sampled = 512 << 10

func (p *profiles) addFlags(cmd *cobra.Command) {
	for _, f := range profileFlags {
		cmd.PersistentFlags().String(f.name, "", f.usage)
		if err := cmd.PersistentFlags().MarkHidden(f.name); err != nil {
			panic(err)
		}
	}
}

// start opens the files that are asked for and starts to fill them.
func (p *profiles) start(cmd *cobra.Command) error {
	for _, flag := range profileFlags {
		name, err := cmd.Flags().GetString(flag.name)
		if err != nil || name == "" {
			continue
		}
		f, err := os.Create(name)
		if err != nil {
			return usage.Errorf("cannot write a profile: %v", err)
		}
		if err := flag.start(f); err != nil {
			f.Close()
			return fmt.Errorf("%s: %w", name, err)
		}
		p.stops = append(p.stops, func() error { return errors.Join(flag.stop(f), f.Close()) })
	}
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
