package evaluate

import "strings"

// Modality is the kind of content that a fetch declares.
type Modality uint8

// The modalities. The zero value is that no media type is known.
const (
	ModalityUnknown Modality = iota
	ModalityText
	ModalityImage
	ModalityAudio
	ModalityVideo
	ModalityApplication
	ModalityOther
)

func (m Modality) String() string {
	return [...]string{"", "text", "image", "audio", "video", "application", "other"}[m]
}

// modalityOf is the modality of a media type: its top-level type (RFC 6838 §4.2), but text where the syntax of an
// application type is text.
func modalityOf(mediaType string) Modality {
	top, sub, isType := strings.Cut(mediaType, "/")
	switch {
	case !isType || sub == "":
		return ModalityUnknown
	case top == "text":
		return ModalityText
	case top == "image":
		return ModalityImage
	case top == "audio":
		return ModalityAudio
	case top == "video":
		return ModalityVideo
	case top != "application":
		return ModalityOther
	}
	switch sub {
	case "xml", "json", "javascript", "ecmascript", "x-javascript", "x-ndjson", "yaml":
		return ModalityText
	}
	if strings.HasSuffix(sub, "+xml") || strings.HasSuffix(sub, "+json") {
		return ModalityText
	}
	return ModalityApplication
}
