package stages

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/report"
)

// Plan defines what is audited, how, and in how many shards. Its ID stands for all of it. The inputs lie in
// blocks, each of the inputs of some shards, so that a task reads its own block.
type Plan struct {
	ID            string          `json:"id,omitempty"`
	Version       string          `json:"version"` // of the program
	Shards        int             `json:"shards"`
	VerifyDigests bool            `json:"verify_digests,omitempty"`
	DigestInputs  bool            `json:"digest_inputs,omitempty"`
	Settings      report.Settings `json:"settings"`
	Tables        []string        `json:"tables,omitempty"`   // nil: all
	Blocks        []string        `json:"blocks"`             // SHA-256 of each, hexadecimal
	Failures      []facts.Failure `json:"failures,omitempty"` // arguments that named nothing

	inputs  []facts.Input // of a plan that is made
	shardOf []int32       // of each input
}

func (p *Plan) mode() reading.Mode { return reading.ModeOf(p.VerifyDigests) }

// plannedInput is an input and the shard that reads it.
type plannedInput struct {
	facts.Input
	Shard int32 `json:"shard"`
}

// maxBlocks is how many blocks there are at most.
const maxBlocks = 256

// shardsOfBlock is how many shards a block is of.
func (p *Plan) shardsOfBlock() int { return (p.Shards + maxBlocks - 1) / maxBlocks }

func (p *Plan) blockFile(block int) string { return fmt.Sprintf("plan-%s/%03d.json", p.ID, block) }

// Limits of what an audit is divided into.
const (
	MaxShards = 100_000
	MaxRanges = evaluate.Buckets
)

const planFile = "plan.json"

// New makes a plan of inputs, which have their final order and names. Shards are about equally
// large, however the inputs are ordered. Its errors are of inputs that no plan can name.
func New(inputs []ingest.Input, failed []*ingest.InputError, shards int, how ingest.ReadOptions,
	opt evaluate.DecideOptions,
	tables []string,
) (*Plan, error) {
	p := &Plan{
		Version: report.Version(), Shards: shards, VerifyDigests: how.VerifyDigests,
		DigestInputs: how.DigestInputs, Tables: tables, inputs: inputs,
	}
	opt.Profile = cmp.Or(opt.Profile, evaluate.RFC9309)
	p.Settings = report.NewSettings(&opt, p.mode().Fingerprint())
	for _, in := range inputs {
		switch {
		case in.Path == facts.Stdin:
			return nil, errStdin
		case object.HasSecrets(in.Path):
			return nil, SecretError(in.Path)
		}
	}
	p.share()
	for _, f := range failed {
		p.Failures = append(p.Failures, facts.Failure{Name: f.Arg, Reason: f.Reason})
	}
	err := p.eachBlock(func(_ int, b []byte) error {
		sum := sha256.Sum256(b)
		p.Blocks = append(p.Blocks, hex.EncodeToString(sum[:]))
		return nil
	})
	p.ID = p.Digest()
	return p, err
}

