import type { AiSdkUsage } from '../ai-sdk/shape.js'

/** What is read of one step of Mastra; every field may be missing or malformed. */
export interface MastraStep {
  readonly text?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly finishReason?: string | undefined
  readonly response?: { readonly modelId?: string | undefined } | undefined
  readonly toolCalls?: readonly object[] | undefined
}

/** What is read of what `agent.generate` resolved to; every field may be missing or malformed. */
export interface MastraResult {
  readonly text?: string | undefined
  readonly object?: unknown
  readonly finishReason?: string | undefined
  readonly totalUsage?: AiSdkUsage | undefined
  readonly steps?: readonly MastraStep[] | undefined
  readonly toolCalls?: readonly object[] | undefined
  readonly toolResults?: readonly object[] | undefined
  readonly sources?: readonly object[] | undefined
  readonly warnings?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly error?: unknown
  readonly tripwire?: unknown
  readonly tripwireReason?: string | undefined
  readonly traceId?: string | undefined
}
