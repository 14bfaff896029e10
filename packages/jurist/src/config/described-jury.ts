import { resolve } from 'node:path'
import {
  allOf,
  anyOf,
  cascade,
  inOneCopy,
  type Judge,
  JuristError,
  type Jury,
  type JuryOptions,
  jury,
  mustDecide,
  not,
  type Tiers,
  type Vote,
} from '@jurist/core'
import {
  checkOptions,
  type DescribingConfig,
  described,
  failureOf,
  isPlainObject,
  isRunningCommands,
  type JudgeDescription,
  type JuryMember,
  type MustDecideOptions,
  normalizePath,
  type OptionDescriptions,
  option,
  type Place,
  printed,
} from '@jurist/core/internal'
import {
  categoryMatchRules,
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeScorer,
  numericalTolerance,
  toleranceRules,
} from '@jurist/experiment/internal/config'
import { nearestNames } from '@jurist/kit/did-you-mean'
import { judgeOfType, judgesByType, votesByName } from './catalog.js'
import { certifiedJury, withConfidence } from './described-confidence.js'
import { pathIn, refuseUntrusted, untrusted } from './item-limits.js'
import { embedFrom, modelFrom } from './models.js'
import { loadExports } from './module-config.js'
import { pluggedJudges } from './plugins.js'
import { reportUnknownKeys, unknownProblem } from './problems.js'
import { isUse, type Reading, used } from './reading.js'

/**
 * Builds the jury of a description: `{judges, vote?}`, `{cascade}`, `{certified}`, `{use}`, or a single judge. With
 * `mustDecide: fail` or `error`, it may not abstain.
 */
export async function describedJury(value: unknown, place: Place, reading: Reading): Promise<Jury | Judge | undefined> {
  if (!isPlainObject(value)) return describedJudge(value, place, reading)
  if (value.mustDecide !== undefined) return describedDecider(value, place, reading, describedJury)
  if (isUse(value)) return used(value, 'juries', place, reading) as Jury | undefined
  if (value.certified !== undefined) return certifiedJury(value, place, reading, describedJury)
  if (value.cascade !== undefined) return cascadeOf(value.cascade, [...place, 'cascade'], reading)
  // Combinators such as all-of also have `judges`.
  return value.judges === undefined || value.type !== undefined
    ? describedJudge(value, place, reading)
    : judgesWithVote(value, place, reading)
}

async function judgesWithVote(
  value: Readonly<Record<string, unknown>>,
  place: Place,
  reading: Reading,
): Promise<Jury | undefined> {
  reportUnknownKeys(value, ['judges', 'vote', 'concurrency', 'timeoutMs'], place, reading.report)
  const { judges, vote, ...rest } = value
  if (!isPlainObject(judges)) {
    const remedy = 'Write judges: {NAME: {type: file-exists, path: README.md}, …}.'
    reading.report([...place, 'judges'], `must be an object of judges by name (got ${printed(judges)}).`, remedy)
    return undefined
  }
  const entries = Object.entries(judges)
  const members = await Promise.all(
    entries.map(async ([name, member]) => [name, await memberOf(member, [...place, 'judges', name], reading)] as const),
  )
  const chosen = vote === undefined ? undefined : describedVote(vote, [...place, 'vote'], reading)
  if (members.some(([, member]) => member === undefined) || (vote !== undefined && chosen === undefined))
    return undefined
  const options = { ...rest, judges: Object.fromEntries(members), ...(chosen === undefined ? {} : { vote: chosen }) }
  return made(() => jury(options as unknown as JuryOptions), place, reading)
}

async function memberOf(value: unknown, place: Place, reading: Reading): Promise<JuryMember | undefined> {
  // `not` also has `judge`.
  if (!isPlainObject(value) || value.judge === undefined || value.type !== undefined)
    return describedJury(value, place, reading)
  const { mustDecide, ...member } = value
  const judge =
    mustDecide === undefined
      ? await describedJury(value.judge, [...place, 'judge'], reading)
      : await describedDecider(value, place, reading, ({ judge }, at) =>
          describedJury(judge, [...at, 'judge'], reading),
        )
  return judge === undefined ? undefined : ({ ...member, judge } as JuryMember)
}

