import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { crashServer } from './scratch-server.js'

/** Waits for the end of this process, which closes its input, and then ends the server and deletes its directory. */
const guard = 'read _; id=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT "$id"; rm -rf "$1"'

/**
 * Names the directory of the server that the tests of this run share, and stops the server when they have ended: also when
 * this process is killed.
 */
export default function setup(project: TestProject): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-postgres-'))
  project.provide('postgresDirectory', directory)
  const child = spawn('sh', ['-c', guard, 'sh', directory], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  child.unref()
  return async () => {
    await crashServer(directory)
    rmSync(directory, { recursive: true, force: true })
    child.stdin?.end()
  }
}
