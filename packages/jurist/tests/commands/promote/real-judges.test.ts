import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** The whole exam has larger workspaces, and asks the compiler of TypeScript, too, which takes a second each time. */
const isWhole = process.env['JURIST_PLANTED'] !== undefined
const [size, lines] = isWhole ? [200, 8] : [40, 3]

/** Real programs, in workspaces of which the failure needs a chain of imports; an answer; and an order of tools. */
interface Kind {
  readonly name: string
  readonly file: (name: string) => string
  /** A file of the chain: it imports the next one, or holds the mistake. */
  readonly code: (name: string, next: string | null, value: string) => string
  /** A file that nothing needs. */
  readonly other: (name: string) => string
  readonly more?: Readonly<Record<string, string>>
  /** The program that fails, and what it says when it fails as planted; absent: no program is asked. */
  readonly program?: { readonly words: readonly string[]; readonly says: RegExp }
  readonly jury: string
  readonly least: number
}

const node = process.execPath
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const filler = (line: (index: number) => string) => Array.from({ length: lines }, (_, index) => line(index)).join('')
const succeeds = (words: readonly string[]) => `jury({ judges: { runs: commandSucceeds(${JSON.stringify(words)}) } })`

const javaScript = (name: string, next: string | null, value: string) =>
  (next === null ? '' : `import { ${next} } from './${next}.js'\n`) +
  filler((index) => `export const other${index} = ${index}\n`) +
  `export function ${name}() {\n  return ${next === null ? value : `${next}()`}\n}\n` +
  (name === 'entry' ? `if (entry() !== 2.5) throw new Error('expected 2.5, got ' + entry())\n` : '')
const python = (name: string, next: string | null, value: string) =>
  (next === null ? '' : `from shop.${next} import ${next}\n`) +
  filler((index) => `other${index} = ${index}\n`) +
  `def ${name}():\n    return ${next === null ? value : `${next}()`}\n` +
  (name === 'entry' ? "if entry() != 2.5:\n    raise ValueError(f'expected 2.5, got {entry()}')\n" : '')
const typeScript = (name: string, next: string | null, value: string) =>
  (next === null ? '' : `import { ${next} } from './${next}'\n`) +
  filler((index) => `export const other${index}: number = ${index}\n`) +
  `export function ${name}(): number {\n  return ${next === null ? (value === '2.4' ? "'2.4'" : value) : `${next}()`}\n}\n`

const inSrc = (ending: string) => (name: string) => `src/${name}.${ending}`
const programs = {
  node: [node, 'src/entry.js'],
  check: [node, '--check', 'src/entry.js'],
  python: ['python3', '-m', 'shop.entry'],
  tsc: [node, tsc, '--noEmit', '--pretty', 'false', '-p', '.'],
} as const
const allKinds: readonly Kind[] = [
  {
    ...{ name: 'node', file: inSrc('js'), code: javaScript, least: 4, other: (name) => javaScript(name, null, '1') },
    more: { 'package.json': '{ "type": "module" }\n' },
    program: { words: programs.node, says: /Error: expected 2\.5, got 2\.4/ },
    jury: succeeds(programs.node),
  },
  {
    ...{ name: 'check', file: inSrc('js'), least: 2, other: (name) => javaScript(name, null, '1') },
    code: (name, _, value) =>
      name === 'entry' ? javaScript(name, null, value === '2.4' ? '2.4 2.4' : value) : javaScript(name, null, '1'),
    more: { 'package.json': '{ "type": "module" }\n' },
    program: { words: programs.check, says: /SyntaxError: Unexpected number/ },
    jury: succeeds(programs.check),
  },
  {
    ...{ name: 'python', code: python, least: 3, other: (name) => python(name, null, '1') },
    file: (name) => `shop/${name}.py`,
    program: { words: programs.python, says: /ValueError: expected 2\.5, got 2\.4/ },
    jury: succeeds(programs.python),
  },
  {
    ...{ name: 'tsc', file: inSrc('ts'), code: typeScript, least: 4, other: (name) => typeScript(name, null, '1') },
    more: { 'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] }, "files": ["src/entry.ts"] }\n' },
    program: { words: programs.tsc, says: /error TS2322: Type 'string' is not assignable to type 'number'/ },
    jury: succeeds(programs.tsc),
  },
  {
    ...{ name: 'answer', file: inSrc('js'), code: javaScript, least: 2, other: (name) => javaScript(name, null, '1') },
    jury: "jury({ judges: { answer: outputText({ equals: '2.5' }) } })",
  },
  {
    ...{ name: 'tools', file: inSrc('js'), code: javaScript, least: 2, other: (name) => javaScript(name, null, '1') },
    jury: "jury({ judges: { order: toolCalls({ expected: [{ name: 'test' }, { name: 'read' }], order: 'in-order' }) } })",
  },
]

