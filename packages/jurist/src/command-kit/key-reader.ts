import type { ReadStream } from 'node:tty'
import type { Host } from './host.js'

/** Reads keys that a person or a program presses. */
export interface KeyReader extends Disposable {
  /** Returns the next key in lower case; `null` at the end of the input and for Ctrl-C and Ctrl-D. */
  readonly key: () => Promise<string | null>
  /** Returns a line up to Enter; `null` if the input ends before it. */
  readonly line: () => Promise<string | null>
}

const [interrupt, endOfInput, escapeSequence] = ['\u0003', '\u0004', '\u001b']
const backspaces: readonly string[] = ['\b', '\u007f']

/**
 * Reads keys without waiting for Enter if the input is a terminal, and otherwise character by character, so that a
 * program can press them.
 *
 * @param echo prints the typed characters of a line, since a terminal that sends single keys does not
 */
export function keyReader(input: NodeJS.ReadStream, echo: (text: string) => void): KeyReader {
  const isTerminal = input.isTTY === true
  if (isTerminal) (input as ReadStream).setRawMode(true)
  input.setEncoding('utf8')
  const characters = charactersOf(input)
  const next = async () => {
    const { value, done } = await characters.next()
    return done === true || value === interrupt || value === endOfInput ? null : value
  }
  return {
    async key() {
      for (;;) {
        const key = await next()
        // Keys in a file or a pipe may be followed by line ends.
        if (key === null || !/\s/.test(key)) return key === null ? null : key.toLowerCase()
      }
    },
    async line() {
      let line = ''
      for (;;) {
        const key = await next()
        if (key === null) return null
        if (key === '\r' || key === '\n') break
        if (backspaces.includes(key)) {
          if (line !== '' && isTerminal) echo('\b \b')
          line = [...line].slice(0, -1).join('')
        } else {
          line += key
          if (isTerminal) echo(key)
        }
      }
      if (isTerminal) echo('\n')
      return line
    },
    [Symbol.dispose]() {
      if (isTerminal) (input as ReadStream).setRawMode(false)
      input.pause()
    },
  }
}

/** Yields single characters. Escape sequences, such as arrow keys, are left out. */
async function* charactersOf(input: NodeJS.ReadStream): AsyncGenerator<string, void> {
  for await (const chunk of input) {
    const text = String(chunk)
    if (text.startsWith(escapeSequence)) continue
    yield* text
  }
}

/** Whether a person at a terminal can answer questions. */
export function isPerson({ terminal, flags }: Host): boolean {
  return terminal.interactive && process.stdin.isTTY === true && flags.json !== true
}

/** Asks a person to confirm with the key `y`. */
export async function isConfirmed({ terminal }: Host, question: string): Promise<boolean> {
  terminal.err(`${question} [y/N] `)
  using keys = keyReader(process.stdin, terminal.err)
  const key = await keys.key()
  terminal.err('\n')
  return key === 'y'
}
