import { JuristError } from '@jurist/core'

/** A shell line (a text) or a program with its arguments (a list). */
export type CommandLine = string | readonly string[]

/**
 * A command as a reader would type it: lists are quoted for a shell, which they never go through.
 *
 * @example
 * displayed(['git', 'commit', '-m', 'two words']) // "git commit -m 'two words'"
 */
export function displayed(command: CommandLine): string {
  return typeof command === 'string' ? command : command.map(shellQuoted).join(' ')
}

function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * The command as a frozen copy, checked when the judge is made.
 *
 * @throws `option-invalid` when it is blank, holds a NUL character or is no text and no list of texts
 */
export function checkedCommand(where: string, command: CommandLine): CommandLine {
  const words: readonly unknown[] = Array.isArray(command) ? command : [command]
  const isText = (word: unknown) => typeof word === 'string' && !word.includes('\0')
  const [program] = words
  if (typeof program === 'string' && program.trim() !== '' && words.every(isText))
    return typeof command === 'string' ? command : Object.freeze([...command])
  throw new JuristError(
    'option-invalid',
    `${where}: the command must be a shell line or a list of a program and its arguments, neither blank nor with NUL.`,
    { option: 'command' },
  )
}
