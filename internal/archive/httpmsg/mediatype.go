package httpmsg

import "strings"

// MediaType is the media type in a Content-Type.
func MediaType(contentType string) string {
	m, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(m))
}

// DetectedType is a media type that was found in content; "" where it is none.
func DetectedType(written string) string {
	m := MediaType(written)
	if top, sub, _ := strings.Cut(m, "/"); top == "" || sub == "" {
		return ""
	}
	return m
}

// LanguageList is a list of language codes, joined by commas; "" where it is no such list.
func LanguageList(codes string) string {
	codes = strings.Trim(strings.ReplaceAll(codes, " ", ""), ",")
	for i := range len(codes) {
		c := codes[i]
		if i == maxLanguages || c != ',' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return codes
}
