import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { rejudge, storedContext } from '@jurist/experiment/rejudge'
import { type ExperimentResult, type ItemResult, outcomeOf } from '@jurist/experiment/result'
import { memoryStore } from '@jurist/experiment/store'
import { jsonLines } from '@jurist/kit/json'
import { copyTree } from '@jurist/workspace/internal'
import { recordedEvents } from '../show/trial-evidence.js'
import { failureOf, isSameFailure } from './failure.js'
import type { Promotion } from './promotion.js'
import { type Cut, copied, nothingCut, writeCut } from './trial-files.js'

/** Judges what a cut leaves of the files of a trial. */
export interface JudgeAgain {
  (cut: Cut): Promise<ItemResult>
  /**
   * Whether a cut fails as the trial did, and passes with the files of a solution, where some are given. Another outcome, an error, a
   * timeout and the end of the signal are `false`.
   */
  isAlike(cut: Cut, solution?: readonly string[]): Promise<boolean>
}

/** No agent runs: the jury judges copies of the recorded work. */
export async function judgeAgain(promotion: Promotion, signal: AbortSignal): Promise<JudgeAgain> {
  const { results, run, item, files, jury, failure, judge: path } = promotion
  const { datasetDirectory, provision } = promotion.ofItems
  const journal = item.journalPath === null ? null : await recordedEvents(results, run, item)
  let count = 0
  const judged = async (cut: Cut, solution?: readonly string[]) => {
    const root = join(files.scratch, `judged-${++count}`)
    const kept = join(root, run.experimentName, run.id)
    const [before, after] = [join(root, 'before'), join(kept, 'workspace')]
    try {
      await writeCut(files, cut, { before, after })
      if (solution !== undefined) {
        await rm(after, { recursive: true, force: true })
        await mkdir(after, { recursive: true })
        await copyTree(before, after, { ...copied, ignore: [] })
        for (const one of solution.filter((one) => !cut.gone.has(one))) {
          await mkdir(dirname(join(after, one)), { recursive: true })
          await copyFile(join(files.reference ?? '', one), join(after, one))
        }
      }
      if (journal !== null) await writeFile(join(kept, 'journal.jsonl'), jsonLines(journal))
      const { keptChanges, ...trial } = item
      const { beforeSource, ...metadata } = item.metadata
      const recorded: ItemResult = {
        ...trial,
        metadata,
        workspacePath: 'workspace',
        beforePath: before,
        ...(files.reference === null ? {} : { referencePath: files.reference }),
        journalPath: journal === null ? null : 'journal.jsonl',
      }
      const again = rejudge({ ...run, items: [recorded] } as ExperimentResult, jury, {
        ...promotion.ofItems,
        store: memoryStore(),
        context: storedContext({
          resultsDirectory: root,
          ...(datasetDirectory === undefined ? {} : { datasetDirectory }),
          ...(provision === undefined ? {} : { provision }),
        }),
        save: false,
        signal,
      })
      const [result] = (await again.result).items
      signal.throwIfAborted()
      if (result === undefined) throw new Error('a trial was judged and has no result')
      return result
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  }
  return Object.assign((cut: Cut) => judged(cut), {
    isAlike: async (cut: Cut, solution?: readonly string[]) => {
      try {
        if (!isSameFailure(failureOf(await judged(cut), path), failure)) return false
        return solution === undefined || (await judged(cut, solution)).passed === true
      } catch (thrown) {
        if (signal.aborted) return false
        throw thrown
      }
    },
  })
}

/**
 * Judges the trial as it is now, again where that differs.
 *
 * @throws `usage-invalid` when it fails otherwise, or not always
 */
export async function failsAgain(judge: JudgeAgain, { trial, failure, judge: path }: Promotion): Promise<void> {
  let alike = 0
  let other = ''
  for (let turn = 1; turn <= 3; turn += 1) {
    const judged = await judge(nothingCut)
    const found = failureOf(judged, path)
    if (isSameFailure(found, failure)) alike += 1
    else other = found?.text ?? `${outcomeOf(judged)}${skipOf(judged)}`
    if (turn === 1 && alike === 1) return
  }
  if (alike === 0)
    throw usageInvalid(
      'item',
      `${trial} does not fail as it did.\n  then: ${failure.text}\n  now:  ${other}\nJudge the run again first: jurist rejudge RUN`,
    )
  throw usageInvalid(
    'item',
    `${trial} failed alike in ${alike} of 3 judgments: it is flaky. Quarantine it, or repeat it.\n` +
      `- { item: ${JSON.stringify(trial.split('#')[0])}, owner: YOU, reason: "failed ${alike} of 3", until: YYYY-MM-DD }`,
  )
}

function skipOf({ metadata: { rejudge: note } }: ItemResult): string {
  return isPlainObject(note) && typeof note['message'] === 'string' ? ` (${note['message']})` : ''
}

const mostCleaned = 20_000_000

/**
 * Removes secrets and names of this machine from all files.
 *
 * @param alike whether the trial still fails alike
 * @throws `usage-invalid` when it does not without one of them
 */
export async function cleanedCut({ files, clean }: Promotion, alike: (cut: Cut) => Promise<boolean>): Promise<Cut> {
  const gone = new Set<string>()
  const texts = new Map<string, { before?: string; after?: string }>()
  const { snapshots } = files
  const paths = new Set([...Object.keys(snapshots.before.files), ...Object.keys(snapshots.after.files)])
  // Files of secrets come first: what they hold is looked for in the others.
  const sorted = [...paths].sort((a, b) => Number(b.includes('.env')) - Number(a.includes('.env')) || (a < b ? -1 : 1))
  for (const path of sorted)
    for (const side of ['before', 'after'] as const) {
      const entry = snapshots[side].files[path]
      if (entry === undefined || 'link' in entry || entry.sizeBytes > mostCleaned) continue
      const bytes = await readFile(join(files[side], path))
      if (clean.isSecretFile(path, bytes)) gone.add(path)
      else if (!bytes.includes(0)) {
        const text = bytes.toString()
        const plain = clean.text(text, path)
        if (plain !== text) texts.set(path, { ...texts.get(path), [side]: plain })
      }
    }
  const cut: Cut = { ...nothingCut, gone, texts }
  if (gone.size + texts.size === 0 || (await alike(cut))) return cut
  for (const path of [...gone, ...texts.keys()]) {
    const own = texts.get(path)
    const only = { gone: new Set(gone.has(path) ? [path] : []), texts: new Map(own ? [[path, own]] : []) }
    if (!(await alike({ ...nothingCut, ...only })))
      throw usageInvalid(
        'item',
        `The failure needs a secret or a name of this machine in ${path}. Replace it there, run the trial again, and promote that.`,
      )
  }
  throw usageInvalid('item', 'The failure needs what was removed from several files. Replace the secrets there first.')
}
