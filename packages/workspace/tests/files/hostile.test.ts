import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { infoOf, type Judgment, runJudge } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareFiles, type Language, matchesReference, textFile } from '../../src/files/index.js'
import { localWorkspace } from '../../src/local-workspace.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(`${tmpdir()}/jurist-hostile-`)
  mkdirSync(`${root}/reference`)
  mkdirSync(`${root}/workspace`)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(`${root}/${path}`), { recursive: true })
  writeFileSync(`${root}/${path}`, content)
}

function judged(options = {}): Promise<Judgment> {
  return runJudge(matchesReference(options), {
    reference: localWorkspace(`${root}/reference`),
    workspace: localWorkspace(`${root}/workspace`),
  })
}

function messages({ checks = [] }: Judgment): readonly string[] {
  return checks.map(({ name, message }) => `${name}: ${message}`)
}

describe('what is where a file should be', () => {
  test('a link to the reference fails, whatever it leads to', async () => {
    put('reference/a.txt', 'secret')
    symlinkSync(`${root}/reference/a.txt`, `${root}/workspace/a.txt`)
    expect(messages(await judged())).toEqual(['a.txt: symbolic link leaves the workspace'])
  })

  test('a linked directory that leads out fails, one that stays inside is followed', async () => {
    put('reference/in/a.txt', 'x')
    put('reference/out/a.txt', 'x')
    put('workspace/real/a.txt', 'x')
    symlinkSync('real', `${root}/workspace/in`)
    symlinkSync(`${root}/reference/out`, `${root}/workspace/out`)
    expect(messages(await judged())).toEqual(['in/a.txt: identical', 'out/a.txt: symbolic link leaves the workspace'])
  })

  test('a linked directory that leads out fails, even where it has no such file', async () => {
    for (const path of ['out/a', 'out/deep/b', 'gone/c', 'in/out/d']) put(`reference/${path}`, 'x')
    put('other/unrelated', 'x')
    mkdirSync(`${root}/workspace/in`)
    for (const link of ['out', 'in/out']) symlinkSync(`${root}/other`, `${root}/workspace/${link}`)
    symlinkSync(`${root}/nowhere`, `${root}/workspace/gone`)
    expect(messages(await judged())).toEqual([
      'gone/c: missing',
      'in/out/d: symbolic link leaves the workspace',
      'out/a: symbolic link leaves the workspace',
      'out/deep/b: symbolic link leaves the workspace',
    ])
  })

  test('a link to the workspace itself is a directory', async () => {
    put('reference/a', 'x')
    symlinkSync('.', `${root}/workspace/a`)
    expect(messages(await judged())).toEqual(['a: is a directory, expected a file'])
  })

  test('dangling and looping links are missing files', async () => {
    put('reference/a', 'x')
    put('reference/b', 'x')
    symlinkSync('nowhere', `${root}/workspace/a`)
    symlinkSync('b', `${root}/workspace/b`)
    expect(messages(await judged())).toEqual(['a: missing', 'b: missing'])
  })

  test('a FIFO is not a file and is not waited for', async () => {
    put('reference/a', 'x')
    execFileSync('mkfifo', [`${root}/workspace/a`])
    expect(messages(await judged())).toEqual(['a: is a FIFO, expected a file'])
  })

  test('a file instead of a directory makes what was below it missing', async () => {
    put('reference/a/b', 'x')
    put('workspace/a', 'x')
    expect(messages(await judged())).toEqual(['a/b: missing'])
  })

  test('a link of the reference that leaves it is an error', async () => {
    put('outside', 'x')
    symlinkSync(`${root}/outside`, `${root}/reference/a`)
    expect(await judged()).toMatchObject({ status: 'error', failure: { code: 'path-escape' } })
  })

  test('a reference directory that does not exist is an error', async () => {
    const judgment = await runJudge(matchesReference({ reference: `${root}/nowhere` }), {})
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'not-found' } })
  })
})

