import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { TestsLock } from '@jurist/workspace/commands'
import * as v from 'valibot'
import { anyText, fields, texts } from '../fields.js'
import { checkAt } from './item-fields.js'
import { readJsonFile } from './json-file.js'
import type { Spot } from './problem.js'

/** The file beside `item.json` that names the tests of an item. */
const lockFile = 'tests.lock.json'

const lockSchema: v.GenericSchema<unknown, TestsLock> = fields({
  failToPass: texts,
  passToPass: texts,
  flaky: texts,
  seconds: v.number('must be a number'),
  tool: anyText,
  juryFingerprint: anyText,
  itemHash: anyText,
})

/** The lock of an item; `undefined` without one, and when something is wrong with it, which is reported. */
export async function readTestsLock(root: string, itemPath: string, spot: Spot): Promise<TestsLock | undefined> {
  const place: Spot = { ...spot, file: join(itemPath, lockFile) }
  if (lstatSync(join(root, place.file), { throwIfNoEntry: false }) === undefined) return undefined
  const value = await readJsonFile(root, place)
  return value === undefined ? undefined : checkAt(lockSchema, value, place)
}
