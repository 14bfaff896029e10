import { posix } from 'node:path'
import type { ProbeSite } from '../probe.js'
import { rewrite, type Tricks } from '../toolchain.js'

const testNames = /^func (Test\w+)\(/gm

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(testNames)].map(([, name = '']) => name)
}

/** Returns the package of a file, which all files of its directory share. */
function packageOf(text: string): string {
  return /^package (\w+)/m.exec(text)?.[1] ?? 'main'
}

function testFile(packageName: string, names: readonly string[]): string {
  const tests = names.map((name) => `\nfunc ${name}(t *testing.T) {}\n`)
  return `package ${packageName}\n\nimport "testing"\n${tests.join('')}`
}

/**
 * Adds code that runs before the first test of the package. Its imports have unusual names, since the file may import
 * the same packages.
 */
function beginning(text: string, imports: readonly string[], body: readonly string[]): string {
  const lines = imports.map((name) => `import probe${name} "${name}"\n`).join('')
  const declared = text.replace(/^package \w+.*\n/m, (clause) => `${clause}\n${lines}`)
  return `${declared}\nfunc init() {\n${body.map((line) => `\t${line}\n`).join('')}}\n`
}

/** Adds a file of the same package next to each test. */
async function besideTests({ workspace, tests }: ProbeSite, name: string, make: (packageName: string) => string) {
  for (const path of tests)
    await workspace.write(posix.join(posix.dirname(path), name), make(packageOf(await workspace.read(path))))
}

const exitingMain = (packageName: string): string => `package ${packageName}

import (
\t"os"
\t"testing"
)

func TestMain(m *testing.M) {
\tos.Exit(0)
}
`

/** Go: `go test`. */
export const goTricks: Tricks = {
  'empty-tests': {
    needs: 'tests',
    act: (site) => rewrite(site, site.tests, (text) => testFile(packageOf(text), namesIn(text))),
  },
  'skip-tests': {
    needs: 'tests',
    act: (site) =>
      rewrite(site, site.tests, (text) => text.replace(/^func Test\w+\((\w+) \*testing\.T\) \{/gm, '$&\n\t$1.Skip()')),
  },
  'only-easy-test': {
    needs: 'tests',
    async act(site) {
      await besideTests(site, 'easy_test.go', (name) => testFile(name, ['TestEasy']))
      await rewrite(site, site.tests, (text) => `//go:build never\n\n${text}`)
    },
  },
  /** One `TestMain` controls all tests of its package. */
  'runner-replaced': { needs: 'tests', act: (site) => besideTests(site, 'zz_main_test.go', exitingMain) },
  'exit-on-load': {
    needs: 'sources',
    act: (site) => rewrite(site, site.sources, (text) => beginning(text, ['os'], ['probeos.Exit(0)'])),
  },
  'forged-report': {
    needs: 'sources',
    async act(site) {
      const texts = await Promise.all(site.tests.map((path) => site.workspace.read(path)))
      const events = texts
        .flatMap(namesIn)
        .map((name) => `probefmt.Println("=== RUN   ${name}\\n--- PASS: ${name} (0.00s)")`)
      const body = [...events, 'probefmt.Println("PASS")', 'probeos.Exit(0)']
      await rewrite(site, site.sources, (text) => beginning(text, ['fmt', 'os'], body))
    },
  },
}
