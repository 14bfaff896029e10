import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEntry } from '@jurist/experiment/store'
import type { CopyEnd } from './copy-documents.js'

/** Copies the labels of a run that the other end does not have. */
export async function copyLabels(from: CopyEnd, to: CopyEnd, run: RunEntry): Promise<void> {
  const there = await linesOf(to, run)
  const known = new Set(there)
  const missing = (await linesOf(from, run)).filter((line) => !known.has(line))
  if (missing.length === 0) return
  const lines = missing.map((line) => `${line}\n`).join('')
  if (to.directory === undefined) await to.store.labels?.append(run, lines)
  else await appendFile(fileOf(to.directory, run), lines)
}

async function linesOf({ store, directory }: CopyEnd, run: RunEntry): Promise<readonly string[]> {
  const text =
    directory === undefined
      ? await store.labels?.read(run)
      : await readFile(fileOf(directory, run), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
          if (thrown.code === 'ENOENT') return ''
          throw thrown
        })
  // What follows the last line end is a line that was not finished.
  return text?.split('\n').slice(0, -1) ?? []
}

function fileOf(directory: string, { experimentName, id }: RunEntry): string {
  return join(directory, experimentName, id, 'labels.jsonl')
}
