package facts

import "encoding/json"

// AccessLog is how an access log is to be read, besides what its lines say.
type AccessLog struct {
	Sites  []string    `json:"sites,omitempty"`  // origins
	Format string      `json:"format,omitempty"` // in the syntax of nginx or Apache; "": found line by line
	Ranges []LogRanges `json:"ranges,omitempty"`
}

// LogRanges is a file with the addresses from which a crawler's operator says that it crawls.
type LogRanges struct {
	Token string `json:"token"` // of the crawler
	Path  string `json:"path"`
	Sum   string `json:"sum"` // SHA-256 of the file, hexadecimal
}

// String is the text that Input.AccessLog has.
func (a *AccessLog) String() string {
	b, err := json.Marshal(a)
	if err != nil {
		panic(err) // of texts alone
	}
	return string(b)
}

// ParseAccessLog reads the text of String.
func ParseAccessLog(text string) (a AccessLog, err error) {
	err = json.Unmarshal([]byte(text), &a)
	return a, err
}
