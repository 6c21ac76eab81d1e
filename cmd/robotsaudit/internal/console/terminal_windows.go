package console

import (
	"os"

	"golang.org/x/sys/windows"
)

// readsEscapes has a console read escape sequences, and reports whether it does. A program must
// enable it; consoles before Windows 10 know none.
func readsEscapes(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
