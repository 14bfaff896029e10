import { asText, flatten, type Verdict } from '@jurist/core'
import type { VerdictRow } from '@jurist/core/internal'
import type { ExplainedFinding } from '@jurist/experiment/internal'
import { evidenceBesidePlace, type KeptFinding, placeText } from '@jurist/experiment/internal/journal'
import {
  counted,
  evidenceBlocks,
  evidenceOf,
  excerptLines,
  expectedOutputOf,
  judgmentScore,
  outputOf,
  sourcesOf,
  takenMs,
  trialText,
} from '@jurist/experiment/internal/results'
import { dollars, duration, type ItemResult, outcomeOf, type RunResult, reasonOf } from '@jurist/experiment/result'
import { fitted, safeBlock, safeLine } from '@jurist/kit/terminal'
import { markOf, none, painted, trialName } from './cells.js'
import type { Terminal } from './terminal.js'

interface TrialReportOptions {
  /** Why it did not pass. Default: nothing is said. */
  readonly why?: readonly ExplainedFinding[] | undefined
  /** The findings of a scan. Default: nothing. */
  readonly findings?: readonly KeptFinding[] | undefined
  /** Only judgments at this path or below it. */
  readonly judge?: string | undefined
  /** Whether to print the agent's answer. */
  readonly output?: boolean | undefined
  /** Whether to print all evidence under every judgment, instead of only the reasons under failed ones. */
  readonly log?: boolean | undefined
}

/** Formats one trial down to each check. */
export function trialReport(
  run: RunResult,
  item: ItemResult,
  terminal: Terminal,
  options: TrialReportOptions = {},
): string {
  return [
    ...trialHeading(run, item, terminal),
    ...failureOf(item, terminal),
    ...(item.verdict === null ? ['', '  Not judged.'] : verdictLines(item.verdict, terminal, options)),
    ...whyLines(options.why ?? []),
    ...findingLines(options.findings ?? []),
    ...(options.output === true ? outputLines(item) : []),
    ...placeLines(item),
    '',
  ].join('\n')
}

const longestWhy = 160

function whyLines(found: readonly ExplainedFinding[]): readonly string[] {
  if (found.length === 0) return []
  const lines = found.flatMap(({ category, message, remedy }) => [
    `    ${category}: ${fitted(safeLine(message), longestWhy)}`,
    ...(remedy === null ? [] : [`      ${safeLine(remedy)}`]),
  ])
  return ['', '  Why', ...lines]
}

function findingLines(findings: readonly KeptFinding[]): readonly string[] {
  return findings.length === 0 ? [] : ['', '  Findings of the scan', ...findings.map(findingLine)]
}

/** Formats a finding with its place. */
export function findingLine(finding: KeptFinding): string {
  const { rule, level, remark, settled } = finding
  const notes = [...(remark === undefined ? [] : [remark]), ...(settled ? ['settled as fine'] : [])]
  const words = [trialText(finding), `${level} ${rule}`, placeText(finding), evidenceBesidePlace(finding)]
  return `  ${words.map(safeLine).join('  ')}${notes.length === 0 ? '' : `  (${notes.map(safeLine).join('; ')})`}`
}

function trialHeading(run: RunResult, item: ItemResult, terminal: Terminal): readonly string[] {
  const { style, unicode } = terminal
  const outcome = outcomeOf(item)
  const variant = run.variant === null ? '' : `  ${run.variant}`
  const missing = none(terminal)
  const agentTime = duration(item.agentMs || null, missing)
  const time = `setup ${duration(item.setupMs)}, agent ${agentTime}, jury ${duration(item.juryMs)}`
  const users = item.user?.costUsd === undefined ? '' : `, ${dollars(item.user.costUsd)} user`
  return [
    `${style.bold(trialName(item))}   ${run.experimentName}${variant}   run ${run.id}`,
    '',
    `  ${painted(outcome, `${markOf(outcome, unicode)} ${outcome}`, style)}   agent ${item.agent}, judged ${item.judged}`,
    ...(item.passed === true ? [] : [`  Reason   ${safeLine(reasonOf(item))}`]),
    `  Time     ${duration(takenMs(item), missing)}   (${time})`,
    `  Cost     ${dollars(item.costUsd, missing)} agent, ${dollars(item.judgeCostUsd, missing)} judges${users}`,
    ...textLines(item),
    ...turnLines(item),
  ]
}

/** The longest beginning of a text, and the most sources. */
const shortText = { columns: 400, sources: 3 }

/** Formats the beginnings of what a judge compares: the task, the sources, the output and the expected output. */
function textLines(item: ItemResult): readonly string[] {
  const line = (name: string, text: string) => `  ${name.padEnd(8)} ${fitted(safeLine(text), shortText.columns)}`
  const [output, expected, sources] = [outputOf(item), expectedOutputOf(item), sourcesOf(item)]
  const left = sources.length - shortText.sources
  return [
    line('Task', item.task),
    ...sources.slice(0, shortText.sources).map((text, index) => line(`Source ${index + 1}`, text)),
    ...(left > 0 ? [`  and ${counted(left, 'source')} more`] : []),
    ...(output === undefined ? [] : [line('Output', asText(output))]),
    ...(expected === null ? [] : [line('Expected', asText(expected))]),
  ]
}

function failureOf({ failure, attempts }: ItemResult, { style }: Terminal): readonly string[] {
  const earlier = attempts.map(
    ({ failure: one }, index) => `  Attempt ${index + 1} failed: ${safeLine(one.message)} (${one.origin})`,
  )
  if (failure === null) return earlier
  const code = failure.code === undefined ? '' : ` [${safeLine(failure.code)}]`
  const stack = failure.stack === undefined ? [] : [style.dim(`    ${indented(failure.stack, '')}`)]
  return [...earlier, `  Failure of ${failure.origin}${code}: ${safeLine(failure.message)}`, ...stack]
}

