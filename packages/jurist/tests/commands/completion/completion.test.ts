import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginCommand } from '@jurist/experiment/plugin'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandNamed, commandNames } from '../../../src/command/catalog.js'
import type { Host } from '../../../src/command-kit/host.js'
import { completesOf } from '../../../src/commands/completion/project-names.js'
import { bashReplacement, wordsOfLine } from '../../../src/commands/completion/shells.js'
import { type Project, project, yamlConfigOf } from '../../project.js'
import { onPostgres } from '../../project-results.js'

/** The values that a shell is offered for the last of some words. */
async function offered(made: Project, ...words: readonly string[]): Promise<readonly string[]> {
  const ended = await made.jurist('__complete', 'fish', ...words)
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  const [mode = '', ...lines] = ended.stdout.trimEnd().split('\n')
  return mode === 'words' || mode === 'open' ? lines.map((line) => line.split('\t')[0] ?? '') : [`(${mode})`]
}

const names = `
  computed: { dataset: [], agent: { command: ["true"] } }
juries: { done: { type: file-exists, path: README.md } }
calibrations: { judge: {} }
`

describe.skipIf(onPostgres)('what shells are offered', () => {
  test('commands, flags with their values, and actions', async () => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    expect(await offered(made, '')).toEqual(commandNames)
    expect(await offered(made, 'val')).toEqual(['validate'])
    expect(await offered(made, 'validate', '--s')).toEqual([
      '--slug',
      '--sample',
      '--seed',
      '--status',
      '--strict',
      '--schema',
    ])
    expect(await offered(made, 'validate', '--strict', '--st')).toEqual(['--status'])
    expect(await offered(made, 'run', '--preserve=')).toEqual([
      '--preserve=all',
      '--preserve=failed',
      '--preserve=none',
    ])
    expect(await offered(made, '--json', 'hook', 's')).toEqual(['start', 'stop'])
    expect(await offered(made, 'vet', '')).toEqual(['establish', 'probe', 'mutate', 'demo'])
    expect(await offered(made, 'vet', 'probe', '')).toEqual(['demo'])
    expect(await offered(made, 'vet', 'probe', '--li')).toEqual(['--list'])
    expect(await offered(made, 'vet', '--quick', '')).toEqual(['demo'])
    expect(await offered(made, 'run', '--reporter', 'ju')).toEqual(['junit'])
    expect(await offered(made, 'init', '--template', 'y')).toEqual(['yaml'])
    expect(await offered(made, 'judge', '')).toEqual(['(directories)'])
    expect(await offered(made, 'store', 'bundle', '--verify', '')).toEqual(['(files)'])
    expect(await offered(made, 'no-such-command', '')).toEqual([])
  })

  test('names of a config in YAML', async () => {
    const rest = 'variants: { small: {}, large: {} }'
    using made = project({ 'jurist.config.yaml': `${yamlConfigOf({ rest })}${names}` })
    expect(await offered(made, 'run', '')).toEqual(['demo', 'computed'])
    expect(await offered(made, 'run', '--variant', '')).toEqual(['small', 'large'])
    expect(await offered(made, 'run', 'demo', '-i', 't')).toEqual(['two'])
    expect(await offered(made, 'judge', '--jury', '')).toEqual(['done'])
    expect(await offered(made, 'calibrate', '')).toEqual(['judge'])
  })

  test('runs, and of a config in TypeScript, which is not run, the items and experiments that have runs', async () => {
    using made = project()
    await made.jurist('init')
    await made.jurist('run')
    made.write({ 'jurist.config.ts': "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n" })
    const [id = ''] = await made.results.runs('add-readme')
    expect(await offered(made, 'show', '')).toEqual(['latest', 'add-readme', 'add-readme@baseline', id])
    expect(await offered(made, 'show', 'latest', 'keep')).toEqual(['keep-readme'])
    expect(await offered(made, 'run', '')).toEqual(['add-readme'])
    expect(await offered(made, 'run', 'add-readme', '-i', '')).toEqual(['add-readme', 'keep-readme'])
    expect(await offered(made, '--results', 'elsewhere', 'show', '')).toEqual([])
    expect(existsSync(join(made.directory, 'ran'))).toBe(false)
  })

  test.each(['jurist.config.yaml', 'jurist.config.ts'])(
    'a %s that cannot be read offers nothing, quietly',
    async (name) => {
      using made = project({ [name]: 'export default {{{ : -' })
      expect(await offered(made, 'run', '')).toEqual([])
    },
  )
})

test('every flag and argument either says what it takes, or is free', async () => {
  const unknown: string[] = []
  const free = new Set<string>()
  const look = async (where: string, { load }: Pick<PluginCommand<Host>, 'load'>) => {
    const called = await load?.()
    if (called === undefined) return
    for (const { usage, options, values } of Object.values(called.flags)) {
      const [placeholder] = /[<[].*/.exec(usage) ?? []
      if (placeholder === undefined || completesOf(usage, options.completes ?? values) !== undefined) continue
      free.add(placeholder)
    }
    for (const [usage, , completes] of called.arguments)
      if (completesOf(usage, completes) === undefined) unknown.push(`${where} ${usage}`)
  }
  for (const name of commandNames) {
    const command = await commandNamed(name)
    if (command === undefined) throw new Error(`There is no ${name}`)
    await look(name, command)
    for (const [part, action] of Object.entries(command.actions ?? {})) await look(`${name} ${part}`, action)
  }
  expect(unknown).toEqual([])
  // A new one that names something of the project says so: see `completesOf`.
  expect([...free].sort().join(' ')).toBe(
    '<address> <age> <condition> <date> <duration> <glob> <hash> <host> <i/n> <id> <instant> <json> <key=n> <key=rate> <line> <n> <name> <names> ' +
      '<pattern> <points> <rate> <ratio> <revision> <score> <share> <size> <slug> <tag> <text> <type> <usd> <value> [n] [names]',
  )
})

test('what bash inserts is read as the candidate, whatever was typed of it', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab $`"\'\\;|&!*?()<>{}~#:=@%é') })
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom('', "'", '"'), (candidate, at, quote) => {
      const begin = candidate.slice(0, at % (candidate.length + 1))
      const typed = `${quote}${quote === "'" ? begin.replaceAll("'", "'\\''") : begin.replace(/["\\$`]/g, '\\$&')}`
      const line = `jurist x ${quote === '' ? begin.replace(/[^a-z]/g, '\\$&') : typed}`
      const { last } = wordsOfLine(line)
      fc.pre(last.value === begin)
      // Without break characters all of the word is replaced, but for an open quotation mark.
      const replaced = bashReplacement(last, candidate, '')
      const whole = `jurist ${last.quote === '' ? '' : last.raw.slice(0, last.quotedFrom)}${replaced}${last.quote} end`
      expect(wordsOfLine(whole).before).toEqual(candidate === '' && quote === '' ? ['jurist'] : ['jurist', candidate])
    }),
  )
})
