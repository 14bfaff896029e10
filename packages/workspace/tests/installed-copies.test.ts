import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { copyOf } from '../src/index.js'
import { copyInstalled, temporaryDirectory } from '../src/internal.js'

const place = mkdtempSync(join(tmpdir(), 'jurist-installed-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

let made = 0

/** What a setup installed: a package of two files, and a link to its program. */
function installed() {
  const from = join(place, `cache-${made++}`)
  mkdirSync(join(from, 'node_modules/one'), { recursive: true })
  mkdirSync(join(from, 'node_modules/.bin'))
  writeFileSync(join(from, 'node_modules/one/index.js'), 'one')
  writeFileSync(join(from, 'node_modules/one/run.js'), 'run')
  symlinkSync('../one/run.js', join(from, 'node_modules/.bin/run'))
  return { from, paths: ['node_modules'] }
}

function root(): string {
  return temporaryDirectory(place)
}

const index = (at: string) => join(at, 'node_modules/one/index.js')

/** Tells a file from another one, also from one that got its number after it was deleted. */
function fileOf(at: string): string {
  const { ino, ctimeNs } = statSync(index(at), { bigint: true })
  return `${ino} ${ctimeNs}`
}

/** Lets a workspace change its copy, and looks at the copy of the next one. */
async function next(change: (at: string) => void) {
  const [what, first, second] = [installed(), root(), root()]
  const laid = await copyInstalled(first, what, undefined)
  const file = fileOf(first)
  change(first)
  await laid.takeBack()
  await copyInstalled(second, what, undefined)
  expect(readFileSync(index(second), 'utf8')).toBe('one')
  expect(readFileSync(join(second, 'node_modules/.bin/run'), 'utf8')).toBe('run')
  expect(readFileSync(index(what.from), 'utf8')).toBe('one')
  return { root: second, isSame: fileOf(second) === file }
}

describe('a copy of what was installed', () => {
  test('goes to the next workspace if it was not touched', async () => {
    const { isSame } = await next(() => {})
    expect(isSame).toBe(true)
  })

  test('loses what was added to it', async () => {
    const { root, isSame } = await next((at) => {
      mkdirSync(join(at, 'node_modules/.cache/deep'), { recursive: true })
      writeFileSync(join(at, 'node_modules/.cache/deep/file'), 'more')
      writeFileSync(join(at, 'node_modules/one/extra.js'), 'more')
    })
    expect(isSame).toBe(true)
    expect(existsSync(join(root, 'node_modules/.cache'))).toBe(false)
    expect(existsSync(join(root, 'node_modules/one/extra.js'))).toBe(false)
  })

  test.each<[string, (at: string) => void]>([
    ['is written with its times put back', rewritten],
    ['is longer', (at) => appendFileSync(index(at), ' more')],
    ['can be executed', (at) => chmodSync(index(at), 0o755)],
    ['has another name elsewhere, to be written later', (at) => linkSync(index(at), join(at, 'later.js'))],
    ['is another one of the same name', replaced],
    ['is gone', (at) => rmSync(index(at))],
    ['is a link now', linked],
  ])('is given up where a file %s', async (_, change) => {
    const { isSame } = await next(change)
    expect(isSame).toBe(false)
  })

  test.each<[string, (at: string) => void]>([
    ['is gone', (at) => rmSync(join(at, 'node_modules'), { recursive: true })],
    ['is a link to another place', (at) => moved(at, place)],
    ['is a link within the workspace', (at) => moved(at, at)],
    ['is a file', fileInstead],
  ])('is given up where the directory %s', async (_, change) => {
    const { root, isSame } = await next(change)
    expect(isSame).toBe(false)
    expect(lstatSync(join(root, 'node_modules')).isDirectory()).toBe(true)
  })

  test('is in a workspace that is made, and replaces what the directory had there', async () => {
    const project = root()
    mkdirSync(join(project, 'node_modules/own'), { recursive: true })
    const what = installed()
    await using workspace = await copyOf(project, { installed: what })
    expect(await workspace.exists('node_modules/own')).toBe(false)
    expect(await workspace.read('node_modules/one/index.js')).toBe('one')
  })

  test('of each of two workspaces is its own', async () => {
    const [what, first, second] = [installed(), root(), root()]
    await copyInstalled(first, what, undefined)
    await copyInstalled(second, what, undefined)
    expect(statSync(index(first)).ino).not.toBe(statSync(index(second)).ino)
  })
})

function rewritten(at: string): void {
  const { atime, mtime } = statSync(index(at))
  writeFileSync(index(at), 'two')
  utimesSync(index(at), atime, mtime)
}

function replaced(at: string): void {
  writeFileSync(join(at, 'other.js'), 'two')
  renameSync(join(at, 'other.js'), index(at))
}

function linked(at: string): void {
  rmSync(index(at))
  symlinkSync('run.js', index(at))
}

function moved(at: string, to: string): void {
  const target = join(to, `moved-${made++}`)
  renameSync(join(at, 'node_modules'), target)
  symlinkSync(target, join(at, 'node_modules'))
}

function fileInstead(at: string): void {
  rmSync(join(at, 'node_modules'), { recursive: true })
  writeFileSync(join(at, 'node_modules'), 'file')
}
