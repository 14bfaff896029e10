import { randomBytes } from 'node:crypto'
import { accessSync, constants, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { runProcess } from '../process.js'
import type { CommandLimits, Launch, Sandbox, SandboxCommand } from './sandbox.js'

/** Returns the absolute path of a program, found like `execvp` does; `undefined` if it does not exist. */
export function findExecutable(name: string, cwd: string, path: string | undefined): string | undefined {
  const places = name.includes('/') ? [''] : (path ?? '/usr/bin:/bin').split(':')
  return places.map((directory) => resolve(cwd, directory, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/**
 * Returns the arguments that go before a command to enforce its limits; none without limits.
 *
 * @throws `sandbox-unavailable` for a memory limit, which needs a container, and if `prlimit` is missing
 */
export function limitingWords(sandbox: string, limits: CommandLimits): readonly string[] {
  const { memoryBytes, processes, cpuSeconds, fileBytes } = limits
  if (memoryBytes !== undefined) throw unavailable(sandbox, 'it cannot limit memory; use dockerSandbox for that')
  const flags = [
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    ...(cpuSeconds === undefined ? [] : [`--cpu=${Math.ceil(cpuSeconds)}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
  ]
  if (flags.length === 0) return []
  const prlimit = findExecutable('prlimit', '/', process.env.PATH)
  if (prlimit === undefined) throw unavailable(sandbox, 'limits need the program prlimit, which is not installed')
  return [prlimit, ...flags, '--']
}

export function unavailable(sandbox: string, reason: string, cause?: unknown): JuristError<'sandbox-unavailable'> {
  const message = `The sandbox "${sandbox}" is not available: ${reason}.`
  return new JuristError('sandbox-unavailable', message, { sandbox, reason }, { cause })
}

export function noProgram(command: string): JuristError<'not-started'> {
  return new JuristError('not-started', `${command} was not found, or is not executable.`, { command })
}

const probeMs = 30_000

/** A sandbox with an allow-list proves it when it is probed. */
type ProbeLaunch = (command: SandboxCommand, isProbe: boolean) => Promise<Launch>

/** Creates a `probe` that runs `true` in a sandbox. A success is cached; a failure is not. */
export function probeOf(name: string, launch: ProbeLaunch): Sandbox['probe'] {
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

async function runTrue(name: string, launch: ProbeLaunch, root: string, signal?: AbortSignal): Promise<void> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
  const started = await launch({ file: 'true', args: [], root, cwd: '.', env, limits: {} }, true).catch(
    (thrown: unknown) => {
      if (JuristError.is(thrown, 'sandbox-unavailable')) throw thrown
      throw unavailable(name, failureOf(thrown).message, thrown)
    },
  )
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
