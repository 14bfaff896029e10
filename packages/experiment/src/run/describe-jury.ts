import { infoOf, type Json, type JsonObject, type Judge, type Jury, type SelectiveOptions } from '@jurist/core'
import { isJury, juryPartsOf } from '@jurist/core/internal'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { JuryDescription } from '../result/records.js'
import { settingsOf } from './judge-settings.js'
import { certificatesOf } from './jury-certificates.js'

/**
 * A jury as data. The fingerprint changes whenever a name, a kind, a weight, the vote or its options, a tier, an option of a
 * judge, or a version that a judge declares does. A custom jury, whose parts are unknown, counts by its name and version.
 */
export function describeJury(jury: Jury): JuryDescription {
  const tiers = juryPartsOf(jury)?.tiers
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
export function describeJuries(
  shared: Jury | null,
  own: readonly Jury[],
  meeting: 'join' | 'replace',
): JuryDescription {
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
  const outline = isJury(judge) ? juryPartsOf(judge) : undefined
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
  const outline = isJury(judge) ? juryPartsOf(judge) : undefined
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
