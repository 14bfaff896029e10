import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type FilePlaces, keepFile } from './trial-files.js'

/** What a store of files keeps of a run besides: its record and its labels, which the database has in tables. */
const records: ReadonlySet<string> = new Set([
  'run.json',
  'items.jsonl',
  'trials.jsonl',
  'excluded.json',
  'labels.jsonl',
  'lock',
  'next',
])

/** Keeps the files in the directory of a run: each workspace as a whole, and every other file. Returns what is not kept. */
export async function keepRunFiles(places: FilePlaces, run: string, directory: string): Promise<readonly string[]> {
  const problems: string[] = []
  for (const path of await pathsIn(directory, '')) {
    const problem = await keepFile(places, { run, path, place: join(directory, path) })
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

async function pathsIn(directory: string, at: string): Promise<readonly string[]> {
  const entries = await readdir(join(directory, at), { withFileTypes: true }).catch(() => [])
  const paths: string[] = []
  for (const entry of entries) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`
    if (records.has(path)) continue
    if (entry.isDirectory() && at !== 'workspaces') paths.push(...(await pathsIn(directory, path)))
    else if (entry.isDirectory() || entry.isFile()) paths.push(path)
  }
  return paths
}
