import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The working directory of all tests of a run. */
    readonly workingDirectory: string
  }
}

/**
 * Makes an empty directory, outside of any repository, for the tests to work in. Each run of an experiment asks git about its
 * directory, which takes up to a sixth of a second in this repository.
 */
export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-tests-'))
  project.provide('workingDirectory', directory)
  return () => rmSync(directory, { recursive: true, force: true })
}
