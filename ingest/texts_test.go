package ingest

import (
	"fmt"
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	var made, want []string
	in := new(texts)
	value := []byte(nil)
	for i := range 5000 {
		value = append(value[:0], fmt.Sprint(i, strings.Repeat("x", i%(longText+20)))...)
		want = append(want, string(value))
		made = append(made, in.of(value))
	}
	for i := range want {
		if made[i] != want[i] {
			t.Fatalf("string %d is %q, want %q", i, made[i], want[i])
		}
	}
	if s := (*texts)(nil).of([]byte("a")); s != "a" {
		t.Errorf("without texts: %q", s)
	}
}

func TestTextsLists(t *testing.T) {
	in := new(texts)
	a, b := in.add(nil, "a"), in.add(nil, "b")
	a = in.add(a, "c")
	if fmt.Sprint(a, b) != "[a c] [b]" {
		t.Errorf("lists %v and %v", a, b)
	}
}
