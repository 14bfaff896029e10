import type { ModelOptions } from '@jurist/core/llm'

/** A warning for each setting that a request makes and a model cannot be told. */
export function unsupported(options: ModelOptions, unknown: readonly (keyof ModelOptions)[]): readonly string[] {
  return unknown.flatMap((setting) => (options[setting] === undefined ? [] : [`unsupported: ${setting}`]))
}
