import type { Judge, Jury } from '@jurist/core'
import { isJury, juryPartsOf } from '@jurist/core/internal'

const certifiedBy = Symbol('certificate')

/** A certificate as far as a run needs it; `readCertificate` reads the whole. */
interface Identified {
  readonly id: string
}

/** The jury, which decides by a certificate. */
export function withCertificate(jury: Jury, certificate: Identified): Jury {
  return Object.defineProperty(jury, certifiedBy, { value: certificate })
}

/** The certificates by which a jury, or a jury within it, decides. */
export function certificatesOf(judge: Judge): readonly Identified[] {
  const own = (judge as { readonly [certifiedBy]?: Identified })[certifiedBy]
  const { members = [], tiers = [] } = (isJury(judge) ? juryPartsOf(judge) : undefined) ?? {}
  const inner = [...members.map((member) => member.judge), ...tiers.map((tier) => tier.jury)].flatMap(certificatesOf)
  return own === undefined ? inner : [own, ...inner]
}
