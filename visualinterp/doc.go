// Package visualinterp shows components between ticks.
package visualinterp