describe('names', () => {
  test('line ends, marks of direction, dots and blanks are names like others', async () => {
    const names = ['a\nb', '\u202egnp.exe', '...', ' ', '__proto__', 'constructor', '#x', '!y', 'z ', '[q]']
    for (const name of names) {
      put(`reference/${name}`, 'x')
      put(`workspace/${name}`, name === '#x' ? 'y' : 'x')
    }
    const judgment = await judged()
    expect(judgment.checks).toHaveLength(names.length)
    expect(judgment.checks?.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(['#x'])
    expect(judgment.metadata).toMatchObject({ matchedFiles: names.length - 1, totalFiles: names.length })
  })

  test('names that differ in case or in Unicode form are other names', async () => {
    put('reference/A', 'x')
    put('reference/\u00e9', 'x')
    put('workspace/a', 'x')
    put('workspace/e\u0301', 'x')
    expect(messages(await judged())).toEqual(['A: missing', '\u00e9: missing'])
  })
})

describe('contents', () => {
  test.skipIf(process.platform !== 'linux')('behind names that are not UTF-8 (needs names of any bytes)', async () => {
    for (const [path, content] of [
      ['reference/bad-\xff', 'x'],
      ['workspace/bad-\xff', 'y'],
      ['workspace/bad-\xef\xbf\xbd', 'x'],
      ['reference/dir-\xfe/\xc3\xa9', 'x'],
      ['workspace/dir-\xfe/\xc3\xa9', 'x'],
      ['reference/gone-\xe2\x82', 'x'],
    ] as const) {
      const place = Buffer.from(`${root}/${path}`, 'latin1')
      mkdirSync(place.subarray(0, place.lastIndexOf('/')), { recursive: true })
      writeFileSync(place, content)
    }
    for (const options of [{}, { reference: `${root}/reference` }, { executable: 'compare' }]) {
      const { checks, metadata } = await judged(options)
      expect(checks?.map(({ name, passed }) => [name, passed])).toEqual([
        ['bad-\\xff', false],
        ['dir-\\xfe/\u00e9', true],
        ['gone-\\xe2\\x82', false],
      ])
      expect(metadata).toMatchObject({ missing: ['gone-\\xe2\\x82'], extra: ['bad-\ufffd'] })
    }
  })

  test('what is not text is compared by its bytes', async () => {
    put('reference/a.json', Uint8Array.of(0x7b, 0xff, 0x7d))
    put('workspace/a.json', Uint8Array.of(0x7b, 0xfe, 0x7d))
    put('reference/b.java', 'class A { }\0')
    put('workspace/b.java', 'class  A { }\0')
    expect(messages(await judged())).toEqual(['a.json: differs at byte 1', 'b.java: differs at byte 6'])
  })

  test('a sparse file of 2 GB is recognized by its size', async () => {
    put('reference/a.txt', 'x')
    put('workspace/a.txt', '')
    truncateSync(`${root}/workspace/a.txt`, 2 ** 31)
    const judgment = await judged()
    expect(messages(judgment)).toEqual([`a.txt: has ${2 ** 31} bytes, expected 1`])
    expect(judgment.metadata).toMatchObject({ files: [{ by: 'bytes', notes: ['too large to compare by structure'] }] })
  })

  test('large sparse files are read to their first difference, in little memory', async () => {
    const sizeBytes = 2 ** 27
    for (const path of ['reference/a', 'workspace/a', 'reference/b', 'workspace/b']) {
      put(path, '')
      truncateSync(`${root}/${path}`, sizeBytes)
    }
    const flip = (path: string, at: number) => {
      const file = openSync(`${root}/${path}`, 'r+')
      writeSync(file, 'x', at)
      closeSync(file)
    }
    flip('workspace/a', sizeBytes - 1)
    flip('workspace/b', 2_000_000)
    const before = process.memoryUsage().rss
    expect(messages(await judged())).toEqual([`a: differs at byte ${sizeBytes - 1}`, 'b: differs at byte 2000000'])
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576)
  })

  test('large files of one size are compared piece by piece', async () => {
    const content = Buffer.alloc(12_000_000, 'a')
    put('reference/same.java', content)
    put('workspace/same.java', content)
    put('reference/other.java', content)
    content[11_000_000] = 0x62
    put('workspace/other.java', content)
    expect(messages(await judged())).toEqual(['other.java: differs at byte 11000000', 'same.java: identical'])
  })

  test('a limit given by the caller leaves structure aside', async () => {
    put('reference/a.json', '{"a":1}')
    put('workspace/a.json', '{ "a": 1 }')
    expect((await judged()).status).toBe('pass')
    expect((await judged({ maxFileBytes: 8 })).status).toBe('fail')
  })

  test('terminal escapes and marks of direction are shown escaped', async () => {
    put('reference/a.txt', 'plain')
    put('workspace/a.txt', '\u001b[2J\u202e')
    expect(messages(await judged())).toEqual(['a.txt: differs at line 1: expected "plain" found "\\u001b[2J\\u202e"'])
  })

  test('metadata stays below 64 KiB, and what is left out is counted', async () => {
    for (let index = 0; index < 80; index++) {
      put(`reference/${index}.json`, JSON.stringify(Array.from({ length: 40 }, () => 'a'.repeat(90))))
      put(`workspace/${index}.json`, JSON.stringify(Array.from({ length: 40 }, () => 'b'.repeat(90))))
    }
    const { metadata = {} } = await judged()
    expect(JSON.stringify(metadata).length).toBeLessThan(66_000)
    expect(metadata).toMatchObject({ totalFiles: 80, omitted: 80 - (metadata['files'] as unknown[]).length })
  })
})

