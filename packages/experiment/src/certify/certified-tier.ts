import { type Confidence, type Judge, type Jury, juryOf, majority } from '@jurist/core'
import { isJury, modelsUsedBy, ownConfidence } from '@jurist/core/internal'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import { describeJury } from '../run/describe-jury.js'
import { modelConditions } from '../run/models.js'
import type { CertifiedTier } from './certificate.js'

/** A tier whose confidence is certified. */
export interface CascadeTier {
  readonly name: string
  readonly candidate: Judge | Jury
  /** Default: the share of the votes of a jury, what the judgment of another judge declares. */
  readonly confidence?: Confidence
}

/** The tier as a certificate knows it. */
export function certifiedTierOf({
  name,
  candidate,
  confidence = ownConfidence(candidate),
}: CascadeTier): CertifiedTier {
  const jury = isJury(candidate) ? candidate : juryOf(majority(), candidate)
  const source = { name: confidence.name, version: confidence.version ?? null }
  const { judgeModels = null } = modelConditions({ jury: candidate })
  const parts = { jury: describeJury(jury).fingerprint, models: judgeModels, confidence: source }
  const models = modelsUsedBy(candidate).map((model) => model.name)
  return Object.freeze({
    name,
    fingerprint: sha256(canonicalJson(parts)),
    model: models.length === 0 ? null : models.join(', '),
    confidence: source.name === '' ? 'confidence' : source.name,
  })
}
