import type { ItemFailure } from '../result/records.js'

/** Which workspaces are kept beside the results; `failed`: of every trial whose `passed` is not true. */
export type Preserve = 'all' | 'failed' | 'none'

/** What a run may cost. Checked before each trial starts. */
export interface Budget {
  /** US dollars for the run. */
  readonly usd?: number
  /** Tokens for the run, by `tokensOf`. */
  readonly tokens?: number
  /** Whether juries count. Default `true`. */
  readonly includeJudges?: boolean
  /** US dollars for one trial: it is cancelled when the cost it recorded exceeds this. */
  readonly perItemUsd?: number
}

/** How infrastructure failures are retried. Nothing else ever is. */
export interface Retries {
  /** All attempts of a trial, the first included. Default 3. */
  readonly attempts?: number
  /** Milliseconds before the second attempt; doubled each time. Default 1,000. */
  readonly baseMs?: number
  /** The longest delay in milliseconds. Default 60,000. */
  readonly maxMs?: number
  /** Whether each delay is a random part of that, so that trials that failed together do not return together. Default `true`. */
  readonly jitter?: boolean
  /** Whether the surroundings failed, not the agent. Default: by the failure's own word, then by its code. */
  isInfrastructure?(failure: ItemFailure): boolean
}
