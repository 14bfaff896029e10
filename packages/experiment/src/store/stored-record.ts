import { JuristError } from '@jurist/core'
import { isPlainObject, pointer } from '@jurist/core/internal'
import * as v from 'valibot'
import type { ItemResult } from '../result/records.js'
import { shown } from './names.js'
import { headSchema, itemSchema, type RunHead } from './record-schemas.js'

/** Refuses a stored record: throws `record-invalid` with the file and an RFC 6901 pointer into it. */
export function recordInvalid(path: string, place: string, problem: string): never {
  throw new JuristError(
    'record-invalid',
    `${shown(path)}: ${problem}. Restore the file from a copy, or remove what it belongs to.`,
    { path, pointer: place },
  )
}

/**
 * A record from the text of a file of schema version 1; unknown fields are dropped.
 *
 * @throws `record-invalid`: no JSON, a field that is wrong, a version that only a newer Jurist reads
 */
export function readRecord<Record>(schema: v.GenericSchema<unknown, Record>, text: string, path: string): Record {
  const value = parsedRecord(text, path)
  checkVersion(value, path)
  return checkedRecord(schema, value, path)
}

export function checkedRecord<Record>(schema: v.GenericSchema<unknown, Record>, value: unknown, path: string): Record {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const place = pointer((issue.path ?? []).map((step) => String(step.key)))
  return recordInvalid(path, place, `${place === '' ? 'the whole' : place} is wrong: ${issue.message}`)
}

export function parsedRecord(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    return recordInvalid(path, '', `it is not JSON: ${thrown instanceof Error ? thrown.message : thrown}`)
  }
}

function checkVersion(value: unknown, path: string): void {
  const version = isPlainObject(value) ? value['schemaVersion'] : undefined
  if (version === 1) return
  if (typeof version !== 'number' || version < 1)
    recordInvalid(path, '/schemaVersion', 'schemaVersion must be the number 1')
  throw new JuristError(
    'record-invalid',
    `${path.split(/[\\/]/).at(-1)} has schema version ${version}; this jurist reads 1. Install a newer jurist.`,
    { path, pointer: '/schemaVersion' },
  )
}

/**
 * The head of a run from the text of `run.json`; unknown fields are dropped.
 *
 * @throws `record-invalid`: not JSON, a field that is wrong, a version that only a newer Jurist reads
 */
export function runHeadFromJson(json: string, path: string): RunHead {
  return readRecord(headSchema, json, path)
}

/**
 * The same from the bytes of the file. Shards of one run have the same long order of items: it is parsed once, and in memory
 * once.
 */
export function runHeadFromBytes(json: Buffer, path: string): RunHead {
  const begin = orderBegin(json)
  const end = begin + (lastOrder?.json.length ?? 0)
  if (begin > 0 && lastOrder?.json.equals(json.subarray(begin, end))) {
    const rest = Buffer.concat([json.subarray(0, begin), Buffer.from('[]'), json.subarray(end)])
    return { ...runHeadFromJson(rest.toString(), path), itemOrder: lastOrder.items }
  }
  const head = runHeadFromJson(json.toString(), path)
  const after = begin > 0 ? json.indexOf(orderEnd, begin) + orderEnd.length : 0
  if (after - begin >= longOrder && head.itemOrder !== undefined)
    lastOrder = { json: json.subarray(begin, after), items: head.itemOrder }
  return head
}

let lastOrder: { readonly json: Buffer; readonly items: readonly string[] } | undefined
const longOrder = 10_000

const orderName = '\n  "itemOrder": '
const orderEnd = '\n  ]'

/** Where `itemOrder` begins in a head as `runHeadToJson` writes it; 0 without one. */
function orderBegin(json: Buffer): number {
  const at = json.indexOf(orderName)
  const begin = at + orderName.length
  return at >= 0 && json[begin] === '['.charCodeAt(0) ? begin : 0
}

export function runHeadToJson(record: RunHead): string {
  return `${JSON.stringify(record, undefined, 2)}\n`
}

/**
 * The trial in a line of `items.jsonl`: its own fields checked, unknown ones dropped. Core checks the verdict and the
 * judgments in it when they are used.
 *
 * @throws `record-invalid` naming line and field
 */
export function itemFromLine(value: unknown, path: string, line: number): ItemResult {
  if (!isPlainObject(value)) return recordInvalid(path, '', `line ${line} is not the record of a trial`)
  const result = v.safeParse(itemSchema, value, { abortEarly: true, abortPipeEarly: true })
  if (result.success) return result.output
  const key = String(result.issues[0].path?.[0]?.key)
  return recordInvalid(path, pointer([key]), `line ${line} has no valid "${key}"`)
}
