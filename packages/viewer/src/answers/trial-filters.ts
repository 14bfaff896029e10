import type { KeptFinding } from '@jurist/experiment/internal/journal'
import { outcomes, trialJudges, trialsOf, trialText } from '@jurist/experiment/internal/results'
import { outcomeOf, type RunResult, type Trial } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'
import type { PeopleSay, RunReader } from './run-reader.js'

type FilterName = 'outcome' | 'bucket' | 'tag' | 'judge' | 'label' | 'finding'

/** The values of a trial that a filter can choose. */
const valuesOf: { readonly [name in FilterName]: (trial: Trial, labels: TrialLabels) => readonly string[] } = {
  outcome: (trial) => [outcomeOf(trial)],
  bucket: ({ bucket }) => (bucket === '' ? [] : [bucket]),
  tag: ({ tags }) => tags,
  judge: judgeFindings,
  label: labelFindings,
  finding: scanFindings,
}
const names = Object.keys(valuesOf) as readonly FilterName[]

/** In the order in which lists show them. */
const findings = ['failed', 'erred', 'disagreed', 'passed', 'abstained', 'alone'] as const

/**
 * A judge disagreed if it passed a trial that the jury failed, or the other way round; it is alone if only it failed a
 * failed trial.
 */
function judgeFindings(trial: Trial): readonly string[] {
  const { judged } = trial
  // Trials of an index share their judges' results.
  const key = 'verdict' in trial ? trial : trial.judges
  const byVerdict = knownFindings.get(key) ?? new Map<Trial['judged'], readonly string[]>()
  const found = byVerdict.get(judged) ?? findingsOf(trialJudges(trial), judged)
  knownFindings.set(key, byVerdict.set(judged, found))
  return found
}

const knownFindings = new WeakMap<object, Map<Trial['judged'], readonly string[]>>()

function findingsOf(judges: ReturnType<typeof trialJudges>, judged: Trial['judged']): readonly string[] {
  const isOneFailing = judged === 'fail' && Object.values(judges).filter((status) => status === 'fail').length === 1
  return Object.entries(judges).flatMap(([path, status]) => {
    const disagreed = (status === 'fail' && judged === 'pass') || (status === 'pass' && judged === 'fail')
    return [
      ...(status === 'fail' ? [`failed:${path}`] : []),
      ...(status === 'error' ? [`erred:${path}`] : []),
      ...(disagreed ? [`disagreed:${path}`] : []),
      ...(status === 'pass' ? [`passed:${path}`] : []),
      ...(status === 'abstain' ? [`abstained:${path}`] : []),
      ...(status === 'fail' && isOneFailing ? [`alone:${path}`] : []),
    ]
  })
}

/** The chosen value of each filter of a query, and the labels that one of them needs. */
export interface ChosenFilters {
  readonly chosen: { readonly [name in FilterName]?: string }
  readonly labels: TrialLabels
}

export function chosenFilters(query: URLSearchParams, labels: TrialLabels): ChosenFilters {
  const chosen = Object.fromEntries(
    names.flatMap((name) => (query.get(name) === null ? [] : [[name, query.get(name)]])),
  )
  return { chosen, labels }
}

/** A value of a filter, and the number of rows that remain if it is chosen while the other filters stay. */
export interface FacetCount {
  readonly value: string
  readonly count: number
}

export type Facets = { readonly [name in FilterName]: readonly FacetCount[] }

export interface Filtered<Row> {
  readonly rows: readonly Row[]
  readonly facets: Facets
}

/**
 * Returns the rows with a trial that has every chosen value. A row counts once for a value, however many of its trials
 * have it.
 */
export function filteredRows<Row>(
  rows: readonly Row[],
  trialsOf: (row: Row) => Iterable<Trial>,
  { chosen, labels }: ChosenFilters,
): Filtered<Row> {
  const counts = counter()
  const fitting: Row[] = []
  for (const row of rows) {
    let fits = false
    counts.next()
    for (const trial of trialsOf(row)) {
      const missed = missedFilters(trial, { chosen, labels })
      if (missed.length === 0) fits = true
      // A trial that fails one filter still counts for the other values of that filter.
      if (missed.length < 2)
        for (const name of missed.length === 1 ? missed : names)
          for (const value of valuesOf[name](trial, labels)) counts.add(name, value)
    }
    if (fits) fitting.push(row)
  }
  return { rows: fitting, facets: counts.facets() }
}

export function fitsFilters(trial: Trial, chosen: ChosenFilters): boolean {
  return missedFilters(trial, chosen).length === 0
}

function missedFilters(trial: Trial, { chosen, labels }: ChosenFilters): readonly FilterName[] {
  return names.filter((name) => chosen[name] !== undefined && !valuesOf[name](trial, labels).includes(chosen[name]))
}

