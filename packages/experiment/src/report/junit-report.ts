import { explain } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import type { QuarantineEntry } from '../dataset/quarantine.js'
import { quarantineOf } from '../result/quarantine.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { tokensOf } from '../result/spending.js'
import { trialText } from '../result/trial-figures.js'
import { outcomeOf, reasonOf } from '../result/trial-outcome.js'
import { undecidedJudgeLine, undecidedJudges, undecidedJudgeText } from '../result/undecided-judges.js'
import type { KeptScans } from '../scan/finding-text.js'
import { evidenceBesidePlace, type KeptScan, placeText } from '../scan/finding-text.js'
import { failureBlocks } from './content/evidence.js'
import { runName } from './content/run.js'
import { attribute, markup } from './escape.js'

/** How `junitReport` reports. */
export interface JunitReportOptions {
  /** How undecided trials are reported. Default `skipped`. */
  readonly undecided?: 'skipped' | 'error'
  /** The kept findings of scans, by the ids of the runs. Findings are in the output of their cases, and fail none. */
  readonly scans?: KeptScans
}

/**
 * Runs as JUnit XML: a suite for each bucket, a case for each trial. The names of several runs' suites and classes begin
 * with the experiment and the variant. A fail is a `failure`; a broken agent, workspace or jury an `error`; an undecided
 * trial is skipped, or an error if `undecided` is `error`; a trial in quarantine that did not pass is skipped. Trials that did not run are counted in a property, never made
 * up. A judge that left too many trials undecided has a property and a line in the output of the suite. Other facts of a
 * trial are in its output as `[[PROPERTY|name=value]]`: strict readers, such as the xUnit plugin of Jenkins, refuse a
 * report with properties inside a case.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { junitReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * await writeFile('junit.xml', junitReport(aResult()))
 */
export function junitReport(
  result: ExperimentResult | readonly [ExperimentResult, ...ExperimentResult[]],
  options?: JunitReportOptions,
): string {
  const { undecided = 'skipped', scans = {} } = checkOptions('junitReport', options, {
    undecided: option.oneOf('skipped', 'error'),
    scans: option.record,
  })
  const results = 'items' in result ? [result] : result
  const kinds: Kinds = new Map(
    results.flatMap((one) => one.items.map((item) => [item, kindOf(item, undecided, quarantineOf(one, item.itemId))])),
  )
  const suites = results.flatMap((one) =>
    [...groupBy(one.items, ({ bucket }) => bucket)].map(([bucket, items]) =>
      suiteOf(one, items, namesOf(one, bucket, results.length > 1), { kinds, found: scans[one.id]?.findings ?? [] }),
    ),
  )
  // JUnit counts skipped cases for each suite; strict readers do not accept the attribute on the root.
  const all = results.flatMap(({ items }) => items)
  const { skipped, ...counts } = totals(all, kinds)
  const whole = `<testsuites${attributes({ name: [...new Set(results.map(runName))].join(', '), ...counts })}>`
  return ['<?xml version="1.0" encoding="UTF-8"?>', whole, ...suites, '</testsuites>', ''].join('\n')
}

type Kind = 'pass' | 'failure' | 'error' | 'skipped'
type Kinds = ReadonlyMap<ItemResult, Kind>

function kindOf(item: ItemResult, undecided: 'skipped' | 'error', quarantine: QuarantineEntry | undefined): Kind {
  const outcome = outcomeOf(item)
  // It counts nowhere: a server that reads the report must not fail the build for it.
  if (quarantine !== undefined && quarantine.judge === undefined && outcome !== 'pass') return 'skipped'
  switch (outcome) {
    case 'pass':
    case 'error':
      return outcome
    case 'fail':
    case 'timeout':
      return 'failure'
    case 'undecided':
      return isBroken(item) ? 'error' : undecided
    default:
      return outcome satisfies never
  }
}

function isBroken({ agent, judged }: ItemResult): boolean {
  return agent === 'error' || agent === 'setup-error' || judged === 'error'
}

