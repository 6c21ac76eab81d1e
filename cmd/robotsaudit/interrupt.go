package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

// patience is how long an interrupted command may take to stop what it does. What it has
// not put in its place by then does not count, as after any other end.
const patience = 1500 * time.Millisecond

// acknowledge waits for the interrupt of a command, confirms it at once, and sees that it
// is obeyed. over is to be called when the command has ended.
func acknowledge(cmd *cobra.Command) (over func()) {
	log := console.Logger(cmd)
	told := make(chan struct{})
	tell := func() { log.Warn("stopping; once more ends at once"); close(told) }
	unheard := context.AfterFunc(cmd.Context(), tell)
	late, give := context.WithCancel(context.WithoutCancel(cmd.Context()))
	context.AfterFunc(cmd.Context(), func() {
		select {
		case <-late.Done():
		case <-time.After(patience):
			log.Error(advise(context.Canceled, cmd).Error())
			os.Exit(int(usage.ExitInterrupted))
		}
	})
	return func() {
		if !unheard() {
			<-told
		} else if cmd.Context().Err() != nil { // the command was quicker
			tell()
		}
		give()
	}
}
