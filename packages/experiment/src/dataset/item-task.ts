import { lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { taskOfInput } from './item-input.js'
import { readTextFile } from './json-file.js'
import type { Spot } from './problem.js'

const keys = ['task', 'developerTask'] as const
const files = ['task.md', 'instruction.md'] as const
const maxBytes = 1024 * 1024

/** What an `item.json` says about its task. */
interface Said {
  readonly task?: string | undefined
  readonly developerTask?: string | undefined
}

/**
 * The task of an item: a key of its `item.json`, a `task.md` or `instruction.md` beside it, or else what its input says.
 * Reports a task that is missing or given twice; `undefined` then.
 *
 * @param spot of the `item.json`
 */
export async function readTask(
  root: string,
  said: Said,
  input: JsonObject | null,
  spot: Spot,
): Promise<string | undefined> {
  const directory = dirname(spot.file)
  const refuse = (problem: string, remedy: string): undefined => {
    spot.report({ file: spot.file, item: spot.item, field: 'task', problem, remedy })
  }
  const written = keys.filter((key) => said[key] !== undefined)
  const beside = files.filter((file) => lstatSync(join(root, directory, file), { throwIfNoEntry: false }) !== undefined)
  const [first, second] = [...written, ...beside]
  if (second !== undefined) return refuse(`is given twice: ${first} and ${second}.`, 'Keep one of them.')
  const [key] = written
  if (key !== undefined) return said[key]
  const [file] = beside
  if (file !== undefined) return taskFile(root, { ...spot, file: join(directory, file) })
  if (input !== null) return taskOfInput(input)
  return refuse('is missing.', 'Say what the agent is to do: as "task" here, or in a task.md beside this file.')
}

async function taskFile(root: string, spot: Spot): Promise<string | undefined> {
  const refuse = (problem: string, remedy: string): undefined => {
    spot.report({ file: spot.file, item: spot.item, field: null, problem, remedy })
  }
  const { size = 0 } = statSync(join(root, spot.file), { throwIfNoEntry: false }) ?? {}
  if (size > maxBytes) return refuse('is larger than 1 MB.', 'Shorten it, or put the details into files in before/.')
  const text = (await readTextFile(root, spot))?.trim()
  return text === '' ? refuse('is blank.', 'Say what the agent is to do.') : text
}
