/** An empty directory for one call. */
export interface ScratchDirectory extends AsyncDisposable {
  readonly path: string
  /** Deletes it; never rejects, but tells whether it is gone. */
  remove(): Promise<boolean>
}

/**
 * Makes an empty directory below `${XDG_CACHE_HOME:-~/.cache}/jurist`: outside of any workspace, and outside of `/tmp`,
 * from where some agents cannot start their sandboxes. Disposal deletes it.
 *
 * @param kind what it is for, such as `home`
 */
export async function scratchDirectory(kind: string): Promise<ScratchDirectory> {
  const { mkdir, mkdtemp } = await import('node:fs/promises')
  const { homedir } = await import('node:os')
  const { join } = await import('node:path')
  const given = process.env['XDG_CACHE_HOME'] ?? ''
  const parent = join(given === '' ? join(homedir(), '.cache') : given, 'jurist', 'scratch')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(parent, `${kind}-`))
  const remove = () => removeTree(path)
  return { path, remove, [Symbol.asyncDispose]: async () => void (await remove()) }
}

/** Agents leave directories that nobody may write to, such as the caches of modules. */
async function removeTree(path: string): Promise<boolean> {
  const { rm } = await import('node:fs/promises')
  const removed = () =>
    rm(path, { recursive: true, force: true, maxRetries: 3 }).then(
      () => true,
      () => false,
    )
  if (await removed()) return true
  await openDirectories(path)
  return removed()
}

/** Makes every directory of a tree writable, as far as that may be done. Links are not followed. */
async function openDirectories(path: string): Promise<void> {
  const { chmod, readdir } = await import('node:fs/promises')
  try {
    await chmod(path, 0o700)
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries) if (entry.isDirectory()) await openDirectories(`${path}/${entry.name}`)
  } catch {
    // Another user's, or gone meanwhile; the removal will tell.
  }
}