const kinds = allKinds.filter(({ name }) => isWhole || name !== 'tsc')

const config = `
import { commandSucceeds, jury, outputText } from 'jurist'
import { toolCalls } from 'jurist/tools'
const reads = (path) => async ({ workspace, record }) => {
  record?.({ type: 'tool-call', id: '1', name: 'read', input: { path } })
  record?.({ type: 'tool-call', id: '2', name: 'test', input: {} })
  await workspace.write('notes/agent.md', 'I repaired it.')
  return { status: 'completed', output: 'The total is 2.4.' }
}
export default {
  experiments: {
${kinds.map(({ name, jury, file }) => `    ${name}: { dataset: 'sets/${name}', agent: reads('${file('entry')}'), jury: ${jury} },`).join('\n')}
  },
}
`

const files: Record<string, string> = { 'jurist.config.mjs': config }
const cases: { readonly kind: Kind; readonly id: string; readonly isSolved: boolean }[] = []
for (const kind of kinds) {
  // Programs take a while each time: only the quickest is asked with a reference, too.
  for (const isSolved of kind.name === 'check' ? [false, true] : [false]) {
    const id = `${kind.name}-${isSolved ? 'solved' : 'alone'}`
    cases.push({ kind, id, isSolved })
    const at = `sets/${kind.name}/${id}`
    files[`${at}/task.md`] = `Repair the total of ${id}.\n`
    files[`${at}/item.json`] = '{}'
    const chain = ['entry', 'cart', 'total']
    for (const [path, text] of Object.entries(kind.more ?? {})) files[`${at}/before/${path}`] = text
    for (const [step, name] of chain.entries())
      files[`${at}/before/${kind.file(name)}`] = kind.code(name, chain[step + 1] ?? null, '2.4')
    for (let file = 0; file < size - 3 - Object.keys(kind.more ?? {}).length; file += 1)
      files[`${at}/before/${kind.file(`group${file % 9}/other${file}`)}`] = kind.other(`other${file}`)
    const last = kind.name === 'check' ? 'entry' : 'total'
    if (isSolved) files[`${at}/reference/${kind.file(last)}`] = kind.code(last, null, '2.5')
  }
  files[`sets/${kind.name}/dataset.json`] = JSON.stringify({
    ...{ schemaVersion: 1, name: kind.name, version: '1' },
    items: cases.flatMap((one) => (one.kind === kind ? [{ id: one.id, path: one.id }] : [])),
  })
}

describe('failures of real programs, answers and orders of tools, in workspaces of many files', () => {
  let made: Project
  beforeAll(async () => {
    made = project(files)
    for (const { name } of kinds) expect((await made.jurist('run', name)).code, name).toBe(0)
  })
  afterAll(() => made[Symbol.dispose]())

  test.each(cases)('$id becomes an item of a few files that fails as planted', async ({ kind, id, isSolved }) => {
    const into = `out/${id}`
    const { stdout, stderr } = await made.jurist('promote', kind.name, id, '--minimise', '--into', into, '--json')
    expect(stdout, stderr).not.toBe('')
    const promoted = JSON.parse(stdout)
    expect(promoted.error).toBeUndefined()
    expect(promoted.established.why).toBe(
      isSolved
        ? 'fails with nothing done, and passes with the reference'
        : 'fails with nothing done, as it should; no reference',
    )
    const directory = join(made.directory, into, 'regressions', promoted.item)
    const filesLeft = readdirSync(join(directory, 'before'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(directory, 'before', path)).isFile(),
    )
    // What the trial read stays.
    expect(filesLeft).toContain(kind.file('entry'))
    expect(filesLeft.length, filesLeft.join(' ')).toBeLessThanOrEqual(kind.least + 2)
    if (isWhole)
      console.log(
        id,
        filesLeft.length,
        promoted.minimised.to.lines,
        promoted.minimised.judgments,
        promoted.minimised.seconds,
      )
    const wrong = join(directory, 'wrong', `${id}-1`)
    // The oracle runs the program itself, where the agent left its work.
    if (kind.program !== undefined) {
      const copy = mkdtempSync(join(tmpdir(), 'jurist-oracle-'))
      try {
        cpSync(join(directory, 'before'), copy, { recursive: true })
        if (existsSync(wrong)) cpSync(wrong, copy, { recursive: true })
        const [program = '', ...words] = kind.program.words
        const ran = spawnSync(program, words, { cwd: copy, encoding: 'utf8' })
        expect(ran.status).not.toBe(0)
        expect(`${ran.stdout}${ran.stderr}`).toMatch(kind.program.says)
      } finally {
        rmSync(copy, { recursive: true, force: true })
      }
    }
    expect(readFileSync(`${wrong}.txt`, 'utf8')).toBe('The total is 2.4.')
  })
})
