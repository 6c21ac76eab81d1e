package prose

import "strings"

// ShellWord is a text as one word for a shell.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:+,@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Option is an option with each of its values, as a command line has them after other words.
func Option(name string, values ...string) (line string) {
	for _, v := range values {
		line += " " + name + " " + ShellWord(v)
	}
	return line
}

// CanName reports whether a command line can name a file.
func CanName(file string) bool { return isPlain(file) && !strings.HasPrefix(file, "-") }
