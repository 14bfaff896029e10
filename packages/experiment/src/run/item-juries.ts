import { basename, join } from 'node:path'
import {
  abstain,
  consensus,
  infoOf,
  type Judge,
  JuristError,
  type Jury,
  jury,
  juryOf,
  runJudge,
  withInfo,
} from '@jurist/core'
import { failureOf, joinedJury, type Place, withJudgeAt } from '@jurist/core/internal'
import type { Dataset } from '../dataset/dataset.js'
import { matches } from '../dataset/filter.js'
import { canonicalJson } from '../dataset/hash.js'
import type { DatasetItem, ItemFilter } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import { type Quarantine, type QuarantineEntry, readQuarantine } from '../dataset/quarantine.js'
import { placeOf } from '../dataset/read-dataset.js'
import type { JuryDescription } from '../result/records.js'
import { describeJuries, describeJury } from './describe-jury.js'
import type { DescribedJudges, ExperimentOptions, JudgesReading } from './experiment.js'
import type { RunFacts } from './settings.js'
import { type ItemJury, juryOfOne, type Settings, settingsOf } from './settings.js'

/** The member, or the tier of a cascade, that the judges of an item become. */
export const itemMember = 'item'

/** How the items of an experiment are judged. */
interface ItemJudging {
  readonly jury: Jury | null
  readonly itemJury: ItemJury
  readonly describedJudges: DescribedJudges | undefined
  readonly isTrusted: boolean
  readonly mayRunCommands: boolean
  /** The directory of an item, and the one that contains all of them; `null` where it is not known. */
  directoryOf(item: Pick<DatasetItem, 'path'>): string | null
  readonly root: string | null
  /** The name of the file of rows; `null` for anything else. */
  readonly file: string | null
  /** The dataset's name in problems. */
  readonly name: string
}

/** The juries of a run, item by item. */
export interface ItemJuries {
  readonly description: JuryDescription | null
  /** The juries that items have of their own. */
  readonly own: readonly Jury[]
  /** The jury of an item: the experiment's, its own, or both. */
  of(itemId: string): Jury | null
}

/** The fields that determine an item's jury. */
type JudgedItem = Pick<DatasetItem, 'id' | 'path' | 'judges' | 'jury'>

interface Made {
  readonly juries: ItemJuries
  readonly problems: readonly DatasetProblem[]
}

/** Makes the juries of all items, and reports every problem of their judges. */
export async function itemJuries(judging: ItemJudging, items: readonly JudgedItem[]): Promise<Made> {
  const withJudges = items.filter(({ judges, jury }) => judges !== null || jury !== null)
  const { jury: shared } = judging
  if (withJudges.length === 0) {
    const description = shared === null ? null : describeJuries(shared, [], 'join')
    return { juries: { description, own: [], of: () => shared }, problems: [] }
  }
  const problems: DatasetProblem[] = [...wholeProblems(judging, withJudges)]
  const known = new Map<string, Jury>()
  const own = new Map<string, Jury>()
  const whole = new Map<Jury, Jury>()
  for (const item of withJudges) {
    const made = await ownJury(judging, item, { known, problems })
    if (made === undefined) continue
    own.set(item.id, made)
    if (problems.length === 0 && !whole.has(made)) whole.set(made, wholeJury(judging, made))
  }
  const all = [...new Set(own.values())]
  const description = describeJuries(shared, all.map(aloneJury), judging.itemJury)
  const of = (itemId: string) => {
    const found = own.get(itemId)
    return found === undefined ? shared : (whole.get(found) ?? null)
  }
  return { juries: { description, own: all, of }, problems }
}

