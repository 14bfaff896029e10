import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractBundle } from './extract-bundle.js'
import { type BundledRun, refuseBundle } from './manifest.js'

/** A bundle that can be read like a results directory. */
export interface OpenBundle {
  readonly directory: string
  readonly runs: readonly BundledRun[]
}

const opened = new Map<string, Promise<OpenBundle>>()

/** Extracts a bundle into a temporary directory, once in a process; it is deleted when the process ends. */
export function openBundle(path: string): Promise<OpenBundle> {
  const open = opened.get(path) ?? extracted(path)
  opened.set(path, open)
  return open
}

async function extracted(path: string): Promise<OpenBundle> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-bundle-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const { runs } = await extractBundle(path, directory)
  return { directory, runs }
}

/** The one run of a bundle. */
export function onlyRun(path: string, { runs }: OpenBundle): BundledRun {
  const [run, ...others] = runs
  if (run === undefined || others.length > 0)
    return refuseBundle(path, `it holds ${runs.length} runs; extract it and name one: jurist bundle --extract <file>`)
  return run
}
