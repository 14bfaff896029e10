declare module '@jurist/core' {
  interface Problems {
    'metadata-reserved': { readonly key: string }
    'result-invalid': { readonly bridge: string; readonly path: string }
    'model-http': { readonly status: number }
    'model-connection': { readonly host: string }
    'model-response': { readonly reason: string }
    'model-refused': { readonly reason: string }
    'agent-start': { readonly command: string }
    'agent-protocol': { readonly reason: string }
    'agent-failed': { readonly reason: string }
    'workspace-not-local': { readonly bridge: string }
  }
}

/** The codes that this package adds to `Problems`; a file that raises one imports this one, so that it is known. */
export type BridgeProblem =
  | 'metadata-reserved'
  | 'result-invalid'
  | 'model-http'
  | 'model-connection'
  | 'model-response'
  | 'model-refused'
  | 'agent-start'
  | 'agent-protocol'
  | 'agent-failed'
  | 'workspace-not-local'
