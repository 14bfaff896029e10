import { flatten, type Json, type Judgment, type JudgmentStatus } from '@jurist/core'
import { grouped } from './amounts.js'
import { countedTrials } from './quarantine.js'
import type { ItemResult } from './records.js'
import { judgeKeys } from './scores.js'
import { likeness } from './similar-failures.js'
import { trialJudges, trialStages } from './trial-evidence.js'
import { itemsOf, type RunResult, type Trial, trialsOf } from './trial-figures.js'

/** A judge of a run that decided nothing, or left more than a fifth of its trials undecided. */
export interface UndecidedJudge {
  /** Its place in the jury, such as `rules/build`. */
  readonly path: string
  /** Trials in which it ran: those that an earlier tier decided are not among them. */
  readonly asked: number
  readonly decided: number
  readonly abstained: number
  readonly errors: number
  /** The commonest reason, one line; `''`: not read. It is untrusted: escape it for the place. */
  readonly reason: string
  /** The remedy; `''` if the reason is not read, and if the judge may abstain. */
  readonly remedy: string
  /** Whether `allowAbstain` names it. */
  readonly isAllowed: boolean
}

/** Which judges may decide nothing in a whole run: all, or those that are named. */
export type AllowAbstain = boolean | readonly string[]

/** The share of its trials that a judge may leave undecided before a report warns about it. */
const shareToWarn = 0.2

/** The most trials of which the reasons are read. */
const mostRead = 200

const longestReason = 200

/**
 * The judges that never judged, then those that left more than a fifth undecided. A judge counts wherever it is in the
 * jury, by the trials in which it was asked. A member that is a jury counts where its judges decide and it never does. In a
 * tier that hands on what it is unsure of, abstentions count only where there is nothing else.
 *
 * @param read whole trials for the reasons. Default: those of a result; of an overview none
 * @param allowed which judges may decide nothing. Default: what the run was made with
 */
export function undecidedJudges(
  run: RunResult,
  read: readonly ItemResult[] = 'items' in run ? run.items : [],
  allowed: AllowAbstain = allowedIn(run),
): readonly UndecidedJudge[] {
  const handsOn = handingTiers(run)
  const found = [...talliesOf(run).values()].filter((tally) => isUndecided(tally, handsOn))
  const reported = found.filter(({ path, isJury }) => !isJury || !found.some((one) => one.path.startsWith(`${path}/`)))
  const reasons = commonestReasons(read, new Set(reported.map(({ path }) => path)))
  return reported
    .filter((one) => one.decided === 0 || !isAllowed(one.path, allowed))
    .sort((one, other) => Number(one.decided > 0) - Number(other.decided > 0))
    .map(({ isJury: _, ...one }) => {
      const judgment = reasons.get(one.path)
      const mayAbstain = isAllowed(one.path, allowed)
      return {
        ...one,
        reason:
          judgment === undefined
            ? ''
            : shortened(judgment.status === 'error' ? judgment.failure.message : judgment.reasoning),
        remedy: judgment === undefined || mayAbstain ? '' : remedyFor(judgment, one.path),
        isAllowed: mayAbstain,
      }
    })
}

/**
 * The same of a run whose trials are in a store: reasons are read from the first trials in which a judge was undecided.
 *
 * @throws `store-failed` when the run can no longer be read
 */
export async function readUndecidedJudges(run: RunResult, allowed?: AllowAbstain): Promise<readonly UndecidedJudge[]> {
  if ('items' in run) return undecidedJudges(run, run.items, allowed)
  const found = undecidedJudges(run, [], allowed)
  if (found.length === 0) return found
  const names = new Set(found.flatMap(({ path }) => trialsWithout(run, path).slice(0, mostRead)))
  return undecidedJudges(run, await itemsOf(run, [...names]), allowed)
}

function trialsWithout(run: RunResult, path: string): readonly Trial[] {
  return trialsOf(run).filter((trial) => {
    const status = judgeStatuses(trial, true).find(([of]) => of === path)?.[1]
    return status === 'abstain' || status === 'error'
  })
}

export function undecidedJudgeText({ path, reason, isAllowed, ...counts }: UndecidedJudge): string {
  const { asked, decided } = counts
  const [first = '', ...others] = undecidedCounts(counts)
  const said =
    decided === 0
      ? `never judged: ${[first.replace(' ', ` of ${grouped(asked)} `), ...others].join(', ')}`
      : `decided ${grouped(decided)} of ${grouped(asked)}: ${[first, ...others].join(', ')}`
  return `${judgeName(path)} ${said}${reason === '' ? '' : ` (${reason})`}${isAllowed ? ', which allowAbstain allows' : ''}`
}

export function undecidedJudgeLine(judge: UndecidedJudge): string {
  const said = undecidedJudgeText(judge)
  return judge.remedy === '' ? said : `${said}. ${judge.remedy}`
}

/** How often a judge, or a tier, passed what it decided, and what it left undecided. */
export function decidedText(counts: {
  readonly passed: number
  readonly decided: number
  readonly abstained: number
  readonly errors: number
}): string {
  return [`${grouped(counts.passed)}/${grouped(counts.decided)} decided`, ...undecidedCounts(counts)].join(', ')
}

function undecidedCounts({ abstained, errors }: Pick<UndecidedJudge, 'abstained' | 'errors'>): readonly string[] {
  return [
    ...(abstained > 0 ? [`${grouped(abstained)} abstained`] : []),
    ...(errors > 0 ? [`${grouped(errors)} ended in an error`] : []),
  ]
}

/**
 * Keys of all judges that ran, in the order of the jury, also of those that gave no score.
 */
