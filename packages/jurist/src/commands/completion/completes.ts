import type { Completes, NameKind } from '@jurist/experiment/plugin'

/**
 * The kinds of names that placeholders of flags and arguments stand for, such as `<run>`. A declaration may override
 * them.
 */
const placeholders: Readonly<Record<string, NameKind>> = {
  experiment: 'experiment',
  calibration: 'calibration',
  run: 'run',
  baseline: 'run',
  candidate: 'run',
  item: 'item',
  file: 'file',
  path: 'file',
  dir: 'directory',
  directory: 'directory',
  place: 'directory',
  results: 'directory',
}

/** Returns the possible values of a flag or an argument, from its usage such as `--baseline <run>`. */
export function completesOf(usage: string, declared: Completes | undefined): Completes | undefined {
  const [, placeholder = ''] = /[<[]([^>\].]+)(?:\.\.\.)?[>\]]/.exec(usage) ?? []
  return declared ?? placeholders[placeholder]
}

/** A candidate with its description. */
export interface Candidate {
  readonly value: string
  readonly description?: string
}

/** The offer for a shell: candidates, or files, which the shell completes itself. */
export type Offer = { readonly candidates: readonly Candidate[] } | { readonly paths: 'files' | 'directories' }
