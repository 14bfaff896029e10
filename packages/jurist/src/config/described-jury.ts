import { resolve } from 'node:path'
import {
  allOf,
  anyOf,
  cascade,
  type FinalTier,
  inOneCopy,
  type JsonObject,
  type Judge,
  JuristError,
  type Jury,
  type JuryOptions,
  jury,
  mustDecide,
  not,
  type Tiers,
} from '@jurist/core'
import {
  type DescribingConfig,
  described,
  failureOf,
  isPlainObject,
  isRunningCommands,
  type JudgeDescription,
  type JuryMember,
  juryOptions,
  type MustDecideOptions,
  mustDecideOption,
  normalizePath,
  option,
  type Place,
  printed,
  tierOnErrorOption,
  tierPolicies,
} from '@jurist/core/internal'
import type { CascadeTier } from '@jurist/experiment/internal'
import { nearestNames } from '@jurist/kit/did-you-mean'
import { judgeOfType, judgesByType } from './catalog.js'
import { describedConfidence, describedVote } from './described-choices.js'
import { pathIn, refuseUntrusted, untrusted } from './item-limits.js'
import { embedFrom, modelFrom } from './models.js'
import { loadExports } from './module-config.js'
import {
  byName,
  type Described,
  isUse,
  listOf,
  optionParts,
  type Parts,
  partsSchema,
  type Read,
  type Reading,
  readParts,
  ref,
  text,
  used,
} from './parts.js'
import { pluggedJudges } from './plugins.js'
import { attempted, reportUnknownKeys, unknownProblem } from './problems.js'

/**
 * Builds the jury of a description: `{judges, vote?}`, `{cascade}`, `{certified}`, `{use}`, or a single judge. With
 * `mustDecide: fail` or `error`, it may not abstain.
 */
export async function describedJury(value: unknown, place: Place, reading: Reading): Promise<Jury | Judge | undefined> {
  if (!isPlainObject(value)) return describedJudge(value, place, reading)
  if (value.mustDecide !== undefined) return describedDecider(value, place, reading, describedJury)
  if (isUse(value)) return used(value, 'juries', place, reading) as Jury | undefined
  if (value.certified !== undefined) return certifiedJury(value, place, reading)
  if (value.cascade !== undefined) {
    const tiers = await describedCascade(value.cascade, [...place, 'cascade'], reading)
    return tiers && attempted(() => cascade(tiers as unknown as Tiers), [...place, 'cascade'], reading.report)
  }
  // Combinators such as all-of also have `judges`.
  if (value.judges === undefined || value.type !== undefined) return describedJudge(value, place, reading)
  const options = await readParts(value, juryParts, place, reading)
  return options && attempted(() => jury(options as unknown as JuryOptions), place, reading.report)
}

const juryPart = (description: string) => ({
  schema: { description, ...ref('jury') },
  read: describedJury,
  isRequired: true,
})
const nameSchema: JsonObject = { description: 'The name of the tier.', ...text }

export const juryParts: Parts = {
  judges: {
    schema: { description: 'The members by name.', ...byName({ anyOf: [ref('jury'), ref('member')] }) },
    read: describedMembers,
    isRequired: true,
  },
  vote: {
    schema: { description: 'How the members decide. Default: consensus.', ...ref('vote') },
    read: describedVote,
  },
  ...optionParts(juryOptions),
}

async function describedMembers(value: unknown, place: Place, reading: Reading): Promise<Described | undefined> {
  if (!isPlainObject(value)) {
    const remedy = 'Write judges: {NAME: {type: file-exists, path: README.md}, …}.'
    reading.report(place, `must be an object of judges by name (got ${printed(value)}).`, remedy)
    return undefined
  }
  const members = await Promise.all(
    Object.entries(value).map(async ([name, one]) => [name, await memberOf(one, [...place, name], reading)] as const),
  )
  return members.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(members)
}

export const memberParts: Parts = {
  judge: juryPart('The judge.'),
  weight: {
    schema: { description: 'How much the vote of the member counts.', type: 'number', minimum: 0, default: 1 },
  },
  ...optionParts({ mustDecide: mustDecideOption }),
}

async function memberOf(value: unknown, place: Place, reading: Reading): Promise<JuryMember | undefined> {
  // `not` also has `judge`.
  if (!isPlainObject(value) || value.judge === undefined || value.type !== undefined)
    return describedJury(value, place, reading)
  const { mustDecide, ...member } = value
  const read = (given: Described) => describedJury(given['judge'], [...place, 'judge'], reading)
  const judge = mustDecide === undefined ? await read(value) : await describedDecider(value, place, reading, read)
  return judge === undefined ? undefined : ({ ...member, judge } as JuryMember)
}

const confidencePart = {
  schema: { description: 'Where the confidence comes from. Default: the judge itself.', ...ref('confidence') },
  read: describedConfidence,
}

export const tierParts: Parts = {
  name: { schema: nameSchema, isRequired: true },
  policy: {
    schema: {
      description: 'When the verdict of the tier decides. Otherwise the next tier is asked.',
      enum: tierPolicies,
    },
    isRequired: true,
  },
  jury: juryPart('The jury or the judge of the tier.'),
  ...optionParts({
    onError: tierOnErrorOption,
    threshold: described(option.rate, 'With decide-when-confident: the confidence from which on the tier decides.'),
  }),
  confidence: confidencePart,
}

const describedCascade = listOf<unknown>(
  // What is not an object is refused by `cascade`.
  (tier, place, reading) => (isPlainObject(tier) ? readParts(tier, tierParts, place, reading) : (tier ?? null)),
  'tiers',
  'Write [{name, policy, jury}, …].',
)

