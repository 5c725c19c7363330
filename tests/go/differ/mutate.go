package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// header is what comes before the first batch.
const header = 16

const (
	evEventBatch        = 1
	evExperimentalBatch = 49
	evEndOfGeneration   = 52
)

// batch is one as it is on the wire; kind is its first byte.
type batch struct {
	kind, experiment byte
	fields           [3]uint64 // generation, thread, time
	data             []byte
}

// split takes a trace apart; what cannot be taken apart any more is rest.
func split(trace []byte) (batches []batch, rest []byte) {
	if len(trace) < header {
		return nil, trace
	}
	for rest = trace[header:]; len(rest) > 0; {
		b, after, ok := first(rest)
		if !ok {
			break
		}
		batches, rest = append(batches, b), after
	}
	return batches, rest
}

func first(p []byte) (b batch, rest []byte, ok bool) {
	b.kind, p = p[0], p[1:]
	switch b.kind {
	case evEndOfGeneration:
		return b, p, true
	case evExperimentalBatch:
		if len(p) == 0 {
			return b, nil, false
		}
		b.experiment, p = p[0], p[1:]
	case evEventBatch:
	default:
		return b, nil, false
	}
	var values [4]uint64
	for i := range values {
		v, n := binary.Uvarint(p)
		if n <= 0 {
			return b, nil, false
		}
		values[i], p = v, p[n:]
	}
	copy(b.fields[:], values[:])
	if values[3] > uint64(len(p)) {
		return b, nil, false
	}
	b.data = bytes.Clone(p[:values[3]])
	return b, p[values[3]:], true
}

func join(head []byte, batches []batch, rest []byte) []byte {
	out := bytes.Clone(head)
	for _, b := range batches {
		out = append(out, b.kind)
		if b.kind == evEndOfGeneration {
			continue
		}
		if b.kind == evExperimentalBatch {
			out = append(out, b.experiment)
		}
		for _, v := range b.fields {
			out = binary.AppendUvarint(out, v)
		}
		out = binary.AppendUvarint(out, uint64(len(b.data)))
		out = append(out, b.data...)
	}
	return append(out, rest...)
}

type mutator struct{ *rand.Rand }

// mutate changes one to four things of a trace, most of them inside of a batch, whose size stays right.
func (m mutator) mutate(trace, other []byte) []byte {
	if m.IntN(8) == 0 || len(trace) < header {
		return m.bytes(bytes.Clone(trace))
	}
	batches, rest := split(trace)
	others, _ := split(other)
	for range 1 + m.IntN(4) {
		if len(batches) > 0 {
			batches = m.batches(batches, others)
		}
	}
	return join(trace[:header], batches, rest)
}

// bytes changes the trace as it is.
func (m mutator) bytes(p []byte) []byte {
	switch m.IntN(6) {
	case 0, 1:
		return p[:m.IntN(len(p)+1)]
	case 2:
		return m.header(p)
	}
	return m.change(p)
}

// header puts something into the header, twice sometimes.
func (m mutator) header(p []byte) []byte {
	for range 1 + m.IntN(2) {
		at := m.IntN(min(len(p), header) + 1)
		p = append(p[:at:at], append([]byte(insertions[m.IntN(len(insertions))]), p[at:]...)...)
	}
	return p
}

var insertions = []string{" ", "\t", "\n", "\r", "\u00a0", "\u2003", "\u2028", "\x85", "\x00", "0", "00", "2", "+", "-", "_", "x"}

// change sets, removes or inserts a byte, or a few.
func (m mutator) change(p []byte) []byte {
	if len(p) == 0 {
		return []byte{m.value()}
	}
	at := m.IntN(len(p))
	switch m.IntN(6) {
	case 0:
		p[at] ^= 1 << m.IntN(8)
	case 1:
		p[at] = m.value()
	case 2:
		p[at]++
	case 3:
		n := min(1+m.IntN(4), len(p)-at)
		p = append(p[:at:at], p[at+n:]...)
	case 4:
		p = append(p[:at:at], append([]byte{m.value()}, p[at:]...)...)
	case 5:
		long := binary.AppendUvarint(nil, m.number())
		p = append(p[:at:at], append(long, p[at+1:]...)...)
	}
	return p
}

// value is a byte that means something, as an event or a small number.
func (m mutator) value() byte {
	if m.IntN(2) == 0 {
		return byte(m.IntN(56))
	}
	return byte(m.IntN(256))
}

func (m mutator) number() uint64 {
	return m.Uint64()>>m.IntN(64) - uint64(m.IntN(2))
}

func (m mutator) batches(list, others []batch) []batch {
	at := m.IntN(len(list))
	b := &list[at]
	switch m.IntN(16) {
	case 0:
		return append(list[:at:at], list[at+1:]...)
	case 1:
		with := m.IntN(len(list))
		list[at], list[with] = list[with], list[at]
	case 2:
		again := *b
		again.data = bytes.Clone(b.data)
		return append(list, again)
	case 3:
		if len(others) > 0 {
			stranger := others[m.IntN(len(others))]
			stranger.data = bytes.Clone(stranger.data)
			return append(list[:at:at], append([]batch{stranger}, list[at:]...)...)
		}
	case 4:
		b.fields[m.IntN(3)]++
	case 5:
		b.fields[1+m.IntN(2)] = m.number()
	case 6:
		b.fields[m.IntN(3)] = uint64(m.IntN(4))
	case 7:
		b.data = b.data[:m.IntN(len(b.data)+1)]
	case 8:
		// The last integers go, which some tables end with.
		b.data = b.data[:max(0, len(b.data)-1-m.IntN(3))]
	case 9:
		b.kind, b.experiment = evExperimentalBatch, byte(m.IntN(3))
	default:
		b.data = m.change(b.data)
	}
	return list
}
