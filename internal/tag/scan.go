package tag

// A Place is where in a page an element stands.
type Place uint8

const (
	_                 Place = iota
	PlaceHead               // in the head
	PlaceHeadNoscript       // in a noscript element of the head
	PlaceBody               // behind the head
	PlaceBodyNoscript       // in a noscript element behind the head
	PlaceTemplate           // in a template, which is inert wherever it stands
)

func (p Place) String() string {
	return name(p, "unknown", "head", "head_noscript", "body", "body_noscript", "template")
}

// InHead reports whether the element is one of the head of the initial HTML, read
// without scripts, which alone binds (draft-illyes-repext-03 §4).
func (p Place) InHead() bool { return p == PlaceHead || p == PlaceHeadNoscript }

// InNoscript reports whether the element is seen only by those that run no scripts.
func (p Place) InNoscript() bool { return p == PlaceHeadNoscript || p == PlaceBodyNoscript }
