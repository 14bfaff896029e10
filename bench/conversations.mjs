import { join } from 'node:path'
import { median, root, row, seconds, time, withDirectory } from './measure.mjs'

const program = join(root, 'bench/programs/run-conversations.mjs')

/** One run of 1,000 conversations of 20 turns; every result is in the store when it ends. */
function runTalks(directory) {
  const store = join(directory, `store-${Math.random().toString(36).slice(2)}`)
  const { elapsedMs, stdout } = time([process.execPath, program, store, '1000', '20', '50', '5'])
  const { passCount } = JSON.parse(stdout)
  if (passCount !== 1_000) throw new Error(`${passCount} of 1,000 conversations passed`)
  return elapsedMs
}

/** How much is added to 1,000 conversations of 20 turns, agent and user of 5 ms each, 50 at a time? Four seconds is the least possible. */
export function conversations() {
  return withDirectory((directory) => {
    const whole = median([1, 2, 3, 4, 5].map(() => runTalks(directory)))
    return [
      row('1,000 conversations of 20 turns of 5 + 5 ms, 50 at a time', seconds(whole), 'at most 5 s', whole <= 5_000),
    ]
  })
}
