import { JuristError } from '@jurist/core'

declare module '@jurist/core' {
  interface Problems {
    'ratchet-refused': { readonly name: string }
  }
}

/** The error of a ratchet that cannot continue: exit code 3. */
export function ratchetRefused(name: string, message: string): JuristError<'ratchet-refused'> {
  return new JuristError('ratchet-refused', message, { name })
}
