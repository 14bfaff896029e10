import { infoOf, type Json, type JsonObject, type Judge, type Jury } from '@jurist/core'
import { isJury, juryPartsOf } from '@jurist/core/internal'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { JuryDescription } from '../result/records.js'

/**
 * A jury as data. The fingerprint changes whenever a name, a kind, a weight, the vote or its options, a tier, or a version
 * that a judge declares does. A custom jury, whose parts are unknown, counts by its name and version.
 */
export function describeJury(jury: Jury): JuryDescription {
  const tiers = juryPartsOf(jury)?.tiers
  return Object.freeze({
    name: infoOf(jury).name,
    fingerprint: sha256(canonicalJson(canonical(jury))),
    judges: Object.freeze(judgesOf(jury, '', 1)),
    tiers: tiers === undefined ? null : Object.freeze(tiers.map(({ name, policy }) => Object.freeze({ name, policy }))),
  })
}

function canonical(judge: Judge): JsonObject {
  const { name, kind, version = null } = infoOf(judge)
  const own = { name, kind, version }
  const outline = isJury(judge) ? juryPartsOf(judge) : undefined
  if (outline === undefined) return own
  const { vote, members, tiers } = outline
  if (tiers !== undefined)
    return {
      ...own,
      tiers: tiers.map((tier) => ({
        name: tier.name,
        policy: tier.policy,
        onError: ('onError' in tier ? tier.onError : undefined) ?? null,
        jury: canonical(tier.jury),
      })),
    }
  return {
    ...own,
    vote: vote === undefined ? null : { name: vote.name, options: vote.options ?? null },
    seats: members.map(({ name, weight, judge }): Json => ({ name, weight, judge: canonical(judge) })),
  }
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
