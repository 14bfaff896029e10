import type { Judge, Jury } from '@jurist/core'
import {
  checkOptions,
  described,
  isPlainObject,
  type OptionDescriptions,
  option,
  optionInvalid,
  recordOf,
} from '@jurist/core/internal'
import { type Dataset, type DatasetPath, isDatasetPath } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import { isSafeName } from '../store/names.js'
import { type CalibrateOptions, calibrateRules } from './calibrate-options.js'
import { calibrationHost } from './host.js'
import { type RecordedOptions, recorded, recordedNames } from './recorded.js'
import { scorerInfo } from './scorer.js'

/** How several judges are calibrated on the same items: as one is, but for the candidate. */
export interface CalibrateJudgesOptions extends Omit<CalibrateOptions, 'candidate' | 'candidateName'> {
  /**
   * Judges and juries by name, or the names of judges whose answers the items contain in `metadata.said`. Default: all
   * judges with recorded answers.
   */
  readonly judges?: Readonly<Record<string, Judge | Jury>> | readonly string[]
  /** How the answers recorded in the items are read. */
  readonly recorded?: Omit<RecordedOptions, 'name'>
}

/** A calibration of several judges, ready to be made: one calibration for each. */
export interface PlannedJudges {
  readonly name: string
  readonly calibrations: readonly CalibrateOptions[]
}

const judgesByName = recordOf('judges by name', option.function)

/** The options that only the calibration of several judges has. */
export const severalJudgesRules: OptionDescriptions<Pick<CalibrateJudgesOptions, 'judges' | 'recorded'>> = {
  judges: {
    wants: 'judges by name, or an array of names',
    holds: (value) => option.strings.holds(value) || judgesByName.holds(value),
    description:
      'Several judges, in one table. Default without a candidate: all whose answers are recorded in the items.',
  },
  recorded: described(option.record, 'How the answers recorded in the items are read.'),
}

/**
 * The calibrations that `calibrateJudges` makes, one for each judge, without making them.
 *
 * @throws `option-invalid`, and what opening and reading the items throws
 */
export async function plannedJudges(options: CalibrateJudgesOptions): Promise<PlannedJudges> {
  const { candidate: _one, candidateName: _name, ...rules } = calibrateRules
  const {
    judges,
    recorded: reading,
    ...rest
  } = checkOptions<CalibrateJudgesOptions>('calibrateJudges', options, { ...rules, ...severalJudgesRules })
  if (rest.items === undefined) return refuse('items', 'give "items"')
  const items = isDatasetPath(rest.items) ? await (await calibrationHost()).openDataset(rest.items) : rest.items
  const list = await listOf(items)
  const named = judges === undefined || isNames(judges) ? replayed(judges, list, rest, reading) : Object.entries(judges)
  if (named.length === 0)
    return refuse('judges', 'there are no judges. Give "judges", or items with metadata.said: { "gpt4": "pass" }')
  const calibrations = named.map(([judge, candidate]) => {
    return { ...rest, name: runName(rest.name, judge), candidate, candidateName: judge, items }
  })
  return { name: rest.name, calibrations }
}

async function listOf(items: Exclude<CalibrateOptions['items'], DatasetPath>): Promise<readonly DatasetItem[]> {
  if (Array.isArray(items)) return items.filter((item) => isPlainObject(item?.metadata))
  const list: DatasetItem[] = []
  for await (const item of (items as Dataset).items()) list.push(item)
  return list
}

// Array.isArray does not narrow readonly arrays away.
function isNames(judges: NonNullable<CalibrateJudgesOptions['judges']>): judges is readonly string[] {
  return Array.isArray(judges)
}

/** Judges that replay the answers recorded in the items; the scorer decides how words and numbers are read. */
function replayed(
  names: readonly string[] | undefined,
  items: readonly DatasetItem[],
  { scorer }: Pick<CalibrateOptions, 'scorer'>,
  reading: CalibrateJudgesOptions['recorded'],
): readonly (readonly [string, Judge])[] {
  const known = recordedNames(items)
  const unknown = names?.filter((name) => !known.includes(name)) ?? []
  if (unknown.length > 0)
    return refuse(
      'judges',
      `no item keeps an answer of ${unknown.join(', ')}. ${known.length === 0 ? 'Items keep answers in metadata.said' : `Answers are kept of ${known.join(', ')}`}`,
    )
  const kind = scorer === undefined ? null : scorerInfo(scorer)
  const usual: RecordedOptions = {
    ...(kind?.name === 'exactCategoryMatch' ? { categories: 'any' } : {}),
    ...(kind === null || kind.numeric === null ? {} : { range: kind.numeric }),
  }
  return (names ?? known).map((name) => [name, recorded(name, { ...usual, ...reading })] as const)
}

/** The name of a judge's run: characters that a directory name may not contain become "-". */
export function runName(name: string, judge: string): string {
  const wanted = `${name}.${judge.replace(/[^A-Za-z0-9._-]+/g, '-')}`.slice(0, 64).replace(/\.+$/, '')
  return isSafeName(wanted) ? wanted : name
}

function refuse(name: string, problem: string): never {
  optionInvalid(name, `calibrateJudges: ${problem}.`)
}
