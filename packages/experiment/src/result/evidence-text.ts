import { counted, dollars, duration, grouped } from './amounts.js'
import type { CommandEvidence, Evidence, ModelEvidence } from './evidence.js'

/** A part of the evidence as terminals and reports print it. Untrusted: escape it for the place. */
export interface EvidenceBlock {
  /** On one line: `$ npm test   exit code 1, 1.2 s`. */
  readonly title: string
  /** Many lines, or empty. */
  readonly text: string
  /** Whether a reader rarely needs it: a prompt, and what the judge recorded for itself. */
  readonly isDetail: boolean
}

/**
 * The evidence in blocks: what was thrown, the command with its output, the answer and the prompt of a model, votes, other
 * metadata. Reports escape, indent and shorten them; what they say is the same.
 *
 * @example
 * evidenceBlocks(evidenceOf(judgment)).map(({ title }) => title) // ['$ npm test   exit code 1, 1.2 s']
 */
export function evidenceBlocks({ command, model, votes, error, metadata }: Evidence): readonly EvidenceBlock[] {
  const rest = Object.entries(metadata).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return [
    ...(error?.stack ? [block(`${error.name}: ${error.message}`, error.stack)] : []),
    ...(command === null ? [] : [block(commandTitle(command), command.output)]),
    ...(model === null ? [] : modelBlocks(model)),
    ...(votes === null ? [] : [detail('Votes', Object.entries(votes).map(countText).join(', '))]),
    ...(rest.length === 0 ? [] : [detail('Metadata', rest.join('\n'))]),
  ]
}

function block(title: string, text: string): EvidenceBlock {
  return { title, text, isDetail: false }
}

function detail(title: string, text: string): EvidenceBlock {
  return { title, text, isDetail: true }
}

function countText([name, count]: readonly [string, number]): string {
  return `${name} ${grouped(count)}`
}

function commandTitle({ line, exitCode, signal, timedOut, durationMs }: CommandEvidence): string {
  const end = timedOut
    ? 'timed out'
    : exitCode === null
      ? signal === null
        ? 'no exit code'
        : `killed by ${signal}`
      : `exit code ${exitCode}`
  return `$ ${line}   ${end}${durationMs === null ? '' : `, ${duration(durationMs)}`}`
}

function modelBlocks({ name, answer, prompt, cached, usage, costUsd }: ModelEvidence): readonly EvidenceBlock[] {
  const spent = [
    ...(cached ? ['cached'] : []),
    ...(usage?.inputTokens === undefined ? [] : [`${grouped(usage.inputTokens)} tokens in`]),
    ...(usage?.outputTokens === undefined ? [] : [`${grouped(usage.outputTokens)} out`]),
    ...(costUsd === null ? [] : [dollars(costUsd)]),
  ].join(', ')
  const title = `Answer of ${name ?? 'the model'}${spent === '' ? '' : `   ${spent}`}`
  return [...(answer === null ? [] : [block(title, answer)]), ...(prompt === null ? [] : [detail('Prompt', prompt)])]
}

/** How a line begins, or what it holds, that says what failed: of TAP, test runners, compilers and stacks. */
const telling: readonly RegExp[] = [
  /^\s*not ok\b(?!.*#\s*(?:skip|todo)\b)/i,
  /^\s*(?:--- FAIL|FAIL(?:ED)?\b|\[ERROR\]|E {3})|^\s*thread '.{0,200}' panicked/,
  /\b(?:[A-Z]\w{0,80}(?:Error|Exception)|panic|fatal|error(?: ?\[?[A-Z]+\d+\]?)?)\b.{0,20}:/,
]
const linesBefore = 1

/**
 * The lines of an output that say what failed, with what was left out around them: from the first line that names a failed
 * test or an error; where no line does, the end. A line is at most `longest` characters.
 *
 * @example
 * tellingLines('1..2\nok 1 - a\nnot ok 2 - b\n  error: no', 2) // '… 2 lines above\nnot ok 2 - b\n  error: no'
 */
export function tellingLines(text: string, most: number, longest = 2_000): string {
  const lines = text.trimEnd().split('\n')
  const found = telling.map((pattern) => lines.findIndex((line) => pattern.test(line.slice(0, longest))))
  const at = found.find((index) => index >= 0) ?? lines.length
  const start = Math.max(0, Math.min(at - linesBefore, lines.length - most))
  const shown = lines.slice(start, start + most).map((line) => cut(line, longest))
  const below = lines.length - start - shown.length
  return [
    ...(start === 0 ? [] : [`… ${counted(start, 'line')} above`]),
    ...shown,
    ...(below === 0 ? [] : [`… ${counted(below, 'line')} below`]),
  ].join('\n')
}

function cut(line: string, longest: number): string {
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
