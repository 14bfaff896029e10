import { flatten, type JsonObject, type Judgment, type Verdict } from '@jurist/core'
import type { RunResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import type { LoadedConfig } from '../../config/load-config.js'
import type { Reveal } from '../hook/feedback.js'

/** The most recent verdicts of this server. */
interface Judged {
  /** Stores a verdict and returns its name. */
  keep(verdict: Verdict): string
  find(name: string): Verdict | undefined
}

const mostKept = 20

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

/** Returns the judgment at a path of a verdict, such as `rules/build`; `''` stands for the whole verdict. */
export function judgmentAt(verdict: Verdict, path: string): Judgment | undefined {
  return flatten(verdict).find((row) => row.path === (path === '' ? '' : `/${path}`))?.judgment
}

/** The environment of the server's tools. */
export interface McpPlace {
  /** Returns the config, loaded when the server started. Rejects if it is missing or invalid. */
  readonly config: () => Promise<LoadedConfig>
  readonly store: () => Promise<ResultStore>
  /** Finds a run by its id, a prefix of it, or `latest`. */
  readonly findRun: (text: string) => Promise<RunResult>
  /** Resolves a directory that a client may have judged. */
  readonly directory: (given: string | undefined) => Promise<string>
  readonly allowCommands: boolean
  /** The parts of a failing judgment that clients may read. */
  readonly reveal: Reveal
  /** The verdicts of this server. */
  readonly judged: Judged
}

export interface McpTool {
  readonly description: string
  /** The JSON Schema of its input, in the subset that `inputProblems` checks. */
  readonly input: JsonObject
  /** Whether its answer depends on something outside this machine, such as a model. */
  readonly isOpenWorld?: boolean
  /** Whether it changes anything. Default `false`. */
  readonly changes?: boolean
  /** Returns text or JSON. The message of a `JuristError` is an answer for the model. */
  readonly run: (input: JsonObject, place: McpPlace, signal: AbortSignal) => Promise<string | object>
}

export function inputOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Reads a string of an input, which its schema has checked. */
export function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' ? value : undefined
}
