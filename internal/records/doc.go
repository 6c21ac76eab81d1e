// Package records shows the records of archives: all of them (List), those at a place that a table names
// (At), and what is wrong with them (Check). It makes no facts.
package records
