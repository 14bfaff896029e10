declare module '@jurist/core' {
  interface Problems {
    'sandbox-unavailable': { readonly sandbox: string; readonly reason: string }
    'not-started': { readonly command: string }
    'provision-failed': { readonly directory: string; readonly reason: string }
    'git-failed': { readonly stderr: string }
    'test-unknown': { readonly test: string; readonly nearest: string | null }
    'report-corrupt': { readonly path: string }
    'report-unsupported': { readonly path: string }
  }
}

/** The system's code of a thrown error, such as `'ENOENT'`. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