function outputLines(item: ItemResult): readonly string[] {
  const output = outputOf(item)
  if (output === undefined) return ['', '  The agent answered nothing.']
  return ['', '  Output', `    ${indented(asText(output), '')}`]
}

function placeLines({ workspacePath, journalPath }: ItemResult): readonly string[] {
  const places = [
    ...(workspacePath === null ? [] : [`  Workspace   ${safeLine(workspacePath)}`]),
    ...(journalPath === null ? [] : [`  Journal     ${safeLine(journalPath)}`]),
  ]
  return places.length === 0 ? [] : ['', ...places]
}

/** Formats a verdict down to each check. */
export function verdictReport(verdict: Verdict, terminal: Terminal): string {
  const { status, reasoning } = verdict.aggregated
  const heading = `${terminal.style.bold(status.toUpperCase())}   ${safeLine(reasoning)}   ${duration(verdict.elapsedMs)}`
  return [heading, ...verdictLines(verdict, terminal), ''].join('\n')
}

/** Formats the judgments of a verdict with their checks, or only those at or below `judge`. */
function verdictLines(
  verdict: Verdict,
  terminal: Terminal,
  { judge, log = false }: TrialReportOptions = {},
): readonly string[] {
  const under = judge === undefined ? '' : `/${judge.replace(/^\//, '')}`
  const shown = flatten(verdict).filter(({ path }) => under === '' || path === under || path.startsWith(`${under}/`))
  const notReached = verdict.tiers?.filter(({ outcome }) => outcome === 'not-reached') ?? []
  const missed = judge === undefined ? notReached.map(({ name }) => `    - ${safeLine(name)}: not reached`) : []
  return [
    '',
    '  Verdict',
    ...shown.flatMap((row) => [...rowLines(row, terminal), ...evidenceLines(row, terminal, log)]),
    ...missed,
  ]
}

const rowMarks = { pass: 'pass', fail: 'fail', abstain: 'not-run', error: 'undecided' } as const

function rowLines({ path, judgment, weight }: VerdictRow, { unicode, style }: Terminal): readonly string[] {
  const indent = '  '.repeat(path.split('/').length + 1)
  const name = path === '' ? 'all' : safeLine(path.slice(1))
  const scored = judgment.score?.type === 'numerical' ? ` ${judgmentScore(judgment.score.value, judgment)}` : ''
  const weighed = weight === undefined || weight === 1 ? '' : ` (weight ${weight})`
  const kind = rowMarks[judgment.status]
  const mark = markOf(kind, unicode)
  const status = kind === 'not-run' ? judgment.status : painted(kind, judgment.status, style)
  return [
    `${indent}${kind === 'not-run' ? mark : painted(kind, mark, style)} ${name}: ${status}${scored}${weighed}   ${indented(judgment.reasoning, indent)}`,
    ...judgment.checks.map(({ name: check, passed, message, location }) => {
      const line = location?.line === undefined ? '' : `:${location.line}`
      const place = location === undefined ? '' : `  ${safeLine(location.path)}${line}`
      const said = message === '' ? '' : `: ${indented(message, `${indent}    `)}`
      const outcome = passed ? 'pass' : 'fail'
      return `${indent}    ${painted(outcome, markOf(outcome, unicode), style)} ${safeLine(check)}${said}${place}`
    }),
  ]
}

const excerpt = { lines: 16, characters: 400 }

/** Formats the evidence of a judgment: everything with `log`, otherwise the reasons of a judge that did not pass. */
function evidenceLines({ path, kind, judgment }: VerdictRow, { style }: Terminal, log: boolean): readonly string[] {
  if (!log && (kind === 'verdict' || judgment.status === 'pass')) return []
  const indent = '  '.repeat(path.split('/').length + 2)
  return evidenceBlocks(evidenceOf(judgment)).flatMap(({ title, text, isDetail }) => {
    if (isDetail && !log) return []
    const plain = safeBlock(text).trimEnd()
    const shown = log ? plain : excerptLines(plain, excerpt.lines, excerpt.characters)
    const body = shown === '' ? [] : shown.split('\n').map((line) => style.dim(`${indent}  ${line}`.trimEnd()))
    return [`${indent}${safeLine(title)}`, ...body]
  })
}

/** Indents all lines but the first. */
function indented(text: string, indent: string): string {
  return safeBlock(text).trimEnd().replaceAll('\n', `\n${indent}    `)
}

const mostTurns = 40
const longestTurn = 200

/** Formats the messages of a conversation, one per line, with the tools that were called for each. */
function turnLines({ detail, user }: ItemResult): readonly string[] {
  const { turns = [] } = detail?.kind === 'agent' ? detail.invocation : {}
  if (turns.length === 0) return []
  const lines = turns.slice(0, mostTurns).map(({ role, text, steps = [] }, index) => {
    const calls = steps.map(({ name, status }) => `${name} ${status}`).join(', ')
    const tools = calls === '' ? '' : `  [${safeLine(calls)}]`
    return `  ${String(index + 1).padStart(3)} ${role.padEnd(5)}  ${fitted(safeLine(text), longestTurn)}${tools}`
  })
  const left = turns.length - lines.length
  const more = left === 0 ? [] : [`      ${counted(left, 'further message')}`]
  return ['', `  Conversation${user === undefined ? '' : `, ended by: ${user.ended}`}`, ...lines, ...more]
}
