import type { Json } from './json.js'
import type { Usage } from './usage.js'

/**
 * An event that an agent records in the journal while it works. Judges see only the tool calls and their results, as
 * `toolSteps` of their context.
 */
export type JournalEvent = { readonly at?: string; readonly phase?: string } & (
  | { readonly type: 'prompt'; readonly text: string }
  | {
      readonly type: 'model-call'
      readonly model: string
      readonly provider?: string
      readonly usage?: Usage
      readonly costUsd?: number
      readonly elapsedMs?: number
      readonly finishReason?: string
    }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: Json }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly failed: boolean
      readonly content: string
      readonly elapsedMs?: number
    }
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'state'; readonly state: string }
  | { readonly type: 'file'; readonly path: string; readonly change: 'added' | 'modified' | 'removed' }
  | { readonly type: 'custom'; readonly name: string; readonly data: Json }
)
