import type { Check, JsonObject } from '@jurist/core'

/** A package of the workspace that a run takes from somewhere else, so that not the judged work is tested. */
export interface OutsideImport {
  readonly name: string
  /** Where it comes from. */
  readonly from: string
  /** What makes it come from there, and what to do about it. */
  readonly remedy: string
  /** Whether the agent made it so, as far as that is known. */
  readonly isAgents: boolean
}

/** What is known of the packages that a run imports. */
export interface Imports {
  /** Variables that make the packages of the workspace win. */
  readonly env: { readonly [name: string]: string }
  /** Those that still come from outside. */
  readonly outside: readonly OutsideImport[]
  /** Packages that are installed elsewhere, and come from the workspace for this run: name and place. */
  readonly redirected: { readonly [name: string]: string }
  /** Takes away what was made for the run. */
  readonly tidy: () => void
}

/** Nothing is known, or nothing comes from outside. */
export const noImports: Imports = { env: {}, outside: [], redirected: {}, tidy: () => {} }

/** The check that says which packages were not the judged ones. */
export function importCheck(outside: readonly OutsideImport[]): Check {
  return { name: 'imported_from', passed: false, message: outside.map(described).join('; ') }
}

/** A package and the place that it comes from, as a reader may see it. */
export function described({ name, from }: OutsideImport): string {
  return `${name} is imported from ${from}, not from the workspace`
}

/** The metadata on packages that a run had to be led back to. */
export function redirectedMetadata({ redirected }: Imports): JsonObject {
  return Object.keys(redirected).length === 0 ? {} : { importedFrom: { ...redirected } }
}
