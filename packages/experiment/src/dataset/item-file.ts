import { lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { printed } from '@jurist/core/internal'
import * as v from 'valibot'
import { anyText, fields, record, text, texts, yesOrNo } from '../fields.js'
import type { UnhashedItem } from './item.js'
import {
  checkAt,
  expected,
  nothingExpected,
  readInput,
  readMetadata,
  settingFields,
  settingsAmong,
  taskOfInput,
  unknownKeyRemedy,
  warnOfReservedKeys,
  warnOfTags,
} from './item-fields.js'
import { readJsonFile, readTextFile } from './json-file.js'
import { type ManifestEntry, manifestFile } from './manifest.js'
import type { Report, Spot } from './problem.js'

/** The content of an `item.json`; its sources are beside the file. */
interface ItemFile {
  /** Without sources; `null` when there are errors. */
  readonly fields: Omit<UnhashedItem, 'before' | 'reference'> | null
  readonly beforeRef: unknown
  readonly referenceRef: unknown
  readonly spot: Spot
}

/** Keys of other tools, and common guesses, with the key to use instead. */
const renamed = { prompt: 'task', instruction: 'task', tag: 'tags', timeout: 'timeoutMs', vars: 'input' }

const itemSchema = fields(
  {
    schemaVersion: v.exactOptional(v.literal(1, 'must be the number 1')),
    id: v.exactOptional(anyText),
    slug: v.exactOptional(anyText),
    bucket: v.exactOptional(anyText),
    taskType: v.exactOptional(anyText),
    status: v.exactOptional(anyText),
    task: v.exactOptional(text),
    developerTask: v.exactOptional(text),
    noChange: v.exactOptional(yesOrNo, false),
    knowledgeRefs: v.exactOptional(texts, () => []),
    tags: v.exactOptional(texts, () => []),
    referenceData: v.exactOptional(texts, () => []),
    expectedOutput: v.exactOptional(expected),
    metadata: v.exactOptional(record),
    ...settingFields,
  },
  { others: ['$schema', 'input', 'beforeRef', 'referenceRef'], renamed, remedy: unknownKeyRemedy },
)

/** Reads the `item.json` of an entry and reports every issue. `undefined` when it holds no object. */
export async function readItemFile(root: string, entry: ManifestEntry, report: Report): Promise<ItemFile | undefined> {
  const spot: Spot = { file: join(entry.path, 'item.json'), item: entry.id, prefix: '', report }
  const value = await readJsonFile(root, spot)
  const given = value === undefined ? undefined : checkAt(record, value, spot)
  if (given === undefined) return undefined
  const checked = checkAt(itemSchema, given, spot)
  warnOfDisagreement(entry, given, spot)
  warnOfTags(checked?.tags ?? [], 'tags', spot)
  const metadata = readMetadata(given.metadata, spot)
  warnOfReservedKeys(metadata, spot)
  const input = given.input === undefined ? null : readInput(given.input, 'input', spot)
  const task = checked && (await readTask(root, checked, input, spot))
  return {
    spot,
    beforeRef: given.beforeRef,
    referenceRef: given.referenceRef,
    fields:
      checked === undefined || task === undefined
        ? null
        : {
            ...entry,
            task,
            input,
            noChange: checked.noChange,
            tags: Object.freeze(checked.tags),
            knowledgeRefs: Object.freeze(checked.knowledgeRefs),
            ...(checked.expectedOutput ?? nothingExpected),
            referenceData: Object.freeze(checked.referenceData),
            ...settingsAmong(checked),
            jury: null,
            metadata: Object.freeze({ ...entry.metadata, ...metadata }),
          },
  }
}

/** The manifest wins where both files have a key; a different value here is worth a warning. */
function warnOfDisagreement(entry: ManifestEntry, given: Readonly<Record<string, unknown>>, spot: Spot): void {
  for (const key of ['id', 'slug', 'bucket', 'taskType', 'status'] as const) {
    const here = given[key]
    if (typeof here !== 'string' || here === entry[key]) continue
    spot.report({
      file: spot.file,
      item: spot.item,
      field: key,
      problem: `is ${printed(here)} here and ${printed(entry[key])} in ${manifestFile}, which wins.`,
      remedy: 'Make them equal, or leave it out here.',
      severity: 'warning',
    })
  }
}

const keys = ['task', 'developerTask'] as const
const files = ['task.md', 'instruction.md'] as const
const maxBytes = 1024 * 1024

/** The keys of `item.json` that may contain the task. */
interface Said {
  readonly task?: string | undefined
  readonly developerTask?: string | undefined
}

/**
 * The task of an item: a key of its `item.json`, a `task.md` or `instruction.md` beside it, or else the text of its
 * input. A task that is missing or given twice is reported, and the result is `undefined`.
 *
 * @param spot of the `item.json`
 */
async function readTask(root: string, said: Said, input: JsonObject | null, spot: Spot): Promise<string | undefined> {
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
