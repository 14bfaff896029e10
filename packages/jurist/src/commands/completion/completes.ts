import type { Completes, NameKind } from '@jurist/experiment/plugin'

/** What the placeholders of flags and arguments say, such as `<run>`. A declaration may say something else. */
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

/** What the value of a flag or an argument can be, from its usage such as `--baseline <run>`. */
export function completesOf(usage: string, declared: Completes | undefined): Completes | undefined {
  const [, placeholder = ''] = /[<[]([^>\].]+)(?:\.\.\.)?[>\]]/.exec(usage) ?? []
  return declared ?? placeholders[placeholder]
}

/** One candidate, and what it is. */
export interface Candidate {
  readonly value: string
  readonly description?: string
}

/** What a shell should offer: candidates, or files that it knows better. */
export type Offer = { readonly candidates: readonly Candidate[] } | { readonly paths: 'files' | 'directories' }
