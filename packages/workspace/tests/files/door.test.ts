import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runJudge } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { expect, test } from 'vitest'
import * as files from '../../src/files/index.js'

const sources = fileURLToPath(new URL('../../src/', import.meta.url))

/** Every module that is loaded with a file: its static imports, and theirs. */
function loadedWith(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  if (!file.startsWith('/')) return seen
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm)
  for (const [, specifier = ''] of imports) {
    const target = new URL(specifier.replace(/\.js$/, '.ts'), `file://${file}`).pathname
    loadedWith(specifier.startsWith('.') ? target : specifier, seen)
  }
  return seen
}

test('the door loads no parser', () => {
  const packages = [...loadedWith(`${sources}files/index.ts`)].filter((name) => !name.startsWith('/'))
  expect(packages.filter((name) => !name.startsWith('node:')).sort()).toEqual(['@jurist/core', '@jurist/core/internal'])
})

test.each(['index', 'commands/index', 'coverage/index', 'testing/index'])('%s loads no parser either', (door) => {
  const packages = [...loadedWith(`${sources}${door}.ts`)].filter((name) => !name.startsWith('/'))
  const parsers = ['diff', 'jsonc-parser', 'picomatch', 'saxes', 'smol-toml', 'yaml']
  expect(packages.filter((name) => parsers.includes(name))).toEqual([])
})

test('a path that is not a string is refused when the judge is made, one that cannot be when it judges', async () => {
  const refused = expect.objectContaining({ code: 'option-invalid' })
  for (const path of [undefined, 7]) expect(() => files.javaFile(path as never)).toThrow(refused)
  const workspace = memoryWorkspace({ 'A.java': 'class A {}' })
  for (const judge of [files.javaFile(''), files.javaFile('A.java', { reference: '' }), files.textFile('a\0b')])
    expect(await runJudge(judge, { workspace, reference: workspace })).toMatchObject({
      status: 'error',
      failure: { code: 'path-invalid' },
    })
})

test('the door is what the specification says', () => {
  expect(Object.keys(files).sort()).toEqual([
    'compareFiles',
    'javaFile',
    'jsonFile',
    'languageOf',
    'matchesReference',
    'mavenPom',
    'packageJson',
    'propertiesFile',
    'pythonFile',
    'scriptFile',
    'textFile',
    'tomlFile',
    'xmlFile',
    'yamlFile',
  ])
})

test.each([
  ['server/pom.xml', 'maven-pom'],
  ['my-pom.xml', 'xml'],
  ['a/package.json', 'package-json'],
  ['tsconfig.build.json', 'jsonc'],
  ['.vscode/settings.json', 'jsonc'],
  ['a/.vscode/x.json', 'jsonc'],
  ['x.d.ts', 'script'],
  ['x.pyi', 'python'],
  ['README.md', 'text-exact'],
  ['Makefile', 'text-lines'],
  ['.env', 'text-lines'],
  ['yarn.lock', 'text-lines'],
  ['x.JAVA', 'text'],
  ['__proto__', 'text'],
  ['constructor', 'text'],
] as const)('%s is compared as %s', (path, language) => {
  expect(files.languageOf(path)).toBe(language)
})

test('bad options are refused when the judge is made, all in one error', async () => {
  const options = { extra: 'maybe', ignore: 'x', languges: {} } as unknown as Parameters<
    typeof files.matchesReference
  >[0]
  expect(() => files.matchesReference(options)).toThrow(/"extra".*"ignore".*"languges"/s)
  const languages = { '*.x': 'cobol' } as unknown as { readonly [glob: string]: files.Language }
  expect(() => files.matchesReference({ languages })).toThrow(/cobol/)
  expect(() => files.xmlFile('a.xml', { siblingOrder: 'none' as 'strict' })).toThrow(/siblingOrder/)
  const bytes = new Uint8Array()
  await expect(files.compareFiles(bytes, bytes, { language: 'cobol' as 'java' })).rejects.toThrow(/language/)
})
