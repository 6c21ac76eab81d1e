package facts

import (
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// inputList is what a Set holds of inputs: they, and the runs of crawlers that they show. Rows come in the order of
// the file of inputs.
type inputList struct {
	rows      *run.List[heldInput]
	unordered []bool  // of each row: CrawlRun.Unordered
	first     []int32 // row of each input

	fields  []Field          // what runs state; the archives of a crawl state the same
	number  map[Field]uint64 // in fields, while rows are added
	voices  [][]Voice        // of runs; many archives have equal ones
	heardAt map[int][]Voice  // in their place, by row: Set.HearRuns
	clocks  map[int][]Clock  // by row: CrawlRun.Clocks; of most runs there are none
	heard   map[string]int32 // their numbers by runRow.Voices, while rows are added
	text    string           // runRow.Fields of the last row
	packed  string           // that text, as heldInput has it
}

// heldInput is an input and the first run that it shows, or a further run alone.
type heldInput struct {
	Input
	NameSize int32 // of a name that is left out, as it is the end of the path
	Run      int32 // 0: there is none
	Entry    string
	ID       string // as it is packed
	File     string
	Fields   string // their numbers, as varints
	Voices   int32  // their number in inputList.voices
	Mixed    bool
}

func newInputList(inputs int32) (*inputList, error) {
	rows, err := run.NewList[heldInput]()
	return &inputList{
		rows: rows, first: make([]int32, 0, inputs), number: make(map[Field]uint64),
		heard: make(map[string]int32), clocks: make(map[int][]Clock),
	}, err
}

// Put adds a row.
func (l *inputList) Put(row *inputRow) error {
	held := heldInput{
		Run: row.Run, Entry: row.Entry, ID: string(recordid.Parse(row.ID)), File: row.File, Mixed: row.Mixed,
	}
	if row.Result != "" { // the first of an input
		l.first = append(l.first, int32(l.rows.Len()))
		if held.Input = row.Input; strings.HasSuffix(row.Path, row.Name) {
			held.Name, held.NameSize = "", int32(len(row.Name))
		}
	}
	if row.Fields != l.text {
		r, err := row.crawlRun()
		if err != nil {
			return err
		}
		l.text, l.packed = strings.Clone(row.Fields), l.numbers(r.Fields)
	}
	held.Fields = l.packed
	n, known := l.heard[row.Voices]
	if !known {
		r, err := row.crawlRun()
		if err != nil {
			return err
		}
		n = int32(len(l.voices))
		l.voices, l.heard[strings.Clone(row.Voices)] = append(l.voices, r.Voices), n
	}
	held.Voices = n
	if row.Clocks != "" {
		r, err := row.crawlRun()
		if err != nil {
			return err
		}
		l.clocks[l.rows.Len()] = r.Clocks
	}
	l.rows.Add(&held)
	l.unordered = append(l.unordered, row.Unordered)
	return nil
}

// numbers are the numbers of fields, as varints.
func (l *inputList) numbers(fields []Field) string {
	var numbers []byte
	for _, f := range fields {
		n, known := l.number[f]
		if !known {
			n = uint64(len(l.fields))
			l.fields, l.number[f] = append(l.fields, f), n
		}
		numbers = binary.AppendUvarint(numbers, n)
	}
	return string(numbers)
}

// end ends the adding of rows.
func (l *inputList) end() { l.number, l.heard, l.text, l.packed = nil, nil, "", "" }

// at returns an input.
func (l *inputList) at(input int32) Input {
	held := l.rows.At(int(l.first[input]))
	if held.NameSize > 0 {
		held.Name = held.Path[len(held.Path)-int(held.NameSize):]
	}
	return held.Input
}

// rowsOf are the first of the rows of an input, and the one after the last.
func (l *inputList) rowsOf(input int32) (from, to int) {
	if int(input)+1 < len(l.first) {
		return int(l.first[input]), int(l.first[input+1])
	}
	return int(l.first[input]), l.rows.Len()
}

// run finds a run of an input; nil: it does not show it.
func (l *inputList) run(at Spot) *CrawlRun {
	row := l.find(at)
	if row < 0 {
		return nil
	}
	held := l.rows.At(row)
	r := &CrawlRun{
		Entry: held.Entry, ID: recordid.ID(held.ID), File: held.File, Number: held.Run, Unordered: l.unordered[row],
		Mixed: held.Mixed, Voices: l.voices[held.Voices], Fields: l.stated(held.Fields),
	}
	if heard, found := l.heardAt[row]; found {
		r.Voices = heard
	}
	return r
}

// find finds the row of a run of an input, which are in order; -1: it does not show it.
func (l *inputList) find(at Spot) int {
	for from, to := l.rowsOf(at.Input); from < to; {
		middle := (from + to) / 2
		held := l.rows.At(middle)
		switch c := cmp.Or(cmp.Compare(at.Entry, held.Entry), cmp.Compare(at.Run, held.Run)); {
		case c < 0:
			to = middle
		case c > 0:
			from = middle + 1
		default:
			return middle
		}
	}
	return -1
}

// stated are the fields of some numbers.
func (l *inputList) stated(numbers string) []Field {
	fields := make([]Field, 0, len(numbers))
	for packed := []byte(numbers); len(packed) > 0; {
		n, size := binary.Uvarint(packed)
		fields, packed = append(fields, l.fields[n]), packed[size:]
	}
	return fields
}
