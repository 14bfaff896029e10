import { JuristError } from '@jurist/core'
import type { Argument, CommandVariable } from './shape.js'

/** The value of each variable; without one it has none. */
export type CommandValues = (name: CommandVariable) => string | undefined

type Part = { readonly text: string } | { readonly variable: CommandVariable }
interface Group {
  readonly when?: CommandVariable
  readonly words: readonly (readonly Part[])[]
}
/** The words of a command, ready to be filled. */
export interface CommandTemplate {
  readonly groups: readonly Group[]
  readonly variables: ReadonlySet<CommandVariable>
}

const placeholder = /\\\{\{|\{\{[ \t]*(?<name>[A-Za-z_][A-Za-z0-9_.-]*)[ \t]*\}\}/g
const names: ReadonlySet<string> = new Set(['prompt', 'systemPrompt', 'model', 'workspace', 'timeoutSeconds'])
/** Systems limit one argument to 128 KiB. */
const maxArgumentBytes = 100_000

/**
 * Takes the words of a command apart, once, so that values are never looked into.
 *
 * @throws `option-invalid` naming every unknown variable
 */
export function commandTemplate(where: string, command: readonly Argument[]): CommandTemplate {
  const unknown: string[] = []
  const known = (name: string): CommandVariable => {
    if (!names.has(name) && !/^metadata\../.test(name)) unknown.push(name)
    return name as CommandVariable
  }
  const groups = command.map((argument): Group => {
    if (typeof argument === 'string') return { words: [partsOf(argument, known)] }
    return { when: known(argument.when), words: argument.then.map((word) => partsOf(word, known)) }
  })
  if (unknown.length > 0)
    throw new JuristError(
      'option-invalid',
      `${where}: "command" names ${unknown.map((name) => `{{${name}}}`).join(', ')}, which is unknown. There are ${[...names].join(', ')} and metadata.<key>; for the characters themselves write \\{{.`,
      { option: 'command' },
    )
  const parts = groups.flatMap(({ words }) => words.flat())
  return { groups, variables: new Set(parts.flatMap((part) => ('variable' in part ? [part.variable] : []))) }
}

function partsOf(word: string, known: (name: string) => CommandVariable): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const found of word.matchAll(placeholder)) {
    const name = found.groups?.['name']
    if (found.index > end) parts.push({ text: word.slice(end, found.index) })
    parts.push(name === undefined ? { text: '{{' } : { variable: known(name) })
    end = found.index + found[0].length
  }
  return end < word.length || parts.length === 0 ? [...parts, { text: word.slice(end) }] : parts
}

/**
 * The words of a command with the values of one task.
 *
 * @throws `option-invalid` for a variable without value outside a group, for a value that would become an option, and
 * for one that is too long for an argument
 */
export function filledCommand(where: string, { groups }: CommandTemplate, valueOf: CommandValues): readonly string[] {
  const words: string[] = []
  for (const { when, words: templates } of groups) {
    if (when !== undefined && valueOf(when) === undefined) continue
    for (const parts of templates) words.push(filledWord(where, parts, valueOf, words.includes('--')))
  }
  return words
}

function filledWord(where: string, parts: readonly Part[], valueOf: CommandValues, isAfterDashes: boolean): string {
  const [first] = parts
  const word = parts.map((part) => ('text' in part ? part.text : needed(where, part.variable, valueOf))).join('')
  if (first !== undefined && 'variable' in first && word.startsWith('-') && !isAfterDashes)
    throw invalid(
      `${where}: the value of {{${first.variable}}} begins with "-" and would be read as an option. Put "--" before it in "command", write --option={{${first.variable}}}, or give promptThrough: "stdin".`,
    )
  return word
}

function needed(where: string, variable: CommandVariable, valueOf: CommandValues): string {
  const value = valueOf(variable)
  if (value === undefined)
    throw invalid(
      `${where}: {{${variable}}} has no value in this task. Put it into a group: { when: '${variable}', then: [...] }.`,
    )
  if (new TextEncoder().encode(value).length > maxArgumentBytes)
    throw invalid(
      `${where}: the value of {{${variable}}} has more than ${maxArgumentBytes} bytes, too many for an argument. Give promptThrough: "file" or "stdin".`,
    )
  if (value.includes('\0')) throw invalid(`${where}: the value of {{${variable}}} holds a NUL character.`)
  return value
}

function invalid(message: string): JuristError<'option-invalid'> {
  return new JuristError('option-invalid', message, { option: 'command' })
}
