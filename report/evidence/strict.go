package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// decode decodes a value that all readers of JSON understand alike: each key is spelt as v has it and
// stands there once, nothing is null, and all texts are Unicode. encoding/json alone takes keys in any
// case, and of two the last one.
func decode(line []byte, v any) error {
	if !utf8.Valid(line) || hasSurrogate(line) {
		return errors.New("a text that is not Unicode")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if err := walk(d, reflect.TypeOf(v).Elem()); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return json.Unmarshal(line, v)
}

// walk checks the keys of the next value, which is to be of type t.
func walk(d *json.Decoder, t reflect.Type) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		t = reflect.TypeFor[Finding]()
	}
	switch {
	case token == nil:
		return errors.New("null")
	case token == json.Delim('[') && t.Kind() == reflect.Slice:
		for d.More() {
			if err := walk(d, t.Elem()); err != nil {
				return err
			}
		}
		_, err = d.Token()
	case token == json.Delim('{') && t.Kind() == reflect.Struct:
		err = walkFields(d, t)
	case token == json.Delim('['), token == json.Delim('{'):
		err = fmt.Errorf("%v", token)
	}
	return err
}

// walkFields checks the fields of an object up to its end.
func walkFields(d *json.Decoder, t reflect.Type) error {
	fields := fieldsOf(t)
	seen := make([]bool, len(fields))
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		i := 0
		for i < len(seen) && keyOf(fields[i]) != key {
			i++
		}
		if i == len(seen) {
			return fmt.Errorf("the unknown key %.80q", key)
		}
		if seen[i] {
			return fmt.Errorf("the key %q twice", key)
		}
		seen[i] = true
		if err := walk(d, fields[i].Type); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// fieldsByType has the fields of structs, of embedded ones in their place: a line is walked for each record.
var fieldsByType sync.Map

func fieldsOf(t reflect.Type) []reflect.StructField {
	list, known := fieldsByType.Load(t)
	if !known {
		list = slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
		fieldsByType.Store(t, list)
	}
	return list.([]reflect.StructField)
}

// keyOf is the key of a field.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

// hasSurrogate reports whether a text has an escape of half a character, which encoding/json writes
// never.
func hasSurrogate(line []byte) bool {
	for i := 0; i+3 < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		i++ // what is escaped
		if line[i] == 'u' && line[i+1]|0x20 == 'd' && line[i+2] >= '8' {
			return true
		}
	}
	return false
}

// Fields lists the fields of a manifest: proven by the records, and only claimed by the maker of the
// bundle. A line names the fields of one list or object.
func Fields() (proven, claimed []string) {
	for _, part := range [...]struct {
		name string
		of   reflect.Type
	}{
		{"", reflect.TypeFor[head]()},
		{"settings: ", reflect.TypeFor[Settings]()},
		{"archives[]: ", reflect.TypeFor[archive]()},
		{"records[]: ", reflect.TypeFor[record]()},
		{"violations[]: ", reflect.TypeFor[violation]()},
	} {
		var lists [2][]string
		for _, f := range fieldsOf(part.of) {
			if f.Type == reflect.TypeFor[Settings]() {
				continue
			}
			list := &lists[1]
			if f.Tag.Get("proven") != "" {
				list = &lists[0]
			}
			*list = append(*list, keyOf(f))
		}
		for i, to := range [...]*[]string{&proven, &claimed} {
			if len(lists[i]) > 0 {
				*to = append(*to, part.name+strings.Join(lists[i], ", "))
			}
		}
	}
	return proven, claimed
}
