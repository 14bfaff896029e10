import type { Judge, Jury } from '@jurist/core'
import { isJury, juryPartsOf } from '@jurist/core/internal'

const certifiedBy = Symbol('certificate')

/** A certificate as far as a run needs it; `readCertificate` reads the whole. */
interface Identified {
  readonly id: string
}

/** The jury, which decides by a certificate; `null`: it would, but nothing is certified yet. */
export function withCertificate(jury: Jury, certificate: Identified | null): Jury {
  return Object.defineProperty(jury, certifiedBy, { value: certificate })
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
  const own = (judge as { readonly [certifiedBy]?: Identified | null })[certifiedBy]
  const { members = [], tiers = [] } = (isJury(judge) ? juryPartsOf(judge) : undefined) ?? {}
  const inner = [...members.map((member) => member.judge), ...tiers.map((tier) => tier.jury)].flatMap(certificationsIn)
  return own === undefined ? inner : [own, ...inner]
}