/** Juries whose judges in quarantine run and abstain, and a problem for each entry that names no judge of its item. */
export function quarantinedJuries(
  juries: ItemJuries,
  { file, entries }: Pick<Quarantine, 'file' | 'entries'>,
  items: readonly Pick<DatasetItem, 'id'>[],
): Made {
  const ids = new Set(items.map(({ id }) => id))
  const changed = new Map<string, Jury>()
  const problems: DatasetProblem[] = []
  for (const entry of entries) {
    const { item, judge } = entry
    const jury = changed.get(item) ?? juries.of(item)
    if (judge === undefined || jury === null || !ids.has(item)) continue
    const made = withJudgeAt(jury, judge.split('/').map(unescaped), (one) => heardOnly(one, entry))
    if (made !== undefined) changed.set(item, made as Jury)
    else
      problems.push({
        ...{ file: basename(file ?? ''), item, field: null, severity: 'error' },
        problem: `the jury of ${item} has no judge "${judge}".`,
        remedy: `Name one as in "jurist show": ${judgePaths(jury).slice(0, 5).join(', ')}.`,
      })
  }
  return { juries: changed.size === 0 ? juries : { ...juries, of: (id) => changed.get(id) ?? juries.of(id) }, problems }
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function judgePaths(jury: Jury): readonly string[] {
  return describeJury(jury).judges.map(({ path }) => path)
}

/** A judge that is asked and does not count: its judgment is in the reason of an abstention. */
function heardOnly(judge: Judge, { until }: QuarantineEntry): Judge {
  return withInfo(async (context) => {
    const { status, reasoning, checks, metadata, costUsd } = await runJudge(judge, context)
    const extras = { checks, metadata: { ...metadata, quarantined: status } }
    const said = `in quarantine until ${until}, where it counts as an abstention: ${status}, ${reasoning}`
    return abstain(said, costUsd === undefined ? extras : { ...extras, costUsd })
  }, infoOf(judge))
}

/** The jury that decides over an item with judges of its own. */
function wholeJury({ jury: shared, itemJury }: ItemJudging, own: Jury): Jury {
  if (shared === null || itemJury === 'replace') return aloneJury(own)
  return joinedJury(shared, { name: itemMember, jury: own, first: itemJury === 'first' })
}

/** Keeps the judges of an item below the same name, whether they join a jury or not. */
function aloneJury(own: Jury): Jury {
  return jury({ judges: { [itemMember]: own } })
}

interface Making {
  /** Equal judges at the same place are made once. */
  readonly known: Map<string, Jury>
  readonly problems: DatasetProblem[]
}

async function ownJury(judging: ItemJudging, item: JudgedItem, making: Making): Promise<Jury | undefined> {
  const live = item.jury === null ? undefined : juryOf(consensus(), item.jury)
  if (item.judges === null) return live
  const { describedJudges } = judging
  if (describedJudges === undefined) return undefined
  const key = `${item.path}\n${canonicalJson(item.judges)}`
  const made = making.known.get(key) ?? (await described(judging, describedJudges, item, making.problems))
  if (made !== undefined) making.known.set(key, made)
  return made === undefined || live === undefined ? made : juryOf(consensus(), made, juryOfOne(live))
}

async function described(
  { directoryOf, root, file, isTrusted, mayRunCommands }: ItemJudging,
  describedJudges: DescribedJudges,
  item: JudgedItem,
  problems: DatasetProblem[],
): Promise<Jury | undefined> {
  const before = problems.length
  const report: JudgesReading['report'] = (place, problem, remedy) => {
    const at = problemPlace(item, file, fieldOf(['judges', ...place]))
    problems.push(Object.freeze({ ...at, problem, remedy, severity: 'error' }))
  }
  const directory = directoryOf(item)
  try {
    const made = await describedJudges(item.judges, { directory, root, isTrusted, mayRunCommands, report })
    return problems.length === before ? made : undefined
  } catch (thrown) {
    report([], failureOf(thrown).message, '')
    return undefined
  }
}

/** Where a problem of an item is: its `item.json`, or the file of rows and the id of the row. */
function problemPlace(
  { id, path }: Pick<DatasetItem, 'id' | 'path'>,
  file: string | null,
  field: string,
): Pick<DatasetProblem, 'file' | 'item' | 'field'> {
  if (path !== null) return { file: `${path}/item.json`, item: id, field }
  return file === null ? { file: id, item: id, field } : { file, item: id, field: `${id}, ${field}` }
}

function fieldOf(place: Place): string {
  return place.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}

/** The problems that are not those of one item. */
function* wholeProblems(
  { jury: shared, itemJury, describedJudges, name }: ItemJudging,
  items: readonly JudgedItem[],
): Generator<DatasetProblem> {
  const whole = { file: name, item: null, field: 'judges', severity: 'error' } as const
  const { members = [], tiers = [] } = (shared === null ? undefined : shared.parts) ?? {}
  if (itemJury !== 'replace' && [...members, ...tiers].some((part) => part.name === itemMember))
    yield {
      ...whole,
      problem: `the jury of the experiment has "${itemMember}", the name under which the judges of items join it.`,
      remedy: 'Rename that member or tier.',
    }
  const ids = items.flatMap(({ id, judges }) => (judges === null ? [] : [id]))
  if (describedJudges !== undefined || ids.length === 0) return
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
  yield {
    ...whole,
    problem: `${ids.slice(0, 5).join(', ')}${more} describe judges, and nothing reads descriptions here.`,
    remedy: 'Give the experiment describedJudges: describedJudges(), a function of "jurist".',
  }
}

/** The parts of an experiment that decide how its items are judged. */
interface JudgingParts extends Pick<RunFacts, 'isolation'> {
  readonly settings: Settings
  readonly dataset: Dataset
}

/** How the items of an experiment are judged. */
function judgingOf({ settings, dataset, isolation }: JudgingParts): ItemJudging {
  const { jury, itemJury, describedJudges, trustItems, projectDirectory } = settings
  const { directory, file, isInMemory } = placeOf(dataset)
  const base = directory ?? projectDirectory
  const isTrusted = trustItems || isInMemory
  return {
    jury,
    itemJury,
    describedJudges,
    isTrusted,
    mayRunCommands: isTrusted || isolation === 'namespace' || isolation === 'container',
    directoryOf: ({ path }) => (path === null ? base : join(base, path)),
    root: isInMemory ? null : base,
    file,
    name: dataset.name,
  }
}

/** The juries of the items, and everything about the items that this experiment cannot do. */
export async function judgedItems(
  parts: JudgingParts,
  items: readonly DatasetItem[],
): Promise<{ readonly juries: ItemJuries; readonly problems: readonly DatasetProblem[] }> {
  const { juries, problems } = await itemJuries(judgingOf(parts), items satisfies readonly JudgedItem[])
  const images = items.flatMap((item) => imageProblems(parts, item))
  return { juries, problems: [...problems, ...images] }
}

/** An image needs containers. A provision that does not declare its isolation reads the image of the item by itself. */
function imageProblems({ dataset, isolation }: JudgingParts, item: DatasetItem): readonly DatasetProblem[] {
  const { image } = item
  if (image === null || isolation === 'container' || isolation === 'undeclared') return []
  return [
    {
      ...problemPlace(item, placeOf(dataset).file, 'image'),
      problem: `${JSON.stringify(image)} is a container image, and the experiment runs no containers.`,
      remedy: 'Give the experiment a sandbox such as docker:IMAGE, or leave "image" out.',
      severity: 'error',
    },
  ]
}

/**
 * Reports problems with the judges and images of the items without running the experiment. Broken items are left out.
 *
 * @param experiment its other options are valid
 */
export async function judgesProblems(
  experiment: ExperimentOptions,
  dataset: Dataset,
  filter: ItemFilter,
): Promise<readonly DatasetProblem[]> {
  const items: DatasetItem[] = []
  for (const { id } of dataset.entries) {
    const item = await dataset.item(id).catch(refuseUnless('dataset-invalid'))
    if (item !== undefined && matches(filter, item)) items.push(item)
  }
  const isolation = (await experiment.provision?.isolation?.().catch(refuseUnless('sandbox-unavailable'))) ?? undefined
  const standard: RunFacts['isolation'] = experiment.provision === undefined ? 'none' : 'undeclared'
  const parts = { settings: settingsOf(experiment, null), dataset, isolation: isolation ?? standard }
  const { juries, problems } = await judgedItems(parts, items)
  return [...problems, ...quarantinedJuries(juries, await readQuarantine(dataset), items).problems]
}

function refuseUnless(code: 'dataset-invalid' | 'sandbox-unavailable') {
  return (thrown: unknown): undefined => {
    if (!JuristError.is(thrown, code)) throw thrown
  }
}