const deep = 50_000
const nested: readonly (readonly [Language, (middle: string) => string])[] = [
  ['json', (middle) => `${'['.repeat(deep)}${middle}${']'.repeat(deep)}`],
  ['json', (middle) => `${'{"a":'.repeat(deep)}${middle}${'}'.repeat(deep)}`],
  ['jsonc', (middle) => `${'['.repeat(deep)}${middle}`],
  ['package-json', (middle) => `${'['.repeat(deep)}${middle}${']'.repeat(deep)}`],
  ['xml', (middle) => `${'<a>'.repeat(deep)}${middle}${'</a>'.repeat(deep)}`],
  ['maven-pom', (middle) => `${'<project>'.repeat(deep)}${middle}${'</project>'.repeat(deep)}`],
  ['yaml', (middle) => `${'['.repeat(deep)}${middle}${']'.repeat(deep)}`],
  ['yaml', (middle) => `${'- '.repeat(deep)}${middle}`],
  ['yaml', (middle) => `${'? '.repeat(deep)}${middle}`],
  ['yaml', (middle) => `${'{a: '.repeat(deep)}${middle}`],
  ['yaml', (middle) => `${'!!a '.repeat(deep)}${middle}`],
  ['toml', (middle) => `a = ${'['.repeat(deep)}${middle}${']'.repeat(deep)}`],
  ['toml', (middle) => `[a${'.a'.repeat(deep)}]\nb = ${middle}`],
  ['toml', (middle) => `a${'.a'.repeat(deep)} = ${middle}`],
]

describe('50,000 levels', () => {
  test.each(nested)('%s ends with a verdict %#', async (language, make) => {
    const encoder = new TextEncoder()
    const [one, other] = [encoder.encode(make('1')), encoder.encode(make('2'))]
    expect(await compareFiles(one, other, { language })).toMatchObject({ result: 'differs', by: 'lines' })
    expect(await compareFiles(one, one, { language })).toMatchObject({ result: 'identical' })
  })
})

describe('bombs', () => {
  const compared = (language: Language, expected: string, found: string) =>
    compareFiles(new TextEncoder().encode(expected), new TextEncoder().encode(found), { language })

  test('entities are refused and nothing is fetched', async () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    const outside = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'
    const { notes } = await compared('xml', bomb, outside)
    expect(notes).toEqual([
      'reference does not parse: document type declarations are refused at line 1',
      'workspace does not parse: document type declarations are refused at line 1',
    ])
  })

  test('aliases are compared once for every pair of nodes', async () => {
    const bomb = (leaf: string) =>
      [`a0: &a0 [${leaf}]`, ...Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)].join(
        '\n',
      )
    expect(await compared('yaml', bomb('x'), `${bomb('x')} # y`)).toMatchObject({ result: 'equivalent', by: 'tree' })
    expect((await compared('yaml', bomb('x'), bomb('y'))).differences).toMatchObject([{ member: '/a0/0' }])
  })

  test('an alias inside its own node is refused', async () => {
    expect(await compared('yaml', '&a [*a]', '&a [*a, 1]')).toMatchObject({ result: 'differs', by: 'lines' })
  })
})

test('a workspace without a directory is judged through its port', async () => {
  const reference = memoryWorkspace({ 'a.json': '{"a":1}', 'b/c.txt': 'x', 'd.txt': 'x', e: 'x' })
  const workspace = memoryWorkspace(
    { 'a.json': '{ "a": 1.0 }', 'b/c.txt': 'y', 'e/f': 'x', 'target/x': 'x' },
    { links: { 'd.txt': '../d.txt' } },
  )
  const judgment = await runJudge(matchesReference(), { reference, workspace })
  expect(messages(judgment)).toEqual([
    'a.json: equivalent by tree',
    'b/c.txt: differs at line 1: expected "x" found "y"',
    'd.txt: symbolic link leaves the workspace',
    'e: is not a regular file, expected a file',
  ])
  expect(judgment.metadata).toMatchObject({ reference: null, extra: ['e/f'] })
})

test('a judge of one file fails a link that leads out, and what is not a file', async () => {
  put('reference/a.txt', 'x')
  put('reference/b', 'x')
  symlinkSync(`${root}/reference/a.txt`, `${root}/workspace/a.txt`)
  mkdirSync(`${root}/workspace/b`)
  const trees = { reference: localWorkspace(`${root}/reference`), workspace: localWorkspace(`${root}/workspace`) }
  const leads = await runJudge(textFile('a.txt'), trees)
  expect(leads).toMatchObject({ status: 'fail', metadata: { unjudgeable: 'path-escape' } })
  expect(messages(leads)).toEqual(['file_exists: exists', 'file_readable: symbolic link leaves the workspace'])
  const judgment = await runJudge(textFile('b'), trees)
  expect(judgment.status).toBe('fail')
  expect(messages(judgment)).toEqual(['file_exists: exists', 'file_readable: is a directory, expected a file'])
  expect(infoOf(textFile('b')).name).toBe('textFile')
})

test('a workspace with too many entries fails a check, a reference with too many is an error', async () => {
  const many = memoryWorkspace(Object.fromEntries(Array.from({ length: 200_001 }, (_, index) => [`f${index}`, ''])))
  const few = memoryWorkspace({ f1: '' })
  const judgment = await runJudge(matchesReference(), { reference: few, workspace: many })
  expect(messages(judgment)).toEqual(['f1: identical', 'workspace_size: the workspace has more than 200000 entries'])
  expect(judgment.status).toBe('fail')
  expect(await runJudge(matchesReference(), { reference: many, workspace: few })).toMatchObject({
    status: 'error',
    failure: { code: 'limit-exceeded' },
  })
})
