import { flatten, type JsonObject, type Judgment, type Verdict } from '@jurist/core'
import type { RunResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import type { LoadedConfig } from '../../config/load-config.js'
import type { Reveal } from '../hook/feedback.js'

/** The verdicts that this server made, the last of them. */
interface Judged {
  /** Keeps a verdict, and returns its name. */
  keep(verdict: Verdict): string
  find(name: string): Verdict | undefined
}

const mostKept = 20

/** No verdicts yet. */
export function judgedVerdicts(): Judged {
  const kept = new Map<string, Verdict>()
  let count = 0
  return {
    keep(verdict) {
      count += 1
      kept.set(`judged-${count}`, verdict)
      if (count > mostKept) kept.delete(`judged-${count - mostKept}`)
      return `judged-${count}`
    },
    find: (name) => kept.get(name),
  }
}

/** The judgment at a path of a verdict, such as `rules/build`; `''` is the whole. */
export function judgmentAt(verdict: Verdict, path: string): Judgment | undefined {
  return flatten(verdict).find((row) => row.path === (path === '' ? '' : `/${path}`))?.judgment
}

/** What the tools of the server work with. */
export interface McpPlace {
  /** The config, loaded when the server started. Rejects where it is missing or cannot be used. */
  readonly config: () => Promise<LoadedConfig>
  readonly store: () => Promise<ResultStore>
  /** A run by its id, a prefix of it, or `latest`. */
  readonly findRun: (text: string) => Promise<RunResult>
  /** The directory that a client may have judged, by what it calls it. */
  readonly directory: (given: string | undefined) => Promise<string>
  readonly allowCommands: boolean
  /** What clients read of a judgment that did not pass. */
  readonly reveal: Reveal
  /** The verdicts of this server. */
  readonly judged: Judged
}

/** A tool of the server. */
export interface McpTool {
  readonly description: string
  /** JSON Schema of what it takes, in the subset that `inputProblems` checks. */
  readonly input: JsonObject
  /** Whether its answer depends on something outside of this machine, such as a model. */
  readonly isOpenWorld?: boolean
  /** Returns text or JSON. A `JuristError` is an answer that the model reads. */
  readonly run: (input: JsonObject, place: McpPlace, signal: AbortSignal) => Promise<string | object>
}

/** The schema of an input with these properties. */
export function inputOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** A string of an input, which its schema has checked. */
export function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' ? value : undefined
}
