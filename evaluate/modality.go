package evaluate

import (
	"cmp"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

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

// Modalities is indexed by Modality.
var Modalities = []words.Word{
	ModalityText: {
		Name: "text",
		Meaning: "`text/*`, and of `application/*` what is text by its syntax: XML and JSON in all their forms, " +
			"JavaScript, YAML.",
	},
	ModalityImage: {Name: "image", Meaning: "`image/*`."},
	ModalityAudio: {Name: "audio", Meaning: "`audio/*`."},
	ModalityVideo: {Name: "video", Meaning: "`video/*`."},
	ModalityApplication: {
		Name:    "application",
		Meaning: "The rest of `application/*`: PDF, archives, and whatever declares nothing more.",
	},
	ModalityOther: {Name: "other", Meaning: "Any other type: `font/*`, `model/*`, `multipart/*` …"},
}

func (m Modality) String() string { return words.Name(Modalities, m) }

var topLevel = map[string]Modality{
	"text": ModalityText, "image": ModalityImage, "audio": ModalityAudio, "video": ModalityVideo,
}

// modalityOf is the modality of a media type: its top-level type (RFC 6838 §4.2), but text where the syntax of an
// application type is text.
func modalityOf(mediaType string) Modality {
	top, sub, isType := strings.Cut(mediaType, "/")
	switch {
	case !isType || sub == "":
		return ModalityUnknown
	case top != "application":
		return cmp.Or(topLevel[top], ModalityOther)
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
