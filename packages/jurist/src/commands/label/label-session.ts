import { type AgentOutput, asText } from '@jurist/core'
import { type LabelPass, type LabelPlace, passProgress, type ShownTrial } from '@jurist/experiment/internal'
import { categoriesIn, pairText, trialText } from '@jurist/experiment/internal/results'
import type { Label } from '@jurist/experiment/label'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import type { KeyReader } from '../../command-kit/key-reader.js'
import { diffReport, type FileDiff } from '../../terminal/diff-report.js'
import type { Terminal } from '../../terminal/terminal.js'

/** The maximum number of lines of each part. */
interface ShownLines {
  readonly output: number
  readonly changes: number
}

/** Formats the trial for a terminal. Long parts are truncated, with the key that shows them completely. */
function shownText(
  { task, sources, expected, output, changes }: ShownTrial<FileDiff>,
  terminal: Terminal,
  most: ShownLines,
): string {
  const part = (title: string, text: AgentOutput | string, lines: number, key: string) => [
    `  ${terminal.style.bold(title)}`,
    ...cut(
      safeBlock(typeof text === 'string' ? text : asText(text))
        .split('\n')
        .map((line) => `    ${line}`),
      lines,
      key,
    ),
    '',
  ]
  return [
    ...part('Task', task, most.output, 'o'),
    ...sources.flatMap((text, index) => part(`Source ${index + 1}`, text, most.output, 'o')),
    ...(expected === null ? [] : part('Expected', expected, most.output, 'o')),
    ...part('Output', output ?? 'The agent answered nothing.', most.output, 'o'),
    changesText(changes, terminal, most.changes),
  ].join('\n')
}

/** Formats the agent's changes in the workspace; an empty string for a trial without a workspace. */
function changesText(changes: ShownTrial<FileDiff>['changes'], terminal: Terminal, most: number): string {
  if (changes === null) return ''
  if (typeof changes === 'string') return `  ${safeLine(changes)}\n`
  return cut(diffReport('Changes', changes, terminal).split('\n'), most, 'd').join('\n')
}

function cut(lines: readonly string[], most: number, key: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `    … ${lines.length - most} more lines: press ${key}`]
}

/** A labelling session of one person. */
export interface LabelSession {
  readonly terminal: Terminal
  readonly keys: KeyReader
  /** The place to which labels are appended. */
  readonly place: LabelPlace
  readonly pass: LabelPass
  /** Every existing line, including those of other people. */
  readonly lines: readonly Label[]
  readonly show: (trial: LabelPass['trials'][number]) => Promise<ShownTrial<FileDiff>>
  readonly journal: (trial: LabelPass['trials'][number]) => Promise<string>
}

const help = 'p pass, f fail, s skip, u undo, n note, c categories, o whole output, d all changes, j journal, q quit'

const short: ShownLines = { output: 40, changes: 80 }
const whole: ShownLines = { output: Number.POSITIVE_INFINITY, changes: Number.POSITIVE_INFINITY }

/**
 * Shows one trial after another, without the results of judges, and appends a label for each. Ends when all trials are
 * labelled, when the person quits, or when the input ends.
 *
 * @returns every line
 */
export async function labelSession(session: LabelSession): Promise<readonly Label[]> {
  const { terminal, pass } = session
  const lines = [...session.lines]
  terminal.out(`  ${help}\n\n`)
  for (;;) {
    const { next, total, counts } = passProgress(lines, pass)
    if (next === null) return lines
    const seen = counts.pass + counts.fail + counts.skip
    const shown = await session.show(next)
    const head = `${seen + 1} of ${total}  ${trialText(next)}`
    terminal.out(`${terminal.style.bold(head)}\n\n${shownText(shown, terminal, short)}\n`)
    const label = await askedLabel(session, shown, lines)
    if (label === null) return lines
    await session.place.append(label)
    lines.push(label)
    const pairs = passProgress(lines, pass).pairs.map((pair) => `; ${pairText(pair)}`)
    terminal.out(`  ${label.label ?? 'taken back'}${pairs.join('')}\n\n`)
  }
}

/** Returns the label for this trial from the keys, or a label that undoes the last one; `null` if the person quits. */
async function askedLabel(
  session: LabelSession,
  shown: ShownTrial<FileDiff>,
  lines: readonly Label[],
): Promise<Label | null> {
  const { terminal, keys, pass } = session
  const { annotator, use } = pass
  const startedMs = performance.now()
  let note: string | null = null
  let categories: readonly string[] = []
  const labelOf = (given: Pick<Label, 'itemId' | 'repetition' | 'label'>): Label => ({
    ...given,
    annotator,
    note,
    categories,
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    at: new Date().toISOString(),
    shown: shown.hash,
    use,
  })
  for (;;) {
    const key = await keys.key()
    const label = key === null ? undefined : words[key]
    if (key === null || key === 'q') return null
    if (label !== undefined) return labelOf({ itemId: shown.itemId, repetition: shown.repetition, label })
    if (key === 'u') {
      const { last } = passProgress(lines, pass)
      if (last !== null) return labelOf({ itemId: last.itemId, repetition: last.repetition, label: null })
      terminal.out('  There is nothing to undo.\n')
    } else if (key === 'n') {
      terminal.out('  Note: ')
      note = (await keys.line())?.trim() || null
    } else if (key === 'c') {
      terminal.out('  Categories, separated by commas: ')
      categories = categoriesIn((await keys.line()) ?? '')
    } else terminal.out(await moreText(session, shown, key))
  }
}

const words: { readonly [key: string]: Label['label'] } = { p: 'pass', f: 'fail', s: 'skip' }

async function moreText(
  { terminal, journal }: LabelSession,
  shown: ShownTrial<FileDiff>,
  key: string,
): Promise<string> {
  if (key === 'o') return `${shownText({ ...shown, changes: null }, terminal, whole)}\n`
  if (key === 'd') return `${changesText(shown.changes, terminal, whole.changes)}\n`
  if (key === 'j') return `${await journal(shown)}\n`
  return `  ${help}\n`
}
