import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultStore } from '@jurist/experiment/store'
import type { PostgresStore } from '@jurist/postgres'

/** One end of a copy: a results directory, or a database. */
export type CopyEnd =
  | { readonly store: ResultStore; readonly directory: string }
  | { readonly store: PostgresStore; readonly directory: undefined }

/** Copies the sessions and sweeps of an experiment; those of the same name are replaced. */
export async function copyDocuments(from: CopyEnd, to: CopyEnd, experiment: string): Promise<void> {
  for (const kind of ['sessions', 'sweeps'] as const)
    for (const text of await documentsOf(from, experiment, kind)) {
      const name = nameIn(text, kind)
      if (name !== undefined) await put(to, { experiment, kind, name, text })
    }
}

type Kind = 'sessions' | 'sweeps'

async function documentsOf({ store, directory }: CopyEnd, experiment: string, kind: Kind): Promise<readonly string[]> {
  if (directory === undefined) return await store.documents(kind).all(experiment)
  const place = join(directory, experiment, kind)
  const names = await readdir(place).catch(() => [])
  return await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readFile(join(place, name), 'utf8')),
  )
}

/** The name of a document that can be the name of a file. */
function nameIn(text: string, kind: Kind): string | undefined {
  const name: unknown = JSON.parse(text)[kind === 'sessions' ? 'session' : 'sweep']
  return typeof name === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? name : undefined
}

interface Document {
  readonly experiment: string
  readonly kind: Kind
  readonly name: string
  readonly text: string
}

async function put({ store, directory }: CopyEnd, { experiment, kind, name, text }: Document): Promise<void> {
  if (directory === undefined) {
    await store.documents(kind).change(experiment, name, () => text)
    return
  }
  const place = join(directory, experiment, kind)
  await mkdir(place, { recursive: true })
  const unfinished = join(place, `${name}.${process.pid}.tmp`)
  await writeFile(unfinished, text)
  await rename(unfinished, join(place, `${name}.json`))
}
