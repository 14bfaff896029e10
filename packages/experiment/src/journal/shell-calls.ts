import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import { commandKeys } from './tool-calls.js'

/** The command of a tool that runs commands, as a person would type it; `undefined` when the input names none. */
export function shellCommand(input: Json): string | undefined {
  if (typeof input === 'string') return input === '' ? undefined : input
  if (Array.isArray(input)) return fromWords(input)
  if (!isPlainObject(input)) return undefined
  const given: { readonly [key: string]: unknown } = input
  for (const key of commandKeys) {
    const value = given[key]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0) return fromWords(value)
  }
  // Agents that report no arguments put the command into the title of the call.
  const title = given['title']
  return typeof title === 'string' && title !== '' ? title.replace(/^`([^`]*)`$/, '$1') : undefined
}

/** `['bash', '-lc', 'npm test']` is `npm test`. */
function fromWords(words: readonly unknown[]): string | undefined {
  const [program, flag, script] = words
  const isScript = /(^|\/)(ba|z|da)?sh$/.test(String(program)) && /^-[a-z]*c$/.test(String(flag))
  return isScript && typeof script === 'string' ? script : words.map(String).join(' ')
}

/** What a command printed, and its exit code where the agent recorded it. */
export interface ShellResult {
  readonly output: string
  readonly exitCode: number | null
}

/** How agents write an exit code before or after the output. */
const firstLine = /^\s*(?:error: )?(?:command failed with )?exit code:? (\d{1,3})\.?(?:\n|$)/i
const lastLine =
  /\n?\s*\[?(?:(?:process|command) )?(?:exited with (?:exit )?code|exit code:?|exit status:?) (\d{1,3})\.?\]?\s*$/i

/** Reads the result of a command: plain text, or an object with `stdout`, `stderr`, `output` and an exit code. */
export function shellResult(content: string): ShellResult {
  const object = content.startsWith('{') ? parseObject(content) : undefined
  const read = object === undefined ? undefined : resultInObject(object)
  if (read !== undefined) return read
  const [start, code] = firstLine.exec(content) ?? []
  if (start !== undefined) return { output: content.slice(start.length), exitCode: Number(code) }
  const [end, last] = lastLine.exec(content.slice(-200)) ?? []
  if (end !== undefined) return { output: content.slice(0, content.length - end.length), exitCode: Number(last) }
  return { output: content, exitCode: null }
}

function resultInObject(object: { readonly [key: string]: unknown }): ShellResult | undefined {
  const metadata = isPlainObject(object['metadata']) ? object['metadata'] : {}
  const codes = [object['exit_code'], object['exitCode'], object['code'], metadata['exit_code']]
  const exitCode = codes.find((code): code is number => typeof code === 'number') ?? null
  const texts = ['output', 'stdout', 'stderr', 'formatted_output'].map((key) => object[key])
  const output = texts.filter((text): text is string => typeof text === 'string' && text !== '')
  const isResult = texts.some((text) => typeof text === 'string')
  return isResult ? { output: output.join('\n'), exitCode } : undefined
}
