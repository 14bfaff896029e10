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
    'mcp-tool-broken': { readonly tool: string }
    'workspace-not-local': { readonly bridge: string }
  }
}

export {}
