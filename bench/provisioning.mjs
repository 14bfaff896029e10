import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { median, milliseconds, row, time, times, withDirectory } from './measure.mjs'

/** A thousand files of 1 to 16 KB in a hundred directories. */
function makeTree(directory) {
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(directory, `folder-${folder}`), { recursive: true })
    for (let file = 0; file < 10; file++)
      writeFileSync(
        join(directory, `folder-${folder}`, `file-${file}.txt`),
        'x'.repeat(1024 * (1 + ((folder + file) % 16))),
      )
  }
}

/** How long is a workspace of 1,000 files in the making, beside `cp -r`? */
export async function provisioning() {
  return withDirectory(async (directory) => {
    const source = join(directory, 'source')
    makeTree(source)
    const [ours, theirs] = [[], []]
    for (let round = 0; round <= 9; round++) {
      const copied = time(['cp', '-r', source, join(directory, `copy-${round}`)]).elapsedMs
      const startedAt = performance.now()
      const workspace = await copyOf(source, { to: join(directory, `workspace-${round}`) })
      const elapsedMs = performance.now() - startedAt
      await workspace[Symbol.asyncDispose]()
      if (round === 0) continue
      ours.push(elapsedMs)
      theirs.push(copied)
    }
    const [provisioned, copied] = [median(ours), median(theirs)]
    const ratio = provisioned / copied
    return [
      row(
        'a workspace of 1,000 files',
        `${milliseconds(provisioned)}, ${times(ratio)} \`cp -r\` (${milliseconds(copied)})`,
        'at most 1.5 ×',
        ratio <= 1.5,
      ),
    ]
  })
}
