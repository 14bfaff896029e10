// npx jiti packages/distributed/tests/postgres/histories/main.ts [NUMBER] [FIRST SEED]: checks histories of a queue over a scratch server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, scratchServer } from '../../../../../tests/postgres/scratch-server.js'
import { type History, runHistory } from './history.js'
import { openWorld } from './history-world.js'

const [count = 1_000, first = 1] = process.argv.slice(2).map(Number)
const atOnce = 8
const breaks = 0.01

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-histories-'))
  const server = await scratchServer(directory)
  await server.start()
  try {
    await using world = await openWorld(await createDatabase(server.address, 'histories'), () => Math.random() < breaks)
    const histories: History[] = []
    let next = first
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < first + count) {
          next += 1
          const history = await runHistory(world, next - 1)
          histories.push(history)
          for (const violation of history.violations) console.error(`seed ${history.seed}: ${violation}`)
        }
      }),
    )
    const sum = (figure: 'trials' | 'taken' | 'late') => histories.reduce((total, one) => total + one[figure], 0)
    const wrong = histories.filter(({ violations }) => violations.length > 0).length
    console.log(
      `${histories.length} histories, ${sum('trials')} trials, ${sum('taken')} taken over, ` +
        `${sum('late')} late results refused, ${wrong} histories with a violation`,
    )
    process.exitCode = wrong === 0 ? 0 : 1
  } finally {
    await server.crash()
    await rm(directory, { recursive: true, force: true })
  }
}

await main()