function totals(items: readonly ItemResult[], kinds: Kinds) {
  const count = (wanted: Kind) => items.filter((item) => kinds.get(item) === wanted).length
  return {
    tests: items.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds(items.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  }
}

interface Names {
  readonly suite: string
  readonly className: string
}

/** The names of a suite and its cases; among several runs they include the variant. */
function namesOf({ experimentName, variant }: ExperimentResult, bucket: string, isOneOfMany: boolean): Names {
  const parts = isOneOfMany && variant !== null ? [experimentName, variant] : [experimentName]
  const whole = [...parts, bucket].filter((part) => part !== '').join('.')
  return { suite: isOneOfMany || bucket === '' ? whole : bucket, className: whole }
}

function suiteOf(
  result: ExperimentResult,
  items: readonly ItemResult[],
  names: Names,
  { kinds, found }: { readonly kinds: Kinds; readonly found: KeptScan['findings'] },
): string {
  const judges = undecidedJudges(result)
  const timestamp = result.startedAt.replace(/\.\d+Z$/, '')
  const open = `  <testsuite${attributes({ name: names.suite, ...totals(items, kinds), timestamp })}>`
  const facts = {
    runId: result.id,
    experiment: result.experimentName,
    variant: result.variant,
    dataset: `${result.dataset.name} ${result.dataset.version}`,
    notRun: result.counts.notRun,
    ...Object.fromEntries(judges.map((judge) => [`judge.${judge.path}`, undecidedJudgeText(judge)])),
  }
  const byTrial = groupBy(found, trialText)
  const cases = items.map((item) =>
    caseOf(item, names.className, kinds.get(item) ?? 'error', {
      quarantine: quarantineOf(result, item.itemId),
      findings: byTrial.get(trialText(item)) ?? [],
    }),
  )
  const said = judges.map(undecidedJudgeLine).join('\n')
  const output = said === '' ? [] : [`    <system-out>${markup(said)}</system-out>`]
  return [open, properties(facts, '    '), ...cases, ...output, '  </testsuite>'].join('\n')
}

function caseOf(
  item: ItemResult,
  className: string,
  kind: Kind,
  beside: { readonly quarantine: QuarantineEntry | undefined; readonly findings: KeptScan['findings'] },
): string {
  const { quarantine, findings } = beside
  const { itemId, repetition, durationMs, costUsd, judgeCostUsd, usage, judgeUsage, scores } = item
  const facts = {
    outcome: outcomeOf(item),
    agent: item.agent,
    judged: item.judged,
    costUsd,
    judgeCostUsd,
    tokens: tokensOf(usage),
    judgeTokens: tokensOf(judgeUsage),
    quarantine: quarantine === undefined ? null : `until ${quarantine.until}: ${quarantine.reason}`,
    ...Object.fromEntries(findings.map((one, at) => [`finding.${at + 1}`, findingText(one)])),
    ...Object.fromEntries(Object.entries(scores).map(([key, value]) => [`score.${key}`, value])),
  }
  const name = trialText({ itemId, repetition })
  return [
    `    <testcase${attributes({ name, classname: className, time: seconds(durationMs) })}>`,
    ...caseOutcome(item, kind),
    `      <system-out>${markup([...known(facts).map(propertyLine), ...evidenceOf(item)].join('\n'))}</system-out>`,
    '    </testcase>',
  ].join('\n')
}

function findingText(finding: KeptScan['findings'][number]): string {
  const { level, rule, settled } = finding
  return `${level} ${rule}, ${placeText(finding)}: ${evidenceBesidePlace(finding)}${settled ? ' (settled as fine)' : ''}`
}

const mostEvidence = 64_000

/** The evidence of a failure, after the properties. None of its lines can pass for a property. */
function evidenceOf(item: ItemResult): readonly string[] {
  const blocks = failureBlocks(item).map(({ title, text }) => `\n${title}${text === '' ? '' : `\n${text}`}`)
  const text = blocks.join('\n').replaceAll('[[', '[\u200b[')
  return blocks.length === 0 ? [] : [text.length > mostEvidence ? `${text.slice(0, mostEvidence)}\n…` : text]
}

function caseOutcome(item: ItemResult, kind: Kind): readonly string[] {
  const message = safeLine(reasonOf(item))
  switch (kind) {
    case 'pass':
      return []
    case 'skipped':
      return [`      <skipped${attributes({ message, type: outcomeOf(item) })}/>`]
    case 'failure':
    case 'error': {
      const type = item.failure?.code ?? outcomeOf(item)
      const text = item.verdict === null ? message : safeBlock(explain(item.verdict))
      return [`      <${kind}${attributes({ message, type })}>${markup(text)}</${kind}>`]
    }
    default:
      return kind satisfies never
  }
}

interface Facts {
  readonly [name: string]: string | number | null
}

function known(facts: Facts): readonly (readonly [name: string, value: string | number])[] {
  return Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

function propertyLine([name, value]: readonly [name: string, value: string | number]): string {
  return `[[PROPERTY|${safeLine(name)}=${safeLine(String(value))}]]`
}

function properties(facts: Facts, indent: string): string {
  const lines = known(facts).map(([name, value]) => `${indent}  <property${attributes({ name, value })}/>`)
  return [`${indent}<properties>`, ...lines, `${indent}</properties>`].join('\n')
}

function attributes(values: { readonly [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
    .join('')
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