async function cascadeOf(value: unknown, place: Place, reading: Reading): Promise<Jury | undefined> {
  const { report } = reading
  if (!Array.isArray(value)) {
    report(place, `must be an array of tiers (got ${printed(value)}).`, 'Write [{name, policy, jury}, …].')
    return undefined
  }
  const tiers = await Promise.all(
    value.map(async (tier: unknown, index) => {
      if (!isPlainObject(tier)) return tier
      const known = ['name', 'policy', 'jury', 'onError', 'threshold', 'confidence']
      reportUnknownKeys(tier, known, [...place, index], report)
      const made = withConfidence(tier, [...place, index], reading)
      return { ...made, jury: made && (await describedJury(tier.jury, [...place, index, 'jury'], reading)) }
    }),
  )
  if (tiers.some((tier) => isPlainObject(tier) && tier.jury === undefined)) return undefined
  return made(() => cascade(tiers as unknown as Tiers), place, reading)
}

/** Calls a factory and reports its error. */
function made<Value>(make: () => Value, place: Place, { report }: Reading): Value | undefined {
  try {
    return make()
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}

/** Builds the vote of a description: `consensus`, `{type: average, threshold: 0.7}`, or `{use: name}`. */
export function describedVote(value: unknown, place: Place, reading: Reading): Vote | undefined {
  if (isUse(value)) return used(value, 'votes', place, reading) as Vote | undefined
  const { type, ...options } = isPlainObject(value) ? value : { type: value }
  const make = votesByName.get(String(type))
  if (make !== undefined) return made(() => make(options), place, reading)
  reading.report(place, ...unknownProblem('vote', type, [...votesByName.keys()]))
  return undefined
}

type Options = Readonly<Record<string, unknown>>

interface DescribedScorer {
  /** Completes "A judgment matches when …". */
  readonly matches: string
  readonly options: OptionDescriptions
  readonly required?: readonly string[]
  readonly make: (options: Options) => JudgeScorer
}

const toleranceOption = {
  tolerance: described(option.rate, 'The maximum difference between score and label, both from 0 to 1.'),
}

/** The scorers by their names in YAML and JSON. Each factory checks its own options. */
export const scorers: { readonly [type: string]: DescribedScorer } = {
  'exact-verdict-match': {
    matches: 'the judgment has the status of the label',
    options: {},
    make: (options) => {
      checkOptions('exact-verdict-match', options, {})
      return exactVerdictMatch()
    },
  },
  'exact-category-match': {
    matches: 'the category of the judgment is the label',
    options: categoryMatchRules,
    make: (options) => exactCategoryMatch(options),
  },
  'numerical-tolerance': {
    matches: 'the score of the judgment is near the label',
    options: { ...toleranceOption, ...toleranceRules },
    required: ['tolerance'],
    make: ({ tolerance, ...options }) => {
      checkOptions('numerical-tolerance', { tolerance }, toleranceOption)
      return numericalTolerance(tolerance as number, options)
    },
  },
}

/** Builds the scorer that `{type, …options}` describes. */
export function describedScorer(value: unknown, place: Place, reading: Reading): JudgeScorer | undefined {
  const { type, ...options } = isPlainObject(value) ? value : { type: value }
  const make = typeof type === 'string' && Object.hasOwn(scorers, type) ? scorers[type]?.make : undefined
  if (make !== undefined) return made(() => make(options), place, reading)
  reading.report(place, ...unknownProblem('scorer', type, Object.keys(scorers)))
  return undefined
}

/** Judges that combine other judges. */
export const combinators: {
  readonly [type: string]: { readonly passes: string; readonly make: (judges: readonly Judge[]) => Judge }
} = {
  'all-of': { passes: 'every judge passes', make: (judges) => allOf(...judges) },
  'any-of': { passes: 'one of the judges passes', make: (judges) => anyOf(...judges) },
  'in-one-copy': {
    passes: 'every judge passes, one after another in the same copy of the workspace',
    make: (judges) => inOneCopy(...judges),
  },
  not: { passes: 'the judge fails', make: ([judge]) => not(judge as Judge) },
}

/** Builds the judge that `{type, …options}` or `{module, export?, options?}` describes. */
export async function describedJudge(value: unknown, place: Place, reading: Reading): Promise<Judge | undefined> {
  const { report } = reading
  if (!isPlainObject(value)) {
    report(
      place,
      `must be a judge (got ${printed(value)}).`,
      'Write {type: file-exists, path: README.md} or {module: ./judge.ts}.',
    )
    return undefined
  }
  if (value.mustDecide !== undefined) return describedDecider(value, place, reading, describedJudge)
  if (value.module !== undefined) return (await describedExport(value, place, reading, 'judge')) as Judge | undefined
  const { type, ...options } = value
  const combine = typeof type === 'string' && Object.hasOwn(combinators, type) ? combinators[type]?.make : undefined
  if (combine !== undefined) {
    const judges = await membersOf(type, options, place, reading)
    return judges === undefined ? undefined : made(() => combine(judges), place, reading)
  }
  const description = typeof type === 'string' ? await judgeOfType(type) : undefined
  if (description !== undefined) return describedBy(description, options, place, reading)
  const plugged = new Map(pluggedJudges(reading.plugins ?? []))
  const ofPlugin = typeof type === 'string' ? plugged.get(type) : undefined
  if (ofPlugin !== undefined) {
    if (reading.data?.isTrusted !== false) return describedBy(ofPlugin, options, place, reading)
    report(place, 'is a judge of a plug-in.', untrusted('Put it under "juries" of the config and use its name'))
    return undefined
  }
  if (reading.lacksPlugins === true && typeof type === 'string') return undefined
  const known = [...(await judgesByType()).keys(), ...plugged.keys(), ...Object.keys(combinators)]
  if (type === undefined) report(place, 'has no "type".', typeRemedy(Object.keys(options)))
  else report([...place, 'type'], ...unknownProblem('judge', type, known))
  return undefined
}

function typeRemedy(keys: readonly string[]): string {
  const meant = keys.find((key) => nearestNames(key, ['type']).length > 0)
  return meant === undefined ? 'Write {type: file-exists, path: README.md}.' : `Write "type" instead of "${meant}".`
}

/** Builds the judge of a factory. The options `after` and `judge` may contain judges as well. */
async function describedBy(
  { make, options: known }: JudgeDescription,
  options: Readonly<Record<string, unknown>>,
  place: Place,
  reading: Reading,
): Promise<Judge | undefined> {
  if (areNamesWrong(known, options, place, reading)) return undefined
  const config: DescribingConfig = {
    path: (path) => pathIn(reading, path),
    async workspace(directory) {
      const { localWorkspace } = await import('@jurist/workspace')
      const { readOnly } = await import('@jurist/workspace/internal')
      return readOnly(localWorkspace(pathIn(reading, directory)))
    },
    model(value) {
      if (typeof value !== 'string') refuseUntrusted(reading, 'model', 'describes a model', 'Name one of "models".')
      return modelFrom(value, reading.models ?? {})
    },
    embed(value) {
      refuseUntrusted(
        reading,
        'embed',
        'describes an embedding model',
        'Put the judge under "juries" of the config and use its name',
      )
      return embedFrom(value)
    },
    schema: async (value) => (await import('./json-schema.js')).describedSchema(value, (path) => pathIn(reading, path)),
  }
  const judge = async (described: Readonly<Record<string, unknown>>) => {
    const found = await madeJudge(() => make(described, config), place, reading)
    if (found === undefined || reading.data?.mayRunCommands !== false || !isRunningCommands(found)) return found
    reading.report(place, 'runs commands outside of a sandbox.', untrusted('Give the experiment a sandbox'))
    return undefined
  }
  const inner: { [name: string]: Judge } = {}
  for (const name of ['after', 'judge']) {
    if (!isPlainObject(options[name])) continue
    const found = await describedJudge(options[name], [...place, name], reading)
    if (found === undefined) return undefined
    inner[name] = found
  }
  return judge({ ...options, ...inner })
}

/** Reports options that are unknown or contain paths outside the workspace. Returns whether there are any. */
function areNamesWrong(
  known: JudgeDescription['options'],
  options: Readonly<Record<string, unknown>>,
  place: Place,
  { report }: Reading,
): boolean {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name))
  reportUnknownKeys(options, Object.keys(known), place, report)
  const outside = Object.keys(options).filter((name) => known[name]?.isInside === true && isOutside(options[name]))
  for (const name of outside)
    report(
      [...place, name],
      `${printed(options[name])} is outside of the workspace.`,
      'Judges look only into the workspace: name a path inside it, such as README.md.',
    )
  return unknown.length + outside.length > 0
}

