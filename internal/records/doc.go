// Package records reads records again, by the places that tables name. It makes no facts.
package records
