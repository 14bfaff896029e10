import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { crashServer } from './scratch-server.js'

/** Names the directory of the server that the tests of this run share, and stops the server when they have ended. */
export default function setup(project: TestProject): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-postgres-'))
  project.provide('postgresDirectory', directory)
  return async () => {
    await crashServer(directory)
    rmSync(directory, { recursive: true, force: true })
  }
}
