/** What can go wrong between a judge and its model. */
export interface LlmProblems {
  'template-invalid': { readonly template: string; readonly variable?: string }
  'variable-missing': { readonly template: string; readonly variable: string }
  'labels-invalid': { readonly label: string }
  'model-timeout': { readonly timeoutMs: number }
  'response-invalid': { readonly reason: string }
  'replay-miss': { readonly key: string }
  'budget-exceeded': { readonly spent: number; readonly limit: number }
}
