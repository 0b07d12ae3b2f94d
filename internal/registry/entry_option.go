package registry

import (
	"fmt"
	"slices"
)

// Option is an option of an entry that must be the same on both sides. Its name is that of the
// method or field that sets it. Value is "" for an option without a value.
type Option struct{ Name, Value string }

// on is the value of an option without one until given replaces it by "".
const on = "on"

func option(name string, isOn bool) Option {
	if isOn {
		return Option{name, on}
	}
	return Option{}
}

// given returns the options that differ from their defaults.
func given(options []Option) (list []Option) {
	for _, o := range options {
		switch {
		case o.Value == "" || o.Value == defaultOf(o.Name):
		case o.Value == on:
			list = append(list, Option{Name: o.Name})
		default:
			list = append(list, o)
		}
	}
	return list
}

// defaultOf returns the value of an option that is not set, or "" if it has none.
func defaultOf(option string) string {
	switch {
	case option == "Mode":
		return OrderedReliable.String()
	case option == "Predict":
		return Simple.String()
	case option == "Direction":
		return Bidirectional.String()
	}
	return ""
}

// differentOptions describes the options of one entry that differ, with the values on both sides.
func differentOptions(server, client Entry) (found []string) {
	names := func(options []Option) (list []string) {
		for _, o := range options {
			list = append(list, o.Name)
		}
		return list
	}
	all := names(server.Options)
	for _, name := range names(client.Options) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, name := range all {
		here, there := server.option(name), client.option(name)
		if here != there {
			what := fmt.Sprintf("option %s is", name)
			if server.Kind == KindSetting {
				what = "is" // the option of a setting is its value
			}
			found = append(found, fmt.Sprintf("%s %s on the server and %s on the client", what, here, there))
		}
	}
	return found
}

// option returns the value of an option of an entry in words.
func (e *Entry) option(name string) string {
	at := slices.IndexFunc(e.Options, func(o Option) bool { return o.Name == name })
	switch fallback := defaultOf(name); {
	case at >= 0 && e.Options[at].Value == "":
		return "given"
	case at >= 0:
		return e.Options[at].Value
	case fallback != "":
		return fallback
	}
	return "not given"
}
