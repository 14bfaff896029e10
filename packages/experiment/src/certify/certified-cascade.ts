import {
  type Confidence,
  cascade,
  type Judge,
  JuristError,
  type Jury,
  juryOf,
  majority,
  type Tiers,
} from '@jurist/core'
import { type FinalTier, type GateTier, giveInfo, isJury, modelsUsedBy, ownConfidence } from '@jurist/core/internal'
import { commandLine } from '@jurist/kit/command-line'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import { describeJury } from '../run/describe-jury.js'
import { modelConditions } from '../run/models.js'
import { type Certificate, type CertifiedTier, readCertificate } from './certificate.js'

/** A tier whose confidence is certified. */
export interface CascadeTier {
  readonly name: string
  readonly candidate: Judge | Jury
  /** Default: the share of the votes of a jury, or the confidence that the judgment of another judge declares. */
  readonly confidence?: Confidence
}

/** The identity of a tier that a certificate records. */
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

/** A difference between a certificate and the tiers that it is used for. */
interface StaleTier {
  readonly tier: string
  readonly problem: string
}

/**
 * A cascade that decides by a certificate: each tier decides where its confidence reaches the certified threshold, and
 * the rest goes to the final tier. The tiers must be those that were certified: the same names in the same order, the
 * same judges, models, prompts and sources of confidence.
 *
 * @param certificate of `calibrateCascade`, or the JSON of its file; `null`: nothing is certified, and the final tier decides
 * everything
 * @throws `certificate-stale` naming every tier that differs, `certificate-invalid`, and what `cascade` throws
 *
 * @example
 * import { recorded } from '@jurist/experiment/calibrate'
 * import { certificateIn, certifiedCascade } from '@jurist/experiment/certify'
 *
 * const tiers = [{ name: 'small', candidate: recorded('small') }]
 * const certificate = certificateIn('certificates/answers.json')
 * certifiedCascade(tiers, certificate, { name: 'large', jury: recorded('large'), policy: 'final' })
 */
export function certifiedCascade(
  tiers: readonly CascadeTier[],
  certificate: Certificate | null,
  final: FinalTier,
): Jury {
  if (certificate === null || isRenewing) return giveInfo(cascade([final]), { certificate: null })
  const checked = checkedCertificate(tiers, certificate)
  const gates = tiers.map(({ name, candidate, confidence = ownConfidence(candidate) }): GateTier => {
    return { name, jury: candidate, policy: 'decide-when-confident', threshold: checked.threshold, confidence }
  })
  return giveInfo(cascade([...gates, final] as Tiers), { certificate: checked })
}

let isRenewing = false

/**
 * Until it is disposed of, certificates are not looked at, so that a config whose certificate is stale can be loaded to make
 * a new one: a certified cascade is its final tier.
 */
export function renewCertificates(): Disposable {
  isRenewing = true
  return {
    [Symbol.dispose]() {
      isRenewing = false
    },
  }
}

/**
 * The certificate, which is for these tiers.
 *
 * @throws `certificate-stale` naming every tier that differs, `certificate-invalid`
 */
function checkedCertificate(tiers: readonly CascadeTier[], given: Certificate): Certificate {
  const certificate = readCertificate(given)
  const stale = staleTiers(tiers, certificate)
  if (stale.length === 0) return certificate
  throw new JuristError(
    'certificate-stale',
    `The certificate ${certificate.id} is not for this cascade: ${stale.map(({ problem }) => problem).join('; ')}. Certify the cascade as it is now: ${commandLine('calibrate', 'NAME', '--certify', '--certificate', 'FILE')}`,
    { tiers: stale },
  )
}

function staleTiers(tiers: readonly CascadeTier[], certificate: Certificate): readonly StaleTier[] {
  const now = tiers.map(certifiedTierOf)
  const order = (names: readonly { readonly name: string }[]) => names.map(({ name }) => name).join(' > ')
  if (order(now) !== order(certificate.tiers)) {
    const problem = `its tiers are ${order(certificate.tiers)}, and these are ${order(now)}`
    return [{ tier: '', problem }]
  }
  return now.flatMap((tier, index) => {
    const then = certificate.tiers[index]
    if (then === undefined || then.fingerprint === tier.fingerprint) return []
    return [{ tier: tier.name, problem: `the tier "${tier.name}" ${differenceOf(then, tier)}` }]
  })
}

function differenceOf(then: Certificate['tiers'][number], now: Certificate['tiers'][number]): string {
  if (then.model !== now.model)
    return `asks ${now.model ?? 'a model without a name'}, not ${then.model ?? 'a model without a name'}`
  if (then.confidence !== now.confidence)
    return `takes its confidence from ${now.confidence}, not from ${then.confidence}`
  return 'has another judge, prompt, option or model setting'
}
