package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// patience is how long an interrupted command may take to stop what it does. What it has
// not put in its place by then does not count, as after any other end.
const patience = 1500 * time.Millisecond

// interruption says at once that an interrupt was heard, and sees that it is obeyed.
type interruption struct {
	stop []func()
}

// acknowledge waits for the interrupt of a command.
func (i *interruption) acknowledge(cmd *cobra.Command) {
	log := logger(cmd)
	told := make(chan struct{})
	tell := func() { log.Warn("stopping; once more ends at once"); close(told) }
	unheard := context.AfterFunc(cmd.Context(), tell)
	i.stop = append(i.stop, func() {
		if !unheard() {
			<-told
		} else if cmd.Context().Err() != nil { // the command was quicker
			tell()
		}
	})
	late, give := context.WithCancel(context.WithoutCancel(cmd.Context()))
	i.stop = append(i.stop, give)
	context.AfterFunc(cmd.Context(), func() {
		select {
		case <-late.Done():
		case <-time.After(patience):
			log.Error(advise(context.Canceled, cmd).Error())
			os.Exit(exitInterrupted)
		}
	})
}

// over tells that the command has ended.
func (i *interruption) over() {
	for _, stop := range i.stop {
		stop()
	}
}