/** Counts the rows of each value. */
function counter() {
  let row = 0
  const byName = new Map(names.map((name) => [name, new Map<string, { count: number; row: number }>()]))
  return {
    next() {
      row += 1
    },
    add(name: FilterName, value: string) {
      const values = byName.get(name)
      const known = values?.get(value)
      if (known === undefined) values?.set(value, { count: 1, row })
      else if (known.row !== row) {
        known.count += 1
        known.row = row
      }
    },
    facets(): Facets {
      const countsOf = (name: FilterName) =>
        [...(byName.get(name) ?? [])].map(([value, { count }]) => ({ value, count })).sort(inOrderOf(name))
      return {
        outcome: countsOf('outcome'),
        bucket: countsOf('bucket'),
        tag: countsOf('tag'),
        judge: countsOf('judge'),
        label: countsOf('label'),
        finding: countsOf('finding'),
      }
    },
  }
}

function inOrderOf(name: FilterName): (a: FacetCount, b: FacetCount) => number {
  const rankOf = ({ value }: FacetCount): number => {
    if (name === 'outcome') return outcomes.indexOf(value as (typeof outcomes)[number])
    if (name === 'finding') return Number(value !== 'suspect')
    return name === 'judge' ? findings.findIndex((finding) => value.startsWith(`${finding}:`)) : 0
  }
  return (a, b) => rankOf(a) - rankOf(b) || (a.value < b.value ? -1 : 1)
}

/** The labels of the trials of some runs, and what scans found in them. */
export interface TrialLabels {
  readonly of: ReadonlyMap<Trial, PeopleSay>
  /** Without findings that a person settled as fine. */
  readonly found: ReadonlyMap<Trial, readonly KeptFinding[]>
  /** Changes whenever a label or a finding does. */
  readonly revision: string
}

export async function trialLabels(runs: readonly RunResult[], reader: RunReader): Promise<TrialLabels> {
  const read = await Promise.all(
    runs.map(async (run) => ({ labels: await reader.labels(run), findings: (await reader.scan(run))?.findings ?? [] })),
  )
  const of = new Map<Trial, PeopleSay>()
  const found = new Map<Trial, readonly KeptFinding[]>()
  for (const [at, run] of runs.entries()) {
    const { labels = {}, findings = [] } = read[at] ?? {}
    if (Object.keys(labels).length === 0 && findings.length === 0) continue
    const byTrial = groupBy(
      findings.filter(({ settled }) => !settled),
      trialText,
    )
    for (const trial of trialsOf(run)) {
      const label = Object.hasOwn(labels, trialText(trial)) ? labels[trialText(trial)] : undefined
      if (label !== undefined) of.set(trial, label)
      const own = byTrial.get(trialText(trial))
      if (own !== undefined) found.set(trial, own)
    }
  }
  return { of, found, revision: of.size + found.size === 0 ? '' : JSON.stringify(read) }
}

/** Whether people and the jury decided a trial differently. */
export function differsFromLabel(trial: Trial, label: PeopleSay | undefined): boolean {
  return (label === 'pass' || label === 'fail') && trial.passed !== null && label !== (trial.passed ? 'pass' : 'fail')
}

/** The values of the filter for labels that a trial has. */
function labelFindings(trial: Trial, { of }: TrialLabels): readonly string[] {
  const label = of.get(trial)
  if (label === undefined) return []
  return differsFromLabel(trial, label) ? [label, 'differs'] : [label]
}

/** Says what people said of the trials of a row: `pass`, or `2 pass, 1 fail`; `''` without a label. */
export function labelText(trials: readonly Trial[], { of }: TrialLabels): string {
  const said = trials.flatMap((trial) => of.get(trial) ?? [])
  const words = [...new Set(said)]
  if (said.length === 1) return words[0] ?? ''
  return words.map((word) => `${said.filter((one) => one === word).length} ${word}`).join(', ')
}

/** The values of the filter for findings that a trial has: the rules, and whether one of them makes it suspect. */
function scanFindings(trial: Trial, { found }: TrialLabels): readonly string[] {
  const findings = found.get(trial) ?? []
  const rules = [...new Set(findings.map(({ rule }) => rule))]
  return findings.some(({ level }) => level === 'suspect') ? ['suspect', ...rules] : rules
}

/** Names the rules by which trials are suspect; `''` if none is. */
export function suspectText(trials: readonly Trial[], { found }: TrialLabels): string {
  const suspects = trials.flatMap((trial) => (found.get(trial) ?? []).filter(({ level }) => level === 'suspect'))
  return [...new Set(suspects.map(({ rule }) => rule))].join(', ')
}