// eachBlock calls f with the content of each block.
func (p *Plan) eachBlock(f func(block int, content []byte) error) error {
	of := p.shardsOfBlock()
	order := make([]int32, len(p.inputs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.shardOf[a], p.shardOf[b]) })
	for block := range (p.Shards + of - 1) / of {
		var content bytes.Buffer
		to := json.NewEncoder(&content)
		for len(order) > 0 && int(p.shardOf[order[0]])/of == block {
			if err := to.Encode(&plannedInput{p.inputs[order[0]], p.shardOf[order[0]]}); err != nil {
				return err
			}
			order = order[1:]
		}
		if err := f(block, content.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// errStdin means that a plan cannot name standard input.
var errStdin = errors.New("standard input cannot be planned: tasks read archives again when they are tried again; " +
	"name files or URLs")

// SecretError means that a plan cannot name the URL that a path, as object.Clean returns it, stands for.
type SecretError string

func (e SecretError) Error() string {
	return string(e) + " has a user, password or query, which are never written down; name it without, or audit it with 'robotsaudit audit'"
}

// share gives each input to the shard that has least so far, the largest inputs first.
func (p *Plan) share() {
	largest := make([]int32, len(p.inputs))
	for i := range largest {
		largest[i] = int32(i)
	}
	slices.SortStableFunc(largest, func(a, b int32) int { return cmp.Compare(p.inputs[b].Size, p.inputs[a].Size) })
	held := make(least, p.Shards)
	for i := range held {
		held[i].shard = i
	}
	p.shardOf = make([]int32, len(p.inputs))
	for _, i := range largest {
		p.shardOf[i] = int32(held.give(p.inputs[i].Size + sizeOfNone))
	}
}

// sizeOfNone is what an input counts for besides its bytes.
const sizeOfNone = 64 << 10

// Digest is what the ID of a plan must be.
func (p *Plan) Digest() string {
	plain := *p
	plain.ID = ""
	b, err := json.Marshal(&plain)
	if err != nil {
		panic(err) // plain data
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// inputsOf reads the inputs of some shards, which are consecutive and of one block, by shard.
func (p *Plan) inputsOf(ctx context.Context, s Store, first, last int) ([][]facts.Input, error) {
	block := first / p.shardsOfBlock()
	b, err := s.Read(ctx, p.blockFile(block))
	if err != nil && !isMissing(err) {
		return nil, err
	}
	if sum := sha256.Sum256(b); err != nil || block >= len(p.Blocks) || hex.EncodeToString(sum[:]) != p.Blocks[block] {
		return nil, fmt.Errorf("%s in %s is missing or damaged; remove %s, and make the plan again with 'robotsaudit "+
			"plan'", p.blockFile(block), s, s)
	}
	inputs := make([][]facts.Input, last-first+1)
	for from := json.NewDecoder(bytes.NewReader(b)); ; {
		var in plannedInput
		switch err := from.Decode(&in); {
		case err == io.EOF:
			return inputs, nil
		case err != nil:
			return nil, err
		case first <= int(in.Shard) && int(in.Shard) <= last:
			n := int(in.Shard) - first
			inputs[n] = append(inputs[n], in.Compact())
		}
	}
}

// options are the options of deciding.
func (p *Plan) options() (evaluate.DecideOptions, error) {
	opt, err := p.Settings.Options()
	if err != nil {
		return opt, err
	}
	opt.Policies = evaluate.PoliciesAsked
	if p.Settings.Policies != "" {
		opt.Policies, _ = evaluate.ParsePolicyTokens(p.Settings.Policies)
	}
	return opt, nil
}

// Save makes p the plan of a store, which has one.
func (p *Plan) Save(ctx context.Context, s Store) error {
	err := p.eachBlock(func(block int, content []byte) error {
		_, err := s.Create(ctx, p.blockFile(block), content)
		return err
	})
	if err != nil {
		return err
	}
	made, err := createJSON(ctx, s, planFile, p)
	if err != nil || made {
		return err
	}
	there, err := Load(ctx, s)
	if err == nil && there.ID != p.ID {
		s.RemoveAll(ctx, path.Dir(p.blockFile(0))+"/")
		err = fmt.Errorf("%s holds another plan (%s), of other inputs or settings, or made before an input changed; "+
			"give another folder with --facts, or remove this one", s, there.ID)
	}
	return err
}

// Load reads the plan of a store. It must be of this program.
func Load(ctx context.Context, s Store) (*Plan, error) {
	b, err := s.Read(ctx, planFile)
	if isMissing(err) {
		return nil, fmt.Errorf("%s holds no plan; make one with: robotsaudit plan INPUT... --shards N --facts %s", s, s)
	}
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	err = json.Unmarshal(b, p)
	switch {
	case err == nil && p.ID != "" && (p.Version != report.Version() ||
		p.Settings.FactsFingerprint != p.mode().Fingerprint()):
		return nil, fmt.Errorf("the plan in %s was made by robotsaudit %s, and this is %s, or built otherwise; run "+
			"all stages with one program, or make a new plan in another folder",
			s, p.Version, report.Version())
	case err != nil || p.ID != p.Digest():
		return nil, fmt.Errorf("%s in %s is damaged; remove %s, and make the plan again with 'robotsaudit plan'",
			planFile, s, s)
	}
	return p, nil
}

// workspace is a folder for what nobody needs afterwards.
func workspace() (dir string, remove func(), err error) {
	dir, end, err := durable.Temporary("")
	return dir, func() { end() }, err
}
