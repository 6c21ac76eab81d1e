package warc

import (
	"errors"
	"fmt"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Damage is a place in an archive where the form ends to be one.
type Damage struct {
	Kind     words.IssueKind
	Offset   int64
	Detail   string
	RecordID recordid.ID // of the record concerned, where its header was read
	More     bool        // the reader stands at a boundary that counts and can go on

	Resumed int64  // with more: where it goes on, if bytes are skipped; 0: after the record
	Proof   Proof  // that a record begins there, where one kind of proof is not all
	Action  string // the action taken instead of dropping the record
}

// Named names the record that an error concerns, if it is damage at the record's place.
func (r *Record) Named(err error) error {
	var d *Damage
	if errors.As(err, &d) && d.Offset == r.Offset {
		d.RecordID = r.ID
	}
	return err
}

func (d *Damage) Error() string { return fmt.Sprintf("%s at %d: %s", d.Kind, d.Offset, d.Detail) }
