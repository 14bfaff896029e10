import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'

/** Names the directory of the server that the tests of this run share, and stops the server when they have ended. */
export default function setup(project: TestProject): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-postgres-'))
  project.provide('postgresDirectory', directory)
  return async () => {
    const file = join(directory, 'data/postmaster.pid')
    const id = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
    // SIGQUIT: it ends without saving anything.
    if (id !== undefined) process.kill(id, 'SIGQUIT')
    while (id !== undefined && existsSync(file) && isRunning(id)) await setTimeout(20)
    rmSync(directory, { recursive: true, force: true })
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}
