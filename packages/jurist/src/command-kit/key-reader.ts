import type { ReadStream } from 'node:tty'

/** Keys as a person, or a program, presses them. */
export interface KeyReader extends Disposable {
  /** The next key in lower case; `null` where the input has ended, and for Ctrl-C and Ctrl-D. */
  readonly key: () => Promise<string | null>
  /** A line up to Enter; `null` where the input has ended before it. */
  readonly line: () => Promise<string | null>
}

const [interrupt, endOfInput, escapeSequence] = ['\u0003', '\u0004', '\u001b']
const backspaces: readonly string[] = ['\b', '\u007f']

/**
 * Reads keys without waiting for Enter where the input is a terminal, and character by character elsewhere, so that a program can
 * press them.
 *
 * @param echo writes what is typed of a line, which a terminal that sends keys does not show itself
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
        // Line ends come with keys that are typed into a file or a pipe.
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

/** Single characters; a sequence of escape, such as an arrow key, is left out. */
async function* charactersOf(input: NodeJS.ReadStream): AsyncGenerator<string, void> {
  for await (const chunk of input) {
    const text = String(chunk)
    if (text.startsWith(escapeSequence)) continue
    yield* text
  }
}
