import { stripVTControlCharacters } from 'node:util'
import type { CommandResult } from '@jurist/core'
import { diagnosticOf } from './reports/tap.js'

const maxLength = 200
// Control characters, marks that change the direction of writing, and halves of surrogate pairs.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu

/** The prefixes of tools before each line of an error. */
const prefix = /^(?:\[ERROR\]|E {3}|[✘✖×] \[ERROR\]|ERROR in)\s*/

/** Messages of compilers that contain a place and a problem. */
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

/**
 * The beginning of a line that names an error: `TypeError: …`, `java.io.IOException: …`, `error[E0425]: …`, `fatal: …`.
 */
const namesAnError = /^(?:[\w.$]*(?:Error|Exception)|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b|^\* What went wrong:/

/** Lines that announce an error without naming it. */
const announcement = /^(?:COMPILATION ERROR ?:|-+|)$/

/**
 * Returns the most informative line of an output, for use in a sentence: the first failed test of TAP, otherwise the
 * first diagnostic of a compiler, otherwise the first line that names an error, otherwise the first line of stderr. It
 * has at most 200 characters and no control sequences. Returns an empty string if no line qualifies.
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

/** Adds the command's own explanation to a reason, if the command ended by itself. */
export function withFirstErrorLine(
  reason: string,
  result: Pick<CommandResult, 'status' | 'stdout' | 'stderr'>,
): string {
  const said = result.status === 'exited' ? firstErrorLine(result) : ''
  return said === '' ? reason : `${reason}: ${said}`
}

const notOk = /^\s*not ok\b\s*\d*\s*(?:- )?(?!.*#\s*(?:skip|todo)\b)(?<name>.*)$/i
const mostDiagnostics = 40

/**
 * Returns the first failed test of a TAP stream with its error. Subtests are printed before the test that contains
 * them.
 */
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

/** Returns the output in an event of `go test -json`; `undefined` for any other line. */
function goOutput(line: string): string | undefined {
  if (!line.startsWith('{') || !line.includes('"Output":')) return undefined
  try {
    const { Output } = JSON.parse(line)
    return typeof Output === 'string' ? Output : undefined
  } catch {
    return undefined
  }
}

/** If a line ends with a colon, the next one contains the problem. */
function withWhatFollows(lines: readonly Line[], at: number): string {
  const text = lines[at]?.text ?? ''
  const next = lines[at + 1]?.text
  return text.endsWith(':') && next !== undefined ? `${text} ${next}` : text
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
