package match

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// answerBatch answers the questions of a file. The answers before a bad line are
// printed, and with keepGoing the later ones, too. An invalid token is matched as it
// stands, with one warning for all.
func answerBatch(out io.Writer, stdin io.Reader, name string, profile robots.Profile, keepGoing bool,
	warn func(string),
) error {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fileError("batch file", name, err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewReader(in)
	b := batchReader{profile: profile}
	warned, skipped := false, false
	for n := 1; ; n++ {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return fileError("batch file", name, readErr)
		}
		if len(line) == 0 {
			if skipped {
				return usage.ExitUnread
			}
			return nil
		}
		a, err := b.answer(bytes.TrimRight(line, "\r\n"))
		switch {
		case err != nil && keepGoing:
			skipped = true
			warn(fmt.Sprintf("batch file %q, line %d is left out: %v", name, n, err))
			continue
		case err != nil:
			return fmt.Errorf("batch file %q, line %d: %w; --keep-going leaves such lines out", name, n, err)
		}
		if fault := agents.TokenFault(a.Agent); !warned && a.Agent != "" && fault != "" {
			warned = true
			warn(fmt.Sprintf("batch file %q, line %d: %q is no product token: %s", name, n, a.Agent, fault))
		}
		if err := a.writeJSON(out); err != nil {
			return err
		}
	}
}

// batchReader answers lines, and parses a body again only where it differs from
// the line before.
type batchReader struct {
	profile robots.Profile // of a line that names none

	body        string
	bodyProfile robots.Profile
	file        *robots.File
}

func (b *batchReader) answer(line []byte) (answer, error) {
	var q struct {
		Body    *string `json:"body_b64"`
		Agent   *string `json:"agent"`
		URL     *string `json:"url"`
		Profile *string `json:"profile"`
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{}, fmt.Errorf("no JSON object with the keys body_b64, agent, url: %w", err)
	}
	switch {
	case q.Body == nil:
		return answer{}, errors.New(`the key "body_b64" is missing`)
	case q.Agent == nil:
		return answer{}, errors.New(`the key "agent" is missing`)
	case q.URL == nil:
		return answer{}, errors.New(`the key "url" is missing`)
	}
	profile := b.profile
	if q.Profile != nil {
		var err error
		if profile, err = robots.ParseProfile(*q.Profile); err != nil {
			return answer{}, err
		}
	}
	path, ok := matchedPath(*q.URL)
	if !ok && *q.URL != "" {
		return answer{}, fmt.Errorf("%q is neither a URL nor a path that begins with /", *q.URL)
	}
	if err := b.parse(*q.Body, profile); err != nil {
		return answer{}, err
	}
	return newAnswer(*q.URL, *q.Agent, path, profile, b.file.For(*q.Agent)), nil
}

func (b *batchReader) parse(encoded string, profile robots.Profile) error {
	if b.file != nil && b.body == encoded && b.bodyProfile == profile {
		return nil
	}
	body, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("body_b64 is no base64: %w", err)
	}
	b.file = robots.Parse(body, profile)
	b.body, b.bodyProfile = encoded, profile
	return nil
}
