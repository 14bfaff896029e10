import { JuristError } from '@jurist/core'
import { findExecutable } from './executable.js'
import type { RunLimits } from './sandbox.js'

/**
 * The words to put before a command so that it keeps its limits; none without limits.
 *
 * @throws `sandbox-unavailable` for a memory limit, which needs a container, and where `prlimit` is missing
 */
export function limitingWords(sandbox: string, limits: RunLimits): readonly string[] {
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

/** The one error of a sandbox that does not work. */
export function unavailable(sandbox: string, reason: string, cause?: unknown): JuristError<'sandbox-unavailable'> {
  const message = `The sandbox "${sandbox}" is not available: ${reason}.`
  return new JuristError('sandbox-unavailable', message, { sandbox, reason }, { cause })
}

/** The error of a program that is not there. */
export function noProgram(command: string): JuristError<'not-started'> {
  return new JuristError('not-started', `${command} was not found, or is not executable.`, { command })
}
