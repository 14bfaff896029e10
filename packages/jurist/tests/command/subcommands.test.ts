import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandNamed, commandNames as names } from '../../src/command/catalog.js'
import { calledWords } from '../../src/command/program.js'
import { define } from '../../src/command-kit/subcommand.js'
import { project } from '../project.js'

/** A subcommand by itself, or one of its actions. */
async function commandOf(name = '', action?: string): Promise<Command> {
  const command = new Command(name).exitOverride().configureOutput({ writeErr: () => undefined })
  const called = await commandNamed(name)
  if (called !== undefined) await define(command, called, action, async () => undefined)
  return command.commands.find((one) => one.name() === action) ?? command
}

/** A subcommand and its actions. */
async function allOf(name: string): Promise<readonly Command[]> {
  const actions = Object.keys((await commandNamed(name))?.actions ?? {})
  return await Promise.all([undefined, ...actions].map((action) => commandOf(name, action)))
}

/** The words of a command line; quotes keep words together. */
const wordsOf = (line: string) =>
  (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^['"]|['"]$/g, ''))

function examplesOf(command: Command): readonly string[] {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  return help.split('Examples:\n')[1]?.split('\n\n')[0]?.trim().split('\n') ?? []
}

describe.each(names)('jurist %s', (name) => {
  test('explains every flag and argument', async () => {
    for (const { options, registeredArguments } of await allOf(name)) {
      for (const { description, long } of options) expect(`${long} ${description}`).toMatch(/^--[a-z-]+ \S.*[^.]$/)
      for (const argument of registeredArguments) expect(argument.description).not.toBe('')
      const words = options.flatMap(({ long, short }) => [long, short]).filter((word) => word !== undefined)
      expect(new Set(words).size).toBe(words.length)
    }
  })

  test('has examples that can be typed', async () => {
    const examples = (await allOf(name)).map(examplesOf)
    for (const some of examples) expect(some.length).toBeGreaterThan(1)
    for (const example of examples.flat()) {
      const words = wordsOf(example)
      const from = words[1] === '-c' ? 3 : 1
      expect([words[0], words[from]]).toEqual(['jurist', name])
      const called = await commandOf(...calledWords(words.slice(from)))
      const rest = words.slice(called.name() === name ? from + 1 : from + 2)
      if (!words.includes('--help')) expect(() => called.parse(rest, { from: 'user' })).not.toThrow()
    }
  })

  test('refuses an unknown flag with code 2, on stderr and as one JSON document', async () => {
    using made = project()
    const { code, stdout, stderr } = await made.jurist(name, '--no-such-flag', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'usage-invalid', message: expect.stringContaining('--no-such-flag') },
    })
    expect(stderr).toContain("Unknown option '--no-such-flag'")
  })
})
