import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { median, milliseconds, row, time, times, withDirectory } from './measure.mjs'

/** 10,000 files of 1 to 16 KB in a thousand directories. */
export function makeTree(directory) {
  for (let folder = 0; folder < 1000; folder++) {
    mkdirSync(join(directory, `folder-${folder}`), { recursive: true })
    for (let file = 0; file < 10; file++)
      writeFileSync(
        join(directory, `folder-${folder}`, `file-${file}.txt`),
        'x'.repeat(1024 * (1 + ((folder + file) % 16))),
      )
  }
}

/** Whether the file system can share storage between copies. */
async function canShare(source, directory) {
  return copyOf(source, { to: join(directory, 'shared'), clone: 'reflink' }).then(
    () => true,
    () => false,
  )
}

/** What does it take to give a judge that runs something a copy of 10,000 files, beside `cp -r`? */
export async function judgeCopies() {
  return withDirectory(async (directory) => {
    const source = join(directory, 'source')
    makeTree(source)
    const shares = await canShare(source, directory)
    const [copies, clones, theirs] = [[], [], []]
    for (let round = 0; round <= 5; round++) {
      const copied = time(['cp', '-r', source, join(directory, `cp-${round}`)]).elapsedMs
      for (const [clone, times] of [['copy', copies], ...(shares ? [['reflink', clones]] : [])]) {
        const startedAt = performance.now()
        const workspace = await copyOf(source, { to: join(directory, `${clone}-${round}`), clone })
        if (round > 0) times.push(performance.now() - startedAt)
        await workspace[Symbol.asyncDispose]()
      }
      if (round > 0) theirs.push(copied)
    }
    const [ours, cp] = [median(copies), median(theirs)]
    const shared = shares
      ? `; storage shared ${milliseconds(median(clones))}`
      : '; no shared storage on this file system'
    return [
      row(
        'a copy of 10,000 files for a judge',
        `${milliseconds(ours)}, ${times(ours / cp)} \`cp -r\` (${milliseconds(cp)})${shared}`,
        'at most 1.5 ×',
        ours / cp <= 1.5,
      ),
    ]
  })
}
