import { closeSync, openSync, utimesSync } from 'node:fs'
import { resolve } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { usageInvalid } from '../config/problems.js'
import type { Host } from './host.js'

const everyMs = 5_000

/**
 * Touches a file every five seconds while this process can do anything at all, whatever it waits for: for a probe that
 * restarts a process that hangs.
 *
 * @throws `usage-invalid` for a file that cannot be written
 */
export function aliveFile({ cwd }: Host, path: string | undefined): Disposable {
  if (path === undefined) return { [Symbol.dispose]() {} }
  const file = resolve(cwd, path)
  try {
    closeSync(openSync(file, 'a'))
    touch(file)
  } catch (thrown) {
    throw usageInvalid('--alive-file', `--alive-file ${path} cannot be written: ${failureOf(thrown).message}`)
  }
  const timer = setInterval(touch, everyMs, file)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function touch(file: string): void {
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch {
    // The probe finds an old file, or none.
  }
}
