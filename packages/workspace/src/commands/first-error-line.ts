import { stripVTControlCharacters } from 'node:util'
import type { CommandResult } from '@jurist/core'
import { diagnosticOf } from './reports/tap.js'

const maxLength = 200
// Control characters, marks that change the direction of writing, halves of surrogate pairs.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu

/** What a tool puts before each line of an error. */
const prefix = /^(?:\[ERROR\]|E {3}|[✘✖×] \[ERROR\]|ERROR in)\s*/

/** How a compiler names a place and what is wrong there, each in its own way. */
const diagnostics: readonly RegExp[] = [
  // Maven: `/project/src/App.java:[3,5] ';' expected`.
  /^\S+:\[\d+,\d+\]\s/,
  // Go, and `go vet`: `./main.go:3:5: undefined: x`.
  /^(?:vet: )?\S+\.go:\d+(?::\d+)?: /,
  // javac, Gradle, gcc, clang, TypeScript and esbuild: a place, then `error`.
  /^\S+?(?::\d+){1,2}(?::| -) (?:fatal )?error\b/,
  /^\S+\(\d+,\d+\): error\b/,
  /^e: \S+:\d+:\d+/,
  // Cargo.
  /^error(?:\[E\d+\])?: /,
]

/** How a line begins that names an error: `TypeError: …`, `java.io.IOException: …`, `error[E0425]: …`, `fatal: …`. */
const namesAnError = /^(?:[\w.$]*(?:Error|Exception)|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b|^\* What went wrong:/

/** Lines that announce an error and name none. */
const announcement = /^(?:COMPILATION ERROR ?:|-+|)$/

/**
 * The most informative line of an output, for use in a sentence: the first failed test of TAP, else the first diagnostic of a compiler, else the first
 * line that names an error, else the first line of stderr. At most 200 characters, without whatever a terminal would obey.
 * Empty if no line qualifies.
 */
function firstErrorLine({ stderr, stdout = '' }: { readonly stderr: string; readonly stdout?: string }): string {
  const test = failedTest(stdout)
  if (test !== undefined) return shortened(test)
  const [errors, output] = [linesOf(stderr), linesOf(stdout)]
  const isDiagnostic = (line: Line) => diagnostics.some((one) => one.test(line.text))
  const isNamed = ({ text, isMarked }: Line) => isMarked || namesAnError.test(text)
  for (const holds of [isDiagnostic, isNamed])
    for (const lines of [errors, output]) {
      const at = lines.findIndex(holds)
      if (at >= 0) return shortened(withWhatFollows(lines, at))
    }
  return shortened(errors[0]?.text ?? '')
}

/** A reason with what the command itself says of it, when the command ended by itself. */
export function withFirstErrorLine(
  reason: string,
  result: Pick<CommandResult, 'status' | 'stdout' | 'stderr'>,
): string {
  const said = result.status === 'exited' ? firstErrorLine(result) : ''
  return said === '' ? reason : `${reason}: ${said}`
}

const notOk = /^\s*not ok\b\s*\d*\s*(?:- )?(?!.*#\s*(?:skip|todo)\b)(?<name>.*)$/i
const mostDiagnostics = 40

/** The first failed test of a TAP stream with its error: subtests are printed before the test that holds them. */
function failedTest(stdout: string): string | undefined {
  if (!stdout.includes('not ok ')) return undefined
  const lines = stdout.split(/\r?\n/)
  const at = lines.findIndex((line) => notOk.test(line))
  const name = notOk.exec(lines[at] ?? '')?.groups?.['name']
  if (name === undefined) return undefined
  const below = lines.slice(at + 1, at + 1 + mostDiagnostics)
  const end = below.findIndex((line) => /^\s*(?:\.\.\.$|(?:not )?ok\b)/.test(line))
  const error = diagnosticOf(end < 0 ? below : below.slice(0, end), /^\s*(?:error|message):/)
  return cleaned(`${name.trim() || 'a test'}${error === '' ? ' failed' : `: ${error}`}`)
}

function cleaned(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(unprintable, '').trim()
}

interface Line {
  readonly text: string
  /** Whether the tool marked it as an error. */
  readonly isMarked: boolean
}

function linesOf(output: string): readonly Line[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const text = stripVTControlCharacters(goOutput(line) ?? line)
      .replace(unprintable, '')
      .trim()
    const rest = text.replace(prefix, '')
    return announcement.test(rest) ? [] : [{ text: rest, isMarked: rest !== text }]
  })
}

/** What `go test -json` says in an event; `undefined` for any other line. */
function goOutput(line: string): string | undefined {
  if (!line.startsWith('{') || !line.includes('"Output":')) return undefined
  try {
    const { Output } = JSON.parse(line)
    return typeof Output === 'string' ? Output : undefined
  } catch {
    return undefined
  }
}

/** A line that ends with a colon says what is wrong in the next one. */
function withWhatFollows(lines: readonly Line[], at: number): string {
  const text = lines[at]?.text ?? ''
  const next = lines[at + 1]?.text
  return text.endsWith(':') && next !== undefined ? `${text} ${next}` : text
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