export const certifiedTierParts: Parts = {
  name: { schema: nameSchema, isRequired: true },
  candidate: juryPart('The jury or the judge of the tier.'),
  confidence: confidencePart,
}

/** Builds the tiers of a certified cascade: `[{name, candidate, confidence?}]`. */
export const describedTiers: Read<readonly CascadeTier[]> = listOf(
  async (tier, place, reading) => {
    if (isPlainObject(tier))
      return (await readParts(tier, certifiedTierParts, place, reading)) as CascadeTier | undefined
    reading.report(place, `must be a tier (got ${printed(tier)}).`, 'Write {name, candidate}.')
    return undefined
  },
  'tiers',
  'Write [{name, candidate}, …].',
)

const finalParts: Parts = {
  name: { schema: { ...nameSchema, default: 'final' } },
  jury: juryPart('The jury or the judge.'),
}

/** The parts of `{certified, certificate, final}`. */
export const certifiedParts: Parts = {
  certified: {
    schema: {
      description: 'The tiers in order, as they were certified.',
      ...{ type: 'array', items: ref('certifiedTier'), minItems: 1 },
    },
    read: describedTiers,
    isRequired: true,
  },
  certificate: {
    schema: {
      description: 'The file of the certificate. Without one nothing is certified, and the final tier decides.',
      ...text,
    },
    read(path, place, { report }) {
      if (typeof path === 'string') return path
      report(place, `must be a path (got ${printed(path)}).`, 'Write certificates/NAME.json.')
      return undefined
    },
    isRequired: true,
  },
  final: {
    schema: { description: 'What decides where no tier is confident.', ...partsSchema(finalParts) },
    read: (final, place, reading) => readParts(isPlainObject(final) ? final : {}, finalParts, place, reading),
    isRequired: true,
  },
}

async function certifiedJury(value: Described, place: Place, reading: Reading): Promise<Jury | undefined> {
  const parts = await readParts(value, certifiedParts, place, reading)
  if (parts === undefined) return undefined
  const { certified, certificate: path, final } = parts
  const make = async () => {
    const { certificateIn, certifiedCascade } = await import('@jurist/experiment/certify')
    const certificate = certificateIn(pathIn(reading, path as string))
    const last = { name: 'final', ...(final as Described), policy: 'final' } as FinalTier
    return certifiedCascade(certified as readonly CascadeTier[], certificate, last)
  }
  return attempted(make, [...place, 'certificate'], reading.report)
}

const combined: Parts = {
  judges: {
    schema: { description: 'The judges.', type: 'array', items: ref('jury'), minItems: 1 },
    read: listOf(describedJudge, 'judges', 'Write [{type: …}, …].'),
    isRequired: true,
  },
}
const negated: Parts = { judge: { ...juryPart('The judge.'), read: describedJudge } }

/** Judges that combine other judges. */
export const combinators: {
  readonly [type: string]: {
    readonly passes: string
    readonly parts: Parts
    readonly make: (judges: readonly Judge[]) => Judge
  }
} = {
  'all-of': { passes: 'every judge passes', parts: combined, make: (judges) => allOf(...judges) },
  'any-of': { passes: 'one of the judges passes', parts: combined, make: (judges) => anyOf(...judges) },
  'in-one-copy': {
    passes: 'every judge passes, one after another in the same copy of the workspace',
    parts: combined,
    make: (judges) => inOneCopy(...judges),
  },
  not: { passes: 'the judge fails', parts: negated, make: ([judge]) => not(judge as Judge) },
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
  const combinator = typeof type === 'string' && Object.hasOwn(combinators, type) ? combinators[type] : undefined
  if (combinator !== undefined) {
    const parts = await readParts(options, combinator.parts, place, reading)
    return parts && attempted(() => combinator.make(Object.values(parts).flat() as Judge[]), place, report)
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
  options: Described,
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
  const inner: { [name: string]: Judge } = {}
  for (const name of ['after', 'judge']) {
    if (!isPlainObject(options[name])) continue
    const found = await describedJudge(options[name], [...place, name], reading)
    if (found === undefined) return undefined
    inner[name] = found
  }
  const judge = await attempted(() => make({ ...options, ...inner }, config), place, reading.report)
  if (judge === undefined || reading.data?.mayRunCommands !== false || !isRunningCommands(judge)) return judge
  reading.report(place, 'runs commands outside of a sandbox.', untrusted('Give the experiment a sandbox'))
  return undefined
}

/** Reports options that are unknown or contain paths outside the workspace. Returns whether there are any. */
function areNamesWrong(
  known: JudgeDescription['options'],
  options: Described,
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

/** Builds the judge of a description with `mustDecide: fail` or `mustDecide: error`; `describe` reads the rest. */
export async function describedDecider(
  value: Described,
  place: Place,
  reading: Reading,
  describe: (value: Described, place: Place, reading: Reading) => Promise<Judge | Jury | undefined>,
): Promise<Judge | Jury | undefined> {
  const { mustDecide: as, ...rest } = value
  const judge = await describe(rest, place, reading)
  const remedy = 'Write mustDecide: fail, or mustDecide: error.'
  return (
    judge &&
    attempted(() => mustDecide(judge, { as } as MustDecideOptions), [...place, 'mustDecide'], reading.report, remedy)
  )
}

/**
 * Returns the function that `{module, export?, options?}` refers to: the default export or the named one. With
 * `options`, it is a factory and is called with them. The path is relative to the config.
 */
export async function describedExport(
  { module, export: name = 'default', options }: Described,
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
