import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { runProcess } from '../process.js'
import { unavailable } from './resource-limits.js'
import type { Sandbox } from './sandbox.js'

const probeMs = 30_000

/** A `probe` that runs `true` in a sandbox; a success is remembered, a failure is tried again. */
export function probeOf(name: string, launch: Sandbox['launch']): Sandbox['probe'] {
  let works = false
  return async function probe(signal) {
    if (works) return
    const root = await mkdtemp(join(tmpdir(), 'jurist-probe-'))
    try {
      await runTrue(name, launch, root, signal)
      works = true
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  }
}

async function runTrue(name: string, launch: Sandbox['launch'], root: string, signal?: AbortSignal): Promise<void> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
  const started = await launch({ file: 'true', args: [], root, cwd: '.', env, limits: {} }).catch((thrown: unknown) => {
    if (JuristError.is(thrown, 'sandbox-unavailable')) throw thrown
    throw unavailable(name, failureOf(thrown).message, thrown)
  })
  const { status, exitCode, stderr, failure } = await runProcess(started, {
    marker: randomBytes(16).toString('hex'),
    timeoutMs: probeMs,
    signals: signal === undefined ? [] : [signal],
    stdin: 'ignore',
    maxOutputBytes: 2_048,
    killAfterMs: 500,
  })
  if (status === 'aborted')
    throw new JuristError('aborted', 'The probe was stopped.', { reason: String(signal?.reason) })
  if (exitCode !== 0)
    throw unavailable(name, `running "true" in it failed (${stderr.trim() || failure?.message || status})`)
}
