import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { copyOf, type ProvisionedWorkspace } from '@jurist/workspace'
import type { Host } from './host.js'

const noticedMs = 1_000
/** What installers and builds leave, which takes long to copy. */
const large: readonly string[] = ['node_modules', '.venv', 'venv', 'target', '.gradle', 'vendor']

/** A copy of a directory, so that judges cannot change it. One that takes long is announced on stderr. */
export async function judgedCopy(directory: string, { note }: Host): Promise<ProvisionedWorkspace> {
  const announce = () => note(`Copying ${directory} for the judges; --in-place judges the directory itself.`)
  const isLarge = large.some((name) => existsSync(join(directory, name)))
  if (isLarge) announce()
  const timer = isLarge ? undefined : setTimeout(announce, noticedMs)
  try {
    return await copyOf(directory)
  } finally {
    clearTimeout(timer)
  }
}
