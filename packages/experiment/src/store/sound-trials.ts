import { createHash } from 'node:crypto'
import { JuristError } from '@jurist/core'
import type { ItemResult } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'
import { shown } from './disk.js'
import type { LineReading } from './json-lines.js'
import { plannedRepetitions, type RunHead } from './run-head.js'
import { itemFromLine } from './stored-record.js'

/** A reading of `items.jsonl` that leaves out what is not a sound trial of the run. */
export interface SoundTrials {
  readonly reading: LineReading<ItemResult>
  /** A warning about lines that were left out, or about a file that has changed since the run ended; `null`: none. */
  readonly warning: (torn: boolean) => string | null
}

/**
 * Reads the trials of one run. Left out are lines that are damaged, trials that are not in the plan of the run, a second
 * result of a decided trial, and lines added after the run had ended.
 */
export function soundTrials(path: string, head: Judged): SoundTrials {
  const leftOut: string[] = []
  const leave = (line: number, problem: string): undefined => void leftOut.push(`line ${line} ${problem}`)
  const { stored } = head
  const planned = planOf(head)
  const second = secondResults()
  const sum = stored === undefined ? null : sumOf(stored.bytes)
  const isLate = (line: number) => stored !== undefined && line > stored.lines
  return {
    reading: {
      damaged(line) {
        leave(line, isLate(line) ? late : 'is damaged')
      },
      accept(value, line) {
        if (isLate(line)) return leave(line, late)
        const item = itemIn(value, path, line)
        if (typeof item === 'string') return leave(line, item)
        const name = JSON.stringify(trialText(item))
        if (!planned(item)) return leave(line, `is of ${name}, which is not in the plan of the run`)
        const first = second(item, line)
        return first === null ? item : leave(line, `is a second result of ${name}, which line ${first} has decided`)
      },
      ...(sum === null || stored === undefined ? {} : { passed: sum.add, lastLine: stored.lines }),
    },
    warning: (torn) => warningOf(path, leftOut, { torn, changed: sum !== null && sum.hex() !== stored?.sha256 }),
  }
}

/** The fields of the head from which the trials of a run follow. */
export type Judged = Pick<RunHead, 'itemOrder' | 'planned' | 'dataset' | 'configuration' | 'stored'>

const late = 'was added after the run had ended'

function itemIn(value: unknown, path: string, line: number): ItemResult | string {
  try {
    return itemFromLine(value, path, line)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'record-invalid')) throw thrown
    const { pointer } = thrown.details
    return pointer === '' ? 'is not the record of a trial' : `has no valid "${pointer.slice(1)}"`
  }
}

/** Whether a trial is in the plan of a run; of a run that does not name all of its plan every trial is. */
function planOf({ itemOrder = [], ...head }: Judged): (item: ItemResult) => boolean {
  const ids = new Set(itemOrder)
  if (ids.size === 0 || ids.size !== head.dataset.selectedItemCount) return () => true
  return ({ itemId, repetition }) => ids.has(itemId) && repetition <= Math.ceil(plannedRepetitions(head, itemId))
}

/** A function that gives the line that has decided a trial before, and `null` when none has. */
function secondResults(): (item: ItemResult, line: number) => number | null {
  const decided = new Map<string, number>()
  return ({ itemId, repetition, passed }, line) => {
    const key = repetition === 1 ? itemId : `${itemId}\n${repetition}`
    const first = decided.get(key)
    if (first === undefined && passed !== null) decided.set(key, line)
    return first ?? null
  }
}

/** Adds up the first bytes of a file. */
function sumOf(bytes: number) {
  const hash = createHash('sha256')
  let left = bytes
  let digest: string | undefined
  return {
    add(part: Buffer): void {
      hash.update(part.length <= left ? part : part.subarray(0, left))
      left -= Math.min(left, part.length)
    },
    hex(): string {
      digest ??= left > 0 ? '' : hash.digest('hex')
      return digest
    },
  }
}

const maxNamed = 5

function warningOf(
  path: string,
  leftOut: readonly string[],
  { torn, changed }: { readonly torn: boolean; readonly changed: boolean },
): string | null {
  const sentences = [
    ...(leftOut.length === 0 ? [] : [`${listed(leftOut)}. ${leftOut.length === 1 ? 'It is' : 'They are'} left out.`]),
    ...(torn ? ['the last line is torn and was left out; its writer died while it wrote.'] : []),
    ...(changed ? ['the file is not what it was when the run ended: its checksum differs from that in run.json.'] : []),
  ]
  return sentences.length === 0 ? null : `${shown(path)}: ${sentences.join(' ')}`
}

function listed(problems: readonly string[]): string {
  const more = problems.length - maxNamed
  return more > 0 ? `${problems.slice(0, maxNamed).join(', ')}, and ${more} more` : problems.join(', ')
}
