package arena

import (
	"fmt"
	"strings"
	"testing"
)

func TestStrings(t *testing.T) {
	var made, want []string
	in := new(Strings)
	value := []byte(nil)
	for i := range 5000 {
		value = append(value[:0], fmt.Sprint(i, strings.Repeat("x", i%(longString+20)))...)
		want = append(want, string(value))
		made = append(made, in.Of(value))
	}
	for i := range want {
		if made[i] != want[i] {
			t.Fatalf("string %d is %q, want %q", i, made[i], want[i])
		}
	}
	if s := (*Strings)(nil).Of([]byte("a")); s != "a" {
		t.Errorf("without texts: %q", s)
	}
}

func TestStringsAppend(t *testing.T) {
	in := new(Strings)
	a, b := in.Append(nil, "a"), in.Append(nil, "b")
	a = in.Append(a, "c")
	if fmt.Sprint(a, b) != "[a c] [b]" {
		t.Errorf("lists %v and %v", a, b)
	}
}
