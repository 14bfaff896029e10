import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** How many failures are planted, and the size of their workspaces: JURIST_PLANTED=40 is the whole exam, with 200 files. */
const count = Number(process.env['JURIST_PLANTED'] ?? 3)
const [size, functions] = process.env['JURIST_PLANTED'] === undefined ? [40, 5] : [200, 20]

interface Language {
  readonly ending: string
  readonly directory: string
  readonly imports: (name: string) => string
  readonly code: (name: string, body: string) => string
}

const languages: readonly Language[] = [
  {
    ending: 'js',
    directory: 'src',
    imports: (name) => `import { ${name} } from './${name}.js'`,
    code: (name, body) => `export function ${name}() {\n  return ${body}\n}\n`,
  },
  {
    ending: 'py',
    directory: 'shop',
    imports: (name) => `from shop.${name} import ${name}`,
    code: (name, body) => `def ${name}():\n    return ${body}\n`,
  },
  {
    ending: 'java',
    directory: 'src/main',
    imports: (name) => `import shop.${name};`,
    code: (name, body) => `class ${name} {\n  static int ${name}() { return ${body}; }\n}\n`,
  },
]

/**
 * Judges of three kinds follow imports from an entry to the file with the mistake: so they need as many files as the chain is long. Each
 * fails otherwise for a chain that is cut, which a candidate must not be taken for.
 */
const config = `
import { fail, jury, pass } from 'jurist'
const read = async (workspace, path) => (await workspace.exists(path)) ? workspace.read(path) : null
const chain = async ({ workspace, metadata }) => {
  const { directory, ending, length } = metadata
  let name = 'entry'
  for (let at = 0; at < length; at += 1) {
    const text = await read(workspace, directory + '/' + name + '.' + ending)
    if (text === null) return fail('there is no ' + name)
    const next = /(?:import \\{ (part\\d+)|import (part\\d+)$|import shop\\.(part\\d+))/m.exec(text)
    if (at === length - 1) {
      if (text.includes('2.5')) return pass('right')
      return text.includes('2.4') ? fail('expected 2.5, got 2.4') : fail('nothing is returned')
    }
    if (next === null) return fail(name + ' imports nothing')
    name = next[1] ?? next[2] ?? next[3]
  }
}
const agent = async ({ workspace, record, metadata }) => {
  record?.({ type: 'tool-call', id: '1', name: 'read', input: { path: metadata.directory + '/entry.' + metadata.ending } })
  await workspace.write('notes/agent.md', 'I repaired it.')
  await workspace.write('notes/more.md', 'Really.')
  return { status: 'completed', output: 'Repaired.' }
}
export default { experiments: { planted: { dataset: 'dataset', agent, jury: jury({ judges: { chain } }) } } }
`

const files: Record<string, string> = { 'jurist.config.mjs': config }
const wanted: { readonly id: string; readonly length: number }[] = []
for (let index = 0; index < count; index += 1) {
  const { ending, directory, imports, code } = languages[index % languages.length] as Language
  const id = `planted-${index}`
  const length = 2 + (index % 3)
  const at = `dataset/items/${id}`
  const before = (path: string, text: string) => (files[`${at}/before/${path}`] = text)
  wanted.push({ id, length })
  files[`${at}/item.json`] = JSON.stringify({ metadata: { directory, ending, length } })
  files[`${at}/task.md`] =
    `Repair the total number ${index} of the shop, which a person called ${'abcdefghijklmnop'[index % 16]} asked for.`
  const names = ['entry', ...Array.from({ length: length - 1 }, (_, step) => `part${step * 7 + index}`)]
  for (const [step, name] of names.entries()) {
    const next = names[step + 1]
    const filler = Array.from({ length: functions }, (_, line) => code(`other${line}`, `${line}`)).join('')
    const last = code(name, next === undefined ? '2.4' : next)
    before(`${directory}/${name}.${ending}`, `${next === undefined ? '' : `${imports(next)}\n`}${filler}${last}`)
  }
  for (let file = 0; file < size - length; file += 1)
    before(`${directory}/group${file % 9}/file${file}.${ending}`, code(`file${file}`, `${file}`).repeat(5))
  if (index % 2 === 0) {
    const last = names.at(-1) ?? ''
    files[`${at}/reference/${directory}/${last}.${ending}`] = code(last, '2.5')
  }
}
files['dataset/dataset.json'] = JSON.stringify({
  ...{ schemaVersion: 1, name: 'planted', version: '1' },
  items: wanted.map(({ id }) => ({ id, path: `items/${id}` })),
})

describe('planted failures in workspaces of many files', () => {
  let made: Project
  const found: { readonly files: number; readonly more: number; readonly seconds: number }[] = []
  beforeAll(async () => {
    made = project(files)
    expect((await made.jurist('run')).code).toBe(0)
  })
  afterAll(() => made[Symbol.dispose]())

  test.each(wanted)('$id becomes an item of a few, with the failure that was planted', async ({ id, length }) => {
    const beganAt = performance.now()
    const into = `out/${id}`
    const { stdout, stderr } = await made.jurist('promote', 'planted', id, '--minimise', '--into', into, '--json')
    const seconds = (performance.now() - beganAt) / 1000
    expect(stdout, stderr).not.toBe('')
    const promoted = JSON.parse(stdout)
    // The oracle: the failure that was planted, and nothing else.
    expect(promoted.signature.reason).toBe('expected 0, got 0 | expected 2.5 | got 2.4')
    const directory = join(made.directory, into, 'regressions', promoted.item, 'before')
    const left = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(directory, path)).isFile(),
    )
    expect(left.filter((path) => readFileSync(join(directory, path), 'utf8').includes('2.4'))).toHaveLength(1)
    found.push({ files: left.length, more: left.length - length, seconds })
  })

  test('most have at most five files, and nearly all two more than are needed at most', () => {
    if (process.env['JURIST_PLANTED'] !== undefined) console.log(JSON.stringify(found))
    const sizes = found.map(({ files: left }) => left).sort((a, b) => a - b)
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(5)
    expect(found.filter(({ more }) => more <= 2).length).toBeGreaterThanOrEqual(0.9 * count)
  })
})
