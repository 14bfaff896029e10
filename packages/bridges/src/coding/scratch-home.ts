/** An empty directory for one call. */
export interface ScratchDirectory extends AsyncDisposable {
  readonly path: string
}

/**
 * Makes an empty directory below `${XDG_CACHE_HOME:-~/.cache}/jurist`: outside of any workspace, and outside of `/tmp`,
 * from where some agents cannot start their sandboxes. Disposal deletes it.
 *
 * @param kind what it is for, such as `home`
 */
export async function scratchDirectory(kind: string): Promise<ScratchDirectory> {
  const { mkdir, mkdtemp, rm } = await import('node:fs/promises')
  const { homedir } = await import('node:os')
  const { join } = await import('node:path')
  const given = process.env['XDG_CACHE_HOME'] ?? ''
  const parent = join(given === '' ? join(homedir(), '.cache') : given, 'jurist', 'scratch')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(parent, `${kind}-`))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
