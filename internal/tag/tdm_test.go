package tag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// file < header < meta, and what is absent resets nothing.
func TestTDMPrecedence(t *testing.T) {
	file := tag.ReadTDMFile([]byte(`[{"location":"/","tdm-reservation":1,"tdm-policy":"https://a.example/p"}]`)).Entries[0].Signals
	headers := func(s string) []tag.Signal { return tag.ReadHeaders(s).Signals }
	metas := func(s string) []tag.Signal {
		f := new(markup.Scanner).Scan([]byte(s), "", false, false)
		p := f.Read()
		return p.Signals
	}
	for _, c := range []struct {
		header, page string
		want         tag.Preference
		rows         string // of the reservation
	}{
		{"", "", tag.PreferenceRestrict, "tdmrep.json=restrict"},
		{"TDM-Reservation: 0", "", tag.PreferenceAllow, "header=allow"},
		{"tdm-policy: https://b.example/", "", tag.PreferenceRestrict, "tdmrep.json=restrict"},
		{"TDM-Reservation: 0", `<meta name=TDM-Reservation content=1>`, tag.PreferenceRestrict, "meta=restrict"},
		{"TDM-Reservation: 0\nTDM-Reservation: 1", "", tag.PreferenceRestrict, "header=allow header=restrict"},

		// An invalid value, or one that does not bind, is reported, and resets nothing. A value replaces it.
		{"tdm-reservation: true", `<meta name=tdm-reservation content=0>`, tag.PreferenceAllow, "meta=allow"},
		{"tdm-reservation: yes", "", tag.PreferenceRestrict, "header=hint tdmrep.json=restrict"},
		{"tdm-reservation: 0", `<meta name=tdm-reservation content="">`, tag.PreferenceAllow, "meta=hint header=allow"},
		{
			"TDM-Reservation: 0", `<p><meta name=tdm-reservation content=1>`, tag.PreferenceAllow,
			"meta=restrict header=allow",
		},
	} {
		list := tag.TDM(file, headers(c.header), metas(c.page))
		var rows []string
		for _, s := range list {
			if s.Kind == tag.SignalTDMReservation {
				rows = append(rows, fmt.Sprintf("%v=%v", s.Source, s.Preference))
			}
		}
		if got := strings.Join(rows, " "); got != c.rows || tag.Prefers(list, tag.PurposeTDM) != c.want {
			t.Errorf("%q %q: %v, %s, want %v, %s", c.header, c.page, tag.Prefers(list, tag.PurposeTDM), got, c.want, c.rows)
		}
	}
	invalid := tag.ReadTDMFile([]byte(`[{"location":"/","tdm-reservation":"2"}]`)).Entries[0].Signals
	if list := tag.TDM(invalid, nil, nil); len(list) != 1 || list[0].Preference != tag.PreferenceHint ||
		list[0].Notes&tag.NoteValue == 0 {
		t.Errorf("%+v, want one row, a hint", list)
	}
}