/** Whether every workspace refuses a path, because it is absolute or contains `..`. */
function isOutside(path: unknown): boolean {
  try {
    normalizePath(String(path))
    return false
  } catch (thrown) {
    return JuristError.is(thrown, 'path-escape')
  }
}

/** Returns the judge of `not`, or the judges of other combinators; `undefined` if one of them is invalid. */
async function membersOf(
  type: unknown,
  options: Readonly<Record<string, unknown>>,
  place: Place,
  reading: Reading,
): Promise<readonly Judge[] | undefined> {
  const key = type === 'not' ? 'judge' : 'judges'
  reportUnknownKeys(options, [key], place, reading.report)
  const { judge, judges } = options
  if (type === 'not') {
    const member = await describedJudge(judge, [...place, key], reading)
    return member === undefined ? undefined : [member]
  }
  if (!Array.isArray(judges)) {
    reading.report([...place, key], `must be an array of judges (got ${printed(judges)}).`, 'Write [{type: …}, …].')
    return undefined
  }
  const members = await Promise.all(judges.map((one, at) => describedJudge(one, [...place, key, at], reading)))
  const found = members.filter((member) => member !== undefined)
  return found.length === members.length ? found : undefined
}

/** Like `made`, for a factory that may load something first. */
async function madeJudge(
  make: () => Judge | Promise<Judge>,
  place: Place,
  { report }: Reading,
): Promise<Judge | undefined> {
  try {
    return await make()
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}

type Described = Readonly<Record<string, unknown>>

/** Builds the judge of a description with `mustDecide: fail` or `mustDecide: error`; `describe` reads the rest. */
export async function describedDecider(
  value: Described,
  place: Place,
  reading: Reading,
  describe: (value: Described, place: Place, reading: Reading) => Promise<Judge | Jury | undefined>,
): Promise<Judge | Jury | undefined> {
  const { mustDecide: as, ...rest } = value
  const judge = await describe(rest, place, reading)
  if (judge === undefined) return undefined
  try {
    return mustDecide(judge, { as } as MustDecideOptions)
  } catch (thrown) {
    reading.report([...place, 'mustDecide'], failureOf(thrown).message, 'Write mustDecide: fail, or mustDecide: error.')
    return undefined
  }
}

/**
 * Returns the function that `{module, export?, options?}` refers to: the default export or the named one. With
 * `options`, it is a factory and is called with them. The path is relative to the config.
 */
export async function describedExport(
  { module, export: name = 'default', options }: Readonly<Record<string, unknown>>,
  place: Place,
  { directory, data, report, loading }: Reading,
  what: string,
): Promise<unknown> {
  if (data?.isTrusted === false) {
    report(place, 'names a module, which runs code.', untrusted(`Name a ${what} of the config with {use: NAME}`))
    return undefined
  }
  if (typeof module !== 'string' || typeof name !== 'string') {
    report(place, `the module of the ${what} must be a path (got ${printed(module)}).`, 'Write {module: ./file.ts}.')
    return undefined
  }
  try {
    const exports = await loadExports(resolve(directory, module), loading)
    const found = isPlainObject(exports) || typeof exports === 'object' ? Reflect.get(Object(exports), name) : undefined
    const made: unknown = options !== undefined && typeof found === 'function' ? await found(options) : found
    if (typeof made === 'function') return made
    report(place, `${module} exports no ${what} as "${name}".`, `Export a function of that name.`)
  } catch (thrown) {
    report(place, `${module}: ${failureOf(thrown).message}`, '')
  }
  return undefined
}
