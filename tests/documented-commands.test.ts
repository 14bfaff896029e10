import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { programFor } from '../packages/jurist/src/command/program.js'
import { loadConfig } from '../packages/jurist/src/config/load-config.js'
import { type Fence, fencesOf, pages } from './packages/fences.js'
import { root } from './structure/source.js'

const shells = ['sh', 'bash', 'shell', 'console']
const blocks = pages.flatMap(fencesOf)
const placeOf = ({ page, line }: Pick<Fence, 'page' | 'line'>) => `${page}:${line}`

/** A command line of a document. */
interface CommandLine {
  readonly page: string
  readonly line: number
  readonly text: string
}

/** The calls of `jurist` in a text of a shell. */
function callsIn(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/&&|\|\|?|;/))
    .map((call) => call.trim().replace(/^(?:[A-Z_]+=\S*\s+)*(?:npx\s+)?/, ''))
    .filter((call) => /^jurist(\s|$)/.test(call))
}

/** The words of a call; what leads to or from a file is not for the command. */
function wordsOf(call: string): readonly string[] {
  const words = call.replace(/\s+\d?>.*$/, '').match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  return words.slice(1).map((word) => word.replaceAll(/["']/g, ''))
}

/** The lines of a block that start `npx jurist` outside of the directory that has it: npm would ask the registry for it. */
function strayCalls(code: string): readonly string[] {
  const installed = [...code.matchAll(/npm run pack -- (\S+)/g)].map(([, directory = '']) => directory)
  let isOutside = false
  return code.split(/\n|&&|;/).flatMap((part) => {
    const [program, first = '', second] = part.trim().split(/\s+/)
    if (program === 'cd') isOutside = /^(\.\.|[/~$])/.test(first) && !installed.includes(first)
    return isOutside && program === 'npx' && first === 'jurist' && second !== '-C' ? [part.trim()] : []
  })
}

type Program = Awaited<ReturnType<typeof programFor>>['program']

/** Help is not printed. */
function silence(program: Program): void {
  program.configureOutput({ writeOut: () => undefined })
  for (const command of program.commands) silence(command)
}

/** What the command's own parser says of a call, which is not run. */
async function problemOf(call: string): Promise<Error | undefined> {
  const argv = wordsOf(call)
  if (argv.length === 0) return undefined
  try {
    const { program } = await programFor(argv, async () => undefined)
    silence(program)
    await program.parseAsync([...argv], { from: 'user' })
    return undefined
  } catch (thrown) {
    return Object(thrown).exitCode === 0 ? undefined : (thrown as Error)
  }
}

async function problemsOf(lines: readonly CommandLine[], counts: (problem: Error) => boolean = () => true) {
  const found: string[] = []
  for (const one of lines) {
    const problem = await problemOf(one.text)
    if (problem !== undefined && counts(problem)) found.push(`${placeOf(one)}: ${one.text}: ${problem.message}`)
  }
  return found
}

describe('command lines in documents', () => {
  const lines = blocks
    .filter(({ language }) => shells.includes(language))
    .flatMap(({ page, line, code }) => callsIn(code).map((text) => ({ page, line, text })))

  test('in blocks are what the command accepts', async () => {
    console.log(`${lines.length} command lines in blocks`)
    expect(lines.length).toBeGreaterThan(60)
    expect(await problemsOf(lines)).toEqual([])
  })

  test('reach for `jurist` only where it is installed', () => {
    const stray = blocks
      .filter(({ language }) => shells.includes(language))
      .flatMap((fence) => strayCalls(fence.code).map((call) => `${placeOf(fence)}: ${call}`))
    expect(stray).toEqual([])
    expect(strayCalls('npx jurist import git\ncd ../evals && npx jurist vet')).toEqual(['npx jurist vet'])
    expect(strayCalls('npm run pack -- ../mine\ncd ../mine\nnpx jurist init a && cd a && npx jurist run')).toEqual([])
  })

  test('in sentences name commands and flags that exist', async () => {
    const spans = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
      return [...text.matchAll(/`((?:npx )?jurist [^`\n]+)`/g)].flatMap(({ 1: span = '', index }) =>
        callsIn(span.replaceAll(/…|\[|\]/g, '').replaceAll(/<\w+>/g, 'run')).map((call) => ({
          page,
          line: text.slice(0, index).split('\n').length,
          text: call,
        })),
      )
    })
    console.log(`${spans.length} command lines in sentences`)
    expect(spans.length).toBeGreaterThan(100)
    // A sentence may leave out what is required.
    const unfinished = /^commander\.(missing|optionMissingArgument|help)/
    const isWhole = (problem: Error) =>
      !unfinished.test(Object(problem).code) && !problem.message.startsWith('Name an action')
    expect(await problemsOf(spans, isWhole)).toEqual([])
  })

  test('are not accepted when a flag or a command is wrong', async () => {
    const wrong = [
      'jurist run --repeet 2',
      'jurist rnu',
      'jurist judge',
      'jurist hook instal claude',
      'jurist --jsn list',
    ]
    for (const text of wrong) expect(await problemOf(text), text).toBeInstanceOf(Error)
    expect(callsIn('A=1 npx jurist run \\\n  -j 2 # two\ncd a && jurist list | head')).toEqual([
      'jurist run -j 2',
      'jurist list',
    ])
  })
})

describe('configs in documents', () => {
  const configs = blocks.filter(({ language }) => ['yaml', 'yml'].includes(language))
  const ours = configs.filter(({ notCompiled }) => notCompiled === undefined)

  test('there are many', () => {
    const others = configs.filter((one) => !ours.includes(one))
    const reasons = others.map((one) => `  ${placeOf(one)}: ${one.notCompiled}`)
    console.log(
      [`${configs.length} blocks of YAML: ${ours.length} loaded as configs. Not loaded:`, ...reasons].join('\n'),
    )
    expect(ours.length).toBeGreaterThan(12)
  })

  test.each(ours.map((fence) => [placeOf(fence), fence] as const))('that of %s loads', async (_, fence) => {
    expect(await loading(fence)).toBe('loaded')
  })

  test('do not load when a key or a judge is wrong', async () => {
    const [first] = ours
    const broken = { ...first, within: '', files: [], directories: [], before: '' } as Fence
    for (const code of ['experimens: {}\n', 'juries: { a: { type: file-exist, path: a } }\n'])
      expect(await loading({ ...broken, code })).toContain('Did you mean')
  })
})

/** What the loader of configs says of a block, as a file with what the comments before it put beside it. */
async function loading(fence: Fence): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-documented-'))
  try {
    const named = blocks.filter(({ page, name }) => page === fence.page && name !== undefined)
    for (const { name = '', code } of named) writeFileSync(join(directory, name), code)
    for (const given of fence.directories) cpSync(join(root, given), directory, { recursive: true })
    for (const { path, text } of fence.files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    const file = join(directory, 'documented.yaml')
    writeFileSync(file, `${fence.before}${placed(fence)}`)
    await loadConfig(file)
    return 'loaded'
  } catch (thrown) {
    return (thrown as Error).message
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The block below the keys that its comment names. */
function placed({ code, within = '' }: Fence): string {
  const keys = within.split('.').filter((key) => key !== '')
  const head = keys.map((key, depth) => `${'  '.repeat(depth)}${key}:\n`).join('')
  return head + code.replaceAll(/^(?=.)/gm, '  '.repeat(keys.length))
}