export function judgesThatRan(trials: readonly Trial[]): readonly string[] {
  const paths = new Set<string>()
  for (const trial of trials) for (const path in trialJudges(trial)) paths.add(path)
  for (const { scores } of trials) for (const key in scores) paths.add(key)
  return judgeKeys(paths)
}

/** The option `allowAbstain` that the run was made with. */
function allowedIn({ configuration }: RunResult): AllowAbstain {
  const given: Json | undefined = configuration['allowAbstain']
  return Array.isArray(given) ? given.filter((name) => typeof name === 'string') : given === true
}

/** A judge is named by its place, by its own name, or by the jury or tier that it is in. */
function isAllowed(path: string, allowed: AllowAbstain): boolean {
  if (typeof allowed === 'boolean') return allowed
  const own = judgeName(path)
  return allowed.some((name) => own === name || own.endsWith(`/${name}`) || own.startsWith(`${name}/`))
}

/** The place of a judge as people write it. */
function judgeName(path: string): string {
  return path.replaceAll('~1', '/').replaceAll('~0', '~')
}

interface Tally extends Record<'asked' | 'decided' | 'abstained' | 'errors', number> {
  readonly path: string
  readonly isJury: boolean
}

const countOf = { pass: 'decided', fail: 'decided', abstain: 'abstained', error: 'errors' } as const

function talliesOf(run: RunResult): ReadonlyMap<string, Tally> {
  const hasMembers = run.jury !== null && run.jury.tiers === null
  const tallies = new Map<string, Tally>()
  const out = new Set(run.quarantine?.map(({ item, judge = '' }) => `${judge} ${item}`))
  const isOut = ({ itemId }: Trial, path: string) => out.size > 0 && out.has(`${judgeName(path)} ${itemId}`)
  for (const trial of countedTrials(run))
    for (const [path, status, isJury] of judgeStatuses(trial, hasMembers)) {
      if (isOut(trial, path)) continue
      const tally = tallies.get(path) ?? { path, isJury, asked: 0, decided: 0, abstained: 0, errors: 0 }
      tallies.set(path, tally)
      tally.asked += 1
      tally[countOf[status]] += 1
    }
  return tallies
}

type JudgeStatus = readonly [path: string, status: JudgmentStatus, isJury: boolean]

/**
 * The statuses of the judges of a trial, and of members that are juries. A cancelled trial has none, since its judges
 * could not decide.
 */
function judgeStatuses(trial: Trial, hasMembers: boolean): readonly JudgeStatus[] {
  if (trial.agent === 'cancelled') return []
  const judges = trialJudges(trial)
  const ofJudges = Object.entries(judges).map(([path, status]): JudgeStatus => [path, status, false])
  if (!hasMembers) return ofJudges
  const ofMembers = trialStages(trial).flatMap(({ name, status }): readonly JudgeStatus[] => {
    const path = segmentOf(name)
    return status === null || Object.hasOwn(judges, path) ? [] : [[path, status, true]]
  })
  return [...ofJudges, ...ofMembers]
}

/** Tiers that may abstain as long as they decide some trials: they pass on the trials that they are unsure of. */
function handingTiers({ jury }: RunResult): ReadonlySet<string> {
  const tiers = jury?.tiers ?? []
  const handing = tiers.filter(({ policy }) => policy === 'accept-when-decided' || policy === 'decide-when-confident')
  return new Set(handing.map(({ name }) => segmentOf(name)))
}

/** A jury may be in doubt where its judges disagree: only one that never decided is of no use. */
function isUndecided(
  { path, asked, decided, abstained, errors, isJury }: Tally,
  handsOn: ReadonlySet<string>,
): boolean {
  const [first = ''] = path.split('/')
  const open = isJury ? 0 : errors + (handsOn.has(first) ? 0 : abstained)
  return decided === 0 || open > shareToWarn * asked
}

/** A name as a part of a path. */
function segmentOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The first judgment with the most common reason, similar ones counted together, by the place of the judge. */
function commonestReasons(items: readonly ItemResult[], wanted: ReadonlySet<string>): ReadonlyMap<string, Judgment> {
  const groups = new Map<string, Map<string, { readonly judgment: Judgment; count: number }>>()
  if (wanted.size === 0) return new Map()
  for (const { verdict, agent } of items)
    for (const { path, judgment } of verdict === null || agent === 'cancelled' ? [] : flatten(verdict)) {
      const judge = path.slice(1)
      if (!wanted.has(judge) || (judgment.status !== 'abstain' && judgment.status !== 'error')) continue
      const alike = groups.get(judge) ?? new Map()
      groups.set(judge, alike)
      const key = likeness(judgment.reasoning)
      const group = alike.get(key) ?? { judgment, count: 0 }
      alike.set(key, group)
      group.count += 1
    }
  return new Map(
    [...groups].map(([path, alike]) => [
      path,
      [...alike.values()].reduce((most, group) => (group.count > most.count ? group : most)).judgment,
    ]),
  )
}

function remedyFor({ status, metadata }: Judgment, path: string): string {
  const allow = `To allow it: "allowAbstain: [${judgeName(path)}]".`
  if (status === 'error') return `Correct the settings of its model, or what the judge runs. ${allow}`
  if (typeof metadata['unread'] === 'string')
    return (
      'Its model does not write the form that it is asked for: set "structured" of the model, choose another model, raise ' +
      `"askAgain", or count its silence: "mustDecide: error". ${allow}`
    )
  return `Give the items what it judges by, or count its silence: "mustDecide: fail". ${allow}`
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line
}
