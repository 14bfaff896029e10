import { parseObject } from '@jurist/kit/json'
import { emptyDirectory } from '../../copy.js'

/** A literal of a Go test, with its offsets in UTF-8. */
interface GoLiteral {
  readonly start: number
  readonly end: number
  readonly kind: 'number' | 'text' | 'boolean'
  readonly isExpected: boolean
}

/** A comparison, a row of values or a call that asserts. `operator` is the offset of `==` or `!=`; -1 without one. */
export interface GoAssertion {
  readonly start: number
  readonly end: number
  readonly operator: number
  readonly literals: readonly GoLiteral[] | null
}

export interface GoTest {
  readonly name: string
  readonly assertions: readonly GoAssertion[] | null
}

/** Only Go's own parser reads Go reliably. */
const reader = `package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
)

type literal struct {
	Start      int    \`json:"start"\`
	End        int    \`json:"end"\`
	Kind       string \`json:"kind"\`
	IsExpected bool   \`json:"isExpected"\`
}
type assertion struct {
	Start    int       \`json:"start"\`
	End      int       \`json:"end"\`
	Operator int       \`json:"operator"\`
	Literals []literal \`json:"literals"\`
}
type test struct {
	Name       string      \`json:"name"\`
	Assertions []assertion \`json:"assertions"\`
}

var files = token.NewFileSet()
var wanted = regexp.MustCompile("(?i)want|exp|out|res")

func at(position token.Pos) int { return files.Position(position).Offset }

func literalsIn(node ast.Node, isExpected bool) []literal {
	found := []literal{}
	ast.Inspect(node, func(one ast.Node) bool {
		kind := ""
		switch value := one.(type) {
		case *ast.KeyValueExpr:
			found = append(found, literalsIn(value.Value, isExpected)...)
			return false
		case *ast.CallExpr, *ast.FuncLit:
			isExpected = false
		case *ast.BasicLit:
			switch value.Kind {
			case token.INT, token.FLOAT:
				kind = "number"
			case token.STRING:
				kind = "text"
			}
		case *ast.Ident:
			if value.Name == "true" || value.Name == "false" {
				kind = "boolean"
			}
		}
		if kind != "" {
			found = append(found, literal{at(one.Pos()), at(one.End()), kind, isExpected})
		}
		return true
	})
	return found
}

func rowLiterals(row *ast.CompositeLit) []literal {
	found := []literal{}
	for index, element := range row.Elts {
		isExpected := index == len(row.Elts)-1
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				isExpected = wanted.MatchString(name.Name)
			}
		}
		found = append(found, literalsIn(element, isExpected)...)
	}
	return found
}

func assertionsIn(body ast.Node) []assertion {
	found := []assertion{}
	add := func(node ast.Node, operator int, literals []literal) {
		found = append(found, assertion{at(node.Pos()), at(node.End()), operator, literals})
	}
	ast.Inspect(body, func(node ast.Node) bool {
		switch one := node.(type) {
		case *ast.BinaryExpr:
			switch one.Op {
			case token.EQL, token.NEQ:
				add(one, at(one.OpPos), append(literalsIn(one.X, true), literalsIn(one.Y, true)...))
			case token.LSS, token.GTR, token.LEQ, token.GEQ:
				add(one, -1, append(literalsIn(one.X, true), literalsIn(one.Y, true)...))
			}
		case *ast.AssignStmt:
			for index, left := range one.Lhs {
				if name, ok := left.(*ast.Ident); ok && index < len(one.Rhs) && wanted.MatchString(name.Name) {
					add(one, -1, literalsIn(one.Rhs[index], true))
				}
			}
		case *ast.CompositeLit:
			isTable := false
			for _, element := range one.Elts {
				_, isRow := element.(*ast.CompositeLit)
				isTable = isTable || isRow
			}
			if !isTable {
				add(one, -1, rowLiterals(one))
				return false
			}
		case *ast.CallExpr:
			if name, ok := one.Fun.(*ast.SelectorExpr); ok {
				if root, ok := name.X.(*ast.Ident); ok && (root.Name == "assert" || root.Name == "require") {
					literals := []literal{}
					for _, argument := range one.Args {
						literals = append(literals, literalsIn(argument, true)...)
					}
					add(one, -1, literals)
				}
			}
		}
		return true
	})
	return found
}

func main() {
	source, _ := os.ReadFile(os.Args[1])
	file, err := parser.ParseFile(files, "", source, 0)
	tests := []test{}
	if err == nil {
		for _, part := range file.Decls {
			if function, ok := part.(*ast.FuncDecl); ok && function.Recv == nil && function.Body != nil && strings.HasPrefix(function.Name.Name, "Test") {
				tests = append(tests, test{function.Name.Name, assertionsIn(function.Body)})
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"isRead": err == nil, "tests": tests})
}
`

/** Keeps settings for the user's own modules from changing how the reader is built. */
const env = { GO111MODULE: 'off', GOFLAGS: '', GOENV: 'off', GOTOOLCHAIN: 'local' }

/** Reads the tests of a Go source; `undefined` if Go is not installed or the source does not parse. */
export async function readGoTests(source: string): Promise<readonly GoTest[] | undefined> {
  await using place = await emptyDirectory()
  await place.write('main.go', reader)
  await place.write('source.txt', source)
  const { status, exitCode, stdout } = await place.run(['go', 'run', 'main.go', 'source.txt'], { env })
  const read = status === 'exited' && exitCode === 0 ? parseObject(stdout) : undefined
  return read?.isRead === true ? (read.tests as readonly GoTest[]) : undefined
}
