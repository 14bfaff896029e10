import { infoOf, type Json, type JsonObject, type Judge, type Jury } from '@jurist/core'
import { isJury, isPlainObject, modelInfoOf, optionsIn, type SelectiveOptions } from '@jurist/core/internal'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { JuryDescription } from '../result/records.js'
import type { ItemJury } from './settings.js'

/**
 * A jury as data. The fingerprint changes whenever a name, a kind, a weight, the vote or its options, a tier, an option of a
 * judge, or a version that a judge declares does. A custom jury, whose parts are unknown, counts by its name and version.
 */
export function describeJury(jury: Jury): JuryDescription {
  const tiers = jury.parts?.tiers
  return Object.freeze({
    name: infoOf(jury).name,
    fingerprint: sha256(canonicalJson(canonical(jury))),
    judges: Object.freeze(judgesOf(jury, '', 1)),
    tiers: tiers === undefined ? null : Object.freeze(tiers.map(({ name, policy }) => Object.freeze({ name, policy }))),
    ...certificatesIn([jury]),
  })
}

function certificatesIn(juries: readonly Jury[]): Pick<JuryDescription, 'certificates'> {
  const certificates = new Map(juries.flatMap(certificatesOf).map((certificate) => [certificate.id, certificate]))
  return certificates.size === 0 ? {} : { certificates: Object.freeze([...certificates.values()]) }
}

/**
 * The juries of a run whose items have judges of their own: the judges of all of them, and a fingerprint over the jury of
 * the experiment, every jury of an item, and how they meet.
 *
 * @param shared the jury of the experiment
 * @param own the different juries of items
 */
export function describeJuries(shared: Jury | null, own: readonly Jury[], meeting: ItemJury): JuryDescription {
  const [first] = own
  if (first === undefined && shared !== null) return describeJury(shared)
  const described = own.map(describeJury)
  const whole = shared === null ? null : describeJury(shared)
  const judges = new Map([whole, ...described].flatMap((one) => one?.judges ?? []).map((judge) => [judge.path, judge]))
  const fingerprints = described.map(({ fingerprint }) => fingerprint).sort()
  const together = { jury: whole?.fingerprint ?? null, itemJury: meeting, items: fingerprints }
  return Object.freeze({
    name: whole?.name ?? 'item',
    fingerprint: sha256(canonicalJson(together)),
    judges: Object.freeze([...judges.values()]),
    tiers: whole?.tiers ?? null,
    ...certificatesIn(shared === null ? own : [shared, ...own]),
  })
}

function canonical(judge: Judge): JsonObject {
  const { name, kind, version = null } = infoOf(judge)
  const own = { name, kind, version }
  const outline = isJury(judge) ? judge.parts : undefined
  if (outline === undefined) return { ...own, ...settingsOf(judge, canonical) }
  const { vote, members, tiers } = outline
  if (tiers !== undefined)
    return {
      ...own,
      tiers: tiers.map((tier) => ({
        name: tier.name,
        policy: tier.policy,
        onError: ('onError' in tier ? tier.onError : undefined) ?? null,
        ...(tier.policy === 'decide-when-confident' ? sureness(tier) : {}),
        jury: canonical(tier.jury),
      })),
    }
  return {
    ...own,
    vote: vote === undefined ? null : { name: vote.name, options: vote.options ?? null },
    seats: members.map(({ name, weight, judge }): Json => ({ name, weight, judge: canonical(judge) })),
  }
}

function sureness({ threshold, confidence }: SelectiveOptions): JsonObject {
  return { threshold, confidence: confidence?.name ?? null, confidenceVersion: confidence?.version ?? null }
}

/** The judges at the leaves, by their place in a verdict; a custom jury is a leaf. */
function judgesOf(judge: Judge, path: string, weight: number): JuryDescription['judges'] {
  const outline = isJury(judge) ? judge.parts : undefined
  if (outline === undefined) {
    const { name, kind } = infoOf(judge)
    return [Object.freeze({ path, name, kind, weight })]
  }
  const { members, tiers } = outline
  if (tiers !== undefined) return tiers.flatMap(({ name, jury }) => judgesOf(jury, below(path, name), 1))
  return members.flatMap((member) => judgesOf(member.judge, below(path, member.name), member.weight))
}

/** As the keys of `scoresOf`: names joined by `/`. */
function below(path: string, name: string): string {
  const segment = name.replaceAll('~', '~0').replaceAll('/', '~1')
  return path === '' ? segment : `${path}/${segment}`
}

/** Limits stop a judge but never change its judgment, so they are not part of the fingerprint. */
const judgeLimits: ReadonlySet<string> = new Set(['timeoutMs', 'cpuMs', 'budgetMs'])

/**
 * The options of a judge that can change its judgment, as data; `{}` where it has none. Functions among them count by their name,
 * so the author of one gives the judge a `version`. Directories and schemas without JSON do not count: they can only be looked at
 * when the judge runs.
 *
 * @param canonical describes the judges that it was made of
 */
function settingsOf(judge: Judge, canonical: (judge: Judge) => JsonObject): { readonly options?: JsonObject } {
  const { judges = [], options: made = {} } = judge.info ?? {}
  const { judge: only, after, model, ...given } = made as Readonly<Record<string, unknown>>
  const members = [...judges, only, after].filter((one) => typeof one === 'function')
  const options: JsonObject = {
    ...dataOf(given),
    ...(typeof after === 'string' ? { after } : {}),
    ...(members.length === 0 ? {} : { judges: members.map((member) => canonical(member as Judge)) }),
    ...(typeof model === 'function' ? modelSettings(model) : {}),
  }
  return Object.keys(options).length === 0 ? {} : { options }
}

/** The model of a program. That of a config is a condition of the run, by its name there. */
function modelSettings(model: object): { readonly model?: Json } {
  const made = modelInfoOf(model) === undefined ? optionsIn(model) : undefined
  return made === undefined ? {} : { model: dataOf(made) }
}

function dataOf(given: object): JsonObject {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const data = judgeLimits.has(name) ? undefined : dataIn(value)
      return data === undefined ? [] : [[name, data]]
    }),
  )
}

function dataIn(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  // A config can only write the source.
  if (value instanceof RegExp) return value.flags === '' ? value.source : String(value)
  if (Array.isArray(value)) return value.map((entry) => dataIn(entry) ?? null)
  if (typeof value !== 'function' && typeof value !== 'object') return undefined
  const made = optionsIn(value)
  if (made !== undefined) return dataOf(made)
  if (typeof value === 'function') return { function: value.name }
  if (!isPlainObject(value)) return undefined
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => judgeLimits.has(name)) ? undefined : dataOf(value)
}

/** A certificate as far as a run needs it; `readCertificate` reads the whole. */
interface Identified {
  readonly id: string
}

/** The certificates by which a jury, or a jury within it, decides. */
export function certificatesOf(judge: Judge): readonly Identified[] {
  return certificationsIn(judge).filter((certificate) => certificate !== null)
}

/** Whether a jury, or a jury within it, leaves everything to its final tier because nothing is certified. */
export function isUncertified(judge: Judge): boolean {
  return certificationsIn(judge).includes(null)
}

function certificationsIn(judge: Judge): readonly (Identified | null)[] {
  const { certificate: own } = judge.info ?? {}
  const { members = [], tiers = [] } = (isJury(judge) ? judge.parts : undefined) ?? {}
  const inner = [...members.map((member) => member.judge), ...tiers.map((tier) => tier.jury)].flatMap(certificationsIn)
  return own === undefined ? inner : [own, ...inner]
}
