import { JuristError } from '@jurist/core'

declare module '@jurist/core' {
  interface Problems {
    'sandbox-unavailable': { readonly sandbox: string; readonly reason: string }
    'egress-failed': { readonly reason: string }
    'not-started': { readonly command: string }
    'provision-failed': { readonly directory: string; readonly reason: string }
    'git-failed': { readonly stderr: string }
    'test-unknown': { readonly test: string; readonly nearest: string | null }
    'imported-elsewhere': { readonly name: string; readonly from: string }
    'not-isolatable': { readonly what: string }
    'environment-unfit': { readonly problem: string }
    'report-corrupt': { readonly path: string }
    'report-unsupported': { readonly path: string }
    'reward-missing': { readonly path: string }
    'reward-invalid': { readonly path: string; readonly reason: string }
  }
}

export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

export function provisionFailed(directory: string, reason: string): JuristError<'provision-failed'> {
  return new JuristError('provision-failed', `The workspace ${directory} cannot be created: ${reason}.`, {
    directory,
    reason,
  })
}
