//go:build unix

// In place of robotsaudit in the image that cluster makes. The first attempts at shard 1 and at range 2
// stand still amid their work. Of the name /pause, it waits, as the first program of each pod does.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	if os.Args[0] == "/pause" {
		await()
		return
	}
	command := strings.Join(os.Args[1:], " ")
	for task, begun := range map[string]string{
		"ingest --shard 1/":   "/shared/facts/shards/00001-*",
		"decide --buckets 2/": "/shared/out/.robotsaudit/parts-*/00002-*",
	} {
		mark := "/shared/was-" + os.Args[1]
		if strings.HasPrefix(command, task) && os.Mkdir(mark, 0o755) == nil {
			must(standStill(begun))
			must(os.Mkdir(mark+"/still", 0o755))
			await()
			os.Exit(130)
		}
	}
	must(syscall.Exec("/program", os.Args, os.Environ()))
}

// standStill starts the program and stops it as soon as there is something of a name.
func standStill(name string) error {
	program := exec.Command("/program", os.Args[1:]...)
	if err := program.Start(); err != nil {
		return err
	}
	for {
		if found, err := filepath.Glob(name); err != nil || len(found) > 0 {
			return program.Process.Signal(syscall.SIGSTOP)
		}
	}
}

func await() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	<-end
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
